test_that("a tensor reads back what it was made of", {
  m <- M(3, 4)
  expect_equal(as.matrix(ag_tensor(m)), m)
  expect_equal(as.array(tenon_tensor(array(1:24, 2:4))), array(as.numeric(1:24), 2:4))
  expect_equal(as.matrix(ag_tensor(1:3)), matrix(c(1, 2, 3)))
  expect_identical(dim(ag_tensor(1:3)), c(3L, 1L))
  expect_null(dim(tenon_tensor(2)))
  expect_equal(as.numeric(tenon_tensor(2)), 2)
})

test_that("every dtype converts both ways", {
  x <- c(-2, 0, 1, 3)
  for (dtype in c("f64", "f32", "f16", "bf16", "i64", "i32", "i8"))
    near(tenon_tensor(x, dtype), x)
  expect_identical(as.array(tenon_tensor(c(TRUE, FALSE), "i1")), array(c(TRUE, FALSE)))
  near(tenon_tensor(c(0.1, 65504, 1e-7, 1e9), "f16"), c(0.0999755859375, 65504, 1.1920929e-7, Inf), 1e-7)
  near(tenon_tensor(pi, "bf16"), 3.140625)
  expect_true(is.nan(as.numeric(tenon_tensor(NA_real_, "f16"))))
  expect_identical(ag_tensor(1, dtype = "f32")$dtype, "f32")
})

test_that("NA in data is NaN and NA as whole number an error", {
  expect_true(is.na(as.numeric(tenon_tensor(NA_integer_))))
  expect_true(is.na(as.matrix(ag_add(matrix(c(1, NA)), 1))[2]))
  for (dtype in c("f64", "f32", "f16", "bf16")) {
    back <- as.numeric(tenon_tensor(c(NA, NaN), dtype))
    expect_identical(is.nan(back), c(dtype != "f64", TRUE)) # f64 alone keeps what R writes into an NA
    expect_true(all(is.na(back)))
  }
  expect_error(tenon_tensor(NA_integer_, "i32"), class = "tenon_error_argument")
  expect_error(tenon_tensor(NA, "i1"), class = "tenon_error_argument")
})

test_that("fields of a parameter", {
  w <- ag_param(M(2, 3))
  expect_true(w$requires_grad)
  expect_false(ag_tensor(1)$requires_grad)
  expect_type(w$id, "integer")
  expect_null(w$grad)
  w$data <- matrix(7, 2, 3)
  near(w, rep(7, 6))
  expect_error(w$data <- matrix(0, 3, 2), "expected \\[2,3\\], got \\[3,2\\]", class = "tenon_error_shape")
  expect_error(w$color <- 1, class = "tenon_error_argument")
  near(w, rep(7, 6))
})

test_that("$data is a snapshot and assigning it leaves pending readers alone", {
  w <- ag_param(matrix(1, 1, 1))
  with_grad_tape({
    u <- w * 3
    w$data[1] <- 5
  })
  near(u, 3)
  near(w, 5)
  a <- M(3, 4)
  A <- ag_tensor(a)
  m <- a
  p <- A + m
  m[1] <- 99
  near(p, 2 * a)
})

test_that("wrong types are dtype errors, too many axes shape errors", {
  expect_error(ag_tensor("x"), "expected numbers, got character", class = "tenon_error_dtype")
  expect_error(ag_tensor(NULL), class = "tenon_error_dtype")
  expect_error(ag_tensor(array(1, c(2, 2, 2))), class = "tenon_error_shape")
  expect_error(tenon_tensor(array(1, rep(1, 9))), class = "tenon_error_shape")
  expect_error(tenon_tensor(1, "f8"), class = "tenon_error_dtype")
  expect_error(ag_tensor(1) + "x", "got character", class = "tenon_error_dtype")
  expect_error(ag_tensor(1, device = "tpu"), class = "tenon_error_device")
})

test_that("2^31 elements are refused", {
  expect_error(tenon_full(0, c(65536, 65536)), "2\\^31", class = "tenon_error_shape")
  x <- tenon_tensor(numeric(65536))
  big <- tenon_broadcast(tenon_reshape(x, c(65536, 1)), c(65536, 1)) + tenon_reshape(x, c(1, 65536))
  expect_error(as.array(big), "2\\^31", class = "tenon_error_shape")
  near(sum(x), 0)
})

test_that("print says dtype and shape", {
  expect_output(print(ag_tensor(matrix(1:2, 1))), "<tenon f64 \\[1,2\\]>")
  expect_output(print(ag_param(matrix(0, 2, 2))), "parameter f64")
  expect_match(format(tenon_tensor(1, "f32")), "f32")
})

test_that("parameters and values survive saveRDS in another process", {
  w <- ag_param(M(2, 3), dtype = "f32")
  model <- ag_sequential(ag_linear(3, 4, "relu"), ag_linear(4, 2))
  x <- M(3, 5)
  y <- as.matrix(model$forward(x))
  known <- ag_tensor(M(2, 2))
  path <- tempfile(fileext = ".rds")
  saveRDS(list(w = w, model = model, known = known, x = x), path)
  script <- tempfile(fileext = ".R")
  out <- tempfile(fileext = ".rds")
  writeLines(c(
    sprintf(".libPaths(%s)", deparse1(.libPaths())), "suppressMessages(library(tenon))",
    sprintf("s <- readRDS(%s)", deparse1(path)), "other <- ag_param(1)",
    "x <- s$x", "y <- as.matrix(s$model$forward(x))",
    "p <- s$model$parameters(); opt <- optimizer_sgd(p)",
    "with_grad_tape(loss <- ag_sum(s$model$forward(x))); opt$step(backward(loss))",
    sprintf("saveRDS(list(w = as.matrix(s$w), y = y, k = as.matrix(s$known), ids = c(other$id, vapply(p, function(q) q$id, 1L))), %s)", deparse1(out))), script)
  status <- system2(file.path(R.home("bin"), "Rscript"), shQuote(script))
  expect_identical(status, 0L)
  r <- readRDS(out)
  expect_equal(r$w, as.matrix(w))
  expect_equal(r$y, y)
  expect_equal(r$k, as.matrix(known))
  expect_false(anyDuplicated(r$ids) > 0)
})

test_that("fractions, factors and NA indices are refused", {
  expect_error(tenon_tensor(1.5, "i32"), "got 1.5", class = "tenon_error_argument")
  expect_error(tenon_full(1.5, 2, "i32"), "whole number", class = "tenon_error_argument")
  expect_error(tenon_tensor(factor("a")), "factor", class = "tenon_error_dtype")
  expect_error(ag_add(ag_param(1), factor("a")), "factor", class = "tenon_error_dtype")
  x <- tenon_tensor(matrix(1:4, 2))
  expect_error(x[NA, ], "got NA", class = "tenon_error_argument")
  expect_error(x[c(TRUE, FALSE, TRUE), ], "at most 2", class = "tenon_error_shape")
  expect_error(x[quote(a), ], "got name", class = "tenon_error_argument")
  expect_error(ag_embedding(3, 2)$forward(sum), class = "tenon_error_dtype")
})

test_that("scalars say what was given", {
  expect_no_warning(expect_error(ag_clamp(1, "zero"), '"zero"', class = "tenon_error_argument"))
  expect_error(ag_clamp(1, factor("a")), "factor", class = "tenon_error_argument")
  q <- array(1, c(2, 2, 1))
  expect_error(tenon_attention(q, q, q, causal = 1i), "complex", class = "tenon_error_argument")
  expect_error(tenon_attention(q, q, q, causal = 1e308), "TRUE or FALSE", class = "tenon_error_argument")
})

test_that("R numbers that need no conversion become tensors", {
  near(tenon_cast(c(1, 2), "f64"), 1:2)
  near(tenon_broadcast(c(1, 2), 2), 1:2)
})

test_that("shapes with huge extents and a zero have no elements", {
  z <- tenon_tensor(array(0, c(0, 3)))
  huge <- rep(2^31 - 1, 7)
  expect_identical(dim(tenon_reshape(z, c(huge, 0))), c(rep(.Machine$integer.max, 7), 0L))
  expect_error(tenon_reshape(c(1, 2), huge), class = "tenon_error_shape")
})

test_that("what holds no numbers is refused with advice", {
  expect_error(ag_linear(4, 2)$forward(iris[, 1:4]), "a data frame (as.matrix() makes numbers of it)",
               fixed = TRUE, class = "tenon_error_dtype")
  expect_error(tenon_tensor(iris), "a data frame", class = "tenon_error_dtype")
  expect_error(tenon_tensor(iris$Species), "as.integer() gives its codes", fixed = TRUE)
  expect_error(ag_dtype("i32"), 'expected "f64", "f32", "f16" or "bf16", got "i32"', fixed = TRUE,
               class = "tenon_error_dtype")
})

test_that("str() tells type and shape and computes nothing", {
  before <- tenon_cache_info()[["launches"]]
  expect_output(str(list(w = tenon_tensor(matrix(1, 2, 3)) + 1)), "$ w: <tenon f64 [2,3]>", fixed = TRUE)
  expect_identical(tenon_cache_info()[["launches"]], before)
})
