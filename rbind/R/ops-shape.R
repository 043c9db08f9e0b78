#' Shapes of tensors
#'
#' `tenon_reshape()` keeps R's order of elements (first axis fastest).
#' `tenon_transpose()`, `aperm()` and `t()` permute axes. `x[i, j]` takes ranges,
#' single elements (their axis is dropped) and any whole numbers; indices count
#' from 1, negative and logical ones as in R. `tenon_stack()` joins along a new last
#' axis. `tenon_embedding()` looks up slices of the table's last axis by number.
#'
#' @param x,a,table A tensor or R array.
#' @param dim Extents; for `tenon_reshape()` one may be -1.
#' @param perm Axes of `x` in their new order; `NULL` reverses them.
#' @param i,j,... Indices, one for each axis; missing = all. For `tenon_concat()`
#'   and `tenon_stack()` tensors, or one list of them.
#' @param drop Drop axes indexed by one number.
#' @param axis The axis to join or count along.
#' @param low,high How many to add before and after, for each axis.
#' @param value The value to fill with.
#' @param ids Whole numbers from 1.
#' @param depth Number of classes.
#' @param dtype A dtype as for [tenon_tensor()].
#' @return A lazy tensor. `tenon_embedding()`: table `[d, n]`, ids `[a, b]` give
#'   `[d, a, b]`; `tenon_one_hot()` gives `[depth, a, b]`.
#' @section Errors: `tenon_error_shape` and `tenon_error_argument` say the extents.
#' @examples
#' x <- tenon_tensor(matrix(1:6, 2))
#' as.array(tenon_reshape(x, c(3, 2)))
#' as.array(x[, 2:3])
#' as.array(tenon_concat(x, x, axis = 1))
#' as.array(tenon_embedding(x, c(3, 1)))
#' as.array(tenon_one_hot(c(1, 3), 3))
#' dim(tenon_transpose(tenon_full(0, c(2, 3, 4))))
#' as.array(tenon_broadcast(matrix(1:2, 2), c(2, 3)))
#' as.array(tenon_pad(x, c(0, 1), c(1, 0)))
#' dim(tenon_stack(x, x))
#' as.array(tenon_iota(c(2, 2), axis = 2))
#' @name shapes
NULL

#' @rdname shapes
#' @export
tenon_reshape <- function(x, dim) .Call(C_reshape, x, dim)
#' @rdname shapes
#' @export
tenon_transpose <- function(x, perm = NULL) .Call(C_aperm, x, perm)
#' @rdname shapes
#' @export
t.ag_tensor <- function(x) {
  if (length(dim(x)) > 2L)
    tenon_stop("shape", "t(): expected at most two axes, got ", length(dim(x)))
  .Call(C_aperm, x, NULL)
}
#' @rdname shapes
#' @export
aperm.ag_tensor <- function(a, perm = NULL, ...) .Call(C_aperm, a, perm)
#' @rdname shapes
#' @export
tenon_broadcast <- function(x, dim) .Call(C_broadcast, x, dim)

tensors_of <- function(...) {
  list <- list(...)
  if (length(list) == 1L && is.list(list[[1L]])) list[[1L]] else list
}

#' @rdname shapes
#' @export
tenon_concat <- function(..., axis = 1) .Call(C_concat, tensors_of(...), axis)

# Joins matrices; a vector is one row (axis 1) or one column.
bind_matrices <- function(parts, axis) {
  parts <- parts[!vapply(parts, is.null, NA)]
  parts <- lapply(unname(parts), function(x) {
    if (length(dim(x)) > 1L) x
    else tenon_reshape(x, if (axis == 1) c(1L, length(x)) else c(length(x), 1L))
  })
  .Call(C_concat, parts, axis)
}

#' @rdname shapes
#' @param deparse.level Not used: tensors have no names.
#' @export
rbind.ag_tensor <- function(..., deparse.level = 1) bind_matrices(list(...), 1)

#' @rdname shapes
#' @export
cbind.ag_tensor <- function(..., deparse.level = 1) bind_matrices(list(...), 2)

#' @rdname shapes
#' @export
tenon_stack <- function(...) {
  list <- tensors_of(...)
  if (!length(list)) tenon_stop("argument", "tenon_stack: expected at least one tensor")
  list <- lapply(list, function(x) {
    d <- if (inherits(x, "ag_tensor") || !is.null(dim(x))) dim(x) else if (length(x) != 1L) length(x)
    .Call(C_reshape, x, c(d, 1L))
  })
  .Call(C_concat, list, length(dim(list[[1L]])))
}

#' @rdname shapes
#' @export
tenon_pad <- function(x, low, high, value = 0) .Call(C_pad, x, low, high, value)
#' @rdname shapes
#' @export
tenon_full <- function(value, dim, dtype = ag_default_dtype()) .Call(C_full, value, dim, dtype)
#' @rdname shapes
#' @export
tenon_iota <- function(dim, axis = 1, dtype = ag_default_dtype()) .Call(C_iota, dim, axis, dtype)

# Ids that R knows are checked now: compiled code gives NaN for one out of range.
check_ids <- function(ids, first, last, what) {
  if (inherits(ids, "ag_tensor")) return(ids)
  if (is.logical(ids) && anyNA(ids)) tenon_stop("argument", what, ": expected whole numbers, got NA")
  if (!is.numeric(ids)) tenon_stop("dtype", what, ": expected whole numbers, got ", class(ids)[1])
  if (anyNA(ids)) tenon_stop("argument", what, ": expected whole numbers, got NA")
  if (length(ids) && (min(ids) < first || max(ids) > last || !is.integer(ids) && any(ids != floor(ids))))
    tenon_stop("argument", what, ": expected whole numbers from ", first, " to ", last, ", got ",
               paste(head(ids[ids < first | ids > last | ids != floor(ids)], 3L), collapse = ", "))
  ids
}

last_extent <- function(x) {
  d <- dim(x)
  if (is.null(d)) length(x) else d[length(d)]
}

#' @rdname shapes
#' @export
tenon_embedding <- function(table, ids)
  .Call(C_gather, table, as_ids(check_ids(ids, 1, last_extent(table), "ids")), 1L)

#' @rdname shapes
#' @export
tenon_one_hot <- function(ids, depth, dtype = ag_default_dtype()) {
  depth <- need_count(depth, "depth", 0)
  .Call(C_one_hot, as_ids(check_ids(ids, 1, depth, "ids")), depth, 1L, dtype)
}

as_ids <- function(ids) {
  if (!inherits(ids, "ag_tensor") && !is.integer(ids)) storage.mode(ids) <- "integer"
  if (is.null(dim(ids)) && !inherits(ids, "ag_tensor")) dim(ids) <- length(ids)
  ids
}

# One index of `[`: NULL = all, list(offset, size, stride) or whole numbers.
index_of <- function(i, extent) {
  if (!is.numeric(i) && !is.logical(i))
    tenon_stop("argument", "[: expected whole numbers or TRUE and FALSE, got ", class(i)[1])
  if (anyNA(i)) tenon_stop("argument", "[: expected whole numbers or TRUE and FALSE, got NA")
  if (is.logical(i)) {
    if (length(i) > extent)
      tenon_stop("shape", "[: expected at most ", extent, " of TRUE and FALSE, got ", length(i))
    i <- if (length(i)) which(rep_len(i, extent)) else integer()
  }
  if (length(i) && all(i < 0) && all(is.finite(i))) i <- seq_len(extent)[i]
  if (length(i) && (min(i) < 1 || max(i) > extent || any(i != floor(i))))
    tenon_stop("shape", "[: expected indices from 1 to ", extent, ", got ",
               paste(head(i[i < 1 | i > extent | i != floor(i)], 3L), collapse = ", "))
  step <- if (length(i) > 1L) i[2L] - i[1L] else 1
  if (step >= 1 && all(diff(i) == step)) list(if (length(i)) i[1L] - 1 else 0, length(i), step) else i
}

#' @rdname shapes
#' @export
`[.ag_tensor` <- function(x, i, j, ..., drop = TRUE) {
  d <- dim(x)
  rank <- length(d)
  given <- nargs() - 1L - !missing(drop)
  index <- vector("list", rank)
  if (given != rank && !(given == 1L && missing(i)))
    tenon_stop("argument", "[: expected ", rank, " indices, got ", given)
  if (rank >= 1L && !missing(i)) index[[1L]] <- index_of(i, d[1L])
  if (rank >= 2L && !missing(j)) index[[2L]] <- index_of(j, d[2L])
  if (rank > 2L && given == rank) {
    rest <- eval(substitute(alist(...)))
    for (k in seq_along(rest))
      if (!identical(rest[[k]], quote(expr = )))
        index[[k + 2L]] <- index_of(eval(rest[[k]], parent.frame()), d[k + 2L])
  }
  out <- x
  ranges <- vapply(index, is.list, NA)
  if (any(ranges)) {
    part <- function(k, all) vapply(seq_len(rank), function(a)
      if (ranges[a]) as.numeric(index[[a]][[k]]) else all[a], 0)
    out <- .Call(C_slice, out, part(1L, numeric(rank)), part(2L, as.numeric(d)), part(3L, rep(1, rank)))
  }
  for (a in which(!ranges & lengths(index) > 0L)) { # scattered: look up along the last axis
    front <- c(setdiff(seq_len(rank), a), a)
    out <- .Call(C_aperm, out, front)
    out <- .Call(C_gather, out, as_ids(index[[a]]), 1L)
    out <- .Call(C_aperm, out, order(front))
  }
  single <- ranges & vapply(index, function(r) is.list(r) && r[[2L]] == 1, NA)
  if (drop && any(single)) out <- .Call(C_reshape, out, dim(out)[!single])
  out
}
