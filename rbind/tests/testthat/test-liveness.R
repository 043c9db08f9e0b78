set.seed(3)
a <- M(3, 4)
b <- M(3, 4)
A <- ag_tensor(a)
B <- ag_tensor(b)

test_that("dropped intermediates are not outputs, kept ones are", {
  fresh()
  f <- function() {
    h <- ag_relu(A * B)
    ag_sum(h)
  }
  s <- f()
  expect_equal(outputs_of(as.matrix(s)), 1)
  h1 <- A * B
  h2 <- ag_relu(h1)
  s <- ag_sum(h2)
  h1 <- NULL
  expect_equal(outputs_of(as.matrix(s)), 2)
  n <- counters()[["launches"]]
  near(h2, pmax(a * b, 0))
  expect_equal(counters()[["launches"]], n)
  near(h2 + 1, pmax(a * b, 0) + 1)
})

test_that("values that only R's stack holds survive a flush", {
  x <- list(A + B, as.matrix(A * B))
  near(x[[1]], a + b)
  g <- function() {
    h <- A + B
    s <- ag_sum(h)
    h
  }
  use <- compiler::cmpfun(function() g() + as.matrix(A * B))
  near(use(), a + b + a * b)
})

test_that("a large unread value is recomputed from what it read then", {
  big <- M(100, 60)
  w <- ag_param(big)
  fresh()
  y <- w * 2
  z <- ag_sum(y)
  expect_equal(outputs_of(as.matrix(z)), 1)
  w$data <- big + 1
  near(y, big * 2)
})

test_that("a finalizer that computes tensors does not disturb what is being computed", {
  on.exit(gctorture2(0))
  answers <- list()
  leave <- function(known, pending) { # garbage with a finalizer
    reg.finalizer(list2env(list(known = known, pending = pending)), function(e) {
      ask <- function(expr) tryCatch(as.vector(as.matrix(expr)), error = conditionMessage)
      answers[[length(answers) + 1]] <<- list(ask(e$known), ask(e$pending), ask(e$known + 1))
    })
    NULL
  }
  known <- tenon_tensor(7) + 0
  near(known, 7)
  n <- 2100 # R code is run where memory for so many elements is asked for
  is_refused <- function(answer) is.character(answer[[2]])
  # `wait`: which allocation makes R collect. It is far to one within a flush.
  for (wait in 1:1000) {
    if (wait > 40 && any(vapply(answers, is_refused, NA))) break
    fresh()
    small <- A + B
    big <- tenon_full(2, c(n, n)) * 3
    leave(known, small)
    gctorture2(1e6, wait)
    got <- as.matrix(big)
    gctorture2(0)
    expect_identical(range(got), c(6, 6))
    near(small, a + b)
    near(known + 1, 8)
  }
  gc()
  expect_gte(length(answers), 40)
  refused <- Filter(is_refused, answers)
  expect_gt(length(refused), 0)
  for (each in refused) {
    expect_identical(each[[1]], 7)
    expect_match(each[[2]], "while others were being computed")
    expect_match(each[[3]], "while others were being computed")
  }
  for (each in setdiff(answers, refused)) expect_equal(each, list(7, as.vector(a + b), 8))
})

test_that("a long chain is flushed on its way", {
  x <- A
  for (i in 1:5000) x <- x + 1
  expect_lt(counters()[["pending"]], 2000)
  near(x, a + 5000, 1e-9)
})

test_that("stray output sets of one program stay few", {
  n <- counters()[["compiles"]]
  for (i in 1:64) {
    h <- list(A + B)
    for (j in 2:7) h[[j]] <- ag_relu(h[[j - 1]])
    s <- ag_sum(h[[7]])
    h <- h[bitwAnd(i, 2^(0:6)) > 0]
    v <- as.matrix(s)
  }
  expect_lte(counters()[["compiles"]] - n, 8)
  near(v, sum(pmax(a + b, 0)))
})

test_that("a failed program loses nothing that it does not need", {
  x <- A + 1
  expect_error(A + M(7, 7), class = "tenon_error")
  near(x, a + 1)
})

test_that("values survive a collection at every allocation", {
  x <- A
  gctorture2(3)
  on.exit(gctorture2(0))
  w <- ag_param(M(2, 3))
  with_grad_tape(loss <- ag_sum(ag_tanh(w %*% x)))
  g <- backward(loss)
  v <- g[[as.character(w$id)]][1]
  gctorture2(0)
  near(v, as.matrix(w$grad)[1])
})

test_that("numbers that change from step to step do not compile anew", {
  f <- function(k) as.matrix(ag_scale(A, k))
  f(1)
  n <- counters()[["compiles"]]
  for (k in 2:10) near(f(k), a * k)
  expect_equal(counters()[["compiles"]], n)
})
