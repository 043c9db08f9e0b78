#' Einstein summation
#'
#' `tenon_einsum("ij,jk->ik", a, b)` names the axes of each operand by letters and sums
#' over those that the result does not have. It becomes transposes, reshapes, sums and
#' products of matrices, operands joined from left to right: an axis that no later operand
#' and not the result needs is summed in the product that sees it last.
#'
#' @param equation Letters for the axes of each operand, first axis first, separated by
#'   commas, then `->` and those of the result, each at most once. Without `->` the result
#'   has the letters that occur once, in alphabetical order. A letter twice in one operand
#'   means its diagonal. Spaces do not count.
#' @param ... Tensors or R arrays, one for each list of letters; or one list of them.
#' @return A lazy tensor.
#' @section Errors: `tenon_error_argument` for an equation that does not say what to do,
#'   `tenon_error_shape` for operands that do not have its axes, with the letter and both
#'   extents.
#' @examples
#' a <- matrix(1:6, 2)
#' b <- matrix(1:12, 3)
#' identical(as.matrix(tenon_einsum("ij,jk->ik", a, b)), a %*% b + 0)
#' as.array(tenon_einsum("ij->j", a)) # sums of columns
#' as.numeric(tenon_einsum("ii->", diag(3))) # the trace
#' q <- array(rnorm(2 * 3 * 4 * 5), c(2, 3, 4, 5))
#' dim(tenon_einsum("dnhb,dmhb->nmhb", q, q)) # attention scores
#' @export
tenon_einsum <- function(equation, ...) {
  operands <- list(...)
  if (length(operands) == 1L && is.list(operands[[1L]]) && !inherits(operands[[1L]], "ag_tensor"))
    operands <- operands[[1L]]
  e <- parse_einsum(equation, length(operands))
  extents <- list()
  terms <- vector("list", length(operands))
  for (i in seq_along(operands)) {
    d <- einsum_dim(operands[[i]])
    axes <- e$inputs[[i]]
    if (length(d) != length(axes))
      tenon_stop("shape", "einsum: operand ", i, ": expected ", length(axes), " axes for \"",
                 paste(axes, collapse = ""), "\", got ", shape_text(d))
    for (k in seq_along(axes)) {
      known <- extents[[axes[k]]]
      if (!is.null(known) && known != d[k])
        tenon_stop("shape", "einsum: axis \"", axes[k], "\" of operand ", i, ": expected ", known,
                   ", got ", d[k])
      extents[[axes[k]]] <- d[k]
    }
    terms[[i]] <- take_diagonals(list(x = operands[[i]], axes = axes), extents)
  }
  needed_after <- function(i) unique(c(unlist(lapply(terms[-seq_len(i)], `[[`, "axes")), e$output))
  result <- sum_axes(terms[[1L]], needed_after(1L))
  for (i in seq_along(terms)[-1L]) {
    needed <- needed_after(i)
    # What this operand alone has is summed before it is multiplied.
    result <- join_terms(result, sum_axes(terms[[i]], c(result$axes, needed)), needed, extents)
  }
  missing <- setdiff(e$output, result$axes)
  if (length(missing))
    tenon_stop("argument", "einsum: expected axes of operands after \"->\", got \"", missing[1L], "\"")
  arrange(result, e$output)$x
}

parse_einsum <- function(equation, count) {
  if (!is.character(equation) || length(equation) != 1L || is.na(equation))
    tenon_stop("argument", "einsum: equation: expected a string, got ", class(equation)[1L])
  text <- gsub(" ", "", equation, fixed = TRUE)
  sides <- strsplit(text, "->", fixed = TRUE)[[1L]]
  explicit <- grepl("->", text, fixed = TRUE)
  if (!grepl("^[A-Za-z,]*(->[A-Za-z]*)?$", text))
    tenon_stop("argument", "einsum: equation: expected letters, commas and at most one \"->\", got \"",
               equation, "\"")
  # strsplit() drops what is empty at the end.
  left <- if (length(sides)) sides[1L] else ""
  inputs <- lapply(strsplit(paste0(left, ",;"), ",", fixed = TRUE)[[1L]], function(s) strsplit(s, "")[[1L]])
  inputs <- inputs[-length(inputs)]
  if (length(inputs) != count)
    tenon_stop("argument", "einsum: expected ", length(inputs), " operands for \"", equation, "\", got ",
               count)
  all <- unlist(inputs)
  output <- if (explicit) strsplit(if (length(sides) > 1L) sides[2L] else "", "")[[1L]]
            else sort(unique(all[!all %in% all[duplicated(all)]]), method = "radix")
  if (anyDuplicated(output))
    tenon_stop("argument", "einsum: expected each axis of the result once, got \"",
               paste(output, collapse = ""), "\"")
  list(inputs = inputs, output = output)
}

einsum_dim <- function(x) {
  if (inherits(x, "ag_tensor")) return(dim(x))
  if (!is.numeric(x) && !is.logical(x))
    tenon_stop("dtype", "einsum: expected a tensor or an array, got ", if (is.null(x)) "NULL" else class(x)[1L])
  if (is.null(dim(x)) && length(x) == 1L) NULL else extents_of(x)
}

# Of axes that have one letter the diagonal: every (n + 1)th of n * n elements.
take_diagonals <- function(term, extents) {
  while (anyDuplicated(term$axes)) {
    twice <- term$axes[anyDuplicated(term$axes)]
    at <- which(term$axes == twice)[1:2]
    rest <- setdiff(seq_along(term$axes), at)
    n <- extents[[twice]]
    others <- unlist(extents[term$axes[rest]])
    x <- .Call(C_aperm, term$x, c(at, rest))
    x <- .Call(C_reshape, x, c(n * n, others))
    x <- .Call(C_slice, x, numeric(1L + length(rest)), c(n, others), c(n + 1, rep(1, length(rest))))
    term <- list(x = x, axes = c(twice, term$axes[rest]))
  }
  term
}

sum_axes <- function(term, needed) {
  drop <- which(!term$axes %in% needed)
  if (length(drop)) {
    term$x <- tenon_sum(term$x, drop)
    term$axes <- term$axes[-drop]
  }
  term
}

arrange <- function(term, axes) {
  perm <- match(axes, term$axes)
  if (!identical(perm, seq_along(perm))) term$x <- .Call(C_aperm, term$x, perm)
  list(x = term$x, axes = axes)
}

# The product of two terms: a sum over what both have and nothing needs.
join_terms <- function(a, b, needed, extents) {
  a <- sum_axes(a, c(b$axes, needed))
  both <- intersect(a$axes, b$axes)
  batch <- both[both %in% needed]
  inner <- setdiff(both, batch)
  rows <- setdiff(a$axes, both)
  columns <- setdiff(b$axes, both)
  size <- function(axes) prod(as.numeric(unlist(extents[axes])))
  shape <- function(axes) as.numeric(unlist(extents[axes]))
  axes <- c(rows, columns, batch)
  if (!length(inner)) { # no sum: elementwise
    x <- .Call(C_reshape, arrange(a, c(rows, batch))$x, c(shape(rows), rep(1, length(columns)), shape(batch)))
    y <- .Call(C_reshape, arrange(b, c(columns, batch))$x, c(rep(1, length(rows)), shape(columns), shape(batch)))
    return(list(x = .Call(C_mul, x, y), axes = axes))
  }
  x <- .Call(C_reshape, arrange(a, c(rows, inner, batch))$x, c(size(rows), size(inner), shape(batch)))
  y <- .Call(C_reshape, arrange(b, c(inner, columns, batch))$x, c(size(inner), size(columns), shape(batch)))
  x <- .Call(C_matmul, x, y, FALSE, FALSE)
  list(x = .Call(C_reshape, x, shape(axes)), axes = axes)
}
