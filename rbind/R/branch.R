#' One of two values, of which one is computed
#'
#' `tenon_if(test, yes, no)` is `if (test) yes else no` for a `test` that [jit()] and
#' [compile_loop()] only know when their program runs: both expressions are recorded,
#' and a run computes the one it takes (what both need is computed in any case).
#' Gradients flow through the one that was taken: what the other would give, an infinite
#' slope say, does not matter, as it does with [tenon_where()], which computes both
#' and chooses element by element.
#'
#' Where `test` is known, outside of a function that is being traced or an R logical, only
#' the expression that it chooses is evaluated. Else both are, so that what they do besides
#' giving a value (messages, assignments) happens for both.
#'
#' @param test One logical: a tensor of one element without axes, or of R.
#' @param yes,no Expressions, or functions without arguments, which are called. Both give
#'   tensors and numbers of the same dtypes and dims (R numbers adapt to tensors as in
#'   arithmetic), or nested lists of them in one structure with the same names; what is
#'   neither must be identical.
#' @return What the expression that was chosen gives.
#' @section Errors: `tenon_error_argument` where the structures differ, `tenon_error_dtype` and
#'   `tenon_error_shape` where tensors in them do; `tenon_error_shape` for a `test` that is not one
#'   element.
#' @examples
#' f <- jit(function(x) tenon_if(sum(x) > 0, sqrt(x), -x))
#' as.numeric(f(c(4, 9)))
#' as.numeric(f(c(-4, 1)))
#' @export
tenon_if <- function(test, yes, no) {
  if (!.Call(C_is_undecided, test)) {
    if (.Call(C_is_tensor, test, NULL)) test <- as.array(test)
    if (!is.numeric(test) && !is.logical(test))
      tenon_stop("argument", "tenon_if: test: expected one TRUE or FALSE, got ", class(test)[1L])
    if (length(test) != 1L)
      tenon_stop("shape", "tenon_if: test: expected one TRUE or FALSE, got ", length(test), " elements")
    if (is.na(test)) tenon_stop("argument", "tenon_if: test: expected one TRUE or FALSE, got NA")
    return(if (test) called(yes) else called(no))
  }
  yes <- called(yes)
  no <- called(no)
  places <- branch_places(yes, no, "")
  chosen <- .Call(C_if, test, branch_leaves(yes), branch_leaves(no), places)
  with_leaves(yes, chosen)
}

called <- function(x) if (is.function(x)) x() else x

is_leaf <- function(x) .Call(C_is_tensor, x, NULL) || is.numeric(x) || is.logical(x)

# Where the tensors of two branches of one structure are.
branch_places <- function(yes, no, at) {
  differ <- function(expected, got)
    tenon_stop("argument", "tenon_if: the branches must have one structure: no", at, ": expected ",
               expected, ", got ", got)
  if (is_leaf(yes)) return(if (is_leaf(no)) at else differ("a tensor", class(no)[1L]))
  if (!is.list(yes)) {
    if (!identical(yes, no)) differ("what yes gives", class(no)[1L])
    return(character())
  }
  if (!is.list(no)) differ("a list", class(no)[1L])
  if (length(yes) != length(no)) differ(paste(length(yes), "elements"), length(no))
  said <- function(x) if (is.null(x)) "no names" else paste(x, collapse = ", ")
  if (!identical(names(yes), names(no)))
    differ(paste("the names", said(names(yes))), said(names(no)))
  here <- if (is.null(names(yes))) paste0("[[", seq_along(yes), "]]") else paste0("$", names(yes))
  as.character(unlist(Map(branch_places, unname(yes), unname(no), paste0(at, here)[seq_along(yes)])))
}

branch_leaves <- function(x) {
  if (is_leaf(x)) return(list(x))
  if (!is.list(x)) return(list())
  do.call(c, c(list(list()), lapply(unname(x), branch_leaves)))
}

# A structure with other tensors, in the order of branch_leaves().
with_leaves <- function(x, leaves) {
  at <- 0L
  fill <- function(x) {
    if (is_leaf(x)) {
      at <<- at + 1L
      return(leaves[[at]])
    }
    if (is.list(x)) for (i in seq_along(x)) x[i] <- list(fill(x[[i]]))
    x
  }
  fill(x)
}
