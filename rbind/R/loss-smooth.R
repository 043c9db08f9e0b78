# Cross entropy of softened targets and weighted classes, [classes, ...]: the mean over
# positions, or, for class numbers with weights, the mean weighted by those of the classes.
smooth_cross_entropy <- function(logits, target, first, smoothing, weights) {
  need_number(smoothing, "label_smoothing", 0, 1)
  d <- extents_of(logits)
  if (!length(d)) tenon_stop("shape", "cross entropy: expected logits with an axis of classes, got []")
  classes <- d[1L]
  if (!is.null(weights) && prod(extents_of(weights)) != classes)
    tenon_stop("shape", "class_weights: expected ", classes, " values, got ",
               shape_text(extents_of(weights)))
  known <- !inherits(target, "ag_tensor")
  if (known && !is.numeric(target))
    tenon_stop("dtype", "target: expected numbers, got ", class(target)[1L])
  whole <- if (known) is.integer(target) else .Call(C_dtype, target) %in% c("i64", "i32", "i8")
  same <- identical(as.integer(extents_of(target)), as.integer(d))
  if (whole || !same) {
    if (prod(extents_of(target)) != prod(d[-1L]))
      tenon_stop("shape", "cross entropy: expected a target of ", shape_text(d), " or ", prod(d[-1L]),
                 " class ids, got ", shape_text(extents_of(target)))
    ids <- as_ids(check_ids(target, first, classes - 1L + first, "target"))
    dtype <- if (inherits(logits, "ag_tensor")) .Call(C_dtype, logits) else ag_default_dtype()
    target <- .Call(C_one_hot, .Call(C_reshape, ids, d[-1L]), classes, first, dtype)
  }
  scale <- prod(d[-1L])
  if (!is.null(weights)) {
    weights <- .Call(C_reshape, weights, classes)
    if (whole || !same) scale <- tenon_sum(.Call(C_mul, target, weights))
  }
  terms <- .Call(C_softmax, logits, 1, TRUE)
  if (smoothing > 0) {
    target <- .Call(C_add, .Call(C_mul, target, 1 - smoothing), smoothing / classes)
  } else { # 0 times -Inf is 0 here
    terms <- tenon_where((target == 0) & (terms == -Inf), 0, terms)
  }
  terms <- .Call(C_mul, target, terms)
  if (!is.null(weights)) terms <- .Call(C_mul, terms, weights)
  .Call(C_neg, .Call(C_div, tenon_sum(terms), scale))
}
