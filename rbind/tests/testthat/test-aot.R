set.seed(19)

library_path <- function() {
  dir.create(folder <- tempfile("library"))
  file.path(folder, "libmodel.so")
}
compiled <- function(f, args, ...) {
  path <- library_path()
  tenon_compile(f, args, path, ...)
  tenon_load_program(path)
}
# A process that has this package and not the compiler; what it prints.
elsewhere <- function(code) {
  script <- tempfile(fileext = ".R")
  writeLines(c("suppressPackageStartupMessages(library(tenon))", code), script)
  system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(script)), stdout = TRUE,
          stderr = TRUE, env = paste0("R_LIBS=", shQuote(paste(.libPaths(), collapse = ":"))))
}

test_that("a program gives what jit() gives, bit for bit, in the same structure", {
  f <- function(p, x, scale = 2) list(y = tanh(p$w %*% x + p$b) * scale, parts = list(sum(x), p$w))
  args <- list(list(w = M(2, 3), b = tenon_tensor(c(0.5, -1), "f32")), M(3, 4))
  program <- compiled(f, args)
  x <- M(3, 4)
  got <- program(args[[1]], x)
  expected <- jit(f)(args[[1]], x)
  expect_identical(names(got), c("y", "parts"))
  expect_identical(as.array(got$y), as.array(expected$y))
  expect_identical(as.array(got$parts[[1]]), as.array(expected$parts[[1]]))
  expect_s3_class(got$parts[[2]], "ag_tensor")
  expect_identical(as.array(got$parts[[2]]), args[[1]]$w)
})

test_that("arguments are matched by position and by name, lists by name", {
  program <- compiled(function(a, p) p$u - a * p$v, list(1:3 + 0, list(u = 1:3 + 0, v = 1:3 + 0)))
  near(program(c(1, 2, 3), list(u = c(9, 9, 9), v = c(1, 1, 2))), c(8, 7, 3))
  near(program(p = list(v = c(1, 1, 2), u = c(9, 9, 9)), c(1, 2, 3)), c(8, 7, 3))
})

test_that("a function of any arguments, and one that is compiled already", {
  near(compiled(function(...) Reduce(`+`, list(...)), list(c(1, 2), b = c(3, 4), c(5, 6)))(
    c(1, 1), c(2, 2), b = c(3, 3)), c(6, 6))
  near(compiled(jit(function(x) x * 2), list(c(1, 2)))(c(3, 4)), c(6, 8))
  near(compiled(exp, list(c(1, 2)))(x = c(0, 1)), exp(c(0, 1)))
})

test_that("attributes of lists and what is no tensor come back", {
  program <- compiled(function(x) structure(list(y = x * 2, n = 3L, s = "text", none = NULL),
                                            class = "model"), list(c(1, 2)))
  got <- unclass(program(c(4, 5)))
  near(got$y, c(8, 10))
  expect_identical(got[-1], list(n = 3L, s = "text", none = NULL))
  expect_s3_class(program(c(4, 5)), "model")
})

test_that("flags and strings are part of the program and may be left out", {
  program <- compiled(function(x, square = FALSE, how = "sum") {
    z <- if (square) x^2 else x
    if (how == "sum") sum(z) else mean(z)
  }, list(c(1, 2, 3), square = TRUE, how = "sum"))
  near(program(c(1, 2, 3)), 14)
  near(program(c(1, 2, 3), how = "sum", TRUE), 14)
  expect_error(program(c(1, 2, 3), FALSE), "square: expected TRUE as when it was compiled, got FALSE",
               class = "tenon_error_argument")
})

test_that("what a function captures is a constant of its file", {
  w <- ag_param(M(2, 3))
  k <- tenon_tensor(M(2, 4), "f32")
  flags <- tenon_tensor(c(TRUE, FALSE, TRUE), "i1")
  f <- function(x) list(w %*% x + k, tenon_where(flags, 1, 2), k)
  x <- M(3, 4)
  expected <- lapply(f(x), as.array)
  program <- compiled(f, list(x))
  w$data <- M(2, 3)
  expect_identical(lapply(program(x), as.array), expected)
})

test_that("random numbers take their seed from R's generator, as in jit()", {
  f <- function(x) tenon_dropout(x, 0.5)
  program <- compiled(f, list(matrix(1, 8, 8)))
  set.seed(3)
  first <- as.array(program(matrix(1, 8, 8)))
  set.seed(3)
  expect_identical(as.array(jit(f)(matrix(1, 8, 8))), first)
  expect_false(identical(as.array(program(matrix(1, 8, 8))), first))
})

test_that("a training step updates donated state in place and gives jit()'s losses", {
  step <- function(state, x, y, t) {
    r <- value_and_grad(function(p) mean((p$w %*% x + p$b - y)^2))(state$p)
    list(state = tenon_adam(state$p, r$grad, state$m, state$v, 0.01, t), loss = r$value)
  }
  p <- list(w = tenon_tensor(M(2, 3), "f32"), b = tenon_tensor(M(2, 1), "f32"))
  begin <- function() {
    copy <- lapply(p, function(x) tenon_tensor(as.array(x), "f32"))
    list(p = copy, m = tenon_zeros_like(copy), v = tenon_zeros_like(copy))
  }
  x <- tenon_tensor(M(3, 5), "f32")
  y <- tenon_tensor(M(2, 5), "f32")
  program <- compiled(step, list(begin(), x, y, 1), donate = 1)
  expect_output(print(program), "out state.p.w f32 \\[2,3\\]  replaces state.p.w")
  train <- function(step) {
    state <- begin()
    vapply(1:5, function(t) {
      r <- step(state, x, y, t)
      state <<- r$state
      as.numeric(r$loss)
    }, 0)
  }
  losses <- train(program)
  expect_identical(losses, train(jit(step)))
  expect_true(all(diff(losses) < 0))
  given <- begin()
  program(given, x, y, 1)
  expect_error(as.array(given$p$w), class = "tenon_error_argument")
})

test_that("state that others refer to, parameters and arrays stay as they are", {
  program <- compiled(function(s) s + 1, list(tenon_tensor(c(1, 2))), donate = 1)
  s <- tenon_tensor(c(1, 2))
  array <- as.array(s) # shares its storage
  near(program(s), c(2, 3))
  near(array, c(1, 2))
  near(s, c(1, 2))
  p <- ag_param(matrix(1:2))
  near(compiled(function(s) s + 1, list(p), donate = 1)(p), c(2, 3))
  near(p, c(1, 2))
  near(program(c(5, 6)), c(6, 7))
})

test_that("several functions go into one file, also ones without arguments", {
  w <- tenon_tensor(M(2, 2), "f32")
  path <- library_path()
  tenon_compile(list(init = function() list(w = w, n = tenon_full(0, 2)),
                     step = function(s) list(w = s$w * 2, n = s$n + 1)),
                list(step = list(list(w = w, n = tenon_full(0, 2)))), path,
                donate = list(step = 1))
  programs <- tenon_load_program(path)
  expect_named(programs, c("init", "step"))
  state <- programs$init()
  expect_identical(as.array(state$w), as.array(w))
  near(programs$step(state)$w, 2 * as.array(w))
  header <- readLines(file.path(dirname(path), "model.h"))
  expect_match(header, "model_step(const float *s_w, ", fixed = TRUE, all = FALSE)
  expect_match(header, "replaces s_w", fixed = TRUE, all = FALSE)
})

test_that("a process without the compiler runs programs", {
  path <- library_path()
  x <- M(2, 3)
  tenon_compile(function(x) list(y = exp(x)), list(x), path)
  expected <- as.array(exp(x))
  saved <- tempfile()
  saveRDS(list(x = x, y = expected), saved)
  out <- elsewhere(c(
    sprintf("program <- tenon_load_program(\"%s\")", path),
    sprintf("saved <- readRDS(\"%s\")", saved),
    "cat(identical(as.array(program(saved$x)$y), saved$y), \"\\n\")",
    "maps <- readLines(\"/proc/self/maps\")",
    "cat(any(grepl(\"libtenon_runtime\", maps)), any(grepl(\"compiler|LLVM|MLIR\", maps)), \"\\n\")"))
  expect_identical(trimws(out), c("TRUE", "TRUE FALSE"))
})

test_that("what does not fit is refused with the reason", {
  program <- compiled(function(p, x) p$w %*% x + p$b,
                      list(list(w = tenon_tensor(M(2, 3), "f32"), b = 1), M(3, 4)))
  w <- tenon_tensor(M(2, 3), "f32")
  x <- M(3, 4)
  argument <- function(expr, message) expect_error(expr, message, class = "tenon_error_argument", fixed = TRUE)
  argument(program(list(w = w, b = 1)), "expected 2 arguments (p, x), got 1: x is missing")
  argument(program(list(w = w, b = 1), x, x), "expected 2 arguments (p, x), got 3")
  argument(program(list(w = w, b = 1), z = x), "unknown argument z: expected p, x")
  argument(program(list(w = w, b = 1), x = x, x = x), "argument x is given twice")
  argument(program(list(w = w), x), "p: expected 2 elements (w, b), got 1")
  argument(program(list(w = w, c = 1), x), "p: expected the names w, b, got w, c")
  argument(program(w, x), "p: expected a list, got ag_tensor")
  argument(program(list(w = list(w), b = 1), x), "p.w: expected a tensor or numbers, got list")
  expect_error(program(list(w = w, b = 1), M(2, 4)), "x: expected shape [3,4], got [2,4]",
               class = "tenon_error_shape", fixed = TRUE)
  expect_error(program(list(w = w, b = 1), c(1, 2, 3)), "x: expected shape [3,4], got [3]",
               class = "tenon_error_shape", fixed = TRUE)
  expect_error(program(list(w = tenon_tensor(M(2, 3), "f64"), b = 1), x),
               "p.w: expected dtype f32, got f64", class = "tenon_error_dtype", fixed = TRUE)
  near(program(list(w = as.array(w), b = 1), x), as.array(w) %*% x + 1, 1e-6) # arrays are converted
})

test_that("gradients do not flow through a program unnoticed", {
  program <- compiled(function(x) x * x, list(tenon_tensor(c(1, 2))))
  expect_error(grad(function(x) sum(program(x)))(c(1, 2)), class = "tenon_error_argument")
  expect_error(jit(program)(c(1, 2)), class = "tenon_error_argument")
})

test_that("what a program cannot hold is refused", {
  path <- library_path()
  argument <- function(expr, message) expect_error(expr, message, class = "tenon_error_argument", fixed = TRUE)
  argument(tenon_compile(function(f, x) f(x), list(exp, c(1, 2)), path),
           "f: a program cannot hold a function")
  argument(tenon_compile(function(x) list(x * 2, exp), list(c(1, 2)), path), "a program cannot hold")
  argument(tenon_compile(function(x) 5, list(c(1, 2)), path), "the function computed no tensor")
  argument(tenon_compile(exp, c(1, 2), path), "example_args: expected a list of arguments, got numeric")
  argument(tenon_compile(list(exp), list(), path), "f: expected a list with a name for each function")
  argument(tenon_compile(exp, list(c(1, 2)), path, target = "pentium9"), "unknown processor 'pentium9'")
  argument(tenon_compile(exp, list(c(1, 2)), ""), "path: expected the name of a file")
  expect_false(file.exists(path))
  expect_error(tenon_compile(exp, list(c(1, 2)), file.path(tempdir(), "none", "lib.so")),
               class = "tenon_error_io")
})

test_that("files that are damaged or of others are refused, and the session lives on", {
  path <- library_path()
  tenon_compile(exp, list(c(1, 2)), path, target = c("x86-64-v3", "x86-64-v2"))
  bytes <- readBin(path, "raw", file.size(path))
  changed <- function(bytes) {
    other <- library_path()
    writeBin(bytes, other)
    tenon_load_program(other)
  }
  io <- function(expr, message) expect_error(expr, message, class = "tenon_error_io", fixed = TRUE)
  near(changed(bytes)(c(0, 1)), exp(c(0, 1)))
  io(changed(head(bytes, -100)), "the file is cut short")
  io(changed(c(bytes, raw(1))), "the file is too long")
  flipped <- bytes
  flipped[length(bytes) %/% 2] <- xor(flipped[length(bytes) %/% 2], as.raw(1))
  io(changed(flipped), "the file is damaged")
  machine <- bytes
  machine[19] <- as.raw(8)
  io(changed(machine), "got machine 8")
  io(changed(charToRaw("text")), "expected a shared library that tenon-compile wrote")
  io(tenon_load_program(file.path(tempdir(), "none.so")), "No such file")
  near(tenon_load_program(path)(c(0, 1)), exp(c(0, 1)))
  other <- if (R.version$arch == "aarch64") "x86-64-v2" else "armv8.2-a"
  tenon_compile(exp, list(c(1, 2)), path, target = other)
  io(tenon_load_program(path), paste("expected code for", R.version$arch))
  expect_error(tenon_compile(exp, list(c(1, 2)), path, target = c("x86-64-v2", "armv8.2-a")),
               "expected processors of one target", class = "tenon_error_argument")
})

test_that("a file that is compiled again is loaded anew", {
  path <- library_path()
  tenon_compile(function(x) x + 1, list(c(1, 2)), path)
  first <- tenon_load_program(path)
  near(first(c(1, 2)), c(2, 3))
  tenon_compile(function(x) x + 10, list(c(1, 2)), path)
  near(first(c(1, 2)), c(2, 3)) # the old one stays whole
  expect_error(tenon_load_program(path), "still holds another library", class = "tenon_error_io")
  rm(first)
  near(tenon_load_program(path)(c(1, 2)), c(11, 12))
})

test_that("the same function gives the same bytes", {
  paths <- file.path(tempfile(c("a", "b")), "libsame.so")
  w <- tenon_tensor(M(4, 4), "f32")
  for (path in paths) {
    dir.create(dirname(path))
    tenon_compile(function(x, how) tanh(w %*% x), list(M(4, 2), "how"), path)
  }
  expect_identical(unname(tools::md5sum(paths[1])), unname(tools::md5sum(paths[2])))
})

test_that("results of a program are arguments of the next call", {
  program <- compiled(function(x) x * 2, list(tenon_tensor(c(1, 2))))
  near(program(program(tenon_tensor(c(1, 2)))), c(4, 8))
})
