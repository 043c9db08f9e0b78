#' Defaults of device and dtype
#'
#' `ag_dtype()` sets the element type of new tensors and of operations on plain R
#' numbers for the session: `"f64"` (the default), `"f32"`, `"f16"` or `"bf16"`.
#'
#' @param device `"cpu"`, or `"reference"`: slow loops in double precision, the
#'   oracle that the compiler is tested against.
#' @param dtype A float dtype.
#' @param tensor A tensor.
#' @return `ag_device()` and `ag_dtype()`: invisibly the value before.
#'   `ag_default_device()`, `ag_default_dtype()`: the current one. `ag_to_device()`:
#'   the tensor.
#' @section Errors: `tenon_error_device` for a device that is not there,
#'   `tenon_error_dtype` for what is no float dtype, `tenon_error_argument` for a device
#'   that is no string.
#' @examples
#' before <- ag_dtype("f32")
#' ag_tensor(1:3)$dtype
#' ag_dtype(before)
#' ag_default_dtype()
#' ag_device("cpu")
#' ag_default_device()
#' ag_to_device(ag_tensor(1:3), "cpu")$device
#' @name defaults
NULL

check_device <- function(device) {
  if (!is.character(device) || length(device) != 1L || is.na(device))
    tenon_stop("argument", 'device: expected "cpu" or "reference"')
  if (!device %in% c("cpu", "reference"))
    tenon_stop("device", 'device: expected "cpu" or "reference", got "', device, '"')
}

#' @rdname defaults
#' @export
ag_device <- function(device) {
  check_device(device)
  invisible(.Call(C_device, device))
}

#' @rdname defaults
#' @export
ag_default_device <- function() .Call(C_device, NULL)

#' @rdname defaults
#' @export
ag_dtype <- function(dtype) {
  if (missing(dtype) || !is.character(dtype) || length(dtype) != 1L ||
      !dtype %in% c("f64", "f32", "f16", "bf16"))
    tenon_stop("dtype", 'dtype: expected "f64", "f32", "f16" or "bf16"',
               if (!missing(dtype)) paste(", got", deparse(dtype, nlines = 1L)))
  invisible(.Call(C_default_dtype, dtype))
}

#' @rdname defaults
#' @export
ag_default_dtype <- function() .Call(C_default_dtype, NULL)

#' @rdname defaults
#' @export
ag_to_device <- function(tensor, device) {
  check_device(device)
  if (!inherits(tensor, "ag_tensor") && !is.numeric(tensor) && !is.logical(tensor))
    tenon_stop("argument", "tensor: expected a tensor or numbers, got ", class(tensor)[1L])
  tensor
}

#' The state of Tenon in this session
#'
#' `tenon_sitrep()` prints versions, libraries, devices with what they can do, threads and the cache,
#' and why there is no GPU where there is none.
#' `tenon_cache_info()` counts: `entries`, `hits`, `misses` and `compile_seconds` of
#' the compiler's cache; `launches` and `compiles` of this package (programs run, and
#' programs asked of the compiler), `outputs` of the last run, `pending` values.
#' `tenon_cache_clear()` forgets all compiled programs of lazy values and all that the
#' compiler has cached; functions of [jit()] and [compile_loop()] keep theirs.
#' `tenon_threads()` gives, and sets, the number of threads (at the start:
#' `TENON_NUM_THREADS`, else the cores that the process may use).
#'
#' @section Programs that outlive the session: `tenon_disk_cache(TRUE)` keeps what is
#' compiled from now on in a folder, from where later R processes load it instead of compiling it;
#' `options(tenon.disk_cache = TRUE)` before the package is loaded, in `.Rprofile` say, does it for
#' each. Nothing is written to disk without one of them. A folder of your own is made with mode
#' 0700 if it is not there; one that others may enter is refused, since what lies there is run. A
#' file that is damaged, or of another version or processor, is compiled anew; `failures` counts
#' those, `problem` tells the last. Several processes may share a folder. Programs that were not
#' used for longest are deleted when all take more than `limit` bytes.
#'
#' @param count `NULL`, or the new number of threads.
#' @param path `TRUE`: the user's cache folder, `tools::R_user_dir("tenon", "cache")`. A path:
#'   that folder. `FALSE`: no longer. `NULL`: leaves it as it is.
#' @param limit most bytes of the folder.
#' @return `tenon_sitrep()`: invisibly a list of what it prints. `tenon_cache_info()`:
#'   a named numeric vector. `tenon_threads()`: the number before. `tenon_disk_cache()`: a list,
#'   invisibly if it changed something: `entries` and `bytes` in the folder; `hits`, `misses`,
#'   `failures` of this process; `problem`, a string if there was one.
#' @section Errors: `tenon_error_argument` for a number of threads that is no whole
#'   number from 1, or a path or limit that is none; `tenon_error_io` for a folder that is not
#'   yours alone.
#' @examples
#' tenon_sitrep()
#' tenon_cache_info()[["launches"]]
#' tenon_threads()
#' tenon_cache_clear()
#' tenon_disk_cache(tempfile())
#' as.array(tenon_tensor(1:3) + 1)
#' tenon_disk_cache()$entries
#' tenon_disk_cache(FALSE)
#' @name session
NULL

#' @rdname session
#' @export
tenon_sitrep <- function() {
  devices <- tenon_devices()
  device <- devices[devices$driver == "cpu", ]
  cache <- tenon_cache_info()
  info <- list(version = as.character(packageVersion("tenon")), library = .Call(C_library),
               compiler = file.exists(file.path(.Call(C_library), "libtenon_compiler.so")),
               device = ag_default_device(), description = device$name, memory = device$memory,
               bytes = device$used, devices = devices, problem = driver_problem("vulkan"),
               threads = .Call(C_threads, NULL), dtype = ag_default_dtype(), cache = cache)
  cli::cat_line(cli::rule(paste("tenon", info$version)))
  line <- function(what, ...) cli::cat_line(format(what, width = 11L), ...)
  line("Library", info$library, if (!info$compiler) "  (libtenon_compiler.so is missing)")
  line("Device", info$device)
  for (i in seq_len(nrow(devices))) with(devices[i, ], {
    line(if (driver == "cpu") "CPU" else paste("Vulkan", index), if (is.na(problem)) name else problem)
    if (is.na(problem)) {
      line("", gib(memory), " GiB, ", gib(free), " free, ", gib(used), " in buffers",
           if (driver != "cpu") paste0("; ", type))
      if (nzchar(features)) cli::cat_line(strwrap(features, 88L, prefix = strrep(" ", 11L)))
    }
  })
  if (!is.null(info$problem)) line("Vulkan", info$problem)
  line("Threads", info$threads)
  line("Dtype", info$dtype)
  line("Programs", cache[["compiles"]], " compiled in ", format(cache[["compile_seconds"]], digits = 3L),
       " s, ", cache[["launches"]], " runs, ", cache[["pending"]], " values pending")
  invisible(info)
}

#' @rdname session
#' @export
tenon_cache_info <- function() .Call(C_stats)

#' @rdname session
#' @export
tenon_cache_clear <- function() invisible(.Call(C_clear_cache))

#' @rdname session
#' @export
tenon_disk_cache <- function(path = NULL, limit = 512 * 2^20) {
  if (is.null(path)) return(.Call(C_disk_cache_info))
  limit <- need_number(limit, "limit", 1, 2^53)
  if (isFALSE(path)) path <- NULL
  else path <- path.expand(need_path(if (isTRUE(path)) tools::R_user_dir("tenon", "cache") else path))
  .Call(C_disk_cache, path, limit)
  invisible(.Call(C_disk_cache_info))
}

#' A limit on the memory of programs
#'
#' Programs that are compiled after `tenon_memory_budget(bytes)` keep their intermediate values in
#' at most so many bytes: what would have to be kept for the gradient is computed again where that
#' takes less memory. Results are the same bits, steps take longer. Arguments, results and the scratch
#' memory of kernels come on top. `tenon_report()` shows what a program takes, in `arena_bytes`, and how often
#' its kernels run.
#'
#' Each combination of extents is then a program of its own. Functions of [jit()] keep the
#' programs that they have.
#'
#' @param bytes The limit; `Inf` for none; `NULL` leaves it as it is.
#' @return The limit before, invisibly if it was changed.
#' @section Errors: `tenon_error_argument` for what is no number of bytes from 1.
#'   `tenon_error_compile`, when a program is compiled, if it cannot keep to the limit, with the bytes
#'   that it takes.
#' @examples
#' before <- tenon_memory_budget(2^30)
#' tenon_memory_budget()
#' tenon_memory_budget(before)
#' @export
tenon_memory_budget <- function(bytes = NULL) {
  if (!is.null(bytes))
    bytes <- if (identical(bytes, Inf)) 0 else need_number(bytes, "bytes", 1, 2^53)
  before <- .Call(C_memory_budget, bytes)
  if (before == 0) before <- Inf
  if (is.null(bytes)) before else invisible(before)
}

#' @rdname session
#' @export
tenon_threads <- function(count = NULL)
  .Call(C_threads, if (is.null(count)) NULL else need_count(count, "count"))
