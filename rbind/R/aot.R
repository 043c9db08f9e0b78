#' Compile ahead of time, and call what was compiled
#'
#' `tenon_compile()` traces `f` as [jit()] does and writes its program into a file, as the
#' tool `tenon-compile` does: a shared library (an object file where `path` ends in `.o`) with
#' the code, its constants and the description of its inputs and outputs, and beside it a C
#' header with a typed function. `tenon_load_program()` gives a function that calls the
#' program. It needs Tenon's runtime alone: no compiler is loaded into a process that only
#' loads programs.
#'
#' The program takes what `example_args` looks like: the same nested lists with the
#' same names, tensors and arrays of the same shapes and dtypes; values do not matter. It
#' gives the structure that `f` returned. R arrays are converted to the dtype of an input,
#' tensors must have it. An input that was an R array of doubles takes doubles; give
#' [tenon_tensor()]s for other dtypes. Strings, single logicals, `NULL` and the arguments named by
#' `static` are part of the program: they may be left out of a call, or must be equal.
#'
#' Tensors and arrays that `f` takes from elsewhere become constants with the values that
#' they have now, so that `function(x) predict(model, x)` gives a file with the model's
#' parameters in it. Programs with random numbers draw their seed from R's generator at
#' each call, as [jit()] does; for other callers it is a last input, `seed`.
#'
#' With `donate`, results of the type of donated arguments take over their storage in
#' place: tensors that are given there can no longer be read. In C such an output may be given the
#' address of the input that it replaces. A training step is compiled so.
#'
#' In C, extents stand in the reverse order of `dim()`, as elements are the same in memory. An
#' input is called by its way through the lists, `state.p.w`, which in C is `state_p_w`.
#'
#' @param f A function, or a named list of functions that go into one file.
#' @param example_args A list of arguments of `f`; for several functions a list of such lists with
#'   their names (functions without arguments may be left out).
#' @param path The file to write; to load.
#' @param target What the code may use: `"native"` (this machine), `"x86-64-v2"`, `"x86-64-v3"`,
#'   `"x86-64-v4"`, `"armv8.2-a"` (another machine) or a processor's name in LLVM; of several the best that the processor runs is
#'   chosen when the file is loaded.
#' @param donate,static Positions of arguments, as for [jit()]; for several functions lists of
#'   positions by name.
#' @return `tenon_compile()`: the path of the file, invisibly. `tenon_load_program()`: a function
#'   of class `tenon_program`; of a file with several functions a named list of them. Printing one
#'   shows its inputs and outputs.
#' @section Errors: `tenon_error_argument` for what no program can hold (functions or
#'   environments among arguments or results), for missing, unknown or too many arguments, and
#'   where a gradient would have to flow through a loaded program; `tenon_error_shape` and
#'   `tenon_error_dtype` for arguments that are not as in the example; `tenon_error_io` for a
#'   file that is missing, cut short, damaged, or no library of this version and
#'   architecture; `tenon_error_device` where this processor has not what the code needs;
#'   those of tracing and compiling.
#' @examples
#' step <- function(state, x, y) {
#'   r <- value_and_grad(function(w, x, y) mean((w %*% x - y)^2))(state$w, x, y)
#'   list(state = list(w = state$w - 0.1 * r$grad), loss = r$value)
#' }
#' state <- list(w = tenon_tensor(matrix(0, 1, 2)))
#' file <- file.path(tempdir(), "libstep.so")
#' tenon_compile(step, list(state, diag(2), matrix(1, 1, 2)), file, donate = 1)
#' program <- tenon_load_program(file)
#' program
#' for (i in 1:3) {
#'   result <- program(state, diag(2), matrix(1, 1, 2))
#'   state <- result$state
#' }
#' as.numeric(result$loss)
#' @export
tenon_compile <- function(f, example_args, path, target = "native", donate = NULL, static = NULL) {
  if (!is.character(path) || length(path) != 1L || is.na(path) || !nzchar(path))
    tenon_stop("argument", "path: expected the name of a file")
  if (!is.character(target) || !length(target) || anyNA(target))
    tenon_stop("argument", "target: expected names of processors, as \"native\"")
  if (!is.list(example_args) || is.data.frame(example_args))
    tenon_stop("argument", "example_args: expected a list of arguments, got ", class(example_args)[1L])
  single <- is.character(f) || is.function(f)
  functions <- if (single) list(run = need_function(f, "f")) else f
  if (!is.list(functions) || !length(functions) || !all(vapply(functions, is.function, NA)))
    tenon_stop("argument", "f: expected a function or a list of functions, got ", class(f)[1L])
  names <- names(functions)
  if (is.null(names) || any(!nzchar(names)) || anyDuplicated(names))
    tenon_stop("argument", "f: expected a list with a name for each function")
  by_name <- function(x, what) {
    if (single) return(list(run = x))
    if (length(x) && (!is.list(x) || is.null(names(x)) || !all(names(x) %in% names)))
      tenon_stop("argument", what, ": expected a list with names of functions (",
                 paste(names, collapse = ", "), ")")
    x
  }
  example_args <- by_name(example_args, "example_args")
  donate <- by_name(donate, "donate")
  static <- by_name(static, "static")
  traced <- lapply(names, function(name)
    trace_ahead(name, functions[[name]], as.list(example_args[[name]]),
                positions(donate[[name]], "donate"), positions(static[[name]], "static")))
  .Call(C_ahead_compile, traced, paste(target, collapse = ","), path.expand(path))
  invisible(path)
}

#' @rdname tenon_compile
#' @export
tenon_load_program <- function(path) {
  if (!is.character(path) || length(path) != 1L || is.na(path))
    tenon_stop("argument", "path: expected the name of a file")
  entries <- .Call(C_program_open, normalizePath(path, mustWork = FALSE))
  programs <- lapply(entries, make_program, path)
  if (length(programs) == 1L) return(programs[[1L]])
  names(programs) <- vapply(entries, function(entry) entry[[2L]], "")
  programs
}

# ---- structures -------------------------------------------------------------------

# Arguments and results are described by nodes: list("tensor", k) for input or output k,
# list("argument", k) for a result that is input k, list("list", attributes, nodes), and
# list("constant", value).

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
  list("constant", x)
}

# The node of x; `leaf(x, at)` gives that of a tensor.
describe <- function(x, at, leaf) {
  if (is_tensor_like(x)) return(leaf(x, at))
  if (!is.list(x) || is.data.frame(x)) return(constant_node(x, at))
  kept <- attributes(x)
  if (!is_plain(kept))
    tenon_stop("argument", "tenon_compile: ", at, ": a program cannot hold its attributes")
  list("list", kept, .mapply(describe, list(unname(as.list(x)), element_names(x, at)),
                             list(leaf = leaf)))
}

# What a node describes, with the tensors in their places.
assemble <- function(node, tensors, arguments) {
  switch(node[[1L]],
    tensor = tensors[[node[[2L]]]],
    argument = arguments[[node[[2L]]]],
    constant = node[[2L]],
    list = {
      x <- lapply(node[[3L]], assemble, tensors, arguments)
      attributes(x) <- node[[2L]]
      x
    })
}

# Inputs that come back as they are, as tensors.
returned_inputs <- function(node)
  switch(node[[1L]], argument = node[[2L]],
         list = unique(as.integer(unlist(lapply(node[[3L]], returned_inputs)))), integer())

is_fixed <- function(node)
  switch(node[[1L]], constant = TRUE, list = all(vapply(node[[3L]], is_fixed, NA)), FALSE)

said <- function(x) if (is.null(x)) "no names" else paste(x, collapse = ", ")

# The tensors of x, which must have the structure of a node.
take_leaves <- function(node, x, at) {
  switch(node[[1L]],
    tensor = {
      if (!is_tensor_like(x))
        tenon_stop("argument", at, ": expected a tensor or numbers, got ", class(x)[1L])
      list(x)
    },
    constant = {
      if (!identical(x, node[[2L]]))
        tenon_stop("argument", at, ": expected ", deparse(node[[2L]], nlines = 1L),
                   " as when it was compiled, got ", deparse(x, nlines = 1L))
      NULL
    },
    list = {
      if (!is.list(x)) tenon_stop("argument", at, ": expected a list, got ", class(x)[1L])
      wanted <- node[[2L]]$names
      if (length(x) != length(node[[3L]]))
        tenon_stop("argument", at, ": expected ", length(node[[3L]]), " elements",
                   if (!is.null(wanted)) paste0(" (", said(wanted), ")"), ", got ", length(x))
      if (!identical(wanted, names(x))) {
        if (is.null(wanted) || is.null(names(x)) || anyDuplicated(wanted) ||
              !setequal(wanted, names(x)))
          tenon_stop("argument", at, ": expected the names ", said(wanted), ", got ", said(names(x)))
        x <- x[wanted]
      }
      unlist(.mapply(take_leaves, list(node[[3L]], unname(as.list(x)), element_names(x, at)), NULL),
             recursive = FALSE)
    })
}

# Arguments in the order of their names.
match_arguments <- function(node, args) {
  wanted <- node[[2L]]$names
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
  fixed <- vapply(node[[3L]], is_fixed, NA)
  if (any(missed <- is.na(place) & !fixed))
    tenon_stop("argument", "expected ", length(wanted), " arguments (", said(wanted), "), got ",
               length(args), ": ", said(wanted[missed]), if (sum(missed) > 1L) " are" else " is",
               " missing")
  lapply(seq_along(wanted), function(k)
    if (is.na(place[k])) assemble(node[[3L]][[k]], NULL, NULL) else args[[place[k]]])
}

# ---- compiling --------------------------------------------------------------------

argument_names <- function(f, args) {
  names <- if (is.null(names(args))) character(length(args)) else names(args)
  formal <- setdiff(names(formals(args(f))), "...")
  free <- setdiff(formal, names)
  open <- which(!nzchar(names))
  names[open] <- ifelse(seq_along(open) <= length(free), free[seq_along(open)], paste0("x", open))
  names
}

# Traces f into an object that C compiles.
trace_ahead <- function(name, f, args, donate, static) {
  leaves <- list()
  inputs <- character()
  given <- logical()
  own <- names(args)
  names(args) <- argument_names(f, args)
  nodes <- lapply(seq_along(args), function(i) {
    at <- names(args)[i]
    if (i %in% static) return(constant_node(args[[i]], at))
    describe(args[[i]], at, function(x, at) {
      if (is.logical(x) && length(x) == 1L && is.null(dim(x))) return(list("constant", x))
      leaves[[length(leaves) + 1L]] <<- x
      inputs[length(leaves)] <<- at
      given[length(leaves)] <<- i %in% donate
      list("tensor", length(leaves))
    })
  })
  arguments <- list("list", list(names = names(args)), nodes)
  .Call(C_trace_begin)
  on.exit(.Call(C_trace_end))
  traced <- .Call(C_ahead_arguments, leaves)
  given_args <- assemble(arguments, traced, NULL)
  names(given_args) <- own
  out <- do.call(f, given_args, quote = TRUE)
  outputs <- character()
  results <- describe(out, "", function(x, at) {
    if (!inherits(x, "ag_tensor")) return(constant_node(x, at))
    place <- .Call(C_ahead_output, x)
    if (place[1L] == 0L) return(list("argument", place[2L]))
    if (place[2L] > length(outputs)) outputs[place[2L]] <<- if (nzchar(at)) at else "result"
    list("tensor", place[2L])
  })
  interface <- list(version = 1L, arguments = arguments, results = results)
  metadata <- rawToChar(serialize(interface, NULL, ascii = TRUE, version = 3L))
  .Call(C_ahead_finish, name, enc2utf8(inputs), enc2utf8(outputs), given, paste0("R\n", metadata))
}

# ---- calling ----------------------------------------------------------------------

# Of a program that was not compiled from R: inputs in order, outputs by name.
plain_interface <- function(inputs, outputs) {
  tensors <- function(names) lapply(seq_along(names), function(k) list("tensor", k))
  results <- if (length(outputs) == 1L) list("tensor", 1L) else
    list("list", list(names = outputs), tensors(outputs))
  list(version = 1L, arguments = list("list", list(names = inputs), tensors(inputs)),
       results = results)
}

make_program <- function(entry, path) {
  pointer <- entry[[1L]]
  interface <- if (is.character(entry[[3L]]) && startsWith(entry[[3L]], "R\n"))
    unserialize(charToRaw(substring(entry[[3L]], 3L)))
  else
    plain_interface(entry[[4L]][[1L]], entry[[5L]][[1L]])
  if (!identical(interface$version, 1L))
    tenon_stop("io", path, ": expected an interface of version 1, got ", format(interface$version))
  arguments <- interface$arguments
  results <- interface$results
  kept <- returned_inputs(results)
  dtypes <- entry[[4L]][[2L]]
  program <- function(...) {
    args <- match_arguments(arguments, list(...))
    leaves <- unlist(.mapply(take_leaves, list(arguments[[3L]], args, arguments[[2L]]$names), NULL),
                     recursive = FALSE)
    out <- .Call(C_program_call, pointer, leaves)
    leaves[kept] <- lapply(kept, function(k)
      if (inherits(leaves[[k]], "ag_tensor")) leaves[[k]] else tenon_tensor(leaves[[k]], dtypes[k]))
    assemble(results, out, leaves)
  }
  structure(program, class = c("tenon_program", "function"),
            entry = c(list(path = path), entry[-1L]))
}

#' @rdname tenon_compile
#' @param x A program.
#' @param ... Arguments of other methods.
#' @export
print.tenon_program <- function(x, ...) {
  entry <- attr(x, "entry")
  cat("A program compiled ahead of time:", entry[[2L]], "of", entry$path, "\n")
  show <- function(kind, ports) {
    shapes <- vapply(ports[[3L]], function(dim)
      paste0("[", paste(ifelse(is.na(dim), "?", dim), collapse = ","), "]"), "")
    for (i in seq_along(ports[[1L]])) {
      replaced <- if (kind == "out" && ports[[4L]][i] > 0L)
        paste0("  replaces ", entry[[4L]][[1L]][ports[[4L]][i]])
      cat(sprintf("  %-3s %s %s %s%s\n", kind, format(ports[[1L]])[i], ports[[2L]][i], shapes[i],
                  if (is.null(replaced)) "" else replaced))
    }
  }
  show("in", entry[[4L]])
  show("out", entry[[5L]])
  invisible(x)
}
