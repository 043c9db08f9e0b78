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
# A small network: data, weights, parameters and loss.
set.seed(4)
X <- M(4, 5)
Y <- M(2, 5)
w1 <- M(6, 4)
b1 <- M(6, 1)
w2 <- M(2, 6)
make <- function() list(w1 = ag_param(w1), b1 = ag_param(b1), w2 = ag_param(w2))
loss_ag <- function(p) {
  d <- p[[3]] %*% ag_relu(p[[1]] %*% X + p[[2]]) - Y
  ag_sum(d * d) * 0.1
}
tenon_sitrep_quietly <- function() {
  utils::capture.output(info <- tenon_sitrep())
  info
}
