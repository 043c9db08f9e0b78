set.seed(4)
loss_of <- function(w1, b1, w2) sum((w2 %*% pmax(w1 %*% X + as.vector(b1), 0) - Y)^2) / 10

test_that("gradients agree with differences and wait until they are read", {
  p <- make()
  with_grad_tape(loss <- loss_ag(p))
  n <- counters()[["launches"]]
  grads <- backward(loss)
  expect_equal(counters()[["launches"]], n)
  keys <- vapply(p, function(q) as.character(q$id), "")
  expect_setequal(ls(grads), keys)
  expect_identical(dim(grads[[keys[1]]]), c(6L, 4L))
  for (i in 1:3) {
    w <- list(w1, b1, w2)
    g <- w[[i]]
    for (k in seq_along(g)) {
      up <- down <- w
      up[[i]][k] <- up[[i]][k] + 1e-5
      down[[i]][k] <- down[[i]][k] - 1e-5
      g[k] <- (do.call(loss_of, up) - do.call(loss_of, down)) / 2e-5
    }
    near(grads[[keys[i]]], g, 1e-6)
    near(p[[i]]$grad, g, 1e-6)
  }
  near(loss, loss_of(w1, b1, w2))
})

test_that("$grad accumulates and is not multiplied by uses", {
  w <- ag_param(matrix(2))
  with_grad_tape(loss <- ag_sum(w * w + w))
  backward(loss)
  near(w$grad, 5)
  with_grad_tape(loss <- ag_sum(w * w + w))
  g <- backward(loss)
  near(g[[as.character(w$id)]], 5)
  near(w$grad, 10)
  optimizer_sgd(list(w))$zero_grad()
  expect_null(ag_grad(w))
})

test_that("every operation passes ag_gradcheck", {
  x <- ag_param(M(3, 4))
  y <- ag_param(M(3, 4))
  pos <- ag_param(abs(M(3, 4)) + 0.5)
  c1 <- ag_param(M(3, 1))
  r1 <- ag_param(M(1, 4))
  k <- M(3, 4)
  check <- function(f, ...) expect_true(ag_gradcheck(f, list(...), quiet = TRUE))
  sq <- function(z) ag_sum(ag_mul(z, k))
  check(function(x, y) sq(ag_add(x, y)), x, y)
  check(function(x, c) sq(ag_add(x, c)), x, c1)
  check(function(x, r) sq(ag_sub(x, r)), x, r1)
  check(function(x, r) sq(ag_mul(x, r)), x, r1)
  check(function(x, p) sq(ag_div(x, p)), x, pos)
  check(function(x, y) ag_sum(ag_tanh(ag_matmul(ag_transpose(x), y))), x, y)
  check(function(x) sq(ag_scale(x, 3)), x)
  check(function(p) sq(ag_pow(p, 1.7)), pos)
  check(function(x) sq(ag_relu(x)), x)
  check(function(x) sq(ag_gelu(x)), x)
  check(function(x) sq(ag_gelu(x, TRUE)), x)
  check(function(x) sq(ag_sigmoid(x)), x)
  check(function(x) sq(ag_tanh(x)), x)
  check(function(x) sq(ag_softmax(x)), x)
  check(function(x) sq(ag_log_softmax(x)), x)
  check(function(x) sq(ag_exp(x)), x)
  check(function(p) sq(ag_log(p)), pos)
  check(function(x) sq(ag_clamp(x, -0.9, 0.8)), x)
  check(function(x) ag_sum(ag_pow(ag_mean(x, 1), 2)), x)
  check(function(x) ag_sum(ag_pow(ag_sum(x, 2), 2)), x)
  check(function(x) ag_sum(ag_pow(ag_max(x), 2)), x)
  check(function(x) ag_sum(ag_pow(ag_reshape(x, 2, 6), 2)), x)
  check(function(x) ag_sum(ag_pow(ag_slice_rows(x, 1, 2), 2)), x)
  check(function(x, y) ag_sum(ag_pow(ag_concat_rows(x, y), 2)), x, y)
  check(function(x) ag_sum(ag_pow(ag_gather(x, c(0, 2, 1, 1)), 2)), x)
  check(function(x) ag_mse_loss(x, k), x)
  check(function(x) ag_softmax_cross_entropy_loss(x, c(0L, 2L, 1L, 0L)), x)
  check(function(x) ag_cross_entropy_loss(ag_softmax(x), diag(3)[, c(1, 2, 3, 1)]), x)
  check(function(x, g, b) sq(tenon_layer_norm(x, g, b)), x, ag_param(M(3, 1)), c1)
  check(function(x, g) sq(tenon_rms_norm(x, g)), x, ag_param(M(3, 1)))
  check(function(x) ag_sum(ag_pow(x[2:3, c(4, 1)], 2)), x)
  check(function(x, y) sq(tenon_where(k > 0, x, y)), x, y)
})

test_that("gradcheck fails when a gradient is wrong", {
  x <- ag_param(M(2, 2))
  expect_false(ag_gradcheck(function(x) ag_sum(tenon_stop_gradient(x) * x), list(x), quiet = TRUE))
})

test_that("errors of backward and what stays usable after one", {
  p <- make()
  expect_error(backward(ag_sum(ag_tensor(1))), "not recorded", class = "tenon_error_argument")
  expect_error(backward(1), class = "tenon_error_argument")
  with_grad_tape(h <- p[[1]] %*% X)
  expect_error(backward(h), "1x1", class = "tenon_error_shape")
  expect_error(with_grad_tape({
    kept <- p[[1]] %*% X
    kept + M(7, 7)
  }), class = "tenon_error_shape")
  near(kept, w1 %*% X)
  expect_error(backward(ag_sum(p[[1]])), class = "tenon_error_argument")
})

test_that("backward after the loss was read", {
  p <- make()
  with_grad_tape(loss <- loss_ag(p))
  v <- as.matrix(loss)
  g <- backward(loss)
  near(v, loss_of(w1, b1, w2))
  expect_true(is.matrix(g[[ls(g)[1]]]))
})

test_that("reading inside a tape does not end it", {
  w <- ag_param(matrix(3))
  with_grad_tape({
    before <- as.matrix(ag_tensor(1) + 1)
    loss <- ag_sum(w * w)
    seen <- as.matrix(loss)
    loss <- loss * 2
  })
  backward(loss)
  near(w$grad, 12)
})

test_that("reading a value inside of a nested grad() leaves its gradient to be computed", {
  inner <- function(x) grad(function(v) {
    u <- v * v
    if (as.numeric(sum(x)) > 0) sum(u * v) else sum(u)
  })(x)
  near(grad(function(x) sum(inner(x)^2))(c(1, 2)), 36 * c(1, 8))
  expect_error(grad(function(x) sum(grad(function(v) sum(v * as.numeric(v)))(x)))(c(1, 2)),
               "not known while its function is differentiated inside of another grad()", fixed = TRUE)
})

test_that("grad and value_and_grad work on nested lists", {
  loss <- function(p, x) sum(tanh(p$a %*% x + p$more$b)) + 0 * sum(x)
  p <- list(a = M(2, 3), more = list(b = M(2, 1), name = "keep"), n = 1L)
  x <- M(3, 4)
  g <- grad(loss)(p, x)
  h <- 1 - tanh(p$a %*% x + as.vector(p$more$b))^2
  near(g$a, h %*% t(x))
  near(g$more$b, rowSums(h))
  expect_null(g$n)
  r <- value_and_grad(loss, wrt = 2)(p, x)
  near(r$value, sum(tanh(p$a %*% x + as.vector(p$more$b))))
  near(r$grad, t(p$a) %*% h)
  aux <- value_and_grad(function(x) list(sum(x^2), x * 2), has_aux = TRUE)(c(1, 2))
  near(aux$grad, c(2, 4))
  near(aux$value[[2]], c(2, 4))
})

test_that("grad nests", {
  near(grad(function(x) grad(function(y) sum(y^3))(x))(2), 12)
  near(grad(function(x) sum(grad(function(y) sum(y^4))(x)))(c(1, 2)), 12 * c(1, 4))
  expect_error(grad(function(x) x * 2)(c(1, 2)), "one element", class = "tenon_error_shape")
  expect_error(grad(function(x) grad(function(y) sum(x * y))(x))(2), "from outside",
               class = "tenon_error_argument")
})

test_that("a constant captured by grad is a constant", {
  x <- tenon_tensor(c(1, 2))
  y <- x * 3
  near(grad(function(z) sum(z * y))(x), c(3, 6))
})

test_that("gradients by a computed value are right under jit as without it", {
  q <- matrix(c(0.3, -0.2, 0.5, 1, 0.1, -0.4, 0.7, 0.2), 2)
  by_reshape <- function(q) {
    grad(function(a) sum(exp(tenon_reshape(a, c(2, 4)))))(tenon_reshape(q, 8))
  }
  expect_equal(as.array(jit(by_reshape)(q)), as.array(by_reshape(tenon_tensor(q))))
  expect_equal(c(as.array(jit(by_reshape)(q))), c(exp(q)))
  # One of two equal values.
  one_of_two <- function(w) {
    b <- tanh(w)
    grad(function(a) sum(a * b))(tanh(w))
  }
  expect_equal(c(as.array(jit(one_of_two)(q))), c(tanh(q)))
  # Of a sum over gathered rows.
  rows <- ag_embedding(9, 64)
  expect_equal(c(as.matrix(ag_mean(rows$forward(c(1, 4, 4, 7))))),
               mean(as.matrix(rows$forward(c(1, 4, 4, 7)))))
})

test_that("assigning $data leaves what was recorded", {
  A <- matrix(c(1, 2, 3, 4), 2)
  v <- ag_param(A)
  w <- ag_param(A)
  with_grad_tape(l <- ag_sum(ag_mul(w, w)))
  v$data <- A * 2
  w$data <- A * 10
  y <- w * 1
  near(backward(l)[[as.character(w$id)]], 2 * A)
  near(l, sum(A^2))
  near(y, A * 10)
  w$grad <- NULL
  with_grad_tape({
    l <- ag_sum(ag_mul(w, w))
    w$data <- A
    l <- ag_add(l, ag_sum(ag_mul(w, w)))
  })
  near(backward(l)[[as.character(w$id)]], 22 * A)
  near(w$grad, 22 * A)
})

test_that("$grad takes tensors and gradients and refuses another shape", {
  A <- matrix(c(1, 2, 3, 4), 2)
  w <- ag_param(A)
  with_grad_tape(l <- ag_sum(ag_mul(w, w)))
  g <- backward(l)[[as.character(w$id)]]
  w$grad <- g
  near(w$grad, 2 * A)
  w$grad <- tenon_tensor(A, "f32")
  near(w$grad, A)
  expect_error(w$grad <- matrix(1, 3, 3), "expected \\[2,2\\], got \\[3,3\\]", class = "tenon_error_shape")
})

test_that("gradcheck puts parameters back when the function fails", {
  x <- ag_param(matrix(0, 2, 2))
  calls <- 0
  f <- function(x) {
    calls <<- calls + 1
    if (calls > 3) stop("no") else ag_sum(x * x)
  }
  expect_error(ag_gradcheck(f, list(x)), "no")
  near(x, matrix(0, 2, 2))
})

test_that("has_aux is a flag, and then the function returns two things", {
  for (flag in list(NA, 1, "yes", c(TRUE, FALSE)))
    expect_error(value_and_grad(sum, has_aux = flag), "^has_aux", class = "tenon_error_argument")
  f <- function(x) sum(x)
  expect_error(value_and_grad(f, has_aux = TRUE)(c(1, 2)), "expected the function to return list\\(loss, aux\\), got ag_tensor",
               class = "tenon_error_argument")
  expect_error(value_and_grad(function(x) list(sum(x)), has_aux = TRUE)(c(1, 2)), "got a list of 1",
               class = "tenon_error_argument")
  r <- value_and_grad(function(x) list(sum(x^2), max(x)), has_aux = TRUE)(c(1, 3))
  near(r$grad, c(2, 6))
  near(r$value[[2]], 3)
})

test_that("an argument without floats is refused as such", {
  expect_error(grad(function(x) sum(x^2))(1:3), "argument 1: expected floats to differentiate by, got integer (as.numeric()",
               fixed = TRUE, class = "tenon_error_argument")
  expect_error(grad(function(p, x) sum(p$n * x))(list(n = 1L), 2), "a list without any",
               class = "tenon_error_argument")
})
