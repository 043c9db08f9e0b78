#' Batches of data
#'
#' Goes through samples in batches of equal size, in a new order each epoch. A last batch
#' that would be smaller is left out, so that one compiled step serves all.
#'
#' @param x A matrix `[features, samples]`.
#' @param y `NULL`, a matrix `[outputs, samples]`, or a vector with a number for each
#'   sample, such as class numbers.
#' @param batch_size Samples of a batch.
#' @param shuffle `TRUE` for a new order ([sample()]) at each `$reset()`.
#' @param col_major `FALSE` for matrices with samples in rows, as in a data frame: they
#'   are transposed once.
#' @return An environment with `$next_batch()`, which gives `list(x, y)` (tensors; of a
#'   vector `y` its numbers), `NULL` after the last; `$has_next()`; `$reset()`, which
#'   starts an epoch; `$n_batches()`; and `$epoch()`, a list of all batches of a new epoch.
#' @section Errors: `tenon_error_argument` for fewer samples than a batch,
#'   `tenon_error_shape` where `x` and `y` have not the same number of samples,
#'   `tenon_error_dtype` for what is not numbers.
#' @examples
#' set.seed(1)
#' loader <- ag_dataloader(iris[, 1:4], as.integer(iris$Species) - 1L, batch_size = 50,
#'                         col_major = FALSE)
#' model <- ag_linear(4, 3)
#' optimizer <- optimizer_adam(model$params(), lr = 0.05)
#' for (epoch in 1:20) {
#'   for (batch in loader$epoch()) {
#'     with_grad_tape(loss <- ag_softmax_cross_entropy_loss(model$forward(batch$x), batch$y))
#'     optimizer$step(backward(loss))
#'     optimizer$zero_grad()
#'   }
#' }
#' as.numeric(loss)
#' loader
#' @export
ag_dataloader <- function(x, y = NULL, batch_size = 32L, shuffle = TRUE, col_major = TRUE) {
  size <- need_count(batch_size, "batch_size")
  need_flag(shuffle, "shuffle")
  samples_last <- function(data) {
    data <- two_axes(data)
    if (need_flag(col_major, "col_major")) data else t(data)
  }
  x <- samples_last(x)
  labels <- is.numeric(y) && is.null(dim(y))
  if (!is.null(y) && !labels) y <- samples_last(y)
  samples <- ncol(x)
  of_y <- if (labels) length(y) else ncol(y)
  if (!is.null(y) && of_y != samples)
    tenon_stop("shape", "ag_dataloader: expected as many samples in y as in x, ", samples, ", got ", of_y)
  if (size > samples)
    tenon_stop("argument", "ag_dataloader: expected a batch_size of at most the number of samples, ",
               samples, ", got ", size,
               if (need_flag(col_major, "col_major")) " (col_major = FALSE if samples are rows)")
  batches <- samples %/% size
  order <- at <- 0L
  self <- new.env(parent = emptyenv())
  self$reset <- function() {
    order <<- if (shuffle) sample(samples) else seq_len(samples)
    at <<- 0L
    invisible(self)
  }
  self$has_next <- function() at < batches
  self$n_batches <- function() batches
  self$next_batch <- function() {
    if (at == batches) return(NULL)
    take <- order[at * size + seq_len(size)]
    at <<- at + 1L
    list(x = ag_tensor(x[, take, drop = FALSE]),
         y = if (labels) y[take] else if (!is.null(y)) ag_tensor(y[, take, drop = FALSE]))
  }
  self$epoch <- function() {
    self$reset()
    lapply(seq_len(batches), function(i) self$next_batch())
  }
  self$reset()
  class(self) <- "ag_dataloader"
  self
}

#' @export
print.ag_dataloader <- function(x, ...) {
  cat("<ag_dataloader: ", x$n_batches(), " batches an epoch>\n", sep = "")
  invisible(x)
}
