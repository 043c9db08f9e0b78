# Products in f16 and bf16, and what goes with them.
step_of <- function(p, opt, scale = 1) {
  with_grad_tape(loss <- loss_ag(p) * scale)
  opt$step(backward(loss))
  opt$zero_grad()
  as.numeric(loss)
}
losses <- function(dtype, steps = 60) with_dtype(dtype, {
  p <- make()
  opt <- optimizer_adam(p, lr = 0.02)
  opt$loss_scale <- 1024 # no step is skipped
  vapply(seq_len(steps), function(i) step_of(p, opt), 0)
})

test_that("products round their operands, and what they are of stays f32", {
  with_dtype("f16", {
    w <- ag_param(matrix(1 + 2^-12, 1, 1))
    expect_identical(w$dtype, "f32")
    expect_identical(as.numeric(w$data), 1 + 2^-12)
    expect_identical(as.numeric(ag_matmul(w, w)), 1)
    expect_identical((w %*% w)$dtype, "f32")
    expect_identical(as.numeric(ag_exp(w * 0) * w), 1 + 2^-12) # no product
    expect_identical(ag_param(1, dtype = "f16")$dtype, "f16")
    expect_identical(ag_linear(2, 3)$W$dtype, "f32")
  })
  with_dtype("bf16", expect_identical(as.numeric(ag_matmul(ag_param(1 + 2^-9), ag_param(1))), 1))
  with_dtype("f32", {
    w <- ag_param(1 + 2^-12)
    expect_gt(as.numeric(ag_matmul(w, w)), 1)
    y <- ag_matmul(w, w) # to be computed as it was meant
    with_dtype("f16", expect_gt(as.numeric(y), 1))
    expect_gt(as.numeric(jit(function(w) w %*% w)(tenon_tensor(w$data))), 1)
    f <- jit(function(w) w %*% w)
    x <- tenon_tensor(w$data)
    f(x)
    with_dtype("f16", expect_identical(as.numeric(f(x)), 1)) # a program for each
    expect_gt(as.numeric(f(x)), 1)
  })
})

test_that("training in f16 and bf16 is as in f32, but for noise", {
  expected <- losses("f32")
  for (dtype in c("f16", "bf16")) {
    got <- losses(dtype)
    expect_lt(max(abs(got - expected) / expected), if (dtype == "f16") 0.02 else 0.15)
    expect_false(identical(got, expected))
    expect_lt(got[60], 0.2 * got[1])
  }
})

test_that("gradients too small for f16 are not lost", {
  with_dtype("f16", {
    for (scale in c(1, 65536)) {
      w <- ag_param(matrix(1, 1, 1))
      opt <- optimizer_sgd(list(w), lr = 2^20)
      opt$loss_scale <- scale
      with_grad_tape(loss <- ag_sum(ag_matmul(w, w)) * 2^-30)
      opt$step(backward(loss))
      expect_identical(as.numeric(w$data) < 1, scale > 1)
    }
  })
})

test_that("a step with a gradient that is not finite is skipped bit for bit, and halves the scale", {
  for (rule in c("sgd", "momentum", "adam")) with_dtype("f16", {
    p <- make()
    opt <- switch(rule, sgd = optimizer_sgd(p, 0.01), momentum = optimizer_sgd(p, 0.01, momentum = 0.9),
                  adam = optimizer_adam(p, 0.01))
    opt$loss_scale <- 256
    step_of(p, opt)
    expect_identical(opt$state()$loss_scale, c(256, 1))
    before <- lapply(p, function(w) w$data + 0)
    moments <- rapply(opt$state()$moments, as.array, how = "list")
    step_of(p, opt, scale = 2^24)
    expect_identical(lapply(p, function(w) w$data + 0), before)
    expect_identical(rapply(opt$state()$moments, as.array, how = "list"), moments)
    expect_identical(opt$state()$loss_scale, c(128, 0))
    step_of(p, opt)
    expect_false(identical(p[[1]]$data, before[[1]]))
    expect_identical(opt$state()$loss_scale, c(128, 1))
  })
})

test_that("the state of loss scaling is kept and checked", {
  p <- make()
  opt <- optimizer_adam(p)
  expect_identical(opt$loss_scale, 65536)
  state <- opt$state()
  state$loss_scale <- c(1024, 7)
  opt$load_state(state)
  expect_identical(opt$state()$loss_scale, c(1024, 7))
  state$loss_scale <- NULL
  opt$load_state(state)
  expect_identical(opt$loss_scale, 1024)
  for (bad in list("a", 1, c(-1, 0), c(Inf, 0))) {
    state$loss_scale <- bad
    expect_error(opt$load_state(state), "loss_scale: expected", class = "tenon_error_argument")
  }
  expect_error(opt$loss_scale <- 0, class = "tenon_error_argument")
  expect_false(any(grepl("loss_scale", capture.output(print(opt)))))
  for (dtype in c("f32", "bf16")) with_dtype(dtype, {
    step_of(make(), opt <- optimizer_sgd(make(), 0.01))
    expect_identical(opt$state()$loss_scale, c(65536, 0))
  })
})

test_that("compiled functions and loops carry the state of loss scaling", {
  training <- function(state, x) {
    g <- grad(function(w) sum((w %*% x)^2))(state$w)
    list(w = tenon_sgd(state$w, g, 0.01), scale = tenon_loss_scale(state$scale, 2))
  }
  start <- function() list(w = tenon_tensor(matrix(1, 1, 2), "f32"), scale = tenon_loss_scale())
  x <- tenon_tensor(matrix(c(0.5, 0.25), 2), "f32")
  with_dtype("f16", {
    step <- jit(training)
    state <- start()
    scales <- vapply(1:6, function(i) {
      state <<- step(state, x)
      as.array(state$scale)[1L]
    }, 0)
    expect_equal(scales[1], 32768) # 65536 * 1.5 is too much
    expect_equal(scales, c(32768, 32768, 65536, 32768, 32768, 65536))
    expect_lt(as.array(state$w)[1L], 1)
    loop <- compile_loop(function(state, batch, i) {
      state <- training(state, x)
      list(state, state$scale)
    }, 6)
    out <- loop(start())
    expect_equal(as.array(out$out)[1L, ], scales)
    expect_identical(as.array(out$state$w), as.array(state$w))
    two <- jit(function(state, x) {
      state <- training(state, x)
      list(state$w, tenon_loss_scale(state$scale))
    })
    expect_error(two(start(), x), "expected one in a block", class = "tenon_error_compile")
  })
  with_dtype("f32", expect_identical(as.array(jit(training)(start(), x)$scale), array(c(65536, 0))))
  expect_error(tenon_loss_scale(tenon_tensor(1:3, "f32")), class = "tenon_error_shape")
  expect_error(tenon_loss_scale(interval = 0), class = "tenon_error_argument")
})

test_that("mixed precision is the same on a GPU", {
  if (!ggml_vulkan_available()) skip_on_cran()
  expected <- losses("f16", 12)
  before <- ag_device("vulkan")
  on.exit(ag_device(before))
  near(losses("f16", 12), expected, 0.01)
  with_dtype("f16", {
    p <- make()
    opt <- optimizer_adam(p, 0.01)
    opt$loss_scale <- 256
    step_of(p, opt)
    w <- p[[1]]$data + 0
    step_of(p, opt, scale = 2^24)
    expect_identical(p[[1]]$data + 0, w)
    expect_identical(opt$state()$loss_scale, c(128, 0))
  })
})
