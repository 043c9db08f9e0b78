test_that("errors are classed conditions without a call", {
  e <- tryCatch(ag_tensor(1) %*% matrix(1, 2, 2), error = identity)
  expect_s3_class(e, c("tenon_error_shape", "tenon_error", "error", "condition"), exact = TRUE)
  expect_null(conditionCall(e))
})

test_that("NULL, NA and wrong lengths are argument errors", {
  x <- ag_tensor(matrix(1:4, 2))
  expect_error(ag_add(x, NULL), "got NULL", class = "tenon_error")
  expect_error(ag_scale(x, NA), class = "tenon_error_argument")
  expect_error(ag_scale(x, 1:2), class = "tenon_error_argument")
  expect_error(ag_clamp(x, 2, 1), class = "tenon_error")
  expect_error(ag_pow(x, NA_real_), class = "tenon_error_argument")
  expect_error(ag_linear(0, 2), class = "tenon_error_argument")
  expect_error(ag_linear(NA, 2), class = "tenon_error_argument")
  expect_error(tenon_layer_norm(x, eps = NA), class = "tenon_error_argument")
  near(x, 1:4)
})

test_that("messages say what was expected and what came", {
  x <- ag_tensor(matrix(1:6, 2))
  expect_snapshot(error = TRUE, {
    x %*% x
    x + matrix(1, 3, 3)
    ag_flash_attention(x, x, x, 4)
    tenon_sum(x, 3)
    x[3, 1]
    tenon_reshape(x, c(4, 4))
  })
})
