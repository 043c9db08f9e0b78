set.seed(5)
grads_of <- function(w) {
  h <- w[[1]] %*% X + as.vector(w[[2]])
  r <- pmax(h, 0)
  d <- 0.2 * (w[[3]] %*% r - Y)
  dh <- t(w[[3]]) %*% d * (h > 0)
  list(dh %*% t(X), as.matrix(rowSums(dh)), d %*% t(r))
}
train <- function(p, opt) {
  with_grad_tape(loss <- loss_ag(p))
  opt$step(backward(loss))
  opt$zero_grad()
  loss
}

test_that("Adam agrees with its formula and compiles once", {
  p <- make()
  opt <- optimizer_adam(p, lr = 0.01)
  for (i in 1:2) train(p, opt)
  before <- counters()
  for (i in 3:100) l <- train(p, opt)
  d <- counters() - before
  expect_equal(d[["launches"]], 98)
  expect_equal(d[["compiles"]], 0)
  w <- list(w1, b1, w2)
  m <- v <- lapply(w, function(x) x * 0)
  for (t in 1:100) {
    g <- grads_of(w)
    for (i in 1:3) {
      m[[i]] <- 0.9 * m[[i]] + 0.1 * g[[i]]
      v[[i]] <- 0.999 * v[[i]] + 0.001 * g[[i]]^2
      w[[i]] <- w[[i]] - 0.01 * (m[[i]] / (1 - 0.9^t)) / (sqrt(v[[i]] / (1 - 0.999^t)) + 1e-8)
    }
  }
  for (i in 1:3) near(p[[i]], w[[i]], 1e-8)
  expect_equal(counters()[["pending"]], 0)
  expect_lt(as.matrix(l), 100)
})

test_that("SGD, momentum and AdamW agree with their formulas", {
  for (kind in c("sgd", "momentum", "adamw")) {
    p <- make()
    opt <- switch(kind, sgd = optimizer_sgd(p, 0.05), momentum = optimizer_sgd(p, 0.05, momentum = 0.9),
                  adamw = optimizer_adamw(p, 0.05, weight_decay = 0.1))
    for (t in 1:5) train(p, opt)
    w <- list(w1, b1, w2)
    m <- v <- lapply(w, function(x) x * 0)
    for (t in 1:5) {
      g <- grads_of(w)
      for (i in 1:3) {
        if (kind == "adamw") {
          m[[i]] <- 0.9 * m[[i]] + 0.1 * g[[i]]
          v[[i]] <- 0.999 * v[[i]] + 0.001 * g[[i]]^2
          w[[i]] <- w[[i]] - 0.05 * (0.1 * w[[i]] + (m[[i]] / (1 - 0.9^t)) / (sqrt(v[[i]] / (1 - 0.999^t)) + 1e-8))
        } else {
          m[[i]] <- (if (kind == "momentum") 0.9 else 0) * m[[i]] + g[[i]]
          w[[i]] <- w[[i]] - 0.05 * m[[i]]
        }
      }
    }
    for (i in 1:3) near(p[[i]], w[[i]], 1e-9)
  }
})

test_that("1000 steps under a cosine schedule compile once", {
  p <- make()
  opt <- optimizer_adam(p, lr = 0.01)
  schedule <- lr_scheduler_cosine(opt, T_max = 1000)
  schedule$step()
  for (i in 1:2) train(p, opt)
  n <- counters()[["compiles"]]
  for (i in 1:1000) {
    train(p, opt)
    schedule$step()
  }
  expect_equal(counters()[["compiles"]], n)
  expect_lt(opt$lr, 1e-6)
})

test_that("schedules follow their formulas", {
  opt <- optimizer_sgd(list(ag_param(1)), lr = 1)
  s <- lr_scheduler_cosine(opt, 4, 0.1)
  near(vapply(0:5, function(t) s$step(), 0), 0.1 + 0.9 * (1 + cos(pi * pmin(0:5, 4) / 4)) / 2)
  opt$lr <- 1
  s <- lr_scheduler_step(opt, 2, 0.5)
  near(vapply(1:4, function(t) s$step(), 0), c(1, 0.5, 0.5, 0.25))
})

test_that("a step writes in place, or into one of two buffers while R holds $data", {
  p <- make()
  opt <- optimizer_adam(p, lr = 0.01)
  for (i in 1:3) train(p, opt)
  # .Internal as it stands: a function around it would leave a reference behind.
  at <- format(.Internal(address(p[[1]]$data)))
  for (i in 1:3) train(p, opt)
  expect_identical(format(.Internal(address(p[[1]]$data))), at)
  seen <- character()
  for (i in 1:6) {
    w <- p[[1]]$data
    seen[i] <- format(.Internal(address(w)))
    train(p, opt)
  }
  expect_length(unique(seen), 2)
  w <- p[[1]]$data
  copy <- w + 0
  train(p, opt)
  expect_identical(w, copy)
  expect_false(identical(p[[1]]$data, copy))
})

test_that("a 100x100 activation read after $step has the value from before it", {
  for (dtype in c("f64", "f32")) with_dtype(dtype, {
    start <- M(100, 100)
    w <- ag_param(start)
    x <- M(100, 100)
    opt <- optimizer_adam(list(w), lr = 0.1)
    for (i in 1:3) {
      before <- w$data + 0
      with_grad_tape({
        h <- ag_tanh(w %*% x)
        loss <- ag_sum(h * h)
      })
      opt$step(backward(loss))
      near(h, tanh(before %*% x), if (dtype == "f64") 1e-10 else 1e-4)
    }
    expect_gt(max(abs(w$data - start)), 0.1)
  })
})

test_that("large gradients kept over a step are those before it", {
  big <- M(100, 60)
  q <- ag_param(big)
  opt <- optimizer_adam(list(q), lr = 0.1)
  w <- big
  m <- v <- big * 0
  for (t in 1:12) {
    with_grad_tape({
      sq <- q * q
      loss <- ag_sum(sq)
    })
    grads <- backward(loss)
    opt$step(grads)
    opt$zero_grad()
    near(grads[[ls(grads)]], 2 * w)
    if (t %% 3 == 0) near(sq, w^2)
    g <- 2 * w
    m <- 0.9 * m + 0.1 * g
    v <- 0.999 * v + 0.001 * g^2
    w <- w - 0.1 * (m / (1 - 0.9^t)) / (sqrt(v / (1 - 0.999^t)) + 1e-8)
  }
  near(q, w)
})

test_that("$step() takes what has accumulated, $step(env) the environment", {
  w <- ag_param(matrix(1))
  opt <- optimizer_sgd(list(w), lr = 0.1)
  for (i in 1:2) {
    with_grad_tape(loss <- ag_sum(w * 3))
    g <- backward(loss)
  }
  opt$step()
  near(w, 1 - 0.1 * 6)
  g[[as.character(w$id)]] <- matrix(10)
  opt$step(g)
  near(w, 0.4 - 1)
  expect_error(opt$step(3), class = "tenon_error_argument")
})

test_that("a bad gradient stops the whole step", {
  p <- make()
  opt <- optimizer_adam(p)
  with_grad_tape(loss <- loss_ag(p))
  g <- backward(loss)
  g[[as.character(p$w2$id)]] <- matrix(0, 1, 1)
  w <- p[[1]]$data + 0
  expect_error(opt$step(g), "expected \\[2,6\\], got \\[1,1\\]", class = "tenon_error_shape")
  expect_identical(p[[1]]$data + 0, w)
  train(p, opt)
  expect_false(identical(p[[1]]$data, w))
})

test_that("accumulation averages", {
  w <- ag_param(matrix(1))
  opt <- optimizer_sgd(list(w), lr = 1, accumulate_steps = 2L)
  for (k in c(1, 3)) {
    with_grad_tape(loss <- ag_sum(w * k))
    done <- opt$step(backward(loss))
  }
  expect_true(done)
  near(w, 1 - 2)
})

test_that("clip_grad_norm limits the norm and returns the one before", {
  w <- ag_param(matrix(c(3, 4), 1))
  with_grad_tape(loss <- ag_sum(w * w))
  g <- backward(loss)
  n <- counters()[["launches"]]
  norm <- clip_grad_norm(list(w = w), g, 1)
  expect_equal(counters()[["launches"]], n)
  near(norm, 10)
  near(sqrt(sum(g[[as.character(w$id)]]^2)), 1, 1e-6)
  with_grad_tape(loss <- ag_sum(w * w))
  g <- backward(loss)
  clip_grad_norm(list(w = w), g, 100)
  near(g[[as.character(w$id)]], c(6, 8))
  opt <- optimizer_sgd(list(w), lr = 1)
  opt$step(g)
  near(w, c(-3, -4))
})

test_that("an optimizer's state can be taken and put back", {
  p <- make()
  opt <- optimizer_adam(p, 0.01)
  for (i in 1:3) train(p, opt)
  s <- opt$state()
  q <- lapply(p, function(x) ag_param(x$data + 0))
  other <- optimizer_adam(q, 0.01)
  other$load_state(s)
  train(p, opt)
  train(q, other)
  near(q[[1]], p[[1]]$data)
  expect_error(other$load_state(list()), class = "tenon_error_argument")
})

test_that("parameters are checked", {
  w <- ag_param(1)
  expect_error(optimizer_sgd(list(ag_tensor(1))), class = "tenon_error_argument")
  expect_error(optimizer_sgd(list(w), lr = NA), class = "tenon_error_argument")
  expect_warning(opt <- optimizer_sgd(list(w, w)), "twice")
  expect_length(opt$params, 1)
})

test_that("f32 parameters train in f32", {
  with_dtype("f32", {
    p <- make()
    opt <- optimizer_adam(p, 0.01)
    first <- as.numeric(train(p, opt))
    for (i in 1:50) l <- train(p, opt)
    expect_identical(p[[1]]$dtype, "f32")
    expect_lt(as.numeric(l), first)
  })
})

test_that("a refused step leaves the tape open, and NA is no count of steps", {
  w <- ag_param(matrix(2))
  opt <- optimizer_adam(list(w))
  with_grad_tape({
    l <- ag_sum(w * w)
    bad <- list2env(stats::setNames(list(matrix(1, 3, 3)), w$id))
    expect_error(opt$step(bad), class = "tenon_error_shape")
    l <- l * ag_sum(w)
  })
  near(backward(l)[[as.character(w$id)]], 12)
  s <- opt$state()
  s$step <- NA_real_
  expect_error(opt$load_state(s), "step", class = "tenon_error_argument")
})

test_that("a loop with zero_grad() compiles once, its first step too", {
  x <- M(2, 9)
  y <- M(1, 9)
  model <- ag_sequential(ag_linear(2, 7, "tanh"), ag_linear(7, 1))
  optimizer <- optimizer_adam(model$parameters(), lr = 0.05)
  before <- counters()[["compiles"]]
  for (i in 1:4) {
    with_grad_tape(loss <- ag_mse_loss(model$forward(x), y))
    optimizer$step(backward(loss))
    optimizer$zero_grad()
  }
  expect_equal(counters()[["compiles"]] - before, 1)
})

test_that("constants can be set, and are those of the next step", {
  p <- make()
  q <- lapply(p, function(x) ag_param(x$data + 0))
  opt <- optimizer_adamw(p, 0.01, weight_decay = 0.5)
  other <- optimizer_adam(q, 0.01)
  train(p, opt)
  opt$weight_decay <- 0
  opt$beta1 <- 0.5
  expect_identical(opt$beta1, 0.5)
  q <- Map(function(x, y) { y$data <- x$data + 0; y }, p, q)
  other$load_state(opt$state())
  other$beta1 <- 0.5
  train(p, opt)
  train(q, other)
  near(q[[1]], p[[1]]$data, 0)
  w <- ag_param(matrix(2))
  opt <- optimizer_adamw(list(w), lr = 0.1, weight_decay = 0)
  opt$weight_decay <- 1
  opt$step(list2env(stats::setNames(list(matrix(0)), w$id)))
  near(w, 2 - 0.1 * 2)
  momentum <- optimizer_sgd(list(w), lr = 1, momentum = 0.5)
  ones <- list2env(stats::setNames(list(matrix(1)), w$id))
  momentum$step(ones)
  momentum$momentum <- 0
  momentum$step(ones)
  near(w, 1.8 - 2)
})

test_that("what an optimizer cannot take is refused, and nothing of it changes", {
  w <- ag_param(matrix(2))
  opt <- optimizer_adam(list(w))
  for (value in list(-1, NA, "1", c(1, 2), NULL))
    expect_error(opt$eps <- value, "^eps: expected a number", class = "tenon_error_argument")
  expect_identical(opt$eps, 1e-8)
  expect_error(opt$params <- list(), "^params", class = "tenon_error_argument")
  plain <- optimizer_sgd(list(w))
  expect_error(plain$momentum <- 0.9, "expected 0, got 0.9", class = "tenon_error_argument")
  expect_identical(plain$momentum, 0)
  expect_error(opt$load_state(plain$state()), "with 2 lists of moments", class = "tenon_error_argument")
})

test_that("a schedule wants an optimizer", {
  for (x in list(NULL, 0.1, list(lr = 1), new.env())) {
    expect_error(lr_scheduler_step(x, 2), "expected an optimizer", class = "tenon_error_argument")
    expect_error(lr_scheduler_cosine(x, 2), "expected an optimizer", class = "tenon_error_argument")
  }
})
