# Programs of random steps on square matrices, where no shape tells a mistake: fused they
# give what they give step by step.
random_program <- function(steps) {
  column <- function(v) tenon_broadcast(tenon_sum(v, 1, keep = TRUE), c(5, 5))
  ops <- list(
    function(a, b, p) a + b, function(a, b, p) a * b, function(a, b, p) t(a), function(a, b, p) a %*% b,
    function(a, b, p) a[p, ], function(a, b, p) a[, p], function(a, b, p) column(a),
    function(a, b, p) tenon_broadcast(tenon_mean(a, 2, keep = TRUE), c(5, 5)) * b,
    function(a, b, p) tenon_concat(a[1:2, ], b[3:5, ], axis = 1), function(a, b, p) tanh(a - b),
    function(a, b, p) exp(-abs(a)), function(a, b, p) tenon_softmax(a, axis = 1),
    function(a, b, p) a - tenon_broadcast(tenon_max(a), c(5, 5))
  )
  which <- sample(length(ops), steps, TRUE)
  left <- vapply(seq_len(steps), function(i) sample(i + 1L, 1L), 0L)
  right <- vapply(seq_len(steps), function(i) sample(i + 1L, 1L), 0L)
  order <- lapply(seq_len(steps), function(i) sample(5L))
  function(x, w, after = identity) {
    values <- list(x, w)
    for (i in seq_len(steps))
      values[[i + 2L]] <- after(ops[[which[i]]](values[[left[i]]], values[[right[i]]], order[[i]]))
    values
  }
}
evaluate <- function(x) {
  as.array(x)
  x
}
close_to <- function(a, b) max(abs(as.array(a) - as.array(b))) <= 1e-9 * (1 + max(abs(as.array(b))))

test_that("random programs give the same jitted and step by step", {
  set.seed(11)
  for (round in 1:12) {
    f <- random_program(8L)
    x <- M(5, 5)
    w <- M(5, 5)
    steps <- f(tenon_tensor(x), tenon_tensor(w), evaluate)
    fused <- jit(function(x, w) f(x, w))(x, w)
    expect_true(all(mapply(close_to, fused, steps)), label = paste("values of program", round))
    loss <- function(after) function(x) {
      v <- f(x, tenon_tensor(w), after)
      sum(v[[length(v)]] * v[[6L]])
    }
    expect_true(close_to(jit(grad(loss(identity)))(x), grad(loss(evaluate))(tenon_tensor(x))),
                label = paste("gradient of program", round))
  }
})
