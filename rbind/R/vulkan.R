#' The devices of this machine
#'
#' The processor, and what Vulkan finds: each device a row, the best of a driver first.
#' [tenon_sitrep()] says why there is none.
#'
#' The Vulkan loader is opened when devices are first asked for. Without it, and where a
#' driver fails, everything else works as before.
#'
#' @return A data frame:
#'   \item{driver, index}{`"cpu"` or `"vulkan"`, and which of its devices, from 0}
#'   \item{name}{as the driver calls it}
#'   \item{type}{`"cpu"` (also a driver that runs on the processor, as Mesa's lavapipe),
#'     `"discrete"`, `"integrated"`, `"virtual"` or `"other"`}
#'   \item{memory, free, used}{bytes: in all, free now, and in this session's buffers}
#'   \item{features}{of a GPU, words: `"subgroup32"` (threads in step), dtypes that it computes
#'     with (`"f64"`, `"f16"`, `"i64"`, `"i8"`, ...), and what else kernels may use}
#'   \item{problem}{`NA`, or why the device cannot be opened; the columns before it are then `NA`}
#' @examples
#' tenon_devices()[, c("driver", "index", "type")]
#' @export
tenon_devices <- function() {
  rows <- lapply(c("cpu", "vulkan"), function(driver)
    lapply(seq_len(.Call(C_device_count, driver)) - 1L, device_row, driver = driver))
  do.call(rbind, unlist(rows, recursive = FALSE))
}

device_row <- function(index, driver) {
  problem <- NA_character_
  info <- tryCatch(.Call(C_device_info, driver, index), tenon_error = function(e) {
    problem <<- conditionMessage(e)
    list(name = NA_character_, type = NA_character_, memory = NA_real_, free = NA_real_,
         bytes = NA_real_, features = NA_character_)
  })
  data.frame(driver = driver, index = index, name = info$name, type = info$type,
             memory = info$memory, free = info$free, used = info$bytes,
             features = info$features, problem = problem)
}

# Why a driver has no device to use, or NULL.
driver_problem <- function(driver) {
  if (.Call(C_device_count, driver) > 0L) return(NULL)
  message <- tryCatch(.Call(C_device_info, driver, 0L), tenon_error = conditionMessage)
  sub("^driver '[a-z]+' has no device 0: ", "", message)
}

#' GPUs through Vulkan
#'
#' What Vulkan finds on this machine, under the names of ggmlR. [tenon_devices()] gives the same
#' as a data frame. Nothing here is an error where there is no Vulkan.
#'
#' @param device Which device, from 0.
#' @return `ggml_vulkan_available()`: whether there is a device. `ggml_vulkan_device_count()`: how
#'   many. `ggml_vulkan_device_description()`: its name, `NA` where there are no devices.
#'   `ggml_vulkan_device_memory()`: a list, bytes that are `free` and in `total`.
#'   `ggml_vulkan_list_devices()`: a list of lists, `index`, `name`, `free_memory` and
#'   `total_memory`. `ggml_vulkan_status()` prints this, and why there is no device;
#'   invisibly a list: `available`, `n_devices`, `devices`.
#'
#'   `ggml_vulkan_device_caps()`: a list of what Tenon makes use of. Logicals: `coopmat_support`
#'   (cooperative matrices), `coopmat1_fa_support` (attention with them), `fp16`, `bf16`,
#'   `integer_dot_product`, `subgroup_no_shmem`. Integers, 0 where there is none:
#'   `subgroup_size`, `subgroup_min_size`, `subgroup_max_size`, `wavefronts_per_simd`,
#'   `coopmat_m`, `coopmat_n`, `coopmat_k`. `arch`: `"NVIDIA"`, `"AMD"`, `"INTEL"`, `"APPLE"` or
#'   `"OTHER"`.
#' @section Errors: `tenon_error_argument` for what is no whole number from 0,
#'   `tenon_error_device` for a device that is not among those that are there.
#' @examples
#' ggml_vulkan_status()
#' ggml_vulkan_device_caps()$fp16
#' @name ggml_vulkan
NULL

#' @rdname ggml_vulkan
#' @export
ggml_vulkan_available <- function() ggml_vulkan_device_count() > 0L

#' @rdname ggml_vulkan
#' @export
ggml_vulkan_device_count <- function() .Call(C_device_count, "vulkan")

# What is known of a device; NULL where there are none.
vulkan_info <- function(device) {
  device <- need_count(device, "device", 0)
  if (ggml_vulkan_available()) .Call(C_device_info, "vulkan", device)
}

#' @rdname ggml_vulkan
#' @export
ggml_vulkan_device_description <- function(device = 0L) {
  info <- vulkan_info(device)
  if (is.null(info)) NA_character_ else info$name
}

#' @rdname ggml_vulkan
#' @export
ggml_vulkan_device_memory <- function(device = 0L) {
  info <- vulkan_info(device)
  if (is.null(info)) list(free = 0, total = 0) else list(free = info$free, total = info$memory)
}

#' @rdname ggml_vulkan
#' @export
ggml_vulkan_device_caps <- function(device = 0L) {
  info <- vulkan_info(device)
  words <- strsplit(c(info$features, "")[1L], " ")[[1L]]
  has <- function(word) word %in% words
  size <- as.integer(c(sub("^subgroup", "", grep("^subgroup[0-9]+$", words, value = TRUE)), 0L)[1L])
  vendors <- c(NVIDIA = "NVIDIA", AMD = "AMD|Radeon", INTEL = "Intel", APPLE = "Apple")
  arch <- names(vendors)[vapply(vendors, grepl, NA, c(info$name, "")[1L])]
  list(coopmat_support = has("cooperative-matrix"), coopmat1_fa_support = FALSE,
       fp16 = has("f16"), bf16 = has("bf16"), integer_dot_product = has("integer-dot"),
       subgroup_size = size, subgroup_min_size = size, subgroup_max_size = size,
       subgroup_no_shmem = FALSE, wavefronts_per_simd = 0L, arch = c(arch, "OTHER")[1L],
       coopmat_m = 0L, coopmat_n = 0L, coopmat_k = 0L)
}

#' @rdname ggml_vulkan
#' @export
ggml_vulkan_list_devices <- function() {
  all <- tenon_devices()
  all <- all[all$driver == "vulkan", ]
  names <- if (nrow(all)) paste0("device_", all$index)
  structure(.mapply(function(index, name, free, total)
    list(index = index, name = name, free_memory = free, total_memory = total),
    list(all$index, all$name, all$free, all$memory), NULL), names = names)
}

#' @rdname ggml_vulkan
#' @export
ggml_vulkan_status <- function() {
  devices <- ggml_vulkan_list_devices()
  cli::cat_line("Vulkan: ", if (length(devices)) cli::pluralize("{length(devices)} device{?s}")
                            else driver_problem("vulkan"))
  for (device in devices)
    cli::cat_line("  [", device$index, "] ", device$name, ", ", gib(device$free_memory), " of ",
                  gib(device$total_memory), " GiB free")
  invisible(list(available = length(devices) > 0L, n_devices = length(devices), devices = devices))
}

gib <- function(bytes) format(bytes / 2^30, digits = 3L)
