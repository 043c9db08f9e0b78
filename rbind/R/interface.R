# The interface of a program: how its flat inputs and outputs stand for the nested lists that
# a function takes and returns. It is kept in the program's file. A node has a `kind`:
#   tensor     input or output number `index`
#   argument   a result that is input number `index`
#   list       `parts`, nodes, and `attributes` (names are one of them)
#   constant   `value`
interface_version <- 2L

tensor_node <- function(index) list(kind = "tensor", index = index)
list_node <- function(attributes, parts) list(kind = "list", attributes = attributes, parts = parts)

is_tensor_like <- function(x)
  inherits(x, "ag_tensor") || ((is.numeric(x) || is.logical(x)) && !is.factor(x))

# What a file can hold and compare: data, without functions or references.
is_plain <- function(x)
  (is.null(x) || is.atomic(x) || (is.list(x) && all(vapply(x, is_plain, NA)))) &&
    all(vapply(attributes(x), is_plain, NA))

element_names <- function(x, at) {
  names <- if (is.null(names(x))) character(length(x)) else names(x)
  own <- ifelse(nzchar(names), names, seq_along(x))
  if (nzchar(at)) paste(at, own, sep = ".") else own
}

constant_node <- function(x, at) {
  if (!is_plain(x))
    tenon_stop("argument", "tenon_compile: ", at, ": a program cannot hold ",
               if (is.list(x)) "a list with functions or references" else
                 paste("a", class(x)[1L]), "; use it inside of the function")
  list(kind = "constant", value = x)
}

# The node of x; `leaf(x, at)` gives that of a tensor.
describe <- function(x, at, leaf) {
  if (is_tensor_like(x)) return(leaf(x, at))
  if (!is.list(x) || is.data.frame(x)) return(constant_node(x, at))
  kept <- attributes(x)
  if (!is_plain(kept))
    tenon_stop("argument", "tenon_compile: ", at, ": a program cannot hold its attributes")
  list_node(kept, .mapply(describe, list(unname(as.list(x)), element_names(x, at)),
                          list(leaf = leaf)))
}

# What a node describes, with the tensors in their places.
assemble <- function(node, tensors, arguments) {
  switch(node$kind,
    tensor = tensors[[node$index]],
    argument = arguments[[node$index]],
    constant = node$value,
    list = {
      x <- lapply(node$parts, assemble, tensors, arguments)
      attributes(x) <- node$attributes
      x
    })
}

# Inputs that come back as they are, as tensors.
returned_inputs <- function(node)
  switch(node$kind, argument = node$index,
         list = unique(as.integer(unlist(lapply(node$parts, returned_inputs)))), integer())

is_fixed <- function(node)
  switch(node$kind, constant = TRUE, list = all(vapply(node$parts, is_fixed, NA)), FALSE)

said <- function(x) if (is.null(x)) "no names" else paste(x, collapse = ", ")

# The tensors of x, which must have the structure of a node.
take_leaves <- function(node, x, at) {
  switch(node$kind,
    tensor = {
      if (!is_tensor_like(x))
        tenon_stop("argument", at, ": expected a tensor or numbers, got ", class(x)[1L])
      list(x)
    },
    constant = {
      if (!identical(x, node$value))
        tenon_stop("argument", at, ": expected ", deparse(node$value, nlines = 1L),
                   " as when it was compiled, got ", deparse(x, nlines = 1L))
      NULL
    },
    list = {
      if (!is.list(x)) tenon_stop("argument", at, ": expected a list, got ", class(x)[1L])
      wanted <- node$attributes$names
      if (length(x) != length(node$parts))
        tenon_stop("argument", at, ": expected ", length(node$parts), " elements",
                   if (!is.null(wanted)) paste0(" (", said(wanted), ")"), ", got ", length(x))
      if (!identical(wanted, names(x))) {
        if (is.null(wanted) || is.null(names(x)) || anyDuplicated(wanted) ||
              !setequal(wanted, names(x)))
          tenon_stop("argument", at, ": expected the names ", said(wanted), ", got ", said(names(x)))
        x <- x[wanted]
      }
      unlist(.mapply(take_leaves, list(node$parts, unname(as.list(x)), element_names(x, at)), NULL),
             recursive = FALSE)
    })
}

# Arguments in the order of their names.
match_arguments <- function(node, args) {
  wanted <- node$attributes$names
  place <- rep(NA_integer_, length(wanted))
  given <- if (is.null(names(args))) character(length(args)) else names(args)
  for (i in which(nzchar(given))) {
    k <- match(given[i], wanted)
    if (is.na(k)) tenon_stop("argument", "unknown argument ", given[i], ": expected ", said(wanted))
    if (!is.na(place[k])) tenon_stop("argument", "argument ", given[i], " is given twice")
    place[k] <- i
  }
  rest <- which(!nzchar(given))
  free <- which(is.na(place))
  if (length(rest) > length(free))
    tenon_stop("argument", "expected ", length(wanted), " arguments (", said(wanted), "), got ",
               length(args))
  place[free[seq_along(rest)]] <- rest
  fixed <- vapply(node$parts, is_fixed, NA)
  if (any(missed <- is.na(place) & !fixed))
    tenon_stop("argument", "expected ", length(wanted), " arguments (", said(wanted), "), got ",
               length(args), ": ", said(wanted[missed]), if (sum(missed) > 1L) " are" else " is",
               " missing")
  lapply(seq_along(wanted), function(k)
    if (is.na(place[k])) assemble(node$parts[[k]], NULL, NULL) else args[[place[k]]])
}
