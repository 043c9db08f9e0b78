set.seed(2)
a <- M(3, 4)
b <- M(3, 4)
A <- ag_tensor(a)
B <- ag_tensor(b)

test_that("reductions", {
  near(sum(A), sum(a))
  near(mean(A), mean(a))
  near(max(A), max(a))
  near(min(A), min(a))
  near(prod(A), prod(a))
  near(range(A), range(a))
  near(sum(A, B, 1), sum(a) + sum(b) + 1)
  near(ag_sum(A, 1), rowSums(a))
  expect_identical(dim(ag_sum(A, 1)), c(3L, 1L))
  expect_identical(dim(ag_sum(A, 2)), c(1L, 4L))
  expect_identical(dim(ag_sum(A)), c(1L, 1L))
  near(ag_mean(A, 2), colMeans(a))
  x <- array(rnorm(24), 2:4)
  near(tenon_sum(x, c(1, 3)), apply(x, 2, sum))
  expect_identical(dim(tenon_max(x, 2, keep = TRUE)), c(2L, 1L, 4L))
  near(tenon_max(x, 2), apply(x, c(1, 3), max))
  near(tenon_argmax(x, 3), apply(x, 1:2, which.max))
  near(tenon_argmin(A, 1), apply(a, 2, which.min))
  expect_error(tenon_sum(x, 4), "from 1 to 3", class = "tenon_error_argument")
  expect_error(ag_sum(A, 3), class = "tenon_error_argument")
})

test_that("reductions that keep an axis are right at every length, one after another", {
  # The third length is served by a program of open extents, and all later ones.
  for (n in c(4, 5, 6, 7, 33, 65)) {
    x <- as.numeric(seq_len(n))
    for (reduce in list(tenon_sum, tenon_mean, tenon_max)) {
      expected <- as.array(reduce(tenon_tensor(x, "f64")))
      for (shape in list(n, c(n, 1), c(1, n))) {
        got <- as.array(reduce(tenon_tensor(array(x, shape)), which.max(shape), TRUE))
        expect_identical(dim(got), rep(1L, length(shape)))
        expect_equal(as.numeric(got), as.numeric(expected))
      }
    }
    expect_identical(dim(as.array(ag_sum(tenon_tensor(matrix(x, 1))))), c(1L, 1L))
    y <- tenon_tensor(x)
    near(as.array(tenon_broadcast(tenon_sum(y, NULL, TRUE), dim(y)) * 0.01 + y), sum(x) * 0.01 + x)
  }
})
