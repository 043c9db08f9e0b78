# tenon_report() and tenon_profile()

test_that("a report counts the work, the traffic and the memory of each kernel", {
  skip_if(ag_default_device() == "reference", "the reference device has no kernels")
  report <- tenon_report(function(x, w) tenon_softmax(tanh(w %*% x), 1) %*% t(x),
                         tenon_tensor(matrix(1, 32, 16), "f32"), tenon_tensor(matrix(1, 8, 32), "f32"))
  expect_s3_class(report, "tenon_report")
  k <- report$kernels
  expect_identical(k$strategy[1], "matmul")
  expect_match(k$ops[1], "^matmul tanh")
  expect_equal(k$flops[1], 2 * 8 * 32 * 16 + 8 * 16)
  expect_equal(k$bytes[1], 4 * (32 * 16 + 8 * 32 + 8 * 16))
  expect_equal(k$us_at_peak, 1e6 * k$flops / report$flops_f32)
  expect_equal(k$us_at_bandwidth, 1e6 * k$bytes / report$bandwidth)
  expect_true(all(k$code_bytes > 0 & k$compile_ms > 0 & k$runs == 1))
  v <- report$values
  expect_true(all(v$offset >= 0 & v$offset + v$bytes <= report$arena_bytes))
  expect_true(all(v$from <= v$to & v$to < report$steps))
  # values that are needed at the same time do not overlap
  for (i in seq_len(nrow(v))) for (j in seq_len(i - 1))
    if (v$from[i] <= v$to[j] && v$from[j] <= v$to[i])
      expect_true(v$offset[i] + v$bytes[i] <= v$offset[j] || v$offset[j] + v$bytes[j] <= v$offset[i])
  expect_match(report$remarks$text, "not fused", all = FALSE)
  expect_output(print(report), "FLOP/s f32.*matmul.*arena of")
  pdf(NULL)
  on.exit(dev.off())
  expect_identical(plot(report), report)
})

test_that("a report of one kernel has an empty memory plan", {
  skip_if(ag_default_device() == "reference", "the reference device has no kernels")
  report <- tenon_report(function(x) x + 1, matrix(1, 2, 2))
  expect_equal(nrow(report$kernels), 1)
  expect_equal(nrow(report$values), 0)
  expect_output(print(report), "arena of 0 bytes for 0 values")
  pdf(NULL)
  on.exit(dev.off())
  expect_silent(plot(report))
  expect_error(tenon_report(1), "f: expected a function", class = "tenon_error_argument")
  expect_error(tenon_report(function(x) 1, 1), "no tensor", class = "tenon_error_argument")
})

test_that("a profile is a table and a timeline", {
  x <- matrix(runif(64), 8)
  p <- tenon_profile(for (i in 1:3) as.matrix(tenon_softmax(ag_exp(x), 1)), tempfile(fileext = ".json"))
  runs <- as.data.frame(p)
  expect_named(runs, c("kernel", "program", "location", "thread", "start", "time", "flops", "bytes"))
  expect_gte(nrow(runs), 3)
  expect_true(all(runs$time >= 0 & diff(c(0, runs$start)) >= 0))
  expect_output(print(p), "runs of kernels, .* us, in ")
  pdf(NULL)
  on.exit(dev.off())
  expect_identical(plot(p), p)
  file.remove(p)
  expect_error(as.data.frame(p), "no such file", class = "tenon_error_io")
})

test_that("a profile of nothing is empty", {
  p <- tenon_profile(1 + 1, tempfile(fileext = ".json"))
  expect_equal(nrow(as.data.frame(p)), 0)
  expect_output(print(p), "0 runs of kernels")
  pdf(NULL)
  on.exit(dev.off())
  expect_silent(plot(p))
})

test_that("a memory budget is kept by computing again, with the same bits", {
  skip_if(ag_default_device() == "reference", "the interpreter keeps all values")
  before <- tenon_memory_budget()
  on.exit(tenon_memory_budget(before))
  layers <- lapply(1:8, function(i) matrix(sin(seq_len(256) * i), 16) / 4)
  loss <- function(w, x) {
    for (each in w) x <- tanh(each %*% x)
    sum(x * x)
  }
  x <- matrix(cos(1:512), 16)
  step <- function(w, x) value_and_grad(loss)(w, x)
  tenon_memory_budget(Inf)
  free <- tenon_report(step, layers, x)
  kept <- rapply(jit(step)(layers, x), as.array, how = "list")
  bytes <- free$arena_bytes / 2
  expect_identical(tenon_memory_budget(bytes), Inf)
  expect_identical(tenon_memory_budget(), bytes)
  tight <- tenon_report(step, layers, x)
  expect_lte(tight$arena_bytes, bytes)
  expect_gt(nrow(tight$kernels), nrow(free$kernels))
  expect_identical(rapply(jit(step)(layers, x), as.array, how = "list"), kept)
  tenon_memory_budget(64)
  expect_error(jit(step)(layers, x), "a memory budget of 64 bytes: intermediate values take [0-9]+",
               class = "tenon_error_compile")
  for (wrong in list(0, -1, NA, "1", c(1, 2), -Inf))
    expect_error(tenon_memory_budget(wrong), "bytes: expected a number", class = "tenon_error_argument")
  expect_identical(tenon_memory_budget(), 64)
})
