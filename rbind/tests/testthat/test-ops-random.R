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
