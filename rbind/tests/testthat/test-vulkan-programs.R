# Programs on the device that Vulkan finds: on a machine without a GPU, Mesa's driver that runs on
# the processor. Results are compared with those of the CPU in f64; the GPU's are f32.
skip_unless_vulkan <- function() if (!ggml_vulkan_available()) skip_on_cran()
on_vulkan <- function(expr) {
  skip_unless_vulkan()
  before <- ag_device("vulkan")
  on.exit(ag_device(before))
  expr
}
used <- function() tenon_devices()$used[2]
agrees <- function(f, ..., tolerance = 1e-5) near(on_vulkan(as.array(f(...))), as.array(f(...)), tolerance)

test_that("forward agrees with the CPU", {
  set.seed(1)
  a <- M(7, 5)
  b <- M(5, 9)
  agrees(function(a, b) tanh(a %*% b) * 2 + 1, tenon_tensor(a, "f32"), tenon_tensor(b, "f32"))
  agrees(function(a, b) ag_softmax(ag_matmul(a, b)), a, b)
  agrees(function(a) ag_gelu(a) - exp(a) / (abs(a) + 1), a)
  agrees(function(a) tenon_sum(a * a, 1), tenon_tensor(a, "f32"))
  agrees(function(a) t(a)[2:4, ], tenon_tensor(a, "f32"))
  agrees(function(q, k, v) ag_flash_attention(q, k, v, n_heads = 2), M(8, 6), M(8, 6), M(8, 6))
})

test_that("dtypes of a device are its own until they are set", {
  expect_identical(ag_default_dtype(), "f64")
  on_vulkan({
    expect_identical(ag_default_dtype(), "f32")
    expect_identical(ag_tensor(1:3)$dtype, "f32")
    expect_identical(ag_dtype("f16"), "f32")
    expect_identical(ag_dtype("f32"), "f16")
  })
  expect_identical(ag_default_dtype(), "f64")
  with_dtype("f16", on_vulkan(expect_identical(ag_default_dtype(), "f16")))
  expect_identical(ag_default_dtype(), "f64")
})

# Loss and gradients of a small network.
gradients <- function() {
  p <- make()
  with_grad_tape(loss <- loss_ag(p))
  g <- backward(loss)
  c(list(as.matrix(loss)), lapply(p, function(w) w$grad))
}
test_that("gradients agree with the CPU", {
  mapply(near, on_vulkan(gradients()), gradients(), 1e-5)
  square <- value_and_grad(function(x) sum(exp(x) * x))
  mapply(near, on_vulkan(square(M(3, 2) * 0 + 0.5)), square(matrix(0.5, 3, 2)), 1e-5)
})

train <- function(steps = 12) {
  p <- make()
  optimizer <- optimizer_adam(p, lr = 0.05)
  vapply(seq_len(steps), function(i) {
    with_grad_tape(loss <- loss_ag(p))
    optimizer$step(backward(loss))
    as.numeric(loss)
  }, 0)
}
test_that("training agrees with the CPU, step by step and in a compiled loop", {
  losses <- train()
  near(on_vulkan(train()), losses, 1e-4)
  expect_lt(losses[12], losses[1])
  step <- value_and_grad(function(w) sum((w %*% X - Y)^2))
  loop <- function(device = NULL) {
    run <- compile_loop(function(w, batch, i) {
      r <- step(w)
      list(w - r[[2]] * 0.01, r[[1]])
    }, 10, device = device)
    run(matrix(0.1, 2, 4))
  }
  there <- if (ggml_vulkan_available()) loop("vulkan") else skip_unless_vulkan()
  here <- loop()
  near(there$state, here$state, 1e-4)
  near(there$out, here$out, 1e-4)
  expect_identical(c(there$state$device, here$state$device), c("vulkan", "cpu"))
})

test_that("values stay on the device until they are read", {
  on_vulkan({
    x <- tenon_tensor(matrix(runif(1e4), 100))
    expect_identical(x$device, "vulkan")
    f <- jit(function(x) x %*% x / 50)
    y <- f(f(x))
    expect_identical(y$device, "vulkan")
    before <- used()
    expect_gte(before, 2 * 4e4)
    z <- f(y)
    expect_lte(used() - before, 3 * 4e4) # no copy of y
    near(z, local({m <- as.matrix(x); m <- m %*% m / 50; m <- m %*% m / 50; m %*% m / 50}), 1e-4)
    expect_identical(as.matrix(z), as.matrix(z))
  })
})

test_that("what was read does not change with the device's copy", {
  on_vulkan({
    p <- ag_param(matrix(1, 2, 2), dtype = "f64")
    seen <- p$data
    p$data[1] <- 5
    expect_identical(seen, matrix(1, 2, 2))
    near(p, c(5, 1, 1, 1))
    optimizer <- optimizer_sgd(list(p), lr = 1)
    before <- p$data
    for (i in 1:3) {
      with_grad_tape(loss <- ag_sum(p))
      optimizer$step(backward(loss))
    }
    near(before, c(5, 1, 1, 1))
    near(p$data, c(5, 1, 1, 1) - 3)
  })
})

test_that("tensors move to where they are used", {
  skip_unless_vulkan()
  here <- tenon_tensor(matrix(1:4, 2), "f32")
  expect_identical(here$device, "cpu")
  there <- on_vulkan({
    y <- here + 1
    near(y, 2:5)
    expect_identical(here$device, "vulkan")
    y
  })
  expect_identical(there$device, "vulkan")
  near(there * here, 2:5 * 1:4) # on the CPU
  near(here, 1:4)
  expect_identical(ag_to_device(here, "cpu")$device, "cpu")
  near(here, 1:4)
  expect_identical(ag_to_device(1:3, "vulkan")$device, "vulkan")
  p <- ag_param(1:2)
  expect_identical(ag_to_device(p, "vulkan"), p)
  expect_identical(p$device, "vulkan")
  near(p$data, 1:2)
})

test_that("a function may have a device of its own", {
  skip_unless_vulkan()
  f <- jit(function(x, fail) if (fail) stop("no") else ag_exp(x), device = "vulkan", static = 2)
  x <- M(3, 2)
  y <- f(x, FALSE)
  expect_identical(c(y$device, y$dtype), c("vulkan", "f32"))
  near(y, exp(x), 1e-6)
  expect_error(f(x, TRUE), "no")
  expect_identical(c(ag_default_device(), ag_default_dtype()), c("cpu", "f64"))
  near(f(y, FALSE), exp(exp(x)), 1e-5)
  pending <- tenon_tensor(x) * 2
  near(f(pending, FALSE), exp(2 * x), 1e-6)
  g <- on_vulkan(jit(function(x) x * 2, device = "cpu")(x))
  expect_identical(c(g$device, g$dtype), c("cpu", "f64"))
  expect_error(jit(exp, device = "tpu"), class = "tenon_error_device")
  expect_error(jit(exp, device = 1), class = "tenon_error_argument")
})

test_that("donated storage is taken over on the device", {
  on_vulkan({
    step <- jit(function(w) w + 1, donate = 1)
    w <- step(matrix(0, 200, 200))
    before <- used()
    for (i in 1:20) w <- step(w)
    expect_lte(used(), before + 4 * 200 * 200)
    near(w, rep(21, 200 * 200))
  })
})

test_that("R's collector runs when much memory of the device has been asked for", {
  on_vulkan({
    f <- jit(function(x) x + 1)
    x <- f(matrix(0, 1000, 1000))
    for (i in 1:150) x <- f(x) # 600 MB in all
    near(x[1, 1], 151)
    expect_lt(used(), 400e6)
  })
})

test_that("what the device has no memory for is an error, and the session goes on", {
  on_vulkan({
    f <- jit(function(x, y) x + y)
    expect_error(f(tenon_tensor(matrix(0, 40000, 1)), tenon_tensor(matrix(0, 1, 40000))),
                 class = "tenon_error_memory")
    near(f(1, 2), 3)
  })
})

test_that("tensors of a device are kept in files", {
  path <- tempfile()
  on_vulkan({
    p <- ag_param(matrix(1:4, 2))
    saveRDS(list(p, tenon_tensor(1:3, "i32"), tenon_tensor(1:2, "f64"),
                 jit(function(x) x + 0.5)(1:3)), path)
    kept <- readRDS(path)
    near(kept[[1]] + 1, 2:5)
    near(kept[[4]], 1:3 + 0.5)
    tenon_save_tensors(list(x = p), path2 <- tempfile())
    near(tenon_load_tensors(path2)$x, 1:4)
  })
  kept <- readRDS(path)
  near(kept[[1]] + 1, 2:5)
  near(kept[[2]], 1:3)
  near(kept[[3]], 1:2)
  kept[[1]]$data[1] <- 7
  near(kept[[1]]$data, c(7, 2:4))
})

test_that("what runs on the CPU though a GPU was asked for is told", {
  expect_message(tenon:::tell_fallback("kernel 'x' (rows): no f64"), "on the CPU, not the GPU: kernel 'x'",
                 class = "tenon_fallback")
})

test_that("integers, indices and random numbers agree", {
  agrees(function(x) tenon_embedding(x, c(2L, 3L, 1L)), tenon_tensor(M(4, 3), "f32"))
  draw <- function() {
    set.seed(7)
    as.array(tenon_random_uniform(c(3, 4), dtype = "f32"))
  }
  near(on_vulkan(draw()), draw(), 1e-6)
})

# A file with code for the device, called twice with its own state.
test_that("programs compiled ahead of time run on the device, and keep their state there", {
  skip_unless_vulkan()
  step <- function(state, x, y) {
    r <- value_and_grad(function(w, x, y) mean((w %*% x - y)^2))(state$w, x, y)
    list(state = list(w = state$w - 0.1 * r$grad), loss = r$value)
  }
  x <- M(3, 4)
  y <- M(2, 4)
  state <- list(w = tenon_tensor(M(2, 3), "f32"))
  dir.create(folder <- tempfile())
  path <- file.path(folder, "libstep.so")
  expect_identical(ag_default_dtype(), "f64")
  tenon_compile(step, list(state, x, y), path, target = "vulkan", donate = 1, gpu_features = "preserve")
  expect_identical(ag_default_dtype(), "f64")
  program <- tenon_load_program(path)
  expect_identical(tenon_program_device(program), "vulkan")
  expect_output(print(program), "libstep.so on vulkan.*in  x +f32 \\[3,4\\]")
  expected <- with_dtype("f32", jit(step)(state, x, y))
  expected <- with_dtype("f32", jit(step)(expected$state, x, y))
  got <- program(state, x, y)
  expect_identical(got$state$w$device, "vulkan")
  expect_error(as.array(state$w), class = "tenon_error_argument") # it was donated
  first <- got$state
  got <- program(first, x, y)
  expect_identical(got$state$w$device, "vulkan")
  near(as.array(got$state$w), as.array(expected$state$w), 1e-5)
  near(as.array(got$loss), as.array(expected$loss), 1e-5)
})

test_that("a file for both devices takes the one that is there, or asked for", {
  skip_unless_vulkan()
  dir.create(folder <- tempfile())
  path <- file.path(folder, "libboth.so")
  w <- tenon_tensor(M(2, 3), "f32")
  tenon_compile(function(x) tanh(w %*% x), list(M(3, 5)), path, target = c("vulkan", "cpu"))
  x <- M(3, 5)
  expected <- tanh(as.array(w) %*% x)
  runs <- function(device) {
    program <- tenon_load_program(path, device = device)
    near(as.array(program(x)), expected, 1e-5)
    near(as.array(program(tenon_tensor(x, "f32"))), expected, 1e-5)
    near(as.array(program(ag_to_device(tenon_tensor(x, "f32"), "vulkan"))), expected, 1e-5)
    tenon_program_device(program)
  }
  expect_identical(runs("cpu"), "cpu")
  expect_identical(runs("vulkan"), "vulkan")
  stand_in <- .Call(tenon:::C_device_info, "vulkan", 0L)$type == "cpu"
  expect_identical(runs(NULL), if (stand_in) "cpu" else "vulkan")
  if (stand_in) expect_error(tenon_load_program(path, device = "gpu"), class = "tenon_error_device")
  expect_error(tenon_load_program(path, device = "reference"), class = "tenon_error_argument")
  expect_error(tenon_program_device(1), class = "tenon_error_argument")
})

test_that("targets and features that there are not are refused", {
  compile <- function(...) tenon_compile(exp, list(1), tempfile(fileext = ".so"), ...)
  expect_error(compile(target = "vulkan", gpu_features = "wings"), "got 'wings'",
               class = "tenon_error_argument")
  expect_error(compile(gpu_features = "shuffle"), class = "tenon_error_argument")
  expect_error(compile(target = "vulkan", gpu_features = 1), class = "tenon_error_argument")
})

test_that("profiles have the kernels of the device", {
  x <- on_vulkan(ag_tensor(M(20, 30)))
  path <- tempfile(fileext = ".json")
  runs <- as.data.frame(on_vulkan(tenon_profile(as.array(ag_softmax(x %*% t(x))), path)))
  expect_gte(nrow(runs), 2L)
  expect_true(all(runs$thread == 0 & runs$time >= 0 & nzchar(runs$kernel)))
  expect_gt(sum(runs$flops), 0)
  expect_gt(sum(runs$time), 0)
})

# The Vulkan driver fails while code runs: docs/testing.md, TENON_FAULT.
with_fault <- function(fault, expr) {
  set <- function(text) {
    Sys.setenv(TENON_FAULT = text)
    tenon_devices()
  }
  set(fault)
  on.exit(set(""))
  expr
}
test_that("a session goes on after the device has run out of memory", {
  on_vulkan({
    x <- ag_tensor(matrix(1:4, 2))
    y <- x * 2
    near(y, matrix(1:4 * 2, 2))
    large <- matrix(0, 2000, 2000)
    expect_error(with_fault("oom@1-99", ag_tensor(large)),
                 "cannot allocate 16000000 bytes on device 'vulkan': [0-9]+ bytes held, [0-9]+ of [0-9]+ bytes free",
                 class = "tenon_error_memory")
    near(x + y, matrix(1:4 * 3, 2))
    expect_identical(with_fault("oom@1", dim(ag_tensor(large))), c(2000L, 2000L))
  })
})

test_that("a session goes on after the device was lost", {
  on_vulkan({
    step <- jit(function(x) tanh(x) + 1)
    x <- ag_tensor(matrix(1:4 / 4, 2))
    read <- x * 2
    unread <- step(x)
    near(read, matrix(1:4 / 2, 2))
    expect_error(with_fault("lost@1", as.array(step(read))), "was lost, with all that was on it",
                 class = "tenon_error_device")
    # What was read has a copy here.
    near(step(read), tanh(matrix(1:4 / 2, 2)) + 1, 1e-5)
    expect_error(as.array(unread), "which was lost with device 'vulkan'", class = "tenon_error_device")
    near(ag_tensor(matrix(1:4, 2)) * 2, matrix(1:4 * 2, 2))
  })
})

test_that("training goes on after the device was lost, from what was saved", {
  on_vulkan({
    p <- make()
    optimizer <- optimizer_adam(p, lr = 0.05)
    step <- function() {
      optimizer$zero_grad()
      with_grad_tape(loss <- loss_ag(p))
      optimizer$step(backward(loss))
      as.numeric(loss)
    }
    first <- step()
    saved <- lapply(p, function(w) as.matrix(w$data))
    state <- optimizer$state()
    second <- step()
    expect_error(with_fault("lost@1", step()), class = "tenon_error_device")
    for (name in names(p)) p[[name]]$data <- saved[[name]]
    optimizer$load_state(state)
    near(step(), second, 1e-5)
    expect_lt(step(), second)
  })
})

test_that("programs for GPUs outlive the session", {
  skip_unless_vulkan()
  folder <- tempfile("cache")
  on.exit(unlink(folder, recursive = TRUE))
  script <- tempfile(fileext = ".R")
  writeLines(c("options(tenon.disk_cache = commandArgs(TRUE))", "suppressPackageStartupMessages(library(tenon))",
               "f <- jit(value_and_grad(function(x) sum(exp(x) * x)), device = \"vulkan\")",
               "y <- f(tenon_tensor(matrix(1:6, 2), \"f32\"))", "value <- as.numeric(y[[1]])",
               "kept <- tenon_disk_cache()", "cat(format(value, digits = 7), kept$hits, kept$misses, kept$failures)"),
             script)
  run <- function() {
    output <- system2(file.path(R.home("bin"), "Rscript"), c("--no-save", shQuote(script), shQuote(folder)),
                      stdout = TRUE, stderr = TRUE)
    strsplit(output, " ")[[1]]
  }
  first <- run()
  near(as.numeric(first[1]), sum(exp(1:6) * 1:6), 1e-5)
  expect_gt(as.numeric(first[3]), 0)
  expect_identical(first[c(2, 4)], c("0", "0"))
  expect_identical(run(), c(first[c(1, 3)], "0", "0")) # all are hits
})
