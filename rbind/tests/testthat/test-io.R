test_that("tensors of every dtype survive a file", {
  path <- tempfile(fileext = ".safetensors")
  x <- list(a = tenon_tensor(array(1:24, 2:4), "f32"), b = list(w = ag_param(M(2, 3)), s = tenon_tensor(2.5)),
            h = tenon_tensor(c(1, -2), "f16"), l = c(TRUE, FALSE), i = 1:3, e = matrix(0, 3, 0))
  expect_identical(tenon_save_tensors(x, path), path)
  y <- tenon_load_tensors(path)
  expect_named(y, c("a", "b.w", "b.s", "h", "l", "i", "e"))
  near(y$a, x$a)
  expect_identical(dim(y$a), 2:4)
  expect_identical(y$a$dtype, "f32")
  near(y$b.w, x$b$w)
  near(y$b.s, 2.5)
  expect_identical(as.vector(as.array(y$l)), c(TRUE, FALSE))
  expect_identical(as.vector(as.array(y$i)), 1:3)
  expect_identical(dim(y$e), c(3L, 0L))
})

write_file <- function(header, data = raw(), length = nchar(header, "bytes")) {
  path <- tempfile()
  con <- file(path, "wb")
  on.exit(close(con))
  writeBin(as.raw(c(length %% 256, length %/% 256 %% 256, length %/% 65536 %% 256, length %/% 2^24 %% 256,
                    0, 0, 0, 0)), con)
  writeBin(charToRaw(header), con)
  writeBin(data, con)
  path
}

test_that("a well-formed file by hand loads", {
  y <- tenon_load_tensors(write_file(
    ' {"x\\u00e9\\"": {"shape":[2,1], "data_offsets":[0,8], "dtype":"F32"}, "__metadata__":{"k":"v"}} ',
    as.raw(c(0, 0, 128, 63, 0, 0, 0, 64))))
  expect_identical(names(y), "x\u00e9\"")
  expect_equal(as.array(y[[1]]), matrix(c(1, 2), 1))
})

test_that("damaged and hostile files are refused", {
  refused <- function(path, message = NULL) expect_error(tenon_load_tensors(path), message, class = "tenon_error_io")
  refused(tempfile(), "No such file")
  empty <- tempfile()
  file.create(empty)
  refused(empty, "shorter than 8")
  one <- function(dtype = '"F32"', shape = "[2]", offsets = "[0,8]", data = raw(8), ...)
    write_file(sprintf('{"x":{"dtype":%s,"shape":%s,"data_offsets":%s}}', dtype, shape, offsets), data, ...)
  expect_length(tenon_load_tensors(one()), 1)
  refused(one(length = 100000))
  refused(one(length = 10))
  refused(one(dtype = '"F128"'), "not supported")
  refused(one(shape = "[3]"), "expected 12 bytes")
  refused(one(shape = "[4294967296]"), "2\\^31")
  refused(one(shape = "[65536,65536]"), "2\\^31")
  refused(one(shape = "[99999999999999999999999]"), "too large")
  refused(one(shape = "[-1]"))
  refused(one(shape = "[1,1,1,1,1,1,1,1,2]"), "8 axes")
  refused(one(offsets = "[8,0]"))
  refused(one(offsets = "[4,12]"))
  refused(one(offsets = "[0]"), "two data_offsets")
  for (header in c("", "[]", "{", '{"x"', '{"x":1}', '{"x":{}}', '{"x":{"dtype":"F32"}}', '{"x',
                   '{"\\u12":{}}', '{"\\ud800":{}}', '{"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]}} x'))
    refused(write_file(header, raw(4)))
  twice <- '{"x":{"dtype":"I8","shape":[1],"data_offsets":[0,1]},"x":{"dtype":"I8","shape":[1],"data_offsets":[0,1]}}'
  refused(write_file(twice, raw(1)), "twice")
})

test_that("names are needed and paths checked", {
  expect_error(tenon_save_tensors(list(1), tempfile()), "name", class = "tenon_error_argument")
  expect_error(tenon_save_tensors(1, tempfile()), class = "tenon_error_argument")
  expect_error(tenon_save_tensors(list(a = "x"), tempfile()), class = "tenon_error_dtype")
  expect_error(tenon_save_tensors(list(a = 1), "/nonexistent/folder/x"), class = "tenon_error_io")
  expect_error(tenon_load_tensors(NA), class = "tenon_error_argument")
})

test_that("a name that is there twice is refused, and a failed save leaves the old file", {
  path <- tempfile(fileext = ".safetensors")
  expect_error(tenon_save_tensors(list(a = 1, a = 2), path), "twice", class = "tenon_error_argument")
  tenon_save_tensors(list(a = 1), path)
  expect_identical(list.files(dirname(path), basename(path)), basename(path))
  folder <- tempfile()
  dir.create(folder)
  expect_error(tenon_save_tensors(list(a = 1), folder), class = "tenon_error_io")
  expect_identical(list.files(dirname(folder), basename(folder)), basename(folder))
})

test_that("data that overlaps, leaves gaps or goes on is refused", {
  two <- function(a, b, bytes) write_file(sprintf(
    '{"a":{"dtype":"F32","shape":[1],"data_offsets":[%s]},"b":{"dtype":"F32","shape":[1],"data_offsets":[%s]}}', a, b),
    raw(bytes))
  refused <- function(path, message) expect_error(tenon_load_tensors(path), message, class = "tenon_error_io")
  refused(two("0,4", "0,4", 4), "from offset 4.*got 0")
  refused(two("0,4", "2,6", 6), "from offset 4.*got 2")
  refused(two("0,4", "8,12", 12), "from offset 4.*got 8")
  refused(two("4,8", "8,12", 12), "from offset 0.*got 4")
  refused(two("0,4", "4,8", 9), "expected 8 bytes.*got 9")
  expect_named(tenon_load_tensors(two("4,8", "0,4", 8)), c("a", "b")) # any order
  path <- tempfile()
  tenon_save_tensors(list(e = numeric(), a = 1, f = matrix(0, 0, 2)), path) # empty ones between
  expect_named(tenon_load_tensors(path), c("e", "a", "f"))
})

test_that("a link is followed, also to a file that is not there yet", {
  folder <- tempfile()
  dir.create(file.path(folder, "to"), recursive = TRUE)
  link <- file.path(folder, "link")
  file.symlink("second", link)
  file.symlink("to/file", file.path(folder, "second"))
  file <- file.path(folder, "to", "file")
  for (value in 1:2) {
    tenon_save_tensors(list(a = value), link)
    expect_identical(Sys.readlink(link), "second")
    expect_identical(list.files(file.path(folder, "to")), "file")
    near(tenon_load_tensors(file)$a, value)
    Sys.chmod(file, "600")
  }
  expect_identical(format(file.mode(file)), "600") # as the file it replaced
  file.symlink("round", file.path(folder, "round"))
  expect_error(tenon_save_tensors(list(a = 1), file.path(folder, "round")), "symbolic links", class = "tenon_error_io")
})

test_that("what is no regular file is neither replaced nor read", {
  refused <- function(path, what) {
    expect_error(tenon_save_tensors(list(a = 1), path), what, class = "tenon_error_io")
    expect_error(tenon_load_tensors(path), what, class = "tenon_error_io")
    expect_true(file.exists(path))
  }
  folder <- tempfile()
  dir.create(folder)
  refused(folder, "regular file, got a directory")
  skip_on_os("windows")
  pipe <- file.path(folder, "pipe")
  expect_identical(system2("mkfifo", shQuote(pipe)), 0L)
  refused(pipe, "regular file, got a pipe")
  expect_identical(list.files(folder), "pipe")
  null <- file.path(folder, "null") # a link, so that a fault harms no device
  file.symlink("/dev/null", null)
  refused(null, "regular file, got a device")
})

test_that("a full disk is an error, and leaves the old file and no other", {
  skip_on_os("windows")
  folder <- tempfile()
  dir.create(folder)
  path <- file.path(folder, "x.safetensors")
  tenon_save_tensors(list(b = 1), path)
  limited <- sprintf(
    "library(tenon); tryCatch(tenon_save_tensors(list(a = diag(300)), '%s'), error = function(e) cat(conditionMessage(e), class(e)))", path)
  # A limit of a file's size stands for a full disk; without the signal it is an error of the write.
  out <- system2("sh", c("-c", shQuote(paste("trap '' XFSZ; ulimit -f 100;", file.path(R.home("bin"), "Rscript"),
                                             "-e", shQuote(limited)))), stdout = TRUE, stderr = FALSE)
  expect_match(paste(out, collapse = " "), "File too large.*tenon_error_io")
  expect_identical(list.files(folder), "x.safetensors")
  expect_named(tenon_load_tensors(path), "b")
})

test_that("a tensor that no memory holds is an error, and the session goes on", {
  skip_if(nzchar(Sys.getenv("ASAN_OPTIONS")), "the sanitizer takes more addresses than the limit")
  skip_on_os(c("windows", "mac"))
  script <- tempfile(fileext = ".R")
  writeLines(c(
    "suppressMessages(library(tenon))",
    "kind <- function(expr) tryCatch({ expr; 'none' }, error = function(e) class(e)[1])",
    "x <- tenon_tensor(matrix(1, 30000, 1))",
    "y <- tenon_tensor(matrix(2, 4, 4))",
    "invisible(as.matrix(y + 1))",
    "cat(kind(as.matrix(x %*% t(x))), '')", # the result
    "cat(kind(as.matrix(ag_relu(x %*% t(x)) %*% x)), '')", # what is between
    "w <- ag_param(matrix(1, 4, 4)); o <- optimizer_sgd(list(w), lr = 1)",
    "with_grad_tape(l <- ag_sum(w * y)); invisible(backward(l)); o$step()",
    "f <- jit(function(a) a %*% t(a))",
    "cat(kind(f(x)), kind(as.matrix(tenon_full(1, c(45000, 45000)))), '')",
    "cat(sum(as.matrix(w)), sum(as.matrix(y * 2)), as.matrix(f(y))[1])"), script)
  out <- system2("sh", c("-c", shQuote(paste("ulimit -v 6000000;", file.path(R.home("bin"), "Rscript"), script))),
                 stdout = TRUE, stderr = FALSE)
  expect_identical(tail(out, 1), paste(c(rep("tenon_error_memory", 4), "-16 64 16"), collapse = " "))
})

test_that("the format's own name is no tensor's", {
  path <- tempfile()
  expect_error(tenon_save_tensors(list(`__metadata__` = diag(2)), path), "__metadata__", class = "tenon_error_argument")
  expect_false(file.exists(path))
})
