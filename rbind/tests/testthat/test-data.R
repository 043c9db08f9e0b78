test_that("a loader gives every sample once and leaves out what fills no batch", {
  x <- matrix(1:14, 2)
  set.seed(1)
  loader <- ag_dataloader(x, 10 * x, batch_size = 3)
  expect_identical(loader$n_batches(), 2L)
  for (epoch in 1:2) {
    batches <- loader$epoch()
    expect_length(batches, 2L)
    seen <- do.call(cbind, lapply(batches, function(b) as.matrix(b$x)))
    expect_false(anyDuplicated(t(seen)) > 0)
    expect_true(all(seen[1, ] %in% x[1, ]))
    for (b in batches) near(b$y, 10 * as.matrix(b$x))
    expect_false(loader$has_next())
    expect_null(loader$next_batch())
  }
  loader$reset()
  expect_true(loader$has_next())
})

test_that("a loader takes samples in rows, class numbers, and keeps the order if told", {
  loader <- ag_dataloader(iris[, 1:4], as.integer(iris$Species) - 1L, 75L, shuffle = FALSE,
                          col_major = FALSE)
  b <- loader$next_batch()
  near(b$x, t(as.matrix(iris[1:75, 1:4])))
  expect_identical(b$y, rep(0:1, c(50L, 25L)))
  b <- ag_dataloader(matrix(1:4, 2), batch_size = 1, shuffle = FALSE)$next_batch()
  expect_null(b$y)
  near(b$x, 1:2)
})

test_that("a loader refuses what does not fit", {
  expect_error(ag_dataloader(matrix(0, 2, 3), batch_size = 4), "at most the number of samples, 3, got 4",
               class = "tenon_error_argument")
  expect_error(ag_dataloader(matrix(0, 2, 3), 1:4, 2), "as many samples in y as in x, 3, got 4",
               class = "tenon_error_shape")
  expect_error(ag_dataloader("a", batch_size = 1), "expected numbers, got character",
               class = "tenon_error_dtype")
})
