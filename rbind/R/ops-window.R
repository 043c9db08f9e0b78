#' Convolution, pooling and sliding windows
#'
#' Work on the first axes of `x`, which are space (or time): one, two or three of
#' them. `tenon_conv()` is the correlation that is called convolution in neural
#' networks; `tenon_conv_transpose()` its adjoint; `tenon_max_pool()` and
#' `tenon_avg_pool()` summarise windows of each channel. They are composed of
#' `tenon_windows()`, which shows all elements under a sliding window, and
#' `tenon_fold_windows()`, its adjoint, which adds overlapping windows up. All have
#' gradients of any order.
#'
#' @param x A tensor or R array. Convolution: `[space..., channels, batch]`. Others: any
#'   axes after those of space. `tenon_fold_windows()`: `[places..., size..., ...]`.
#' @param kernel For `tenon_conv()` `[size..., channels / groups, out_channels]`, for
#'   `tenon_conv_transpose()` `[size..., out_channels / groups, channels]`. The number of
#'   its axes decides how many axes are space.
#' @param bias `NULL` or a vector of `out_channels`, added to each channel.
#' @param size Extents of the window in elements, one for each axis of space. For pooling
#'   one number stands for all axes but the last two.
#' @param extents Extents of the axes of space of the result.
#' @param stride Elements from one window to the next, one number or one for each axis.
#' @param padding Elements added on both sides of each axis: one number or one for each
#'   axis, `"valid"` (none) or `"same"` (as many as give `ceiling(extent / stride)` windows;
#'   the odd one comes after). 0, for the maximum -Inf. `tenon_conv_transpose()` takes
#'   numbers only and cuts as many elements off.
#' @param output_padding Elements added after each axis of the result, less than the
#'   stride: which of the inputs of that convolution is meant.
#' @param dilation Elements from one place in the window to the next.
#' @param groups Channels are split into so many groups, which do not mix.
#' @param count_padding Does padding count in the mean?
#' @return A lazy tensor. There are `floor((extent + 2 * padding - reach) / stride) + 1`
#'   places of a window, where `reach = (size - 1) * dilation + 1`. Convolution:
#'   `[places..., out_channels, batch]`; pooling: `[places..., ...]`; `tenon_windows()`:
#'   `[places..., size..., ...]`.
#' @section Errors: `tenon_error_shape` and `tenon_error_argument` say what was expected.
#' @references Dumoulin and Visin (2016), A guide to convolution arithmetic for deep
#'   learning, \url{https://arxiv.org/abs/1603.07285}.
#' @examples
#' x <- array(as.numeric(1:16), c(4, 4, 1, 1))
#' as.array(tenon_conv(x, array(1, c(2, 2, 1, 1)), stride = 2))[, , 1, 1]
#' as.array(tenon_max_pool(x, 2))[, , 1, 1]
#' as.array(tenon_windows(1:5, 3))
#' as.array(tenon_fold_windows(matrix(1, 3, 3), 5))
#' f <- function(x, k) tenon_sum(tenon_conv(x, k, padding = "same")^2)
#' dim(grad(f)(x, array(0.5, c(3, 3, 1, 1))))
#' @name windows
NULL

# One whole number of at least `least` for each of `n` axes.
per_axis <- function(value, n, what, least = 1) {
  if (!is.numeric(value) || !length(value) %in% c(1L, n) || anyNA(value) ||
      any(value < least | value != floor(value) | value > .Machine$integer.max))
    tenon_stop("argument", what, ": expected ", if (n > 1) paste("1 or", n, "whole numbers") else
               "a whole number", " of at least ", least, ", got ",
               paste(deparse(value, 60L)[1], collapse = ""))
  rep_len(as.numeric(value), n)
}

extents_of <- function(x) {
  d <- dim(x)
  if (is.null(d) && !inherits(x, "ag_tensor")) length(x) else d
}

# Checks that windows fit into the first axes of extents `d`; how many do.
count_windows <- function(what, d, size, stride, dilation) {
  reach <- (size - 1) * dilation + 1
  if (any(d < reach))
    tenon_stop("shape", what, ": expected at least ", shape_text(reach),
               " elements for the window, got ", shape_text(d), " with padding")
  (d - reach) %/% stride + 1
}

# `x` with its first axes padded: list(x, extents of these).
pad_space <- function(what, x, padding, size, stride, dilation, value = 0) {
  n <- length(size)
  d <- extents_of(x)
  low <- high <- numeric(n)
  if (identical(padding, "same")) {
    total <- pmax((ceiling(d[seq_len(n)] / stride) - 1) * stride + (size - 1) * dilation + 1 - d[seq_len(n)], 0)
    low <- total %/% 2
    high <- total - low
  } else if (!identical(padding, "valid")) {
    if (is.character(padding))
      tenon_stop("argument", what, ": padding: expected numbers, \"same\" or \"valid\", got \"",
                 padding[1], "\"")
    low <- high <- per_axis(padding, n, paste0(what, ": padding"), 0)
  }
  rest <- numeric(length(d) - n)
  if (any(low > 0 | high > 0)) x <- tenon_pad(x, c(low, rest), c(high, rest), value)
  list(x, d[seq_len(n)] + low + high)
}

#' @rdname windows
#' @export
tenon_windows <- function(x, size, stride = 1, dilation = 1) {
  d <- extents_of(x)
  n <- length(size)
  if (n < 1L || n > length(d))
    tenon_stop("shape", "windows: expected a size for at least one of ", length(d), " axes, got ", n)
  size <- per_axis(size, n, "windows: size")
  stride <- per_axis(stride, n, "windows: stride")
  dilation <- per_axis(dilation, n, "windows: dilation")
  count_windows("windows", d[seq_len(n)], size, stride, dilation)
  .Call(C_windows, x, size, stride, dilation)
}

#' @rdname windows
#' @export
tenon_fold_windows <- function(x, extents, stride = 1, dilation = 1) {
  d <- extents_of(x)
  n <- length(extents)
  if (n < 1L || 2L * n > length(d))
    tenon_stop("shape", "fold_windows: expected two axes for each extent, got ", length(d),
               " axes and ", n, " extents")
  extents <- per_axis(extents, n, "fold_windows: extents")
  stride <- per_axis(stride, n, "fold_windows: stride")
  dilation <- per_axis(dilation, n, "fold_windows: dilation")
  fit <- count_windows("fold_windows", extents, d[n + seq_len(n)], stride, dilation)
  if (any(fit != d[seq_len(n)]))
    tenon_stop("shape", "fold_windows: expected ", shape_text(fit), " windows for extents ",
               shape_text(extents), ", got ", shape_text(d[seq_len(n)]))
  .Call(C_fold_windows, x, extents, stride, dilation)
}

# What both convolutions check: extents of space and kernel, channels, groups.
conv_shape <- function(what, x, kernel, groups, channels_axis) {
  d <- extents_of(x)
  k <- extents_of(kernel)
  n <- length(k) - 2L
  if (!n %in% 1:3)
    tenon_stop("shape", what, ": kernel: expected 3 to 5 axes, got ", shape_text(k))
  if (length(d) != n + 2L)
    tenon_stop("shape", what, ": x: expected ", n, " axes of space, then channels and batch, got ",
               shape_text(d))
  groups <- per_axis(groups, 1L, paste0(what, ": groups"))
  channels <- k[n + channels_axis] * if (channels_axis == 1L) groups else 1
  if (d[n + 1L] != channels)
    tenon_stop("shape", what, ": expected ", channels, " channels for a kernel of ", shape_text(k),
               " and ", groups, " groups, got ", d[n + 1L])
  if (k[n + 2L] %% groups != 0)
    tenon_stop("shape", what, ": expected a number of channels that ", groups,
               " groups divide, got ", k[n + 2L])
  list(n = n, space = d[seq_len(n)], size = k[seq_len(n)], channels = d[n + 1L], batch = d[n + 2L],
       groups = groups, out = if (channels_axis == 1L) k[n + 2L] else k[n + 1L] * groups)
}

add_bias <- function(what, y, bias, s) {
  if (is.null(bias)) return(y)
  if (prod(extents_of(bias)) != s$out)
    tenon_stop("shape", what, ": bias: expected ", s$out, " values, got ", shape_text(extents_of(bias)))
  y + tenon_reshape(bias, c(rep(1, s$n), s$out))
}

#' @rdname windows
#' @export
tenon_conv <- function(x, kernel, bias = NULL, stride = 1, padding = 0, dilation = 1, groups = 1) {
  s <- conv_shape("conv", x, kernel, groups, 1L)
  stride <- per_axis(stride, s$n, "conv: stride")
  dilation <- per_axis(dilation, s$n, "conv: dilation")
  padded <- pad_space("conv", x, padding, s$size, stride, dilation)
  places <- count_windows("conv", padded[[2L]], s$size, stride, dilation)
  u <- .Call(C_windows, padded[[1L]], s$size, stride, dilation)
  if (s$groups == s$channels && s$out == s$channels) { # depthwise: no products of matrices
    k <- tenon_reshape(kernel, c(rep(1, s$n), s$size, s$channels))
    y <- tenon_sum(u * k, axes = s$n + seq_len(s$n))
  } else {
    # Channels lie group after group.
    g <- if (s$groups > 1) s$groups
    terms <- prod(s$size) * s$channels / s$groups
    u <- tenon_reshape(u, c(prod(places), terms, g, s$batch))
    k <- tenon_reshape(kernel, c(terms, s$out / s$groups, g))
    y <- tenon_reshape(tenon_matmul(u, k), c(places, s$out, s$batch))
  }
  add_bias("conv", y, bias, s)
}

#' @rdname windows
#' @export
tenon_conv_transpose <- function(x, kernel, bias = NULL, stride = 1, padding = 0,
                                 output_padding = 0, dilation = 1, groups = 1) {
  s <- conv_shape("conv_transpose", x, kernel, groups, 2L)
  stride <- per_axis(stride, s$n, "conv_transpose: stride")
  dilation <- per_axis(dilation, s$n, "conv_transpose: dilation")
  padding <- per_axis(padding, s$n, "conv_transpose: padding", 0)
  more <- per_axis(output_padding, s$n, "conv_transpose: output_padding", 0)
  if (any(more >= stride))
    tenon_stop("argument", "conv_transpose: output_padding: expected less than the stride ",
               shape_text(stride), ", got ", shape_text(more))
  whole <- (s$space - 1) * stride + (s$size - 1) * dilation + 1 + more
  extents <- whole - 2 * padding
  if (any(extents < 0))
    tenon_stop("shape", "conv_transpose: padding: expected at most half of ", shape_text(whole),
               ", got ", shape_text(padding))
  g <- if (s$groups > 1) s$groups
  terms <- prod(s$size) * s$out / s$groups
  k <- tenon_reshape(kernel, c(terms, s$channels / s$groups, g))
  u <- tenon_reshape(x, c(prod(s$space), s$channels / s$groups, g, s$batch))
  u <- tenon_matmul(u, k, transpose_b = TRUE)
  u <- tenon_reshape(u, c(s$space, s$size, s$out, s$batch))
  y <- .Call(C_fold_windows, u, whole, stride, dilation)
  if (any(padding > 0))
    y <- .Call(C_slice, y, c(padding, 0, 0), c(extents, s$out, s$batch), rep(1, s$n + 2L))
  add_bias("conv_transpose", y, bias, s)
}

# The windows of a pooling and the axes within them.
pool_windows <- function(what, x, size, stride, padding, value) {
  d <- extents_of(x)
  n <- if (length(size) > 1L) length(size) else max(length(d) - 2L, 1L)
  if (n > length(d))
    tenon_stop("shape", what, ": size: expected at most ", length(d), " numbers, got ", n)
  size <- per_axis(size, n, paste0(what, ": size"))
  stride <- per_axis(stride, n, paste0(what, ": stride"))
  padded <- pad_space(what, x, padding, size, stride, 1, value)
  count_windows(what, padded[[2L]], size, stride, 1)
  list(.Call(C_windows, padded[[1L]], size, stride, rep(1, n)), n + seq_len(n))
}

#' @rdname windows
#' @export
tenon_max_pool <- function(x, size, stride = size, padding = 0) {
  u <- pool_windows("max_pool", x, size, stride, padding, -Inf)
  tenon_max(u[[1L]], axes = u[[2L]])
}

#' @rdname windows
#' @export
tenon_avg_pool <- function(x, size, stride = size, padding = 0, count_padding = TRUE) {
  u <- pool_windows("avg_pool", x, size, stride, padding, 0)
  if (need_flag(count_padding, "count_padding")) return(tenon_mean(u[[1L]], axes = u[[2L]]))
  ones <- pool_windows("avg_pool", tenon_zeros_like(x) + 1, size, stride, padding, 0)
  tenon_sum(u[[1L]], axes = u[[2L]]) / tenon_sum(ones[[1L]], axes = ones[[2L]])
}
