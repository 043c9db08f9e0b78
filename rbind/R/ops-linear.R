#' Matrix products
#'
#' `%*%` on tensors, and `tenon_matmul()` on batches: the first two axes are the
#' matrix, the others count matrices; a factor with fewer axes is shared by the
#' whole batch. For R objects that are no tensors `%*%` is R's own.
#'
#' @param x,y,a,b Tensors or R arrays: `[m, k, ...]` and `[k, n, ...]`.
#' @param transpose_a,transpose_b Use the factor transposed: then it is `[k, m]`
#'   or `[n, k]`.
#' @return A lazy tensor `[m, n, ...]`.
#' @section Errors: `tenon_error_shape` with both shapes and the inner extents.
#' @examples
#' a <- tenon_tensor(matrix(1:6, 2))
#' as.matrix(a %*% matrix(1, 3, 2))
#' dim(tenon_matmul(array(1, c(2, 3, 5)), array(1, c(3, 4, 5))))
#' @name matmul
NULL

#' @rdname matmul
#' @export
`%*%` <- function(x, y)
  if (.Call(C_is_tensor, x, y)) .Call(C_matmul, x, y, FALSE, FALSE) else base::`%*%`(x, y)

#' @rdname matmul
#' @export
tenon_matmul <- function(a, b, transpose_a = FALSE, transpose_b = FALSE)
  .Call(C_matmul, a, b, transpose_a, transpose_b)
