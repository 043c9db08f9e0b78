#' Losses of the functional style
#'
#' `tenon_mse()` is the mean of squared differences over all elements.
#' `tenon_cross_entropy()` is the mean over all positions of
#' `-sum(target * log_softmax(logits))`, classes down the first axis.
#'
#' @param prediction,logits Tensors; logits `[classes, ...]`.
#' @param target For `tenon_mse()` of the shape of `prediction` or broadcasting to
#'   it. For `tenon_cross_entropy()` class numbers from 1, one for each position,
#'   or probabilities of the shape of `logits`.
#' @param label_smoothing So much of each target, 0 to 1, is spread over all classes.
#' @param class_weights `NULL`, or a number for each class that multiplies its terms. For
#'   class numbers the mean is then weighted by those of the targets.
#' @return A lazy tensor without axes.
#' @section Errors: `tenon_error_shape` with what was expected.
#' @examples
#' as.numeric(tenon_mse(c(1, 2), c(0, 0)))
#' as.numeric(tenon_cross_entropy(matrix(0, 4, 3), c(1L, 2L, 4L)))
#' as.numeric(tenon_cross_entropy(diag(3), 1:3, label_smoothing = 0.1, class_weights = 1:3))
#' @name losses
NULL

#' @rdname losses
#' @export
tenon_mse <- function(prediction, target) .Call(C_mse, prediction, target, FALSE)
#' @rdname losses
#' @export
tenon_cross_entropy <- function(logits, target, label_smoothing = 0, class_weights = NULL) {
  if (!identical(label_smoothing, 0) || !is.null(class_weights))
    return(smooth_cross_entropy(logits, target, 1L, label_smoothing, class_weights))
  if (!inherits(target, "ag_tensor") && is.numeric(target)) {
    d <- extents_of(logits)
    # Numbers of another shape than the logits', one for each position, are classes too.
    ids <- is.integer(target) ||
      !identical(extents_of(target), d) && length(target) == prod(d[-1L])
    if (ids) check_ids(target, 1, d[1L], "target")
  }
  .Call(C_softmax_cross_entropy, logits, target, 0, 1L, FALSE)
}

extents_of <- function(x) if (is.null(dim(x))) length(x) else dim(x)

#' Optimizer steps on tensors
#'
#' One step on a tensor or, element by element, on a nested list of tensors, for
#' use inside [jit()] and [compile_loop()]. `tenon_adam()` with `weight_decay` is
#' AdamW: `p - lr * (weight_decay * p + mhat / (sqrt(vhat) + eps))`.
#' `tenon_zeros_like()` makes the moments to start with.
#'
#' @param p,g Parameters and their gradients, of one structure.
#' @param m,v Moments, of the same structure.
#' @param lr Learning rate: a number or a tensor without axes; never part of the
#'   program, so that a schedule does not compile anew (inside a traced function
#'   pass it as an argument).
#' @param step Number of this step, from 1.
#' @param mu Momentum.
#' @param beta1,beta2,eps,weight_decay Constants of Adam.
#' @return `tenon_sgd()`: the new parameters. `tenon_momentum()`: `list(p, v)`.
#'   `tenon_adam()`: `list(p, m, v)`.
#' @section Errors: `tenon_error_shape` when structures or shapes differ.
#' @examples
#' p <- list(w = tenon_tensor(matrix(1, 2, 2)))
#' g <- list(w = matrix(0.5, 2, 2))
#' as.matrix(tenon_sgd(p, g, 0.1)$w)
#' s <- tenon_adam(p, g, tenon_zeros_like(p), tenon_zeros_like(p), 0.01, 1)
#' as.matrix(s$p$w)
#' as.matrix(tenon_momentum(p, g, tenon_zeros_like(p), 0.1)$p$w)
#' @name updates
NULL

#' @rdname updates
#' @export
tenon_sgd <- function(p, g, lr) update_tree("sgd", p, g, NULL, NULL, lr, 1, NULL)$p

#' @rdname updates
#' @export
tenon_momentum <- function(p, g, v, lr, mu = 0.9)
  update_tree("momentum", p, g, NULL, v, lr, 1, c(momentum = need_number(mu, "mu")))[c("p", "v")]

#' @rdname updates
#' @export
tenon_adam <- function(p, g, m, v, lr, step, beta1 = 0.9, beta2 = 0.999, eps = 1e-8,
                       weight_decay = 0)
  update_tree("adam", p, g, m, v, lr, step,
              c(beta1 = need_number(beta1, "beta1", 0, 1), beta2 = need_number(beta2, "beta2", 0, 1),
                eps = need_number(eps, "eps", 0), weight_decay = need_number(weight_decay, "weight_decay")))

# m and v: moments, NULL where the rule has none.
update_tree <- function(rule, p, g, m, v, lr, step, constants) {
  if (!inherits(lr, "ag_tensor")) need_number(lr, "lr")
  if (!inherits(step, "ag_tensor")) need_number(step, "step", 1)
  if (!is.list(p)) return(.Call(C_update, rule, p, g, m, v, lr, step, constants))
  out <- list(p = p, m = p, v = p)
  for (part in list(g, if (rule == "adam") m else p, if (rule == "sgd") p else v))
    if (!is.list(part) || length(part) != length(p))
      tenon_stop("shape", "optimizer: gradients and moments need the structure of the parameters")
  for (i in seq_along(p)) {
    s <- update_tree(rule, p[[i]], g[[i]], m[[i]], v[[i]], lr, step, constants)
    for (name in names(s)) out[[name]][[i]] <- s[[name]]
  }
  out
}

#' @rdname updates
#' @export
tenon_zeros_like <- function(p) {
  if (is.list(p)) {
    p[] <- lapply(p, tenon_zeros_like)
    return(p)
  }
  d <- if (inherits(p, "ag_tensor") || !is.null(dim(p))) dim(p) else if (length(p) != 1L) length(p)
  dtype <- if (inherits(p, "ag_tensor")) .Call(C_dtype, p) else wide_dtype(ag_default_dtype())
  .Call(C_tensor, if (is.null(d)) 0 else array(0, d), dtype, FALSE, ag_default_device())
}
