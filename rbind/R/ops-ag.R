#' Operations on matrices `[features, samples]`
#'
#' Recorded on the tape inside [with_grad_tape()] when an operand needs a gradient.
#' `ag_add()`, `ag_sub()`, `ag_mul()` and `ag_div()` expand `[m, 1]` across columns
#' and `[1, n]` across rows; gradients are summed back. `ag_softmax()` and
#' `ag_log_softmax()` go down each column (classes in rows). The gradient of
#' `ag_clamp()` is 1 strictly inside the bounds, else 0. `ag_scale()`'s factor may
#' change from step to step without compiling anew; the exponent of `ag_pow()` is
#' part of the program.
#'
#' @param A,B,x,a,b Tensors or matrices; a plain vector is one column.
#' @param scalar,p One number.
#' @param lo,hi Bounds.
#' @param approximate `TRUE` for the tanh form of GELU.
#' @param dim `NULL` for 1x1, 1 for `[nrow, 1]`, 2 for `[1, ncol]`.
#' @param keepdim No effect: the result is always a matrix.
#' @param nrow,ncol Extents; one of them may be -1. Elements refill by column.
#' @param from,n First row, from 0, and number of rows.
#' @param index Whole numbers from 0, one for each column.
#' @return A lazy `ag_tensor`. `ag_argmax()` gives an integer vector, one row number
#'   from 0 for each column: the first maximum, `NaN` never chosen.
#' @section Errors: `tenon_error_shape` with both shapes; `tenon_error_argument` for
#'   `NA` and indices out of range.
#' @examples
#' A <- ag_tensor(matrix(1:6, 2))
#' as.matrix(ag_matmul(A, matrix(1, 3, 1)))
#' as.matrix(ag_softmax(A))
#' as.matrix(ag_sum(A, dim = 1))
#' as.matrix(ag_slice_rows(A, 1, 1))
#' ag_argmax(A)
#' as.matrix(ag_gather(A, c(0, 1, 0)))
#' B <- matrix(c(2, 4), 2) # one column: goes to all of A's
#' lapply(list(ag_add(A, B), ag_sub(A, B), ag_mul(A, B), ag_div(A, B)), as.matrix)
#' lapply(list(ag_relu(B), ag_gelu(B), ag_sigmoid(B), ag_tanh(B), ag_exp(B), ag_log(B)), as.matrix)
#' lapply(list(ag_scale(A, 0.5), ag_pow(A, 2), ag_clamp(A, 2, 5), ag_log_softmax(A)), as.matrix)
#' lapply(list(ag_mean(A, dim = 2), ag_max(A)), as.matrix)
#' lapply(list(ag_reshape(A, 3, -1), ag_transpose(A), ag_concat_rows(A, A)), dim)
#' @name ag_ops
NULL

#' @rdname ag_ops
#' @export
ag_matmul <- function(A, B) .Call(C_matmul, A, B, FALSE, FALSE)
#' @rdname ag_ops
#' @export
ag_add <- function(A, B) .Call(C_add, A, B)
#' @rdname ag_ops
#' @export
ag_sub <- function(A, B) .Call(C_sub, A, B)
#' @rdname ag_ops
#' @export
ag_mul <- function(A, B) .Call(C_mul, A, B)
#' @rdname ag_ops
#' @export
ag_div <- function(A, B) .Call(C_div, A, B)
#' @rdname ag_ops
#' @export
ag_scale <- function(x, scalar) .Call(C_mul, x, need_number(scalar, "scalar"))
#' @rdname ag_ops
#' @export
ag_pow <- function(x, p) .Call(C_pow, x, need_number(p, "p"))
#' @rdname ag_ops
#' @export
ag_relu <- function(x) .Call(C_relu, x)
#' @rdname ag_ops
#' @export
ag_gelu <- function(x, approximate = FALSE) .Call(C_gelu, x, approximate)
#' @rdname ag_ops
#' @export
ag_sigmoid <- function(x) .Call(C_sigmoid, x)
#' @rdname ag_ops
#' @export
ag_tanh <- function(x) .Call(C_tanh, x)
#' @rdname ag_ops
#' @export
ag_softmax <- function(x) .Call(C_softmax, x, 1, FALSE)
#' @rdname ag_ops
#' @export
ag_log_softmax <- function(x) .Call(C_softmax, x, 1, TRUE)
#' @rdname ag_ops
#' @export
ag_exp <- function(x) .Call(C_exp, x)
#' @rdname ag_ops
#' @export
ag_log <- function(x) .Call(C_log, x)
#' @rdname ag_ops
#' @export
ag_clamp <- function(x, lo = -Inf, hi = Inf) .Call(C_clamp, x, lo, hi)
#' @rdname ag_ops
#' @export
ag_sum <- function(x, dim = NULL, keepdim = FALSE) .Call(C_ag_reduce, x, "sum", dim)
#' @rdname ag_ops
#' @export
ag_mean <- function(x, dim = NULL, keepdim = FALSE) .Call(C_ag_reduce, x, "mean", dim)
#' @rdname ag_ops
#' @export
ag_max <- function(x) .Call(C_ag_reduce, x, "max", 2)
#' @rdname ag_ops
#' @export
ag_reshape <- function(x, nrow, ncol) .Call(C_reshape, x, c(nrow, ncol))
#' @rdname ag_ops
#' @export
ag_transpose <- function(x) .Call(C_aperm, x, NULL)

#' @rdname ag_ops
#' @export
ag_slice_rows <- function(x, from, n) {
  from <- need_count(from, "from", 0)
  n <- need_count(n, "n", 0)
  d <- matrix_dim(x)
  last <- as.numeric(from) + n - 1
  if (last >= d[1L])
    tenon_stop("shape", "ag_slice_rows: expected rows within 0 to ", d[1L] - 1L, ", got ", from,
               " to ", last)
  .Call(C_slice, x, c(from, 0L), c(n, d[2L]), c(1L, 1L))
}

#' @rdname ag_ops
#' @export
ag_concat_rows <- function(a, b) {
  da <- matrix_dim(a)
  db <- matrix_dim(b)
  if (da[2L] != db[2L])
    tenon_stop("shape", "ag_concat_rows: expected as many columns, got ", shape_text(da), " and ",
               shape_text(db))
  if (inherits(a, "ag_tensor") && inherits(b, "ag_tensor") && .Call(C_dtype, a) != .Call(C_dtype, b))
    tenon_stop("dtype", "ag_concat_rows: expected one dtype, got ", .Call(C_dtype, a), " and ",
               .Call(C_dtype, b))
  .Call(C_concat, list(a, b), 1)
}

#' @rdname ag_ops
#' @export
ag_argmax <- function(x) {
  d <- matrix_dim(x)
  if (d[1L] == 0L) tenon_stop("shape", "ag_argmax: expected at least one row, got ", shape_text(d))
  x <- .Call(C_reshape, x, d)
  x <- .Call(C_where, .Call(C_eq, x, x), x, -Inf)
  as.integer(.Call(C_array, .Call(C_arg, x, FALSE, 1, 0L)))
}

#' @rdname ag_ops
#' @export
ag_gather <- function(x, index) {
  d <- matrix_dim(x)
  index <- check_ids(index, 0, d[1L] - 1, "ag_gather")
  if (!inherits(index, "ag_tensor") && length(index) != d[2L])
    tenon_stop("shape", "ag_gather: expected ", d[2L], " indices, one for each column, got ",
               length(index))
  index <- as_ids(as.vector(index))
  mask <- .Call(C_one_hot, index, d[1L], 0L, "i1")
  .Call(C_ag_reduce, .Call(C_where, mask, x, 0), "sum", 2)
}

# dim of a tensor, matrix or vector taken as a matrix.
matrix_dim <- function(x) {
  d <- dim(x)
  if (length(d) == 2L) d
  else if (is.null(d)) c(length(x), 1L)
  else if (length(d) == 1L) c(d, 1L)
  else tenon_stop("shape", "expected a matrix, got ", shape_text(d))
}

#' Losses on matrices `[features, samples]`
#'
#' `ag_mse_loss()`: mean of squared differences over all elements.
#' `ag_cross_entropy_loss()`: `-sum(t * log(clamp(p, 1e-7, 1 - 1e-7))) / ncol` of
#' probabilities. `ag_softmax_cross_entropy_loss()`: the same of the softmax of
#' logits, with gradient `(p - t) / ncol`; probabilities are floored at 1e-7 in the
#' value.
#'
#' @param pred,logits Tensors, classes in rows.
#' @param target A matrix of the same shape; for
#'   `ag_softmax_cross_entropy_loss()` also class numbers from 0, one for each
#'   column (integers always are class numbers).
#' @param label_smoothing,class_weights As for [tenon_cross_entropy()]; with them
#'   probabilities have no floor.
#' @return A lazy 1x1 `ag_tensor`.
#' @section Errors: `tenon_error_shape` with what was expected;
#'   `tenon_error_argument` for class numbers out of range.
#' @examples
#' logits <- ag_param(matrix(0, 3, 2))
#' with_grad_tape(loss <- ag_softmax_cross_entropy_loss(logits, c(0L, 2L)))
#' backward(loss)
#' logits$grad
#' as.matrix(ag_mse_loss(matrix(c(1, 2), 1), matrix(0, 1, 2)))
#' as.matrix(ag_cross_entropy_loss(ag_softmax(logits), diag(3)[, c(1, 3)]))
#' @name ag_losses
NULL

#' @rdname ag_losses
#' @export
ag_mse_loss <- function(pred, target) .Call(C_mse, pred, target, TRUE)
#' @rdname ag_losses
#' @export
ag_cross_entropy_loss <- function(pred, target) .Call(C_cross_entropy, pred, target, 1e-7, TRUE)
#' @rdname ag_losses
#' @export
ag_softmax_cross_entropy_loss <- function(logits, target, label_smoothing = 0, class_weights = NULL) {
  if (!identical(label_smoothing, 0) || !is.null(class_weights))
    return(.Call(C_reshape, smooth_cross_entropy(.Call(C_reshape, logits, matrix_dim(logits)), target, 0L,
                                                 label_smoothing, class_weights), c(1L, 1L)))
  if (!inherits(target, "ag_tensor") && (is.integer(target) || !identical(dim(target), dim(logits)))) {
    d <- matrix_dim(logits)
    if (is.numeric(target) && length(target) == d[2L])
      target <- as_ids(check_ids(target, 0, d[1L] - 1, "target"))
  }
  .Call(C_softmax_cross_entropy, logits, target, 1e-7, 0L, TRUE)
}
