#' Random tensors and dropout
#'
#' The numbers are a function of a seed, which is one draw from R's generator: at each
#' of these functions, or one at every call of a traced function, in which the place of the
#' op tells its numbers from others'. So [set.seed()] governs them. `tenon_dropout()` zeroes each element with probability
#' `rate` and scales the others by `1 / (1 - rate)`; its gradient sees the same
#' mask. Inside [compile_loop()] every step draws anew.
#'
#' @param x A tensor or R array.
#' @param rate Probability, `0 <= rate < 1`.
#' @param dim Extents.
#' @param dtype A float dtype.
#' @return A lazy tensor.
#' @section Errors: `tenon_error_argument` for a rate out of range.
#' @examples
#' set.seed(1)
#' as.array(tenon_dropout(rep(1, 8), 0.5))
#' as.array(tenon_random_normal(c(2, 2)))
#' as.array(tenon_random_uniform(3))
#' @name random
NULL

#' @rdname random
#' @export
tenon_dropout <- function(x, rate) .Call(C_dropout, x, rate)
#' @rdname random
#' @export
tenon_random_uniform <- function(dim, dtype = ag_default_dtype()) .Call(C_random, FALSE, dim, dtype)
#' @rdname random
#' @export
tenon_random_normal <- function(dim, dtype = ag_default_dtype()) .Call(C_random, TRUE, dim, dtype)
