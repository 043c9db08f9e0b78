#' Defaults of device and dtype
#'
#' `ag_device()` sets where operations run from now on. `ag_dtype()` sets the element type of new
#' tensors and of operations on plain R numbers for the session: `"f64"`, `"f32"`, `"f16"` or
#' `"bf16"`. Where it was not set, it is `"f64"`, and on a GPU `"f32"`.
#'
#' @section Mixed precision: with `ag_dtype("f16")` and `"bf16"`, programs compute products of f32 tensors
#'   (matrix products, convolutions, attention) in that type, with sums in f32, and what follows them
#'   elementwise. Losses, softmax, norms, exponentials, sums over axes and optimizers compute in f32, f64 tensors
#'   stay f64. [ag_param()] makes f32 parameters, which are rounded where they are used; so
#'   layers have. With `"f16"` optimizers scale the loss ([optimizers], [tenon_loss_scale()]).
#'   Setting one of the two, or another dtype after it, computes what is pending and ends the tape.
#'
#' @section GPUs: `"vulkan"` is the first device that Vulkan finds ([tenon_devices()]), `"gpu"` the
#'   same where that is no driver that runs on the processor. Tensors that are made or computed
#'   there lie in the device's memory. R copies them when it reads them, once; what a program
#'   takes from elsewhere is moved to where it runs, R's own arrays with every run. What
#'   the device cannot do runs on the CPU, which is said once for each reason, in a message of
#'   class `tenon_fallback`. R's garbage collector runs when much memory of a device has been asked
#'   for, and when there is no more.
#'
#'   A device can be lost, as when its driver gives up. What runs then is an error, and so is every
#'   later use of a tensor that was on it, unless R has read it and so has a copy. The session
#'   goes on: the next program opens the device again. Parameters are assigned what was saved of
#'   them, `p$data <- saved`, optimizers as `$load_state()` has it, and gradients begin anew with
#'   `$zero_grad()`.
#'
#' @param device `"cpu"`, `"gpu"`, `"vulkan"`, or `"reference"`: slow loops in double precision, the
#'   oracle that the compiler is tested against.
#' @param dtype A float dtype.
#' @param tensor A tensor, or numbers.
#' @return `ag_device()` and `ag_dtype()`: invisibly the value before.
#'   `ag_default_device()`, `ag_default_dtype()`: the current one, `"vulkan"` for `"gpu"`.
#'   `ag_to_device()`: the tensor, its elements moved.
#' @section Errors: `tenon_error_device` for a device that is not there, with the reason, and for one
#'   that was lost, with what was on it,
#'   `tenon_error_dtype` for what is no float dtype, `tenon_error_argument` for a device
#'   that is no string, `tenon_error_memory` where the device has no more.
#' @examples
#' before <- ag_dtype("f32")
#' ag_tensor(1:3)$dtype
#' ag_dtype(before)
#' ag_default_dtype()
#' ag_device("cpu")
#' ag_default_device()
#' ag_to_device(ag_tensor(1:3), "cpu")$device
#' if (ggml_vulkan_available()) {
#'   ag_device("vulkan")
#'   print(ag_tensor(1:3)$device)
#'   ag_device("cpu")
#' }
#' @name defaults
NULL

# The device that a name stands for, which must be there.
usable_device <- function(device) {
  expected <- 'device: expected "cpu", "gpu", "vulkan" or "reference"'
  if (!is.character(device) || length(device) != 1L || is.na(device)) tenon_stop("argument", expected)
  if (device %in% c("cpu", "reference")) return(device)
  if (!device %in% c("gpu", "vulkan")) tenon_stop("device", expected, ', got "', device, '"')
  problem <- driver_problem("vulkan")
  if (is.null(problem) && device == "gpu") {
    first <- .Call(C_device_info, "vulkan", 0L)
    if (first$type == "cpu")
      problem <- paste0('"', first$name, '" runs on the processor; device "vulkan" uses it')
  }
  if (!is.null(problem)) tenon_stop("device", 'device "', device, '": ', problem)
  "vulkan"
}

# Called from C: says that a program runs on the CPU.
tell_fallback <- function(reason)
  message(structure(class = c("tenon_fallback", "message", "condition"),
                    list(message = paste0("on the CPU, not the GPU: ", reason, "\n"), call = NULL)))

#' @rdname defaults
#' @export
ag_device <- function(device) invisible(.Call(C_device, usable_device(device)))

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
  device <- usable_device(device)
  if (!inherits(tensor, "ag_tensor") && !is.numeric(tensor) && !is.logical(tensor))
    tenon_stop("argument", "tensor: expected a tensor or numbers, got ", class(tensor)[1L])
  if (inherits(tensor, "ag_tensor")) .Call(C_to_device, tensor, device)
  else .Call(C_tensor, tensor, ag_default_dtype(), FALSE, device)
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
#' used for longest are deleted when all take more than `limit` bytes. What a GPU's driver compiles
#' is kept there as well, at most an eighth of that more.
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
