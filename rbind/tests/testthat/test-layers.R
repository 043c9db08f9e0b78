test_that("ag_linear computes W x + b with its activation", {
  set.seed(6)
  l <- ag_linear(3, 2, "tanh")
  x <- M(3, 5)
  near(l$forward(x), tanh(l$W$data %*% x + as.vector(l$b$data)))
  expect_lte(max(abs(l$W$data)), sqrt(6 / 5))
  expect_named(l$params(), c("W", "b"))
  expect_error(ag_linear(3, 2, "swish"), class = "tenon_error_argument")
  near(ag_linear(2, 2, init = diag(2))$forward(1:2), 1:2)
  near(ag_linear(2, 2, init = function(o, i) diag(2) * 3)$W, diag(2) * 3)
  expect_error(ag_linear(2, 2, init = diag(3)), class = "tenon_error_shape")
})

test_that("ag_sequential names parameters and switches dropout", {
  model <- ag_sequential(ag_linear(4, 6, "relu"), ag_dropout(0.5), ag_layer_norm(6), ag_linear(6, 2))
  expect_named(model$parameters(), c("layer1_W", "layer1_b", "layer3_gamma", "layer3_beta",
                                     "layer4_W", "layer4_b"))
  x <- M(4, 3)
  ag_eval(model)
  expect_identical(as.matrix(model$forward(x)), as.matrix(model$forward(x)))
  e <- as.matrix(model$forward(x))
  ag_train(model)
  set.seed(1)
  fresh()
  expect_false(identical(as.matrix(model$forward(x)), e))
  expect_error(ag_sequential(3), class = "tenon_error")
})

test_that("layer norm and embedding layers", {
  n <- ag_layer_norm(3)
  x <- M(3, 4)
  near(n$forward(x), tenon_layer_norm(x))
  expect_error(n$forward(M(4, 2)), "expected 3 features", class = "tenon_error_shape")
  expect_length(ag_layer_norm(3, elementwise_affine = FALSE)$parameters(), 0)
  e <- ag_embedding(5, 3)
  near(e$forward(c(0, 4)), e$weight$data[, c(1, 5)])
  expect_error(e$forward(5), class = "tenon_error_argument")
  ids <- c(1L, 1L, 3L)
  expect_true(ag_gradcheck(function(w) ag_sum(ag_pow(e$forward(ids), 2)), list(e$weight), quiet = TRUE))
})

test_that("dropout in a tape keeps its mask in the gradient", {
  set.seed(7)
  w <- ag_param(matrix(1, 10, 10))
  with_grad_tape({
    y <- ag_dropout(0.4)$forward(w)
    loss <- ag_sum(y)
  })
  backward(loss)
  expect_equal(w$grad, as.matrix(y))
})

test_that("multi-head attention computes what its formula says", {
  set.seed(8)
  a <- ag_multihead_attention(8, 2)
  q <- M(8, 3)
  k <- M(8, 5)
  W <- lapply(a$parameters(), function(p) p$data)
  expect_named(W, c("W_q", "W_k", "W_v", "W_o", "b_o"))
  by_hand <- function(q, k, mask = 0)
    W$W_o %*% heads_of(W$W_q %*% q, W$W_k %*% k, W$W_v %*% k, 2, mask = mask) + as.vector(W$b_o)
  near(a$forward(q), by_hand(q, q))
  near(a$forward(q, k), by_hand(q, k))
  near(a$forward(k, causal_mask = TRUE), by_hand(k, k, causal_mask(5, 5)))
  near(a$forward(q, k, causal_mask = TRUE), by_hand(q, k, causal_mask(5, 3)))
  expect_error(ag_multihead_attention(6, 4), "divide d_model", class = "tenon_error_argument")
  d <- ag_multihead_attention(8, 2, dropout = 0.5)
  set.seed(1)
  fresh()
  expect_false(isTRUE(all.equal(as.matrix(d$forward(q)), {
    ag_eval(d)
    as.matrix(d$forward(q))
  })))
})

test_that("multi-head attention has right gradients", {
  set.seed(9)
  a <- ag_multihead_attention(4, 2)
  x <- ag_param(M(4, 3))
  for (causal in c(FALSE, TRUE))
    expect_true(ag_gradcheck(function(x, ...) ag_sum(ag_tanh(a$forward(x, causal_mask = causal))),
                             c(list(x), a$parameters()), quiet = TRUE))
})

test_that("a small attention model learns", {
  set.seed(10)
  a <- ag_multihead_attention(8, 2)
  x <- M(8, 6)
  target <- M(8, 6)
  opt <- optimizer_adam(a$parameters(), 0.02)
  losses <- vapply(1:15, function(i) {
    with_grad_tape(loss <- ag_mse_loss(a$forward(x), target))
    opt$step(backward(loss))
    opt$zero_grad()
    as.numeric(loss)
  }, 0)
  expect_lt(losses[15], 0.8 * losses[1])
})

test_that("layers, optimizers and loaders say what they are", {
  model <- ag_sequential(ag_linear(4, 3, "relu"), ag_dropout(0.1), ag_tanh)
  expect_output(print(model), paste0("<ag_sequential: 3 layers, 15 numbers to train>\n",
    "  layer1 ag_linear: W [3,4], b [3,1], relu\n  layer2 ag_dropout\n  layer3 function"), fixed = TRUE)
  expect_output(print(ag_layer_norm(2)), "<ag_layer_norm: gamma [2,1], beta [2,1]>", fixed = TRUE)
  expect_output(print(optimizer_sgd(model$parameters(), 0.5)),
                "<ag_optimizer_sgd: 2 parameters, lr 0.5, momentum 0>", fixed = TRUE)
  expect_output(print(ag_dataloader(matrix(0, 2, 9), batch_size = 2)), "4 batches")
  expect_identical(names(ag_linear(2, 2)$parameters()), c("W", "b"))
})
