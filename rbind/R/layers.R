#' Layers
#'
#' Layers hold parameters and have `$forward(x)` and `$parameters()` (`ag_linear()`:
#' a list with `$W`, `$b`, `$forward`, `$params()`, which is
#' `$parameters()`). All work on `[features,
#' samples]`. `ag_sequential()` runs layers and functions in order and names
#' parameters `layer<i>_<name>`. `ag_train()` and `ag_eval()` switch dropout on and
#' off. Initial values come from R's generator: Glorot uniform
#' `+-sqrt(6 / (in + out))` for weights, 0 for biases, `+-sqrt(1 / vocab_size)` for
#' embeddings. Layers can be saved with `saveRDS()` and work in another process.
#'
#' @param in_features,out_features Extents of the weight `[out, in]`.
#' @param activation `NULL`, `"relu"`, `"sigmoid"`, `"tanh"`, `"softmax"` or
#'   `"gelu"`.
#' @param init `"glorot_uniform"`, a matrix `[out, in]`, or a function of `(out,
#'   in)` that returns one.
#' @param gain Multiplies the initial weights (named initialization only).
#' @param ... Layers or functions.
#' @param model A layer.
#' @param rate Probability of dropping an element, `0 <= rate < 1`; the others are
#'   scaled by `1 / (1 - rate)`.
#' @param normalized_shape Number of features.
#' @param eps Added to the variance.
#' @param elementwise_affine `TRUE` for a scale `gamma` and a shift `beta`.
#' @param vocab_size,dim Extents of the table `[dim, vocab_size]`; ids count from 0.
#' @param d_model,n_heads Width and heads of attention; `n_heads` divides `d_model`.
#' @param dropout Rate of dropout on the attention weights while training.
#' @param bias `TRUE` for a bias of the output projection.
#' @return A layer; `ag_train()` and `ag_eval()` their argument invisibly.
#'   `ag_multihead_attention()`'s `$forward(q, k = q, v = k, causal_mask = FALSE)`
#'   takes `[d_model, seq]`.
#' @section Errors: `tenon_error_argument` and `tenon_error_shape` with what was
#'   expected.
#' @examples
#' set.seed(1)
#' model <- ag_sequential(ag_linear(4, 8, "relu"), ag_dropout(0.1), ag_linear(8, 2))
#' dim(model$forward(matrix(1, 4, 3)))
#' names(model$parameters())
#' ag_eval(model) # dropout off
#' ag_train(model)
#' norm <- ag_layer_norm(4)
#' dim(norm$forward(matrix(rnorm(12), 4)))
#' e <- ag_embedding(10, 4)
#' dim(e$forward(c(0, 3, 9)))
#' mha <- ag_multihead_attention(8, 2)
#' dim(mha$forward(matrix(rnorm(40), 8)))
#' @name layers
NULL

glorot <- function(out, into) {
  limit <- sqrt(6 / (into + out))
  matrix(runif(out * into, -limit, limit), out, into)
}

activation_of <- function(name) {
  if (is.null(name)) return(NULL)
  if (!is.character(name) || length(name) != 1L)
    tenon_stop("argument", "activation: expected a name or NULL")
  switch(name, relu = ag_relu, sigmoid = ag_sigmoid, tanh = ag_tanh, softmax = ag_softmax,
         gelu = ag_gelu,
         tenon_stop("argument", 'activation: expected "relu", "sigmoid", "tanh", "softmax", ',
                    '"gelu" or NULL, got "', name, '"'))
}

initial_weight <- function(init, out, into, gain) {
  if (is.character(init)) {
    if (!identical(init, "glorot_uniform"))
      tenon_stop("argument", 'init: expected "glorot_uniform", a matrix or a function, got "',
                 init[1L], '"')
    return(glorot(out, into) * need_number(gain, "gain"))
  }
  w <- if (is.function(init)) init(out, into) else init
  if (!is.numeric(w) || !identical(as.integer(dim(w)), c(out, into)))
    tenon_stop("shape", "init: expected a matrix ", shape_text(c(out, into)), ", got ",
               if (is.null(dim(w))) class(w)[1] else shape_text(dim(w)))
  w
}

#' @rdname layers
#' @export
ag_linear <- function(in_features, out_features, activation = NULL, init = "glorot_uniform",
                      gain = 1) {
  into <- need_count(in_features, "in_features")
  out <- need_count(out_features, "out_features")
  W <- ag_param(initial_weight(init, out, into, gain))
  b <- ag_param(matrix(0, out, 1L))
  act <- activation_of(activation)
  rm(init)
  forward <- if (is.null(act)) function(x) .Call(C_add, .Call(C_matmul, W, x, FALSE, FALSE), b)
             else function(x) act(.Call(C_add, .Call(C_matmul, W, x, FALSE, FALSE), b))
  params <- function() list(W = W, b = b)
  structure(list(W = W, b = b, activation = activation, forward = forward, params = params,
                 parameters = params), class = "ag_linear")
}

# One line: what it is, and its parameters.
layer_text <- function(layer) {
  if (is.function(layer)) return("function")
  p <- layer_parameters(layer)
  parts <- c(if (length(p)) paste(names(p), vapply(p, function(w) shape_text(dim(w)), "")),
             layer$activation)
  paste0(class(layer)[1L], if (length(parts)) ": ", paste(parts, collapse = ", "))
}

#' @export
print.ag_linear <- function(x, ...) {
  cat("<", layer_text(x), ">\n", sep = "")
  invisible(x)
}

#' @export
print.ag_layer <- print.ag_linear

#' @export
print.ag_sequential <- function(x, ...) {
  sizes <- vapply(x$parameters(), length, 1L)
  cat("<ag_sequential: ", length(x$layers), " layers, ", sum(sizes), " numbers to train>\n", sep = "")
  for (i in seq_along(x$layers)) cat("  layer", i, " ", layer_text(x$layers[[i]]), "\n", sep = "")
  invisible(x)
}

new_layer <- function(self, class) {
  self$name <- class
  class(self) <- c(class, "ag_layer")
  self
}

layer_parameters <- function(layer) {
  if (is.function(layer)) list()
  else if (inherits(layer, "ag_linear")) layer$params()
  else layer$parameters()
}

#' @rdname layers
#' @export
ag_sequential <- function(...) {
  self <- new.env(parent = emptyenv())
  self$layers <- tensors_of(...)
  if (inherits(self$layers, "ag_linear")) self$layers <- list(self$layers)
  for (i in seq_along(self$layers)) {
    layer <- self$layers[[i]]
    if (!is.function(layer) && !(is.recursive(layer) && is.function(layer$forward)))
      tenon_stop("argument", "ag_sequential: element ", i, " is neither a layer nor a function")
  }
  self$training <- TRUE
  self$forward <- function(x) {
    for (layer in self$layers) x <- if (is.function(layer)) layer(x) else layer$forward(x)
    x
  }
  self$parameters <- function() {
    all <- list()
    for (i in seq_along(self$layers)) {
      p <- layer_parameters(self$layers[[i]])
      if (length(p)) names(p) <- paste0("layer", i, "_", names(p))
      all <- c(all, p)
    }
    all
  }
  new_layer(self, "ag_sequential")
}

set_training <- function(model, on) {
  if (is.environment(model)) {
    model$training <- on
    for (layer in model$layers) set_training(layer, on)
  }
}

need_model <- function(model)
  if (!is.environment(model))
    tenon_stop("argument", "model: expected a layer or ag_sequential(), got ", class(model)[1L])

#' @rdname layers
#' @export
ag_train <- function(model) {
  need_model(model)
  set_training(model, TRUE)
  invisible(model)
}

#' @rdname layers
#' @export
ag_eval <- function(model) {
  need_model(model)
  set_training(model, FALSE)
  invisible(model)
}

#' @rdname layers
#' @export
ag_dropout <- function(rate) {
  need_number(rate, "rate", 0, 1)
  if (rate == 1) tenon_stop("argument", "rate: expected 0 <= rate < 1, got 1")
  self <- new.env(parent = emptyenv())
  self$rate <- rate
  self$training <- TRUE
  self$forward <- function(x) if (self$training && self$rate > 0) .Call(C_dropout, x, self$rate) else x
  self$parameters <- function() list()
  new_layer(self, "ag_dropout")
}

#' @rdname layers
#' @export
ag_layer_norm <- function(normalized_shape, eps = 1e-5, elementwise_affine = TRUE) {
  features <- need_count(normalized_shape, "normalized_shape")
  need_number(eps, "eps", 0)
  self <- new.env(parent = emptyenv())
  self$eps <- eps
  self$normalized_shape <- features
  if (need_flag(elementwise_affine, "elementwise_affine")) {
    self$gamma <- ag_param(matrix(1, features, 1L))
    self$beta <- ag_param(matrix(0, features, 1L))
  }
  self$forward <- function(x) {
    if (matrix_dim(x)[1L] != self$normalized_shape)
      tenon_stop("shape", "ag_layer_norm: expected ", self$normalized_shape, " features (rows), got ",
                 shape_text(matrix_dim(x)))
    .Call(C_layer_norm, x, self$gamma, self$beta, self$eps)
  }
  self$parameters <- function()
    if (is.null(self$gamma)) list() else list(gamma = self$gamma, beta = self$beta)
  new_layer(self, "ag_layer_norm")
}

#' @rdname layers
#' @export
ag_embedding <- function(vocab_size, dim) {
  n <- need_count(vocab_size, "vocab_size")
  d <- need_count(dim, "dim")
  self <- new.env(parent = emptyenv())
  self$vocab_size <- n
  self$dim <- d
  self$weight <- ag_param(matrix(runif(d * n, -sqrt(1 / n), sqrt(1 / n)), d, n))
  self$forward <- function(ids) {
    ids <- check_ids(ids, 0, self$vocab_size - 1L, "ag_embedding")
    .Call(C_gather, self$weight, as_ids(if (inherits(ids, "ag_tensor")) ids else as.vector(ids)), 0L)
  }
  self$parameters <- function() list(weight = self$weight)
  new_layer(self, "ag_embedding")
}

#' @rdname layers
#' @export
ag_multihead_attention <- function(d_model, n_heads, dropout = 0, bias = TRUE) {
  d <- need_count(d_model, "d_model")
  h <- need_count(n_heads, "n_heads")
  if (d %% h)
    tenon_stop("argument", "n_heads must divide d_model, got n_heads ", h, " and d_model ", d)
  self <- new.env(parent = emptyenv())
  self$d_model <- d
  self$n_heads <- h
  self$d_k <- self$d_v <- d %/% h
  self$scale <- 1 / sqrt(self$d_k)
  self$dropout <- need_number(dropout, "dropout", 0, 1)
  self$training <- TRUE
  for (name in c("W_q", "W_k", "W_v", "W_o")) self[[name]] <- ag_param(glorot(d, d))
  if (need_flag(bias, "bias")) self$b_o <- ag_param(matrix(0, d, 1L))
  self$forward <- function(q, k = q, v = k, causal_mask = FALSE)
    attention_forward(self, q, k, v, need_flag(causal_mask, "causal_mask"))
  self$parameters <- function() {
    p <- list(W_q = self$W_q, W_k = self$W_k, W_v = self$W_v, W_o = self$W_o)
    if (!is.null(self$b_o)) p$b_o <- self$b_o
    p
  }
  new_layer(self, "ag_multihead_attention")
}

# One head after the other, as written on paper; the compiler makes one fused
# attention of it when nothing is dropped.
attention_forward <- function(self, q, k, v, causal) {
  Q <- ag_matmul(self$W_q, q)
  K <- ag_matmul(self$W_k, k)
  V <- ag_matmul(self$W_v, v)
  width <- self$d_k
  heads <- lapply(seq_len(self$n_heads), function(h) {
    rows <- (h - 1L) * width
    Qh <- ag_slice_rows(Q, rows, width)
    Kh <- ag_slice_rows(K, rows, width)
    Vh <- ag_slice_rows(V, rows, width)
    scores <- .Call(C_mul, .Call(C_matmul, Kh, Qh, TRUE, FALSE), self$scale) # keys in rows
    if (causal) scores <- .Call(C_causal, scores)
    weights <- ag_softmax(scores)
    if (self$training && self$dropout > 0) weights <- .Call(C_dropout, weights, self$dropout)
    ag_matmul(Vh, weights)
  })
  out <- ag_matmul(self$W_o, if (length(heads) == 1L) heads[[1L]] else .Call(C_concat, heads, 1))
  if (is.null(self$b_o)) out else ag_add(out, self$b_o)
}
