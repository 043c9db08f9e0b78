.onLoad <- function(libname, pkgname) {
  .Call(C_home, topenv())
  home <- Sys.getenv("TENON_HOME")
  if (nzchar(home)) .Call(C_set_library, file.path(home, "lib"))
  device <- Sys.getenv("TENON_DEVICE")
  if (nzchar(device))
    tryCatch(ag_device(device), tenon_error = function(e)
      warning("TENON_DEVICE: ", conditionMessage(e), call. = FALSE))
  kept <- getOption("tenon.disk_cache")
  if (!is.null(kept))
    tryCatch(tenon_disk_cache(kept), tenon_error = function(e)
      warning("option tenon.disk_cache: ", conditionMessage(e), call. = FALSE))
  # CRAN's checks allow two threads.
  limited <- Sys.getenv("_R_CHECK_LIMIT_CORES_")
  if (nzchar(limited) && !identical(tolower(limited), "false"))
    .Call(C_threads, min(2L, .Call(C_threads, NULL)))
}

.onUnload <- function(libpath) library.dynam.unload("tenon", libpath)
