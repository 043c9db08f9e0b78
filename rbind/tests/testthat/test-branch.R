test_that("the branch that is taken gives the result", {
  f <- jit(function(x) tenon_if(sum(x) > 0, list(y = sqrt(x), n = 1), function() list(y = -x, n = sum(x))))
  r <- f(c(4, 9))
  near(r$y, c(2, 3))
  near(r$n, 1)
  r <- f(c(-4, 1))
  near(r$y, c(4, -1))
  near(r$n, -3)
})

test_that("gradients flow through the branch that is taken alone", {
  loss <- function(x) sum(tenon_if(sum(x) > 0, x * x, sqrt(x)))
  g <- jit(function(x) grad(loss)(x))
  near(g(c(0, 3)), c(0, 6))
  near(g(c(0, -1)) * c(0, 1), c(NaN, NaN))
  # A gradient that is taken in a branch.
  step <- jit(function(w, x) tenon_if(sum(x) > 0, w - 0.1 * grad(function(w) sum(w * w * x))(w), w))
  near(step(c(1, 2), c(1, 1)), c(0.8, 1.6))
  near(step(c(1, 2), c(-1, -1)), c(1, 2))
})

test_that("only what a branch needs alone is computed in it", {
  f <- function(x) {
    y <- sqrt(x)
    both <- tanh(x)
    tenon_if(sum(x) > 0, y + both, exp(both))
  }
  ir <- as.character(tenon_ir(f, c(1, 2), phase = "input"))
  expect_match(ir, "tenon.tanh.*tenon.if.*tenon.sqrt.*else.*tenon.exp")
  expect_no_match(ir, "tenon.sqrt.*tenon.if")
  # Tests next to each other on one tensor are one op, unless one needs the other.
  two <- function(x) {
    test <- sum(x) > 0
    a <- tenon_if(test, x, -x)
    list(a, tenon_if(test, a * 2, exp(a)))
  }
  expect_length(gregexpr("tenon.if", tenon_ir(two, c(1, 2), phase = "input"))[[1]], 2L)
  near(jit(two)(c(-1, -2))[[2]], exp(1:2))
})

test_that("ag_* parameters have gradients through the branch that is taken", {
  w <- ag_param(matrix(c(1, 2), 1))
  loss <- function(x) ag_sum(tenon_if(sum(x) > 0, ag_mul(w, w), ag_mul(w, x)))
  for (x in list(matrix(1, 1, 2), matrix(-1, 1, 2))) {
    with_grad_tape(l <- loss(x))
    g <- backward(l)[[as.character(w$id)]]
    near(g, if (x[1] > 0) c(2, 4) else c(-1, -1))
    traced <- jit(function(x) {
      with_grad_tape(l <- loss(x))
      backward(l)[[as.character(w$id)]]
    })
    near(traced(x), g)
  }
  x <- tenon_tensor(matrix(1, 1, 2))
  expect_true(ag_gradcheck(function(w) ag_sum(tenon_if(sum(x) > 0, ag_tanh(w), w)), list(w = w)))
})

test_that("a step is left out where its gradient is no number", {
  is_number <- function(x) x == x
  step <- compile_loop(function(state, batch, i) {
    g <- grad(function(w) sum(w * w * batch))(state$w)
    tenon_if(is_number(sum(g)), list(list(w = state$w - 0.1 * g, left = state$left), i),
             list(list(w = state$w, left = state$left + 1), -i))
  }, 3)
  r <- step(list(w = c(1, 1), left = 0), matrix(c(1, 1, NaN, 1, 2, 0), 2))
  near(r$state$w, c(0.48, 0.8))
  near(r$state$left, 1)
  expect_equal(as.numeric(r$out), c(1, -2, 3))
})

test_that("dtypes, no elements, numbers, random numbers and nothing at all", {
  for (dtype in c("f32", "f16", "bf16")) {
    f <- jit(function(x) tenon_if(x[1] > 0, x * 2, 1 - x))
    x <- tenon_tensor(c(2, -3), dtype)
    expect_identical(f(x)$dtype, dtype)
    near(f(x), c(4, -6))
    near(f(-x), c(3, -2))
  }
  f <- jit(function(n, x) tenon_if(n > 0, x * 2, x))
  expect_identical(dim(f(1, matrix(0, 0, 3))), c(0L, 3L))
  f <- jit(function(x) tenon_if(x > 0, 1, 2L))
  near(f(1), 1)
  near(f(-1), 2)
  f <- jit(function(n) tenon_if(n > 0, n * 2L, 0.5))
  near(f(tenon_tensor(-3L)), 0.5)
  expect_identical(jit(function(x) tenon_if(x > 0, TRUE, FALSE))(1)$dtype, "i1")
  f <- jit(function(x) tenon_if(x > 0, list(), list()))
  expect_identical(f(1), list())
  f <- jit(function(x) tenon_if(x > 0, tenon_random_uniform(3), tenon_random_uniform(3)))
  expect_true(all(as.numeric(f(1)) < 1) && length(f(1)) == 3L)
  flags <- jit(function(x) tenon_if(x > 0, list(kind = "a", y = x), list(kind = "a", y = -x)))
  expect_identical(flags(-1)$kind, "a")
})

test_that("programs compiled ahead of time decide as well", {
  f <- function(x, w) tenon_if(sum(x) > 0, list(y = tanh(x %*% w)), list(y = x))
  folder <- tempfile("branch")
  dir.create(folder)
  tenon_compile(f, list(diag(2), diag(2)), path <- file.path(folder, "libbranch.so"))
  program <- tenon_load_program(path)
  w <- M(2, 2)
  for (x in list(diag(2), -diag(2)))
    expect_identical(as.array(program(x, w)$y), as.array(jit(f)(x, w)$y))
})

test_that("a gradient inside of another one is no obstacle", {
  f <- function(x) tenon_if(sum(x) > 0, sum(x^3), sum(x^2))
  curvature <- grad(function(x) sum(grad(f)(x)))
  for (x in list(c(1, 2), c(-1, -2))) {
    near(curvature(x), if (x[1] > 0) 6 * x else c(2, 2))
    near(jit(curvature)(x), curvature(x))
  }
})

# Random programs in which what one branch alone needs was computed long before; a random test
# among them may be in a branch, or a gradient on either side.
branching_program <- function(steps) {
  k <- matrix(1:16 / 16, 4)
  ops <- list(
    function(a, b, choose) a + b, function(a, b, choose) tanh(a * b), function(a, b, choose) a %*% b / 5,
    function(a, b, choose) t(tanh(a)), function(a, b, choose) choose(sum(a) > sum(b), a * 2, b - a),
    function(a, b, choose) choose(sum(a) > 0, function() {
      c <- tanh(a)
      choose(sum(b) < sum(c), c * b, exp(-abs(c)))
    }, a),
    function(a, b, choose) {
      p <- choose(sum(a * b) > 0, list(a, x = list(tanh(b), 2)), list(b, x = list(a, sum(b))))
      tanh(p[[1]] - p$x[[1]] * p$x[[2]])
    },
    function(a, b, choose) choose(sum(b) > 0, tanh(grad(function(v) sum(v * v * k))(a)), b),
    function(a, b, choose) tanh(grad(function(v) sum(choose(sum(v) > 0, v * v * k, tanh(v))))(a)) + b
  )
  which <- sample(length(ops), steps, TRUE)
  left <- vapply(seq_len(steps), function(i) sample(i + 1L, 1L), 0L)
  right <- vapply(seq_len(steps), function(i) sample(i + 1L, 1L), 0L)
  function(x, w, choose = tenon_if) {
    values <- list(x, w)
    for (i in seq_len(steps))
      values[[i + 2L]] <- ops[[which[i]]](values[[left[i]]], values[[right[i]]], choose)
    values[[steps + 2L]]
  }
}
# Both branches, then one by element.
choose_by_where <- function(test, yes, no) {
  value <- function(x) if (is.function(x)) x() else x
  pick <- function(a, b) if (is.list(a)) Map(pick, a, b) else tenon_where(test, a, b)
  pick(value(yes), value(no))
}

test_that("random programs decide as step by step, and as tenon_where() does", {
  close_to <- function(a, b)
    max(abs(as.array(a) - as.array(b))) <= 1e-9 * (1 + max(abs(as.array(b))))
  set.seed(3)
  for (round in 1:10) {
    f <- branching_program(sample(2:9, 1))
    x <- M(4, 4)
    w <- tenon_tensor(M(4, 4))
    loss <- function(choose) function(x) sum(f(x, w, choose))
    slope <- function(choose) function(x) sum(grad(loss(choose))(x)^2)
    about <- paste("program", round)
    expect_true(close_to(jit(f)(x, w), f(tenon_tensor(x), w)), label = about)
    expect_true(close_to(jit(grad(loss(tenon_if)))(x), jit(grad(loss(choose_by_where)))(x)), label = about)
    second <- grad(slope(tenon_if))
    expected <- jit(grad(slope(choose_by_where)))(x)
    expect_true(close_to(jit(second)(x), expected), label = about)
    expect_true(close_to(second(x), expected), label = about)
  }
})

test_that("a loop decides anew in every step", {
  loop <- compile_loop(function(state, batch, i) {
    state <- tenon_if(sum(state) < 3, state + batch, state * 2)
    list(state, state)
  }, 4)
  r <- loop(1, c(1, 1, 1, 1))
  near(r$out, c(2, 3, 6, 12))
})

test_that("where the test is known only one branch is evaluated", {
  expect_equal(tenon_if(TRUE, 1, stop("no")), 1)
  x <- tenon_tensor(c(1, 2))
  near(tenon_if(sum(x) > 5, stop("no"), x + 1), c(2, 3))
  near(grad(function(x) tenon_if(sum(x) > 0, sum(x * x), stop("no")))(c(1, 2)), c(2, 4))
  expect_error(tenon_if(NA, 1, 2), "expected one TRUE or FALSE, got NA", class = "tenon_error_argument")
  expect_error(tenon_if("x", 1, 2), "expected one TRUE or FALSE, got character",
               class = "tenon_error_argument")
  expect_error(tenon_if(x > 0, 1, 2), "expected one TRUE or FALSE, got 2 elements",
               class = "tenon_error_shape")
})

test_that("branches that differ are refused with what was expected", {
  traced <- function(yes, no, class, message, test = function(x) sum(x) > 0)
    expect_error(jit(function(x) tenon_if(test(x), yes(x), no(x)))(c(1, 2)), message, class = class,
                 fixed = TRUE)
  traced(function(x) x, function(x) sum(x), "tenon_error_shape", "tenon_if: no: expected")
  traced(function(x) list(a = x), function(x) list(a = tenon_cast(x, "f32")), "tenon_error_dtype",
         "tenon_if: no$a: expected")
  traced(function(x) list(a = x), function(x) list(b = x), "tenon_error_argument",
         "expected the names a, got b")
  traced(function(x) list(x, x), function(x) list(x), "tenon_error_argument",
         "expected 2 elements, got 1")
  traced(function(x) list(a = list(x)), function(x) list(a = x), "tenon_error_argument",
         "no$a: expected a list, got ag_tensor")
  traced(function(x) "a", function(x) "b", "tenon_error_argument", "expected what yes gives")
  traced(function(x) x, function(x) x, "tenon_error_shape", "test: expected one logical",
         test = function(x) x > 0)
})
