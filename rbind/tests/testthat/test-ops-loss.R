set.seed(2)
a <- M(3, 4)
b <- M(3, 4)
A <- ag_tensor(a)
B <- ag_tensor(b)

test_that("losses", {
  near(ag_mse_loss(A, b), mean((a - b)^2))
  near(tenon_mse(A, B), mean((a - b)^2))
  p <- apply(a, 2, function(x) exp(x) / sum(exp(x)))
  t <- matrix(0, 3, 4)
  t[cbind(c(1, 3, 2, 2), 1:4)] <- 1
  near(ag_cross_entropy_loss(p, t), -sum(t * log(p)) / 4)
  near(ag_softmax_cross_entropy_loss(A, t), -sum(t * log(p)) / 4)
  near(ag_softmax_cross_entropy_loss(A, c(0L, 2L, 1L, 1L)), -sum(t * log(p)) / 4)
  near(ag_softmax_cross_entropy_loss(A, matrix(c(0, 2, 1, 1), 1)), -sum(t * log(p)) / 4)
  near(tenon_cross_entropy(A, c(1L, 3L, 2L, 2L)), -sum(t * log(p)) / 4)
  near(tenon_cross_entropy(A, t), -sum(t * log(p)) / 4)
  expect_identical(dim(ag_mse_loss(A, b)), c(1L, 1L))
  expect_error(ag_softmax_cross_entropy_loss(A, c(0L, 3L, 1L, 1L)), class = "tenon_error_argument")
  expect_error(ag_mse_loss(A, M(2, 4)), class = "tenon_error_shape")
})

test_that("classes that do not exist are refused, doubles as well as integers", {
  x <- matrix(c(1, 3, 2, 0, 1, 4), 3)
  near(tenon_cross_entropy(x, c(1, 3)), tenon_cross_entropy(x, c(1L, 3L)))
  for (target in list(c(1, 5), c(0, 1), c(1, 2.5), c(1, NA), matrix(c(1, 4), 1), c(1L, 5L)))
    expect_error(tenon_cross_entropy(x, target), "^target", class = "tenon_error_argument")
  expect_error(tenon_cross_entropy(tenon_tensor(x), c(1, 5)), "from 1 to 3, got 5", class = "tenon_error_argument")
  expect_error(tenon_cross_entropy(c(1, 2, 3), 4), "from 1 to 3, got 4", class = "tenon_error_argument")
  near(tenon_cross_entropy(c(1, 2, 3), 3), log(sum(exp(1:3))) - 3)
  near(tenon_cross_entropy(c(1, 2, 3), c(0, 0, 1)), log(sum(exp(1:3))) - 3) # probabilities
  expect_error(tenon_cross_entropy(x, c(1, 2, 3)), class = "tenon_error_shape")
})

test_that("soft targets have gradients, where they are 0 or negative too", {
  z <- M(3, 4)
  t <- matrix(c(0.5, 0, 0.5, -0.1, 0.6, 0.5, 1, 0, 0, 0.2, 0.3, 0.5), 3)
  logs <- log(t(t(exp(z)) / colSums(exp(z))))
  w <- c(1, 2, 3)
  near(tenon_cross_entropy(z, t, 0, w), -sum(w * t * logs) / 4)
  near(grad(function(t) tenon_cross_entropy(z, t))(t), -logs / 4)
  near(grad(function(t) tenon_cross_entropy(z, t, 0, w))(t), -w * logs / 4)
  near(grad(function(t) tenon_cross_entropy(z, t, 0.1))(t), -0.9 * logs / 4)
  near(grad(function(t) ag_softmax_cross_entropy_loss(z, t))(t), -logs / 4)
  p <- matrix(runif(12, 0.1, 0.9), 3)
  p[2, 2] <- 0
  near(grad(function(t) ag_cross_entropy_loss(p, t))(t), -log(pmax(p, 1e-7)) / 4)
  # An impossible class of no weight costs nothing and has no gradient.
  z[2, 1] <- -Inf
  expect_true(is.finite(as.numeric(tenon_cross_entropy(z, t, 0, w))))
  g <- grad(function(x) tenon_cross_entropy(x$z, x$t, 0, w))(list(z = z, t = t))
  expect_true(all(is.finite(as.array(g$z))) && all(is.finite(as.array(g$t))))
})
