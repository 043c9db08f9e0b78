set.seed(6)
x <- array(rnorm(60), c(5, 4, 3))

test_that("running sums along each axis and over all elements", {
  for (axis in 1:3) {
    others <- setdiff(1:3, axis)
    near(tenon_cumsum(x, axis), aperm(apply(x, others, cumsum), order(c(axis, others))))
    near(tenon_cumsum(x, axis, reverse = TRUE),
         aperm(apply(x, others, function(v) rev(cumsum(rev(v)))), order(c(axis, others))))
    near(tenon_cumsum(x, axis, exclusive = TRUE),
         aperm(apply(x, others, function(v) cumsum(c(0, v[-length(v)]))), order(c(axis, others))))
  }
  near(cumsum(tenon_tensor(x)), cumsum(x), 1e-12)
  expect_null(dim(cumsum(x)))
  expect_identical(dim(cumsum(tenon_tensor(x))), 60L)
  expect_identical(as.vector(tenon_cumsum(c(TRUE, FALSE, TRUE))), c(1L, 1L, 2L))
  expect_identical(as.vector(tenon_cumsum(1:5)), cumsum(1:5))
  near(cumsum(tenon_tensor(7)), 7)
  expect_error(cumprod(tenon_tensor(x)), class = "tenon_error_argument")
})

test_that("sorted elements and their positions", {
  for (down in c(FALSE, TRUE)) {
    near(tenon_sort(x, 1, down), apply(x, 2:3, sort, decreasing = down))
    near(tenon_order(x, 1, down), apply(x, 2:3, order, decreasing = down))
    near(tenon_sort(x, 3, down), aperm(apply(x, 1:2, sort, decreasing = down), c(2, 3, 1)))
  }
  ties <- c(2, 1, 2, NaN, -0, 0, 1, Inf, -Inf)
  expect_identical(as.vector(tenon_order(ties)), order(ties))
  expect_identical(as.vector(tenon_order(ties, descending = TRUE)),
                   order(ties, decreasing = TRUE, method = "radix"))
  long <- round(rnorm(5000), 2)
  expect_identical(as.vector(tenon_order(long)), order(long))
  expect_identical(as.vector(tenon_sort(long, descending = TRUE)), sort(long, decreasing = TRUE))
  whole <- sample(-50:50)
  expect_identical(as.vector(tenon_sort(whole)), sort(whole))
})

test_that("the first few of many", {
  v <- rnorm(2000)
  for (k in c(0, 1, 7, 64, 65, 500)) for (largest in c(TRUE, FALSE)) {
    top <- tenon_top_k(v, k, largest = largest)
    at <- head(order(v, decreasing = largest), k)
    expect_identical(as.vector(top$values), v[at])
    expect_identical(as.vector(top$indices), at)
  }
  top <- tenon_top_k(x, 2, axis = 2)
  expect_identical(dim(top$values), c(5L, 2L, 3L))
  expect_identical(names(top), c("values", "indices"))
})

test_that("elements by position and their sums", {
  at <- array(sample(4, 30, TRUE), c(5, 2, 3))
  y <- as.array(tenon_gather_along(x, at, 2))
  expected <- at + 0
  for (i in 1:5) for (j in 1:2) for (k in 1:3) expected[i, j, k] <- x[i, at[i, j, k], k]
  near(y, expected)
  expected <- array(0, c(5, 4, 3))
  for (i in 1:5) for (j in 1:2) for (k in 1:3)
    expected[i, at[i, j, k], k] <- expected[i, at[i, j, k], k] + y[i, j, k]
  near(tenon_scatter_along(at, y, 4, 2), expected)
})

test_that("gradients go where the values came from", {
  w <- ag_param(M(6, 4))
  p <- M(6, 4)
  check <- function(f) expect_true(ag_gradcheck(function(w) ag_sum(f(w) * p), list(w = w)))
  check(function(w) tenon_cumsum(w, 2, exclusive = TRUE))
  check(function(w) tenon_cumsum(w * w, 1, reverse = TRUE))
  check(function(w) tenon_sort(w, 1) * w)
  expect_true(ag_gradcheck(function(w) ag_sum(tenon_top_k(w, 2)$values^3), list(w = w)))
  expect_true(ag_gradcheck(function(w) ag_sum(cumsum(w)^2), list(w = w)))
  expect_true(ag_gradcheck(function(w) ag_sum(tenon_gather_along(w, matrix(c(1L, 6L, 1L, 2L), 1))^2),
                           list(w = w)))
  g <- as.array(grad(function(x) sum(tenon_top_k(x, 1)$values))(x))
  near(g, apply(x, 2:3, function(v) as.numeric(v == max(v))))
})

test_that("wrong arguments say what was expected", {
  expect_error(tenon_cumsum(x, 4), "4", class = "tenon_error_argument")
  expect_error(tenon_cumsum(x, exclusive = NA), "exclusive", class = "tenon_error_argument")
  expect_error(tenon_sort(x, 0), class = "tenon_error_argument")
  expect_error(tenon_top_k(x, 6), "from 0 to 5, got 6", class = "tenon_error_argument")
  expect_error(tenon_top_k(x, -1), class = "tenon_error_argument")
  expect_error(tenon_top_k(x, 1.5), class = "tenon_error_argument")
  expect_error(tenon_top_k(x, 1, largest = 2), class = "tenon_error_argument")
  expect_error(tenon_gather_along(x, array(1L, c(5, 1, 2)), 2), class = "tenon_error_shape")
  expect_error(tenon_gather_along(x, array(5L, c(5, 1, 3)), 2), "from 1 to 4, got 5",
               class = "tenon_error_argument")
  expect_error(tenon_gather_along(x, 1L, 7), "from 1 to 3, got 7", class = "tenon_error_argument")
  expect_error(tenon_scatter_along(1:3, c(1, 2), 4), class = "tenon_error_shape")
  expect_error(tenon_scatter_along(1:3, 1:3, -1), class = "tenon_error_argument")
})
