M <- function(r, c) matrix(rnorm(r * c), r, c)
near <- function(a, b, tolerance = 1e-10) {
  strip <- function(x) as.vector(if (inherits(x, "ag_tensor")) as.array(x) else x)
  expect_equal(strip(a), strip(b), tolerance = tolerance)
}
# Ends what is pending.
fresh <- function() invisible(with_grad_tape(NULL))
counters <- function() tenon_cache_info()
outputs_of <- function(expr) {
  expr
  counters()[["outputs"]]
}
with_dtype <- function(dtype, expr) {
  before <- ag_dtype(dtype)
  on.exit(ag_dtype(before))
  expr
}
# Attention of one head written out: q [d, n], k and v [d, m]; mask [m, n] added.
attention_of <- function(q, k, v, scale = 1 / sqrt(nrow(q)), mask = 0) {
  s <- scale * crossprod(k, q) + mask
  p <- apply(s, 2, function(x) {
    e <- if (all(x == -Inf)) rep(0, length(x)) else exp(x - max(x))
    if (sum(e) > 0) e / sum(e) else e
  })
  v %*% matrix(p, nrow = ncol(k))
}
heads_of <- function(q, k, v, h, ...) {
  d <- nrow(q) / h
  do.call(rbind, lapply(seq_len(h), function(i) {
    r <- (i - 1) * d + seq_len(d)
    attention_of(q[r, , drop = FALSE], k[r, , drop = FALSE], v[r, , drop = FALSE], ...)
  }))
}
causal_mask <- function(m, n) matrix(ifelse(rep(seq_len(m), n) > rep(seq_len(n), each = m), -Inf, 0), m, n)
