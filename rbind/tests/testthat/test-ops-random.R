test_that("dropout and random numbers follow set.seed", {
  draw <- function() {
    fresh()
    set.seed(5)
    as.array(tenon_dropout(matrix(1, 40, 50), 0.3))
  }
  x <- draw()
  expect_identical(x, draw())
  expect_setequal(unique(round(as.vector(x), 6)), c(0, round(1 / 0.7, 6)))
  expect_lt(abs(mean(x == 0) - 0.3), 0.05)
  fresh()
  pair <- list(tenon_random_uniform(20), tenon_random_uniform(20))
  expect_false(identical(as.array(pair[[1]]), as.array(pair[[2]])))
  z <- as.array(tenon_random_normal(c(50, 50)))
  expect_lt(abs(sd(z) - 1), 0.05)
  expect_error(tenon_dropout(1, 1), class = "tenon_error_argument")
  expect_error(tenon_dropout(1, NA), class = "tenon_error_argument")
})

test_that("set.seed governs what follows it, whatever is recorded or pending", {
  w <- ag_param(diag(2))
  with_grad_tape(loss <- ag_sum(w))
  backward(loss)
  draw <- function() {
    set.seed(5)
    list(as.array(tenon_random_uniform(4)), as.array(tenon_dropout(rep(1, 40), 0.5)))
  }
  expect_identical(draw(), draw())
  set.seed(5)
  pending <- tenon_random_uniform(4)
  set.seed(5)
  expect_identical(as.array(tenon_random_uniform(4)), as.array(pending))
  f <- jit(function() list(tenon_random_uniform(4), tenon_random_uniform(4)))
  set.seed(5)
  first <- lapply(f(), as.array)
  expect_false(identical(first[[1]], first[[2]]))
  set.seed(5)
  expect_identical(lapply(f(), as.array), first)
  fresh()
})

test_that("uniform numbers of every float type lie between 0 and 1, both excluded", {
  for (dtype in c("f64", "f32", "f16", "bf16")) {
    u <- as.array(tenon_random_uniform(1e5, dtype))
    expect_gt(min(u), 0)
    expect_lt(max(u), 1)
    expect_lt(abs(mean(u) - 0.5), 0.005)
  }
})
