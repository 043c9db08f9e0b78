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
#' With `"vulkan"` among `target` the file has code for GPUs, and `c("vulkan", "cpu")` code for both.
#' Such programs compute in f32 where [ag_dtype()] was not set, and R arrays of doubles become
#' that at the door. Compiling needs no GPU. What a program gives on a GPU stays in its memory
#' until it is read, as with `jit(f, device = "vulkan")`.
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
#' @param target What the code may use: `"native"` or `"cpu"` (this machine), `"x86-64-v2"`,
#'   `"x86-64-v3"`, `"x86-64-v4"`, `"armv8.2-a"` (another machine) or a processor's name in LLVM;
#'   `"vulkan"` (a GPU). Of several the best that runs is chosen when the file is loaded.
#' @param donate,static Positions of arguments, as for [jit()]; for several functions lists of
#'   positions by name.
#' @param gpu_features For `"vulkan"`: what code may use of a GPU beyond what every one has, some of
#'   `"cooperative-matrix"` (matrix products in f16, subgroups of 32), `"shuffle"` (subgroups of 32)
#'   and `"preserve"` (signed zeros, infinities and `NaN`).
#' @param device `NULL`, or whose code of the file is run: `"cpu"`, `"gpu"`, `"vulkan"`, as for
#'   [ag_device()]. With `NULL`, a GPU's where there is one that has what the code needs, else the
#'   processor's, else that of a Vulkan driver that runs on the processor; the environment variable
#'   `TENON_DRIVER` (`cpu` or `vulkan`) says otherwise.
#' @return `tenon_compile()`: the path of the file, invisibly. `tenon_load_program()`: a function
#'   of class `tenon_program`; of a file with several functions a named list of them. Printing one
#'   shows where it runs, its inputs and outputs. `tenon_program_device()`: `"cpu"` or `"vulkan"`.
#' @section Errors: `tenon_error_argument` for what no program can hold (functions or
#'   environments among arguments or results), for missing, unknown or too many arguments, and
#'   where a gradient would have to flow through a loaded program; `tenon_error_shape` and
#'   `tenon_error_dtype` for arguments that are not as in the example; `tenon_error_io` for a
#'   file that is missing, cut short, damaged, or no library of this version and
#'   architecture; `tenon_error_device` where neither processor nor GPU has what the code needs;
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
tenon_compile <- function(f, example_args, path, target = "native", donate = NULL, static = NULL,
                          gpu_features = NULL) {
  if (!is.character(path) || length(path) != 1L || is.na(path) || !nzchar(path))
    tenon_stop("argument", "path: expected the name of a file")
  if (!is.character(target) || !length(target) || anyNA(target))
    tenon_stop("argument", "target: expected names of processors, as \"native\", or \"vulkan\"")
  if (!is.null(gpu_features) && (!is.character(gpu_features) || anyNA(gpu_features)))
    tenon_stop("argument", "gpu_features: expected names of features, as \"shuffle\"")
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
  gpu <- "vulkan" %in% target
  custom_state$gpu <- gpu
  on.exit(custom_state$gpu <- FALSE)
  processors <- setdiff(target, "vulkan")
  processors[processors == "cpu"] <- "native"
  if (gpu && ag_default_device() != "vulkan" && ag_default_dtype() == "f64") {
    ag_dtype("f32") # what is the default on a GPU
    on.exit(ag_dtype("f64"), add = TRUE)
  }
  traced <- lapply(names, function(name)
    trace_ahead(name, functions[[name]], as.list(example_args[[name]]),
                positions(donate[[name]], "donate"), positions(static[[name]], "static"), gpu))
  list_of <- function(x) if (length(x)) paste(x, collapse = ",")
  .Call(C_ahead_compile, traced, list_of(c(if (gpu) "vulkan", if (length(processors)) "cpu")),
        list_of(processors), list_of(gpu_features), path.expand(path))
  invisible(path)
}

argument_names <- function(f, args) {
  names <- if (is.null(names(args))) character(length(args)) else names(args)
  formal <- setdiff(names(formals(base::args(f))), "...")
  free <- setdiff(formal, names)
  open <- which(!nzchar(names))
  names[open] <- ifelse(seq_along(open) <= length(free), free[seq_along(open)], paste0("x", open))
  names
}

# Traces f into an object that C compiles.
trace_ahead <- function(name, f, args, donate, static, gpu) {
  leaves <- list()
  inputs <- character()
  given <- logical()
  own <- names(args)
  names(args) <- argument_names(f, args)
  nodes <- lapply(seq_along(args), function(i) {
    at <- names(args)[i]
    if (i %in% static) return(constant_node(args[[i]], at))
    describe(args[[i]], at, function(x, at) {
      if (is.logical(x) && length(x) == 1L && is.null(dim(x))) return(list(kind = "constant", value = x))
      leaves[[length(leaves) + 1L]] <<- x
      inputs[length(leaves)] <<- at
      given[length(leaves)] <<- i %in% donate
      tensor_node(length(leaves))
    })
  })
  arguments <- list_node(list(names = names(args)), nodes)
  .Call(C_trace_begin)
  on.exit(.Call(C_trace_end))
  traced <- .Call(C_ahead_arguments, leaves, gpu)
  given_args <- assemble(arguments, traced, NULL)
  names(given_args) <- own
  out <- do.call(f, given_args, quote = TRUE)
  outputs <- character()
  results <- describe(out, "", function(x, at) {
    if (!inherits(x, "ag_tensor")) return(constant_node(x, at))
    place <- .Call(C_ahead_output, x)
    index <- place[[1L]]
    if (names(place) == "argument") return(list(kind = "argument", index = index))
    if (index > length(outputs)) outputs[index] <<- if (nzchar(at)) at else "result"
    tensor_node(index)
  })
  interface <- list(version = interface_version, arguments = arguments, results = results)
  metadata <- rawToChar(serialize(interface, NULL, ascii = TRUE, version = 3L))
  .Call(C_ahead_finish, name, enc2utf8(inputs), enc2utf8(outputs), given, paste0("R\n", metadata))
}
