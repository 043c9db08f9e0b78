#' @rdname tenon_compile
#' @export
tenon_load_program <- function(path, device = NULL) {
  if (!is.character(path) || length(path) != 1L || is.na(path))
    tenon_stop("argument", "path: expected the name of a file")
  if (identical(device, "reference"))
    tenon_stop("argument", 'device: expected "cpu", "gpu" or "vulkan"')
  entries <- .Call(C_program_open, normalizePath(path, mustWork = FALSE),
                   if (!is.null(device)) usable_device(device))
  programs <- lapply(entries, make_program, path)
  if (length(programs) == 1L) return(programs[[1L]])
  names(programs) <- vapply(entries, function(entry) entry$name, "")
  programs
}

# Of a program that was not compiled from R: inputs in order, outputs by name.
plain_interface <- function(inputs, outputs) {
  tensors <- function(names) lapply(seq_along(names), tensor_node)
  results <- if (length(outputs) == 1L) tensor_node(1L) else
    list_node(list(names = outputs), tensors(outputs))
  list(version = interface_version, arguments = list_node(list(names = inputs), tensors(inputs)),
       results = results)
}

make_program <- function(entry, path) {
  executable <- entry$executable
  metadata <- entry$metadata
  interface <- if (is.character(metadata) && startsWith(metadata, "R\n"))
    unserialize(charToRaw(substring(metadata, 3L)))
  else
    plain_interface(entry$inputs$name, entry$outputs$name)
  if (!identical(interface$version, interface_version))
    tenon_stop("io", path, ": expected an interface of version ", interface_version, ", got ",
               format(interface$version))
  arguments <- interface$arguments
  results <- interface$results
  kept <- returned_inputs(results)
  dtypes <- entry$inputs$dtype
  program <- function(...) {
    args <- match_arguments(arguments, list(...))
    names <- arguments$attributes$names
    leaves <- unlist(.mapply(take_leaves, list(arguments$parts, args, names), NULL),
                     recursive = FALSE)
    out <- .Call(C_program_call, executable, leaves)
    leaves[kept] <- lapply(kept, function(k)
      if (inherits(leaves[[k]], "ag_tensor")) leaves[[k]] else tenon_tensor(leaves[[k]], dtypes[k]))
    assemble(results, out, leaves)
  }
  structure(program, class = c("tenon_program", "function"),
            entry = c(list(path = path), entry[names(entry) != "executable"]))
}

#' @rdname tenon_compile
#' @param program A program.
#' @export
tenon_program_device <- function(program) {
  if (!inherits(program, "tenon_program"))
    tenon_stop("argument", "program: expected one of tenon_load_program(), got ", class(program)[1L])
  attr(program, "entry")$device
}

#' @rdname tenon_compile
#' @param x A program.
#' @param ... Arguments of other methods.
#' @export
print.tenon_program <- function(x, ...) {
  entry <- attr(x, "entry")
  cat("A program compiled ahead of time:", entry$name, "of", entry$path,
      if (entry$device != "cpu") paste("on", entry$device), "\n")
  show <- function(kind, ports) {
    shapes <- vapply(ports$dim, function(dim)
      paste0("[", paste(ifelse(is.na(dim), "?", dim), collapse = ","), "]"), "")
    for (i in seq_along(ports$name)) {
      replaced <- if (kind == "out" && ports$donates[i] > 0L)
        paste0("  replaces ", entry$inputs$name[ports$donates[i]])
      cat(sprintf("  %-3s %s %s %s%s\n", kind, format(ports$name)[i], ports$dtype[i], shapes[i],
                  if (is.null(replaced)) "" else replaced))
    }
  }
  show("in", entry$inputs)
  show("out", entry$outputs)
  invisible(x)
}
