set.seed(16)

test_that("a jitted function gives what it computes and compiles once per signature", {
  calls <- 0
  f <- jit(function(w, x) {
    calls <<- calls + 1
    list(y = tanh(w %*% x), n = "text", total = sum(w))
  })
  w <- M(2, 3)
  x <- M(3, 4)
  for (i in 1:3) {
    r <- f(w * i, x)
    near(r$y, tanh((w * i) %*% x))
  }
  expect_identical(r$n, "text")
  expect_equal(calls, 1)
  f(w, M(3, 5))
  f(tenon_tensor(w, "f32"), x)
  expect_equal(calls, 3)
  expect_s3_class(r$y, "ag_tensor")
})

test_that("nested lists, names, flags and strings are part of the signature", {
  calls <- 0
  f <- jit(function(p, square = FALSE, how = "sum") {
    calls <<- calls + 1
    z <- if (square) p$a$b^2 else p$a$b
    if (how == "sum") sum(z) else mean(z)
  })
  near(f(list(a = list(b = 1:4))), 10)
  near(f(list(a = list(b = c(2, 2, 2, 2)))), 8)
  near(f(list(a = list(b = c(2, 2, 2, 2))), TRUE), 16)
  near(f(list(a = list(b = c(2, 2, 2, 2))), TRUE, "mean"), 4)
  near(f(list(a = list(b = c(1, 2, 3, 4))), TRUE, "mean"), 7.5)
  expect_equal(calls, 4)
})

test_that("integers with NA become numbers", {
  f <- jit(function(x) x + 1)
  near(f(1:3), 2:4)
  expect_identical(is.na(as.array(f(c(1L, NA, 3L)))), array(c(FALSE, TRUE, FALSE)))
})

test_that("what a function captures is read at every call", {
  w <- ag_param(matrix(1, 1, 2))
  k <- 3
  f <- jit(function(x) w %*% x * k)
  near(f(matrix(1:2)), 9)
  w$data <- matrix(2, 1, 2)
  near(f(matrix(1:2)), 18)
})

test_that("an argument returned as it is, and results used twice", {
  f <- jit(function(x, y) {
    z <- x + y
    list(x, z, z, list(), NULL, constant = 5)
  })
  r <- f(1:3, c(1, 1, 1))
  near(r[[1]], 1:3)
  near(r[[2]], 2:4)
  near(r[[3]], 2:4)
  expect_identical(r[[4]], list())
  expect_null(r[[5]])
  expect_identical(r$constant, 5)
})

test_that("a function that computes nothing returns what it was given", {
  near(jit(function(x) list(x, 3))(2)[[1]], 2)
  expect_identical(jit(function(x) "text")(1), "text")
})

test_that("donated tensors are written in place and cannot be read again", {
  f <- jit(function(p, g) list(w = tenon_sgd(p$w, g, 0.5)), donate = 1)
  start <- M(20, 30)
  for (dtype in c("f32", "f64")) {
    p <- list(w = tenon_cast(tenon_tensor(start, dtype) * 1, dtype))
    as.array(p$w)
    g <- M(20, 30)
    first <- f(p, g)
    near(first$w, start - 0.5 * g, 1e-5)
    expect_error(as.array(p$w), "donated", class = "tenon_error_argument")
    alias <- list(first, first)
    second <- f(first, g)
    near(second$w, start - g, 1e-5)
    expect_error(f(first, g), "donated", class = "tenon_error_argument")
  }
})

test_that("pending readers of a donated tensor see the old value", {
  f <- jit(function(x) x * 2, donate = 1)
  x <- tenon_tensor(c(1, 2, 3)) + 0
  as.array(x)
  y <- x + 1
  z <- f(x)
  near(y, 2:4)
  near(z, c(2, 4, 6))
  m <- matrix(1, 2, 2)
  near(f(m), m * 2)
  near(m, rep(1, 4))
})

test_that("the same tensor given twice is not overwritten", {
  f <- jit(function(a, b) a + b, donate = c(1, 2))
  x <- tenon_tensor(c(1, 2)) + 0
  as.array(x)
  near(f(x, x), c(2, 4))
  near(x, c(1, 2))
})

test_that("a training step of the functional style trains", {
  set.seed(17)
  X <- M(4, 16)
  Y <- M(1, 16)
  loss <- function(p, x, y) tenon_mse(p$w2 %*% tanh(p$w1 %*% x + p$b1), y)
  step <- jit(function(s, x, y, lr) {
    r <- value_and_grad(loss)(s$p, x, y)
    u <- tenon_adam(s$p, r$grad, s$m, s$v, lr, s$t + 1)
    list(p = u$p, m = u$m, v = u$v, t = s$t + 1, loss = r$value)
  }, donate = 1)
  with_dtype("f32", {
    p <- lapply(list(w1 = M(8, 4), b1 = M(8, 1), w2 = M(1, 8)), tenon_tensor)
    s <- list(p = p, m = tenon_zeros_like(p), v = tenon_zeros_like(p), t = tenon_tensor(0, "i64"))
    losses <- numeric(60)
    for (i in 1:60) {
      s <- step(s, X, Y, 0.05)
      losses[i] <- as.numeric(s$loss)
      s$loss <- NULL
    }
    expect_lt(losses[60], 0.3 * losses[1])
    expect_equal(as.numeric(s$t), 60)
    expect_identical(s$p$w1$dtype, "f32")
  })
})

test_that("dropout in a jitted function draws at every call", {
  f <- jit(function(x) tenon_dropout(x, 0.5))
  x <- matrix(1, 20, 20)
  set.seed(1)
  a <- as.array(f(x))
  b <- as.array(f(x))
  set.seed(1)
  expect_identical(as.array(f(x)), a)
  expect_false(identical(a, b))
})

test_that("reading inside a traced function is an error that leaves all usable", {
  f <- jit(function(x) if (as.numeric(sum(x)) > 0) x else -x)
  expect_error(f(1:3), "not known while", class = "tenon_error_argument")
  near(jit(function(x) x + 1)(1), 2)
  expect_error(jit(function(x) x %*% x)(M(2, 3)), "does not conform", class = "tenon_error_shape")
  near(tenon_tensor(1) + 1, 2)
})

test_that("jit inside jit and grad inside jit are inlined", {
  inner <- jit(function(x) x^2)
  f <- jit(function(x) grad(function(y) sum(inner(y)))(x))
  near(f(c(1, 2)), c(2, 4))
})

test_that("compile_loop carries state and stacks outputs", {
  loop <- compile_loop(function(s, batch, i) {
    s$x <- s$x * 0.5 + sum(batch$a)
    list(s, list(x = s$x, i = i, twice = batch$b * 2))
  }, 4)
  a <- M(3, 4)
  b <- array(rnorm(24), c(2, 3, 4))
  r <- loop(list(x = 1), list(a = a, b = b))
  x <- 1
  xs <- vapply(1:4, function(i) x <<- x * 0.5 + sum(a[, i]), 0)
  near(r[[1]]$x, xs[4])
  near(r[[2]]$x, xs)
  near(r[[2]]$i, 1:4)
  near(r[[2]]$twice, b * 2)
  expect_identical(dim(r[[2]]$twice), c(2L, 3L, 4L))
  n <- counters()[["compiles"]]
  loop(r[[1]], list(a = a, b = b))
  expect_equal(counters()[["compiles"]], n)
})

test_that("a loop without data or outputs, and what it captures", {
  k <- ag_param(matrix(2))
  loop <- compile_loop(function(s, batch, i) list(s * sum(k), NULL), 5)
  r <- loop(1)
  near(r[[1]], 32)
  expect_null(r[[2]])
})

test_that("a training loop in a loop equals the steps one by one", {
  set.seed(18)
  step <- function(s, batch, i) {
    r <- value_and_grad(function(w, b) tenon_mse(w %*% b$x, b$y))(s$w, batch)
    u <- tenon_adam(s$w, r$grad, s$m, s$v, 0.1, i)
    list(list(w = u$p, m = u$m, v = u$v), r$value)
  }
  x <- array(rnorm(3 * 4 * 6), c(3, 4, 6))
  y <- array(rnorm(4 * 6), c(1, 4, 6))
  s <- list(w = M(1, 3), m = matrix(0, 1, 3), v = matrix(0, 1, 3))
  r <- compile_loop(step, 6)(s, list(x = x, y = y))
  one <- jit(function(s, batch, i) step(s, batch, i))
  losses <- numeric(6)
  for (i in 1:6) {
    o <- one(s, list(x = x[, , i], y = matrix(y[, , i], 1)), i)
    s <- o[[1]]
    losses[i] <- as.numeric(o[[2]])
  }
  near(r[[1]]$w, s$w)
  near(r[[2]], losses)
})

test_that("loops check their state and data", {
  loop <- compile_loop(function(s, b, i) list(list(s, s), NULL), 2)
  expect_error(loop(1), "expected a tensor, got a list", class = "tenon_error_argument")
  loop <- compile_loop(function(s, b, i) list(c(s, 1), NULL), 2)
  expect_error(loop(1), class = "tenon_error")
  loop <- compile_loop(function(s, b, i) list(tenon_broadcast(s, 3), NULL), 2)
  expect_error(loop(1), "expected f64 \\[\\], got f64 \\[3\\]", class = "tenon_error_shape")
  loop <- compile_loop(function(s, b, i) list(s, b), 2)
  expect_error(loop(1, M(2, 3)), "number of steps, 2", class = "tenon_error_shape")
  expect_error(compile_loop(identity, 0), class = "tenon_error_argument")
})

test_that("dropout in a loop draws anew at every step", {
  loop <- compile_loop(function(s, b, i) list(s, tenon_dropout(s, 0.5)), 3)
  set.seed(2)
  r <- as.array(loop(matrix(1, 10, 10))[[2]])
  expect_false(identical(r[, , 1], r[, , 2]))
})

test_that("tenon_ir shows one attention and its gradient, however it is written", {
  skip_if(ag_default_device() == "reference", "the reference device has no phases")
  q <- ag_param(M(16, 8))
  k <- ag_param(M(16, 8))
  v <- ag_param(M(16, 8))
  zero <- matrix(0, 16, 8)
  shows_one <- function(f) {
    text <- tenon_ir(function() {
      with_grad_tape(loss <- ag_mse_loss(f(), zero))
      backward(loss)
    })
    expect_equal(lengths(regmatches(text, gregexpr("tenon\\.attention_grad", text))), 1)
    expect_equal(lengths(regmatches(text, gregexpr("tenon\\.attention ", text))), 1)
    text
  }
  shows_one(function() ag_flash_attention(q, k, v, 4))
  a <- ag_multihead_attention(16, 4)
  shows_one(function() a$forward(q, k, v))
  causal <- shows_one(function() a$forward(q, k, v, causal_mask = TRUE))
  expect_match(causal, "tenon.attention (%\\w+, ){2}%\\w+ \\{causal = true") # and no mask beside it
  shows_one(function() ag_matmul(v, ag_softmax(ag_scale(ag_matmul(ag_transpose(k), q), 0.25))))
})

test_that("tenon_ir refuses an unknown phase and a function of nothing", {
  expect_error(tenon_ir(function(x) x, 1, phase = "magic"), "tenon_ir: phase: expected one of .*, got \"magic\"", class = "tenon_error_argument")
  expect_error(tenon_ir(function(x) x, 1, phase = NULL), "got NULL", class = "tenon_error_argument")
  expect_error(tenon_ir(function(x) 1, 1), "no tensor", class = "tenon_error_argument")
})

test_that("gradients flow through a jitted function", {
  A <- matrix(c(1, 2, 3, 4), 2)
  calls <- 0
  g <- jit(function(x) {
    calls <<- calls + 1
    x^3
  })
  g(A)
  near(grad(function(x) sum(g(x)) + sum(x))(A), 3 * A^2 + 1)
  near(grad(jit(function(x) sum(x^3)))(A), 3 * A^2)
  w <- ag_param(A)
  with_grad_tape(l <- ag_add(sum(g(w)), ag_sum(w)))
  near(backward(l)[[as.character(w$id)]], 3 * A^2 + 1)
  expect_equal(calls, 3) # once for the program
  with_grad_tape(r <- jit(function(p, flag) if (flag) p$a * 2 else p$a)(list(a = A), TRUE))
  expect_s3_class(r, "ag_tensor")
  near(r, 2 * A)
})

test_that("a loop that a gradient would flow through is refused", {
  loop <- compile_loop(function(s, b, i) list(s * s, NULL), 2)
  near(loop(2)[[1]], 16)
  expect_error(grad(function(x) sum(loop(x)[[1]]))(2), "do not flow", class = "tenon_error_argument")
  w <- ag_param(2)
  inner <- compile_loop(function(s, b, i) list(s * sum(w), NULL), 2)
  with_grad_tape({
    expect_error(loop(w * 1), "do not flow", class = "tenon_error_argument")
    expect_error(inner(1), "do not flow", class = "tenon_error_argument")
    near(loop(tenon_stop_gradient(w))[[1]], 16)
    near(loop(3)[[1]], 81)
  })
  near(grad(function(x) sum(loop(3)[[1]] * x))(1), 81)
})

test_that("a loop that uses a parameter is refused only where a gradient by it is asked for", {
  w <- ag_param(2)
  loop <- compile_loop(function(s, b, i) list(s * sum(w), NULL), 2)
  near(grad(function(x) sum(loop(3)[[1]] * x))(1), 12)
  near(grad(function(x) sum(loop(w * 3)[[1]] * x))(1), 24) # as its state
  expect_error(grad(function(x) sum(loop(w * x)[[1]]))(1), "do not flow", class = "tenon_error_argument")
  near(grad(function(x) sum(loop(tenon_stop_gradient(w * x))[[1]] * x))(3), 24)
  near(grad(function(x) sum(grad(function(y) sum(loop(2)[[1]] * y * x))(1)))(5), 8)
  expect_error(grad(function(x) sum(grad(function(y) sum(loop(x)[[1]] * y))(1)))(5), "do not flow")
  with_grad_tape(expect_error(grad(function(x) sum(loop(3)[[1]] * x))(1), "do not flow"))
  near(loop(1)[[1]], 4)
})

test_that("a loop's new state is matched by name", {
  loop <- compile_loop(function(s, b, i) list(list(b = s$b, a = list(y = s$a$y, x = s$a$x + 1)), s$a$x), 3)
  s <- loop(list(a = list(x = 1, y = 5), b = 10))[[1]]
  expect_identical(names(s), c("a", "b"))
  near(c(as.numeric(s$a$x), as.numeric(s$a$y), as.numeric(s$b)), c(4, 5, 10))
  expect_error(compile_loop(function(s, b, i) list(list(a = s$a, c = s$b), NULL), 3)(list(a = 1, b = 2)),
               "expected a, b, got a, c", class = "tenon_error_argument")
  expect_error(compile_loop(function(s, b, i) list(list(s$a, s$b), NULL), 3)(list(a = 1, b = 2)),
               "expected a, b, got no names", class = "tenon_error_argument")
})

test_that("outputs of a loop that have no room for one more axis are refused", {
  loop <- compile_loop(function(s, b, i) list(s, tenon_broadcast(s, rep(1, 8))), 2)
  expect_error(loop(array(1, rep(1, 8))), "at most 7 axes", class = "tenon_error_shape")
})

test_that("a finalizer may call a jitted function while another one runs", {
  g <- jit(function(a, b) a * b)
  h <- jit(function(x) list(x + 1, x + 2, x + 3))
  x <- matrix(1, 100, 100)
  h(x)
  g(matrix(2, 5, 5), 3)
  ran <- 0
  before <- gctorture2(50)
  on.exit(gctorture2(before))
  for (i in 1:5) {
    reg.finalizer(new.env(), function(e) {
      g(matrix(2, 5, 5), 3)
      ran <<- ran + 1
    })
    r <- h(x)
  }
  gctorture2(before)
  gc() # what is left
  expect_equal(ran, 5)
  near(r[[2]], x + 2)
})

test_that("what is no function is refused with a class", {
  expect_error(jit(NULL), "expected a function, got NULL", class = "tenon_error_argument")
  expect_error(compile_loop("no such function", 2), class = "tenon_error_argument")
  expect_error(grad(1), class = "tenon_error_argument")
  expect_error(tenon_ir(1), class = "tenon_error_argument")
})

test_that("batch sizes share programs from the third on", {
  tenon_cache_clear()
  w <- M(4, 3)
  b <- matrix(c(1, -2, 0.5, 3))
  f <- jit(function(w, b, x) {
    h <- tanh(w %*% x + b)
    list(h = h, loss = mean(h^2), p = tenon_softmax(t(h)))
  })
  misses <- counters()[["misses"]]
  for (n in 1:20) {
    x <- M(3, n)
    h <- tanh(w %*% x + as.vector(b))
    r <- f(w, b, x)
    near(r$h, h)
    near(r$loss, mean(h^2))
  }
  # At one column `b` is not repeated, which is another program.
  expect_lte(counters()[["misses"]] - misses, 4)
  f <- jit(function(w, x) tanh(w %*% x))
  misses <- counters()[["misses"]]
  for (n in 1:20) {
    x <- M(3, n)
    near(f(w, x), tanh(w %*% x))
  }
  expect_lte(counters()[["misses"]] - misses, 3)
})

test_that("gradients and lazy values share programs as well", {
  tenon_cache_clear()
  w <- M(4, 3)
  g <- jit(grad(function(w, x, y) mean((w %*% x - y)^2)))
  misses <- counters()[["misses"]]
  for (n in c(2:9, 40, 1)) {
    x <- M(3, n)
    y <- M(4, n)
    near(g(w, x, y), 2 * (w %*% x - y) %*% t(x) / (4 * n))
  }
  expect_lte(counters()[["misses"]] - misses, 4)
  misses <- counters()[["misses"]]
  for (n in 1:9) {
    x <- M(5, n)
    near(exp(tenon_tensor(x)) * 2, exp(x) * 2)
  }
  expect_lte(counters()[["misses"]] - misses, 3)
})

test_that("a loop's result has names, and a step may name what it returns", {
  r <- compile_loop(function(state, batch, i) list(state + batch, state), 3)(0, 1:3)
  expect_identical(names(r), c("state", "out"))
  near(r$state, 6)
  r <- compile_loop(function(state, batch, i) list(out = state, state = state + batch), 3)(0, 1:3)
  near(r$state, 6)
  near(r$out, c(0, 1, 3))
})

test_that("a step that takes too few arguments is told so", {
  expect_error(compile_loop(function(s, b) list(s, s), 3), "function of (state, batch, i), got one of (s, b)",
               fixed = TRUE, class = "tenon_error_argument")
  near(compile_loop(function(...) list(..1 + 1, ..1), 3)(0)$state, 3)
})

test_that("tracing leaves R's own compiler as it was", {
  level <- compiler::enableJIT(-1L)
  f <- jit(function(x) {
    expect_identical(compiler::enableJIT(-1L), 0L)
    x + 1
  })
  expect_identical(as.numeric(f(1)), 2)
  expect_error(jit(function(x) stop("no"))(1), "no")
  expect_identical(compiler::enableJIT(-1L), level)
})
