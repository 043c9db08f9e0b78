# The definition, by loops: x [w, h, c, n], kernel [kw, kh, c / groups, out].
conv_by_loops <- function(x, k, stride, padding, dilation, groups = 1) {
  d <- dim(x)
  p <- array(0, c(d[1:2] + 2 * padding, d[3:4]))
  p[padding[1] + seq_len(d[1]), padding[2] + seq_len(d[2]), , ] <- x
  kd <- dim(k)
  o <- (dim(p)[1:2] - (kd[1:2] - 1) * dilation - 1) %/% stride + 1
  y <- array(0, c(o, kd[4], d[4]))
  for (n in seq_len(d[4])) for (f in seq_len(kd[4])) for (i in seq_len(o[1])) for (j in seq_len(o[2])) {
    channels <- (f - 1) %/% (kd[4] / groups) * kd[3] + seq_len(kd[3])
    at <- (i - 1) * stride[1] + 1 + (seq_len(kd[1]) - 1) * dilation[1]
    to <- (j - 1) * stride[2] + 1 + (seq_len(kd[2]) - 1) * dilation[2]
    y[i, j, f, n] <- sum(p[at, to, channels, n] * k[, , , f])
  }
  y
}

set.seed(5)
x <- array(rnorm(9 * 8 * 4 * 2), c(9, 8, 4, 2))

test_that("convolution is what its definition says", {
  for (stride in list(c(1, 1), c(2, 3))) for (padding in list(c(0, 0), c(2, 1))) for (dilation in list(c(1, 1), c(2, 1))) {
    k <- array(rnorm(3 * 2 * 4 * 5), c(3, 2, 4, 5))
    near(tenon_conv(x, k, stride = stride, padding = padding, dilation = dilation),
         conv_by_loops(x, k, stride, padding, dilation))
  }
  k <- array(rnorm(3 * 3 * 2 * 6), c(3, 3, 2, 6))
  near(tenon_conv(x, k, groups = 2), conv_by_loops(x, k, c(1, 1), c(0, 0), c(1, 1), 2))
  k <- array(rnorm(3 * 3 * 1 * 4), c(3, 3, 1, 4)) # depthwise
  near(tenon_conv(x, k, groups = 4), conv_by_loops(x, k, c(1, 1), c(0, 0), c(1, 1), 4))
  k <- array(rnorm(4 * 3), c(1, 1, 4, 3))
  b <- rnorm(3)
  near(tenon_conv(x, k, b), conv_by_loops(x, k, c(1, 1), c(0, 0), c(1, 1)) + rep(rep(b, each = 72), 2))
})

test_that("one and three axes of space", {
  line <- array(rnorm(20), c(10, 2, 1))
  k <- array(rnorm(6), c(3, 2, 1))
  near(tenon_conv(line, k), vapply(1:8, function(i) sum(line[i:(i + 2), , 1] * k[, , 1]), 0))
  cube <- array(rnorm(60), c(3, 4, 5, 1, 1))
  k <- array(rnorm(8), c(2, 2, 2, 1, 1))
  expect_identical(dim(tenon_conv(cube, k)), c(2L, 3L, 4L, 1L, 1L))
  near(tenon_conv(cube, k)[2, 1, 3, 1, 1], sum(cube[2:3, 1:2, 3:4, 1, 1] * k[, , , 1, 1]))
})

test_that("padding \"same\" gives ceiling(extent / stride) places", {
  k <- array(1, c(3, 2, 4, 1))
  expect_identical(dim(tenon_conv(x, k, padding = "same")), c(9L, 8L, 1L, 2L))
  expect_identical(dim(tenon_conv(x, k, stride = 2, padding = "same")), c(5L, 4L, 1L, 2L))
  near(tenon_conv(x, k, padding = "valid"), tenon_conv(x, k))
})

test_that("a transposed convolution is the adjoint", {
  for (groups in c(1, 2)) {
    k <- array(rnorm(3 * 2 * (4 / groups) * 6), c(3, 2, 4 / groups, 6))
    for (stride in c(1, 2)) for (padding in c(0, 1)) {
      y <- tenon_conv(x, k, stride = stride, padding = padding, groups = groups)
      w <- array(rnorm(prod(dim(y))), dim(y))
      more <- (dim(x)[1:2] + 2 * padding - c(3, 2)) %% stride
      back <- tenon_conv_transpose(w, k, stride = stride, padding = padding, output_padding = more, groups = groups)
      expect_identical(dim(back), dim(x))
      expect_equal(sum(as.array(y) * w), sum(as.array(back) * x))
    }
  }
  expect_error(tenon_conv_transpose(x, array(1, c(2, 2, 1, 4)), output_padding = 1),
               "less than the stride", class = "tenon_error_argument")
})

test_that("pooling", {
  near(tenon_max_pool(x, 2)[2, 3, 1, 2], max(x[3:4, 5:6, 1, 2]))
  near(tenon_avg_pool(x, c(3, 2))[2, 3, 1, 2], mean(x[4:6, 5:6, 1, 2]))
  near(tenon_max_pool(-abs(x), 3, 2, 1)[1, 1, 1, 1], max(-abs(x[1:2, 1:2, 1, 1])))
  near(tenon_avg_pool(x, 3, 2, 1)[1, 1, 1, 1], sum(x[1:2, 1:2, 1, 1]) / 9)
  near(tenon_avg_pool(x, 3, 2, 1, count_padding = FALSE)[1, 1, 1, 1], mean(x[1:2, 1:2, 1, 1]))
  near(tenon_max_pool(c(1, 5, 2, 4), 2), c(5, 4))
})

test_that("windows and their sum", {
  near(tenon_windows(c(1, 2, 3, 4, 5), 3), rbind(1:3, 2:4, 3:5))
  near(tenon_windows(as.numeric(1:7), 2, stride = 3, dilation = 2), rbind(c(1, 3), c(4, 6)))
  near(tenon_fold_windows(matrix(1, 3, 3), 5), c(1, 2, 3, 2, 1))
})

test_that("gradients agree with central differences", {
  k <- array(rnorm(2 * 2 * 4 * 3), c(2, 2, 4, 3))
  f <- function(x, k) tenon_sum(tanh(tenon_max_pool(tenon_conv(x, k, stride = 2, padding = 1), 2, 1)))
  g <- grad(function(p) f(p[[1]], p[[2]]))(list(x, k))
  value <- function(x, k) as.numeric(f(x, k))
  for (at in c(1, 50, 233)) {
    h <- 1e-5
    e <- replace(array(0, dim(x)), at, h)
    expect_equal(as.array(g[[1]])[at], (value(x + e, k) - value(x - e, k)) / (2 * h), tolerance = 1e-6)
  }
  for (at in c(1, 20, 48)) {
    h <- 1e-5
    e <- replace(array(0, dim(k)), at, h)
    expect_equal(as.array(g[[2]])[at], (value(x, k + e) - value(x, k - e)) / (2 * h), tolerance = 1e-6)
  }
})

test_that("bad input says what was expected", {
  expect_error(tenon_conv(x, array(1, c(2, 2, 3, 1))), "expected 3 channels.*got 4", class = "tenon_error_shape")
  expect_error(tenon_conv(x, array(1, c(20, 2, 4, 1))), "at least \\[20,2\\] elements.*got \\[9,8\\]", class = "tenon_error_shape")
  expect_error(tenon_conv(x, matrix(1, 2, 2)), "kernel: expected 3 to 5 axes", class = "tenon_error_shape")
  expect_error(tenon_conv(x, array(1, c(2, 2, 4, 1)), stride = 0), "stride: expected", class = "tenon_error_argument")
  expect_error(tenon_conv(x, array(1, c(2, 2, 4, 1)), padding = "full"), "\"same\" or \"valid\"", class = "tenon_error_argument")
  expect_error(tenon_conv(x, array(1, c(2, 2, 4, 2)), bias = 1:3), "bias: expected 2 values", class = "tenon_error_shape")
  expect_error(tenon_max_pool(x, NA), "size: expected", class = "tenon_error_argument")
  expect_error(tenon_windows(1:3, 4), "at least \\[4\\]", class = "tenon_error_shape")
  expect_error(tenon_fold_windows(matrix(1, 3, 3), 6), "expected \\[4\\] windows", class = "tenon_error_shape")
})
