#' Along one axis: running sums, order, elements by position
#'
#' All treat each line, the elements that differ in their index along `axis` alone, by
#' itself. `cumsum()` of a tensor gives the running sums of all its elements, by column,
#' as R does; `tenon_cumsum()` those along an axis. `tenon_sort()` sorts, `tenon_order()`
#' tells the positions that do, `tenon_top_k()` gives the `k` largest (or smallest) and
#' their positions, in order: for a `k` of up to 64 at about the cost of reading `x`. NaN
#' comes last, 0 equals -0, and equal elements keep their order.
#' `tenon_gather_along()` looks elements up, `tenon_scatter_along()` adds elements up at
#' positions; they are each other's gradient. Gradients go to the elements of `x` that
#' the values came from.
#'
#' @param x A tensor or R array; logicals count as 0 and 1.
#' @param axis The axis, 1 the first.
#' @param exclusive `TRUE` leaves the element itself out of its sum.
#' @param reverse `TRUE` sums from the end.
#' @param descending `TRUE` puts the largest first.
#' @param k How many, at most the extent of the axis.
#' @param largest `FALSE` for the smallest.
#' @param index Positions from 1, of the shape of `x` (or of `updates`) but, for
#'   `tenon_gather_along()`, for its extent along `axis`. One that is out of range is
#'   an error where R knows it; in a tensor it gives `NaN` (0 for integers), and is left
#'   out of sums.
#' @param updates What is added, of the shape of `index`.
#' @param extent Extent of the result along `axis`.
#' @return A lazy tensor; positions are i32. `tenon_top_k()`: a list of `values` and
#'   `indices`.
#' @section Errors: `tenon_error_argument` for an axis, `k` or position that is not
#'   there, `tenon_error_shape` for shapes that do not go together.
#' @examples
#' x <- matrix(c(3, 1, 2, 6, 5, 4), 3)
#' as.array(tenon_cumsum(x))
#' as.vector(cumsum(tenon_tensor(x)))
#' as.array(tenon_sort(x, axis = 2, descending = TRUE))
#' o <- tenon_order(x)
#' identical(as.array(tenon_gather_along(x, o)), as.array(tenon_sort(x)))
#' lapply(tenon_top_k(x, 2), as.array)
#' as.array(tenon_scatter_along(c(1L, 3L, 1L), c(1, 10, 100), extent = 4))
#' f <- function(x) sum(tenon_top_k(x, 1)$values^2)
#' as.array(grad(f)(x))
#' @name along
NULL

#' @rdname along
#' @export
tenon_cumsum <- function(x, axis = 1, exclusive = FALSE, reverse = FALSE)
  .Call(C_cumsum, x, axis, exclusive, reverse)

#' @rdname along
#' @export
tenon_sort <- function(x, axis = 1, descending = FALSE)
  .Call(C_sort, x, axis, NULL, descending, 0L)

#' @rdname along
#' @export
tenon_order <- function(x, axis = 1, descending = FALSE)
  .Call(C_sort, x, axis, NULL, descending, 1L)

#' @rdname along
#' @export
tenon_top_k <- function(x, k, axis = 1, largest = TRUE) {
  need_count(k, "k", 0)
  names <- c("values", "indices")
  structure(.Call(C_sort, x, axis, k, need_flag(largest, "largest"), 2L), names = names)
}

#' @rdname along
#' @export
tenon_gather_along <- function(x, index, axis = 1) {
  d <- extents_of(x)
  axis <- need_axis(axis, length(d))
  .Call(C_gather_along, x, as_ids(check_ids(index, 1, d[axis], "index")), axis)
}

#' @rdname along
#' @export
tenon_scatter_along <- function(index, updates, extent, axis = 1) {
  extent <- need_count(extent, "extent", 0)
  axis <- need_axis(axis, length(extents_of(updates)))
  .Call(C_scatter_along, as_ids(check_ids(index, 1, extent, "index")), updates, extent, axis)
}

need_axis <- function(axis, rank) {
  if (!is.numeric(axis) || length(axis) != 1L || !axis %in% seq_len(rank))
    tenon_stop("argument", "axis: expected a whole number from 1 to ", rank, ", got ",
               paste(format(axis), collapse = " "))
  axis
}

cumsum_of_all <- function(x) .Call(C_cumsum, .Call(C_reshape, x, prod(dim(x))), 1, FALSE, FALSE)
