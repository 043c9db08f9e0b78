set.seed(2)
a <- M(3, 4)
A <- ag_tensor(a)

test_that("argmax and gather of columns", {
  expect_identical(ag_argmax(A), apply(a, 2, which.max) - 1L)
  expect_identical(ag_argmax(matrix(c(NaN, 2, 2, NaN, NaN, NaN), 3)), c(1L, 0L))
  near(ag_gather(A, c(0, 2, 1, 0)), a[cbind(c(1, 3, 2, 1), 1:4)])
  near(ag_max(A), apply(a, 2, max))
  expect_error(ag_gather(A, c(0, 3, 0, 0)), class = "tenon_error_argument")
  expect_error(ag_gather(A, c(0, NA, 0, 0)), class = "tenon_error_argument")
  expect_error(ag_gather(A, c(0, 0.5, 0, 0)), class = "tenon_error_argument")
  expect_error(ag_gather(A, 0), class = "tenon_error_shape")
})
