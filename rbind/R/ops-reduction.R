#' Reductions along axes
#'
#' @param x A tensor or R array.
#' @param axes Axes to reduce, 1 the first; `NULL` for all.
#' @param axis One axis.
#' @param keep `TRUE` keeps the reduced axes with extent 1.
#' @return A lazy tensor; `tenon_argmax()` and `tenon_argmin()` give positions from
#'   1, the first of equals.
#' @section Errors: `tenon_error_argument` for an axis that is not there.
#' @examples
#' x <- matrix(1:6, 2)
#' as.array(tenon_sum(x, axes = 1))
#' as.array(tenon_argmax(x, axis = 2))
#' as.array(tenon_argmin(x))
#' lapply(list(tenon_mean(x), tenon_max(x, 1), tenon_min(x, 2), tenon_prod(x)), as.array)
#' @name reductions
NULL

#' @rdname reductions
#' @export
tenon_sum <- function(x, axes = NULL, keep = FALSE) .Call(C_reduce, x, "sum", axes, keep)
#' @rdname reductions
#' @export
tenon_mean <- function(x, axes = NULL, keep = FALSE) .Call(C_reduce, x, "mean", axes, keep)
#' @rdname reductions
#' @export
tenon_max <- function(x, axes = NULL, keep = FALSE) .Call(C_reduce, x, "max", axes, keep)
#' @rdname reductions
#' @export
tenon_min <- function(x, axes = NULL, keep = FALSE) .Call(C_reduce, x, "min", axes, keep)
#' @rdname reductions
#' @export
tenon_prod <- function(x, axes = NULL, keep = FALSE) .Call(C_reduce, x, "prod", axes, keep)
#' @rdname reductions
#' @export
tenon_argmax <- function(x, axis = 1) .Call(C_arg, x, FALSE, axis, 1L)
#' @rdname reductions
#' @export
tenon_argmin <- function(x, axis = 1) .Call(C_arg, x, TRUE, axis, 1L)
