set.seed(2)
a <- M(3, 4)
b <- M(3, 4)
A <- ag_tensor(a)
B <- ag_tensor(b)

test_that("arithmetic agrees with R", {
  near(A + B, a + b)
  near(A - B, a - b)
  near(A * B, a * b)
  near(A / B, a / b)
  near(-A, -a)
  near(abs(A)^1.5, abs(a)^1.5)
  near(A^2, a^2)
  near(A^3, a^3)
  near(A %% 0.3, a %% 0.3)
  near(A %/% 0.3, a %/% 0.3)
  near(2 * A - 1, 2 * a - 1)
  near(1L + A, 1 + a)
  near(tenon_maximum(A, B), pmax(a, b))
  near(tenon_minimum(A, 0), pmin(a, 0))
})

test_that("comparison and logic", {
  near(A > B, a > b)
  near(A <= 0, a <= 0)
  near((A > 0) & !(B > 0), (a > 0) & !(b > 0))
  near((A > 0) | (B > 0), (a > 0) | (b > 0))
  near(A == A, a == a)
  near(A != B, a != b)
  near(tenon_where(A > 0, A, B), ifelse(a > 0, a, b))
  expect_identical(as.logical(any(A > 100)), FALSE)
  expect_identical(as.logical(all(A < 100)), TRUE)
})

test_that("broadcasting goes from the first axis on", {
  col <- M(3, 1)
  row <- M(1, 4)
  near(A + col, a + as.vector(col))
  near(A * row, a * rep(row, each = 3))
  near(A + 1:3, a + 1:3)
  near(ag_add(col, row), outer(as.vector(col), as.vector(row), `+`))
  expect_error(A + M(2, 4), "\\[3,4\\] and \\[2,4\\] do not broadcast", class = "tenon_error_shape")
})

test_that("mathematical functions", {
  p <- abs(a) + 0.1
  P <- ag_tensor(p)
  for (f in list(exp, tanh, sin, cos, tan, abs, sign, floor, ceiling, expm1, sinh, cosh, trunc, round))
    near(f(A), f(a))
  for (f in list(log, sqrt, log1p, log2, log10)) near(f(P), f(p))
  near(log(P, 3), log(p, 3))
  near(ag_relu(A), pmax(a, 0))
  near(ag_sigmoid(A), 1 / (1 + exp(-a)))
  near(ag_gelu(A), a * pnorm(a))
  near(ag_gelu(A, TRUE), a / 2 * (1 + tanh(sqrt(2 / pi) * (a + 0.044715 * a^3))))
  near(tenon_silu(A), a / (1 + exp(-a)))
  near(tenon_softplus(A), log1p(exp(a)))
  near(tenon_erf(A), 2 * pnorm(a * sqrt(2)) - 1)
  near(tenon_rsqrt(P), 1 / sqrt(p))
  near(ag_clamp(A, -0.5, 0.5), pmin(pmax(a, -0.5), 0.5))
  expect_error(gamma(A), "no tensor form", class = "tenon_error_argument")
  expect_error(round(A, 2), class = "tenon_error_argument")
})

test_that("zero extents work", {
  e <- ag_tensor(matrix(0, 3, 0))
  expect_identical(dim(as.matrix(e + 1)), c(3L, 0L))
  expect_identical(dim(as.matrix(e %*% matrix(0, 0, 2))), c(3L, 2L))
  near(e %*% matrix(0, 0, 2), rep(0, 6))
  near(sum(e), 0)
  expect_identical(dim(as.matrix(ag_softmax(e))), c(3L, 0L))
})

test_that("f32 computes in f32 and numbers adapt", {
  x <- ag_tensor(a, dtype = "f32")
  expect_identical((x * 2 + a)$dtype, "f32")
  expect_identical((x + A)$dtype, "f64")
  near(x * 2 + a, 3 * a, 1e-6)
  with_dtype("f32", expect_identical(ag_matmul(a, t(b))$dtype, "f32"))
})

test_that("the remainder by an infinite number is R's", {
  x <- c(5, -5, 5, -5, Inf, 0, 7)
  y <- c(Inf, Inf, -Inf, -Inf, Inf, Inf, -3)
  expect_identical(as.vector(as.array(tenon_tensor(x) %% y)), x %% y)
})

test_that("quotients rounded down and remainders are R's for special numbers of both signs", {
  special <- c(Inf, -Inf, NaN, NA, 0, -0, 5, -5, 2.5, -2.5, 0.25, -0.25)
  x <- rep(special, length(special))
  y <- rep(special, each = length(special))
  same <- function(got, expected, what) { # NA is NaN in a tensor
    got <- as.vector(as.array(got))
    got[is.na(got)] <- NaN
    expected[is.na(expected)] <- NaN
    wrong <- which(!mapply(identical, got, expected))
    expect_identical(paste(x, what, y)[wrong], character())
  }
  for (dtype in c("f64", "f32")) {
    a <- tenon_tensor(x, dtype)
    b <- tenon_tensor(y, dtype)
    same(a %/% b, x %/% y, "%/%")
    same(a %% b, x %% y, "%%")
    with_dtype(dtype, {
      same(a %/% y, x %/% y, "%/%")
      same(a %% y, x %% y, "%%")
      same(x %/% b, x %/% y, "%/%")
      same(x %% b, x %% y, "%%")
    })
    for (one in c(Inf, -Inf, 5, -2.5)) {
      same(a %/% one, x %/% one, paste("%/%", one))
      same(a %% one, x %% one, paste("%%", one))
    }
  }
  expect_identical(as.numeric(1 / (tenon_tensor(-0) %/% 5)), 1 / (-0 %/% 5))
  expect_identical(as.numeric(tenon_tensor(-1e-300) %/% 1e300), -1e-300 %/% 1e300)
})

test_that("sinh and cosh are right near 0 and where exp is too large", {
  x <- c(-710, -30, -1, -1e-9, 1e-300, 1e-9, 0.5, 1, 30, 710)
  near(as.array(sinh(tenon_tensor(x))) / sinh(x), rep(1, 10), 1e-14)
  near(as.array(cosh(tenon_tensor(x))) / cosh(x), rep(1, 10), 1e-14)
  near(grad(function(x) sum(sinh(x)))(c(-2, 0, 1e-9, 3)), cosh(c(-2, 0, 1e-9, 3)))
})
