#' Softmax and normalization
#'
#' `tenon_layer_norm()` and `tenon_rms_norm()` normalize along the first axis, the
#' features: `(x - mean) / sqrt(var + eps) * gamma + beta` with the population
#' variance, and `x / sqrt(mean(x^2) + eps) * gamma`. A column of `-Inf` alone has
#' softmax 0.
#'
#' @param x A tensor or R array `[features, ...]`.
#' @param axis The axis along which the softmax sums to 1.
#' @param gamma,beta `NULL` or one number for each feature.
#' @param eps Added to the variance.
#' @return A lazy tensor of the shape of `x`.
#' @section Errors: `tenon_error_shape` when gamma or beta do not fit.
#' @examples
#' x <- tenon_tensor(matrix(1:6, 3))
#' as.matrix(tenon_softmax(x))
#' as.matrix(tenon_layer_norm(x))
#' as.matrix(tenon_log_softmax(x))
#' as.matrix(tenon_rms_norm(x))
#' @name norms
NULL

#' @rdname norms
#' @export
tenon_softmax <- function(x, axis = 1) .Call(C_softmax, x, axis, FALSE)
#' @rdname norms
#' @export
tenon_log_softmax <- function(x, axis = 1) .Call(C_softmax, x, axis, TRUE)
#' @rdname norms
#' @export
tenon_layer_norm <- function(x, gamma = NULL, beta = NULL, eps = 1e-5)
  .Call(C_layer_norm, x, gamma, beta, eps)
#' @rdname norms
#' @export
tenon_rms_norm <- function(x, gamma = NULL, eps = 1e-6) .Call(C_rms_norm, x, gamma, eps)
