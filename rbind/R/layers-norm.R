#' Normalization over batches, groups and instances
#'
#' Channels are the axis before the last, the batch is the last: `[space..., channels,
#' batch]`, or `[features, batch]`. `tenon_group_norm()` normalizes each group of channels
#' of each element of the batch, `tenon_instance_norm()` each channel; `tenon_batch_norm()`
#' each channel over space and batch: `(x - mean) / sqrt(var + eps) * gamma + beta` with the
#' population variance.
#'
#' The layers hold `gamma` and `beta`. `ag_batch_norm()` works on `[features, batch]` and
#' keeps running statistics, `running <- (1 - momentum) * running + momentum * batch`, which
#' it uses instead of the batch's after [ag_eval()]. These are state: inside a traced
#' function ([jit()], [grad()]) they cannot change, and training is refused there; pass
#' them through `tenon_batch_norm()` as arguments and results instead.
#'
#' @param x A tensor or R array.
#' @param gamma,beta `NULL` or one number for each channel.
#' @param groups Number of groups, which divides that of the channels.
#' @param eps Added to the variance.
#' @param mean,var Running statistics, one number for each channel, or `NULL`: the
#'   batch's. To train with running statistics, give them with `training = TRUE`.
#' @param training `TRUE` normalizes by the batch and moves the running statistics.
#' @param momentum Weight of the batch in the running statistics.
#' @param num_features,num_channels,normalized_shape Number of features or channels.
#' @return `tenon_batch_norm()`: a list of `y`, `mean` and `var`, the running statistics
#'   after this batch, without a gradient. Others: a lazy tensor of the shape of `x`. The
#'   layers have `$forward(x)` and `$parameters()`; `ag_batch_norm()` also
#'   `$running_mean` and `$running_var`, `[num_features, 1]`.
#' @section Errors: `tenon_error_shape` and `tenon_error_argument` with what was expected
#'   and what came.
#' @references Ioffe and Szegedy (2015), \url{https://arxiv.org/abs/1502.03167}; Wu and He
#'   (2018), \url{https://arxiv.org/abs/1803.08494}.
#' @examples
#' x <- array(rnorm(4 * 6 * 2), c(4, 6, 2))
#' dim(tenon_group_norm(x, 3))
#' round(apply(as.array(tenon_instance_norm(x)), 2:3, mean), 12)
#' b <- tenon_batch_norm(x, mean = numeric(6), var = rep(1, 6), training = TRUE)
#' as.vector(b$mean)
#' norm <- ag_batch_norm(3)
#' y <- norm$forward(matrix(rnorm(12), 3))
#' as.matrix(norm$running_mean)
#' ag_eval(norm)
#' dim(norm$forward(matrix(1, 3, 1)))
#' dim(ag_rms_norm(3)$forward(matrix(1:6, 3)))
#' dim(ag_group_norm(2, 6)$forward(x))
#' dim(ag_instance_norm(6)$forward(x))
#' @name batch_norms
NULL

# Extents as channels [1..., channels, 1], where channels are the axis before the last.
channels_of <- function(what, x) {
  d <- extents_of(x)
  if (length(d) < 2L)
    tenon_stop("shape", what, ": expected [space..., channels, batch], got ", shape_text(d))
  list(d = d, n = length(d), channels = d[length(d) - 1L])
}

along_channels <- function(what, v, name, s) {
  if (prod(extents_of(v)) != s$channels)
    tenon_stop("shape", what, ": ", name, ": expected ", s$channels, " values, got ",
               shape_text(extents_of(v)))
  .Call(C_reshape, v, c(rep(1, s$n - 2L), s$channels))
}

scale_channels <- function(what, y, gamma, beta, s) {
  if (!is.null(gamma)) y <- .Call(C_mul, y, along_channels(what, gamma, "gamma", s))
  if (!is.null(beta)) y <- .Call(C_add, y, along_channels(what, beta, "beta", s))
  y
}

#' @rdname batch_norms
#' @export
tenon_group_norm <- function(x, groups, gamma = NULL, beta = NULL, eps = 1e-5) {
  s <- channels_of("group_norm", x)
  groups <- need_count(groups, "groups")
  need_number(eps, "eps", 0)
  if (s$channels %% groups != 0)
    tenon_stop("shape", "group_norm: expected a number of channels that ", groups,
               " groups divide, got ", s$channels)
  batch <- s$d[s$n]
  within <- prod(s$d[-s$n]) / groups
  y <- .Call(C_layer_norm, .Call(C_reshape, x, c(within, groups, batch)), NULL, NULL, eps)
  scale_channels("group_norm", .Call(C_reshape, y, s$d), gamma, beta, s)
}

#' @rdname batch_norms
#' @export
tenon_instance_norm <- function(x, gamma = NULL, beta = NULL, eps = 1e-5)
  tenon_group_norm(x, channels_of("instance_norm", x)$channels, gamma, beta, eps)

#' @rdname batch_norms
#' @export
tenon_batch_norm <- function(x, gamma = NULL, beta = NULL, mean = NULL, var = NULL,
                             training = is.null(mean), momentum = 0.1, eps = 1e-5) {
  s <- channels_of("batch_norm", x)
  need_number(eps, "eps", 0)
  need_number(momentum, "momentum", 0, 1)
  if (is.null(mean) != is.null(var))
    tenon_stop("argument", "batch_norm: expected mean and var, or neither")
  m <- if (!is.null(mean)) along_channels("batch_norm", mean, "mean", s)
  v <- if (!is.null(var)) along_channels("batch_norm", var, "var", s)
  if (need_flag(training, "training")) {
    if (prod(s$d) == 0)
      tenon_stop("shape", "batch_norm: expected elements to normalize by, got ", shape_text(s$d))
    others <- setdiff(seq_len(s$n), s$n - 1L)
    center <- tenon_mean(x, others, keep = TRUE)
    away <- .Call(C_sub, x, center)
    spread <- tenon_mean(.Call(C_mul, away, away), others, keep = TRUE)
    move <- function(running, batch) {
      batch <- .Call(C_stop_gradient, .Call(C_reshape, batch, c(rep(1, s$n - 2L), s$channels)))
      if (is.null(running)) batch
      else .Call(C_add, .Call(C_mul, .Call(C_stop_gradient, running), 1 - momentum),
                 .Call(C_mul, batch, momentum))
    }
    m <- move(m, center)
    v <- move(v, spread)
  } else {
    if (is.null(m)) tenon_stop("argument", "batch_norm: expected mean and var where training is FALSE")
    away <- .Call(C_sub, x, m)
    spread <- v
  }
  y <- .Call(C_mul, away, .Call(C_rsqrt, .Call(C_add, spread, eps)))
  list(y = scale_channels("batch_norm", y, gamma, beta, s),
       mean = .Call(C_reshape, m, s$channels), var = .Call(C_reshape, v, s$channels))
}

# A layer with gamma and beta, if asked for.
norm_layer <- function(class, features, affine, shift = TRUE) {
  self <- new.env(parent = emptyenv())
  if (need_flag(affine, "elementwise_affine")) {
    self$gamma <- ag_param(matrix(1, features, 1L))
    if (shift) self$beta <- ag_param(matrix(0, features, 1L))
  }
  self$parameters <- function() {
    p <- list(gamma = self$gamma, beta = self$beta)
    p[!vapply(p, is.null, NA)]
  }
  new_layer(self, class)
}

need_features <- function(what, x, features, axis) {
  d <- extents_of(x)
  if (length(d) < axis || d[if (axis == 1L) 1L else length(d) - 1L] != features)
    tenon_stop("shape", what, ": expected ", features, if (axis == 1L) " features (rows)" else " channels",
               ", got ", shape_text(d))
}

#' @rdname batch_norms
#' @export
ag_batch_norm <- function(num_features, eps = 1e-5, momentum = 0.1) {
  features <- need_count(num_features, "num_features")
  self <- norm_layer("ag_batch_norm", features, TRUE)
  self$eps <- need_number(eps, "eps", 0)
  self$momentum <- need_number(momentum, "momentum", 0, 1)
  self$num_features <- features
  self$training <- TRUE
  self$running_mean <- ag_tensor(matrix(0, features, 1L))
  self$running_var <- ag_tensor(matrix(1, features, 1L))
  self$forward <- function(x) {
    d <- matrix_dim(x)
    if (d[1L] != self$num_features)
      tenon_stop("shape", "ag_batch_norm: expected ", self$num_features, " features (rows), got ",
                 shape_text(d))
    if (self$training && .Call(C_is_tracing))
      tenon_stop("argument", "ag_batch_norm: running statistics cannot change inside a traced ",
                 "function: use tenon_batch_norm(), or ag_eval()")
    out <- tenon_batch_norm(.Call(C_reshape, x, d), self$gamma, self$beta, self$running_mean,
                            self$running_var, self$training, self$momentum, self$eps)
    if (self$training) {
      self$running_mean <- .Call(C_reshape, out$mean, c(self$num_features, 1L))
      self$running_var <- .Call(C_reshape, out$var, c(self$num_features, 1L))
    }
    out$y
  }
  self
}

#' @rdname batch_norms
#' @export
ag_rms_norm <- function(normalized_shape, eps = 1e-5) {
  features <- need_count(normalized_shape, "normalized_shape")
  self <- norm_layer("ag_rms_norm", features, TRUE, shift = FALSE)
  self$eps <- need_number(eps, "eps", 0)
  self$normalized_shape <- features
  self$forward <- function(x) {
    need_features("ag_rms_norm", x, self$normalized_shape, 1L)
    .Call(C_rms_norm, x, self$gamma, self$eps)
  }
  self
}

#' @rdname batch_norms
#' @export
ag_group_norm <- function(groups, num_channels, eps = 1e-5) {
  channels <- need_count(num_channels, "num_channels")
  groups <- need_count(groups, "groups")
  if (channels %% groups != 0)
    tenon_stop("argument", "groups: expected a divisor of ", channels, " channels, got ", groups)
  self <- norm_layer("ag_group_norm", channels, TRUE)
  self$eps <- need_number(eps, "eps", 0)
  self$groups <- groups
  self$num_channels <- channels
  self$forward <- function(x) {
    need_features("ag_group_norm", x, self$num_channels, 2L)
    tenon_group_norm(x, self$groups, self$gamma, self$beta, self$eps)
  }
  self
}

#' @rdname batch_norms
#' @export
ag_instance_norm <- function(num_channels, eps = 1e-5) {
  self <- ag_group_norm(num_channels, num_channels, eps)
  self$name <- "ag_instance_norm"
  class(self) <- c("ag_instance_norm", class(self))
  self
}
