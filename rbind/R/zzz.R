.onLoad <- function(libname, pkgname) {
  .Call(C_home, topenv())
  home <- Sys.getenv("TENON_HOME")
  if (nzchar(home)) .Call(C_set_library, file.path(home, "lib"))
  device <- Sys.getenv("TENON_DEVICE")
  if (nzchar(device)) ag_device(device)
  # CRAN's checks allow two threads.
  limited <- Sys.getenv("_R_CHECK_LIMIT_CORES_")
  if (nzchar(limited) && !identical(tolower(limited), "false"))
    .Call(C_threads, min(2L, .Call(C_threads, NULL)))
}

.onUnload <- function(libpath) library.dynam.unload("tenon", libpath)
