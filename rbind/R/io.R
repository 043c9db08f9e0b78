#' Save and load tensors
#'
#' Files in the safetensors format, which other frameworks read. Shapes there are
#' row-major, so an R array's `dim` appears reversed. A file is checked before
#' anything of it is used. An old file is replaced once the new one is whole; of a
#' symbolic link, the file that it points to.
#'
#' @param tensors A named list of tensors, parameters and R arrays; nested lists
#'   are flattened, with names joined by `"."`.
#' @param path A file.
#' @return `tenon_save_tensors()`: invisibly `path`. `tenon_load_tensors()`: a named
#'   list of tensors, in the dtypes of the file.
#' @section Errors: `tenon_error_io` for a file that cannot be read, is damaged or
#'   is no regular file (a directory, a device, a pipe),
#'   `tenon_error_argument` for a list without names.
#' @examples
#' path <- tempfile(fileext = ".safetensors")
#' tenon_save_tensors(list(w = ag_param(diag(2)), b = list(x = 1:3)), path)
#' names(tenon_load_tensors(path))
#'
#' model <- ag_sequential(ag_linear(2, 3, "tanh"), ag_linear(3, 1))
#' tenon_save_tensors(model$parameters(), path)
#' params <- model$parameters() # of the same model, later
#' saved <- tenon_load_tensors(path)
#' for (name in names(params)) params[[name]]$data <- saved[[name]]
#' @export
tenon_save_tensors <- function(tensors, path) {
  if (inherits(tensors, "ag_tensor") || !is.list(tensors))
    tenon_stop("argument", "tensors: expected a named list, got ", class(tensors)[1])
  path <- need_path(path)
  flat <- flatten(tensors, "")
  if (anyDuplicated(names(flat)))
    tenon_stop("argument", "tensors: the name ", names(flat)[duplicated(names(flat))][1L], " is there twice")
  if ("__metadata__" %in% names(flat))
    tenon_stop("argument", "tensors: no tensor can be called __metadata__, the format's own name")
  .Call(C_save_tensors, path, flat)
  invisible(path)
}

#' @rdname tenon_save_tensors
#' @export
tenon_load_tensors <- function(path) .Call(C_load_tensors, need_path(path))

need_path <- function(path) {
  if (!is.character(path) || length(path) != 1L || is.na(path) || !nzchar(path))
    tenon_stop("argument", "path: expected the name of a file")
  path
}

flatten <- function(x, prefix) {
  if (is.null(names(x)) && length(x) || any(!nzchar(names(x))))
    tenon_stop("argument", "tensors: every element needs a name")
  out <- list()
  for (i in seq_along(x)) { # by position: a name may be there twice
    full <- paste0(prefix, names(x)[i])
    part <- x[[i]]
    if (is.list(part)) out <- c(out, flatten(part, paste0(full, ".")))
    else if (!is.null(part)) out <- c(out, structure(list(part), names = full))
  }
  out
}
