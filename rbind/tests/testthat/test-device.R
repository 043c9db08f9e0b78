test_that("defaults can be set and give the value before", {
  expect_identical(ag_default_dtype(), "f64")
  expect_identical(ag_dtype("f32"), "f64")
  expect_identical(ag_default_dtype(), "f32")
  expect_identical(ag_dtype("f64"), "f32")
  expect_error(ag_dtype("i32"), class = "tenon_error_dtype")
  expect_error(ag_dtype(), class = "tenon_error_dtype")
  expect_error(ag_device("tpu"), class = "tenon_error_device")
  expect_error(ag_device(NA), class = "tenon_error_argument")
  expect_identical(ag_device(ag_default_device()), ag_default_device())
})

test_that("both devices agree", {
  before <- ag_device("reference")
  on.exit(ag_device(before))
  x <- matrix(c(-1, 0.5, 2, 3), 2)
  slow <- as.matrix(ag_softmax(ag_matmul(x, x)))
  ag_device(before)
  near(ag_softmax(ag_matmul(x, x)), slow)
})

test_that("the session can be looked at", {
  expect_output(info <- tenon_sitrep(), "Threads")
  expect_identical(info$version, as.character(packageVersion("tenon")))
  expect_named(tenon_cache_info(), c("entries", "hits", "misses", "compile_seconds", "launches", "compiles",
                                     "outputs", "pending"))
  n <- tenon_threads()
  expect_identical(tenon_threads(1), n)
  expect_identical(tenon_threads(n), 1L)
  expect_error(tenon_threads(0), class = "tenon_error_argument")
})

test_that("the cache can be emptied", {
  x <- tenon_tensor(1) + 1
  near(x, 2)
  tenon_cache_clear()
  near(tenon_tensor(1) + 1, 2)
})

test_that("results do not depend on the number of threads", {
  n <- tenon_threads()
  on.exit(tenon_threads(n))
  x <- M(130, 70)
  f <- function() {
    w <- ag_param(x)
    with_grad_tape(loss <- ag_sum(ag_softmax(ag_matmul(ag_transpose(w), w))^2))
    g <- backward(loss)
    list(as.matrix(loss), as.matrix(w$grad))
  }
  tenon_threads(1)
  one <- f()
  tenon_threads(2)
  expect_identical(f(), one)
})

test_that("profiles are written, also after an error", {
  path <- tempfile(fileext = ".json")
  x <- matrix(runif(4), 2)
  expect_identical(unclass(tenon_profile(as.matrix(ag_exp(x)), path)), path)
  expect_match(paste(readLines(path, warn = FALSE), collapse = ""), "traceEvents|\\[")
  expect_error(tenon_profile(stop("no"), path), "no")
  expect_error(tenon_profile(1, "/nonexistent/folder/x"), class = "tenon_error_io")
  expect_identical(unclass(tenon_profile(1, path)), path) # it is not still recording
})

test_that("an interrupt ends a long run, is no error, and leaves what was there", {
  skip_if(ag_default_device() == "reference", "the interpreter does not look for interrupts")
  x <- tenon_tensor(M(300, 300) / 20)
  loop <- compile_loop(function(s, batch, i) list(tanh(s %*% x), NULL), 1e6)
  on.exit(setTimeLimit())
  setTimeLimit(elapsed = 3, transient = TRUE) # stands for Ctrl-C: both are seen by the same check
  utils::capture.output(type = "message", {
    condition <- tryCatch(tryCatch(loop(x), error = function(e) "an error"), interrupt = identity)
  })
  setTimeLimit()
  expect_identical(class(condition), c("tenon_cancelled", "interrupt", "condition"))
  expect_identical(dim(as.array(x)), c(300L, 300L))
})

test_that("an interrupted loop leaves donated state as of the last whole step", {
  skip_if(ag_default_device() == "reference", "the interpreter does not look for interrupts")
  x <- tenon_tensor(diag(300))
  loop <- compile_loop(function(s, batch, i) list(s %*% x + 1, NULL), 1e6, donate = TRUE)
  s <- tenon_tensor(matrix(0, 300, 300)) + 0
  invisible(as.numeric(sum(s)))
  on.exit(setTimeLimit())
  setTimeLimit(elapsed = 3, transient = TRUE)
  utils::capture.output(type = "message", condition <- tryCatch(loop(s), interrupt = identity))
  setTimeLimit()
  done <- as.numeric(sub(".*after ([0-9]+) of.*", "\\1", condition$message))
  expect_gt(done, 0)
  near(s, rep(done, 300 * 300))
})

test_that("an interrupt ends a long compilation, which leaves nothing behind", {
  skip_if(ag_default_device() == "reference", "nothing is compiled")
  on.exit(setTimeLimit())
  x <- tenon_tensor(M(401, 401))
  steps <- 350 # every one has extents and so kernels of its own
  f <- jit(function(x) {
    for (i in seq_len(steps)) x <- ag_softmax(tanh(x[-1, -1] %*% x[-1, -1] + i))
    x
  })
  before <- tenon_cache_info()[["entries"]]
  cut_short <- function(expr) {
    setTimeLimit(elapsed = 1, transient = TRUE)
    on.exit(setTimeLimit())
    utils::capture.output(type = "message", condition <- tryCatch(expr, interrupt = identity))
    condition
  }
  for (once in 1:2) {
    condition <- cut_short(f(x))
    expect_identical(class(condition), c("tenon_cancelled", "interrupt", "condition"))
    expect_identical(condition$message, "compilation was cancelled")
    expect_identical(tenon_cache_info()[["entries"]], before)
  }
  condition <- cut_short(tenon_ir(function(x) {
    for (i in seq_len(steps)) x <- ag_softmax(tanh(x[-1, -1] %*% x[-1, -1] + i))
    x
  }, x, phase = "asm"))
  expect_s3_class(condition, "tenon_cancelled")
  steps <- 2
  y <- as.matrix(x)
  for (i in 1:2) y <- apply(tanh(y[-1, -1] %*% y[-1, -1] + i), 2, function(v) exp(v) / sum(exp(v)))
  near(jit(function(x) {
    for (i in 1:2) x <- ag_softmax(tanh(x[-1, -1] %*% x[-1, -1] + i))
    x
  })(x), y)
})

test_that("programs outlive the session where the user says so", {
  folder <- tempfile("cache")
  on.exit({tenon_disk_cache(FALSE); unlink(folder, recursive = TRUE)})
  script <- tempfile(fileext = ".R")
  writeLines(c("options(tenon.disk_cache = commandArgs(TRUE))", "suppressPackageStartupMessages(library(tenon))",
               "y <- value_and_grad(function(x) sum(exp(x) * x))(tenon_tensor(matrix(1:6, 2)))",
               "value <- as.numeric(y[[1]])", "kept <- tenon_disk_cache()",
               "cat(format(value, digits = 15), kept$hits, kept$misses, kept$failures)"), script)
  run <- function() system2(file.path(R.home("bin"), "Rscript"), c("--no-save", shQuote(script), shQuote(folder)),
                            stdout = TRUE, stderr = TRUE)
  first <- strsplit(run(), " ")[[1]]
  second <- strsplit(run(), " ")[[1]]
  near(as.numeric(first[1]), sum(exp(1:6) * 1:6))
  expect_identical(second[1], first[1])
  expect_gt(as.numeric(first[3]), 0)
  expect_identical(first[c(2, 4)], c("0", "0"))
  expect_identical(second[2:4], c(first[3], "0", "0")) # all are hits
  expect_identical(as.character(file.mode(folder)), "700")

  # A damaged file is compiled anew, and told.
  for (file in list.files(folder, "[.]so$", full.names = TRUE)) writeBin(raw(10), file)
  third <- strsplit(run(), " ")[[1]]
  expect_identical(third[1], first[1])
  expect_identical(third[c(2, 4)], c("0", first[3]))

  Sys.chmod(folder, "755")
  expect_error(tenon_disk_cache(folder), "with mode 0700, got .* mode 0755", class = "tenon_error_io")
  expect_match(paste(run(), collapse = " "), "option tenon.disk_cache: .*0755")
})

test_that("arguments of the disk cache are checked", {
  expect_error(tenon_disk_cache(NA), "path", class = "tenon_error_argument")
  expect_error(tenon_disk_cache(3), "path", class = "tenon_error_argument")
  expect_error(tenon_disk_cache(tempfile(), limit = 0), "limit", class = "tenon_error_argument")
  expect_error(tenon_disk_cache(tempfile(), limit = "x"), "limit", class = "tenon_error_argument")
  expect_identical(tenon_disk_cache()$failures, 0)
})
