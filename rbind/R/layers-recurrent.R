#' Cells of recurrent networks, and bags of embeddings
#'
#' One step of a recurrent network on `[features, batch]`. `tenon_lstm_cell()`, with gates i,
#' f, g and o one below the other in the rows of `W`, `U` and `b`:
#' `c_new = sigmoid(f) * c + sigmoid(i) * tanh(g)`, `h_new = sigmoid(o) * tanh(c_new)`, where `[i; f;
#' g; o] = W x + U h + b`. `tenon_gru_cell()`, with gates r, z and n: `n = tanh(W_n x + b_n +
#' r * (U_n h + u_n))`, `h_new = (1 - z) * n + z * h`, with `b` for the input and `u` for the
#' state.
#'
#' `tenon_embedding_bag()` sums (or averages, or takes the largest of) the columns of a
#' table for each bag of ids. The layers hold parameters, drawn uniformly within
#' `1 / sqrt(hidden_size)` (`sqrt(1 / vocab_size)` for embeddings) by R's generator; the
#' forget gate's bias starts at 1.
#'
#' @param x Input `[input_size, batch]`.
#' @param h,c Hidden and cell state `[hidden_size, batch]`.
#' @param W,U Weights `[gates * hidden_size, input_size]` and `[gates * hidden_size,
#'   hidden_size]`.
#' @param b,u `NULL`, or `gates * hidden_size` numbers.
#' @param table `[dim, vocab_size]`.
#' @param ids Numbers from 1 (`ag_embedding_bag()`: from 0): a matrix with a bag in each
#'   column, or a list of vectors, one for each bag; an empty bag gives 0.
#' @param mode `"sum"`, `"mean"` or `"max"`.
#' @param weights `NULL`, or numbers of the form of `ids` that multiply the columns; only
#'   with `"sum"`.
#' @param input_size,hidden_size Extents.
#' @param vocab_size,dim Extents of the table `[dim, vocab_size]`.
#' @return `tenon_lstm_cell()`: a list of `h` and `c`. Others: a lazy tensor `[hidden_size,
#'   batch]` or `[dim, bags]`. The layers have `$forward()` and `$parameters()`:
#'   `ag_lstm_cell()`'s `$forward(x, state = NULL)` takes and gives the list of `h` and `c`,
#'   `ag_gru_cell()`'s `h`; a `NULL` state is 0.
#' @section Errors: `tenon_error_shape` with what was expected and what came.
#' @references Hochreiter and Schmidhuber (1997), Long short-term memory; Cho et al. (2014),
#'   \url{https://arxiv.org/abs/1406.1078}.
#' @examples
#' set.seed(1)
#' cell <- ag_lstm_cell(3, 4)
#' state <- NULL
#' for (t in 1:5) state <- cell$forward(matrix(rnorm(6), 3), state)
#' dim(state$h)
#' gru <- ag_gru_cell(3, 4)
#' dim(gru$forward(matrix(rnorm(6), 3)))
#' s <- tenon_lstm_cell(matrix(1, 3, 2), matrix(0, 4, 2), matrix(0, 4, 2), matrix(0.1, 16, 3),
#'                      matrix(0.1, 16, 4))
#' dim(tenon_gru_cell(matrix(1, 3, 2), s$h, matrix(0.1, 12, 3), matrix(0.1, 12, 4)))
#' bag <- ag_embedding_bag(10, 4, "mean")
#' dim(bag$forward(list(c(0, 3, 9), 1, integer(0))))
#' as.matrix(tenon_embedding_bag(diag(3), matrix(c(1L, 2L, 3L, 3L), 2)))
#' @name cells
NULL

# Extents of a cell's arguments: gates * hidden rows.
check_cell <- function(what, x, states, W, U, biases, gates) {
  dx <- matrix_dim(x)
  dw <- matrix_dim(W)
  du <- matrix_dim(U)
  hidden <- du[2L]
  expect <- function(name, have, want) if (!identical(as.numeric(have), as.numeric(want)))
    tenon_stop("shape", what, ": ", name, ": expected ", shape_text(want), ", got ", shape_text(have))
  expect("U", du, c(gates * hidden, hidden))
  expect("W", dw, c(gates * hidden, dx[1L]))
  for (name in names(states)) expect(name, matrix_dim(states[[name]]), c(hidden, dx[2L]))
  for (name in names(biases)) if (!is.null(biases[[name]]))
    if (prod(extents_of(biases[[name]])) != gates * hidden)
      tenon_stop("shape", what, ": ", name, ": expected ", gates * hidden, " values, got ",
                 shape_text(extents_of(biases[[name]])))
  hidden
}

affine <- function(W, x, b) {
  y <- .Call(C_matmul, W, x, FALSE, FALSE)
  if (is.null(b)) y else .Call(C_add, y, .Call(C_reshape, b, c(prod(extents_of(b)), 1)))
}

#' @rdname cells
#' @export
tenon_lstm_cell <- function(x, h, c, W, U, b = NULL) {
  n <- check_cell("lstm_cell", x, list(h = h, c = c), W, U, list(b = b), 4)
  z <- .Call(C_add, affine(W, x, b), .Call(C_matmul, U, h, FALSE, FALSE))
  gate <- function(k) slice_axis(z, 1, (k - 1) * n, n)
  cell <- .Call(C_add, .Call(C_mul, .Call(C_sigmoid, gate(2)), c),
                .Call(C_mul, .Call(C_sigmoid, gate(1)), .Call(C_tanh, gate(3))))
  list(h = .Call(C_mul, .Call(C_sigmoid, gate(4)), .Call(C_tanh, cell)), c = cell)
}

#' @rdname cells
#' @export
tenon_gru_cell <- function(x, h, W, U, b = NULL, u = NULL) {
  n <- check_cell("gru_cell", x, list(h = h), W, U, list(b = b, u = u), 3)
  a <- affine(W, x, b)
  s <- affine(U, h, u)
  gate <- function(z, k) slice_axis(z, 1, (k - 1) * n, n)
  r <- .Call(C_sigmoid, .Call(C_add, gate(a, 1), gate(s, 1)))
  z <- .Call(C_sigmoid, .Call(C_add, gate(a, 2), gate(s, 2)))
  new <- .Call(C_tanh, .Call(C_add, gate(a, 3), .Call(C_mul, r, gate(s, 3))))
  .Call(C_add, new, .Call(C_mul, z, .Call(C_sub, h, new)))
}

cell_layer <- function(class, input_size, hidden_size, gates) {
  self <- new.env(parent = emptyenv())
  self$input_size <- need_count(input_size, "input_size")
  self$hidden_size <- need_count(hidden_size, "hidden_size")
  rows <- gates * self$hidden_size
  limit <- 1 / sqrt(self$hidden_size)
  self$W <- ag_param(matrix(runif(rows * self$input_size, -limit, limit), rows))
  self$U <- ag_param(matrix(runif(rows * self$hidden_size, -limit, limit), rows))
  self$zero <- function(x) matrix(0, self$hidden_size, matrix_dim(x)[2L])
  new_layer(self, class)
}

#' @rdname cells
#' @export
ag_lstm_cell <- function(input_size, hidden_size) {
  self <- cell_layer("ag_lstm_cell", input_size, hidden_size, 4L)
  self$b <- ag_param(matrix(rep(c(0, 1, 0, 0), each = self$hidden_size), ncol = 1L))
  self$forward <- function(x, state = NULL) {
    if (is.null(state)) state <- list(h = self$zero(x), c = self$zero(x))
    if (!is.list(state) || is.null(state$h) || is.null(state$c))
      tenon_stop("argument", "ag_lstm_cell: state: expected a list of h and c, got ", class(state)[1L])
    tenon_lstm_cell(x, state$h, state$c, self$W, self$U, self$b)
  }
  self$parameters <- function() list(W = self$W, U = self$U, b = self$b)
  self
}

#' @rdname cells
#' @export
ag_gru_cell <- function(input_size, hidden_size) {
  self <- cell_layer("ag_gru_cell", input_size, hidden_size, 3L)
  self$b <- ag_param(matrix(0, 3L * self$hidden_size, 1L))
  self$u <- ag_param(matrix(0, 3L * self$hidden_size, 1L))
  self$forward <- function(x, h = NULL)
    tenon_gru_cell(x, if (is.null(h)) self$zero(x) else h, self$W, self$U, self$b, self$u)
  self$parameters <- function() list(W = self$W, U = self$U, b = self$b, u = self$u)
  self
}

# Bags as columns, filled up with the first id and a mark of what is there.
pad_bags <- function(ids, weights, first, last) {
  if (!is.list(ids)) {
    ids <- check_ids(ids, first, last, "ids")
    if (length(dim(ids)) != 2L)
      tenon_stop("shape", "embedding bag: ids: expected a matrix or a list, got ", shape_text(extents_of(ids)))
    if (!is.null(weights) && !identical(as.integer(extents_of(weights)), as.integer(dim(ids))))
      tenon_stop("shape", "embedding bag: weights: expected ", shape_text(dim(ids)), ", got ",
                 shape_text(extents_of(weights)))
    return(list(ids = ids, weights = weights, there = NULL, sizes = rep(dim(ids)[1L], dim(ids)[2L])))
  }
  ids <- lapply(ids, check_ids, first, last, "ids")
  if (any(vapply(ids, inherits, NA, "ag_tensor")))
    tenon_stop("dtype", "embedding bag: ids: expected numbers in a list, got tensors")
  sizes <- lengths(ids)
  if (!is.null(weights) && (!is.list(weights) || !identical(lengths(weights), sizes)))
    tenon_stop("shape", "embedding bag: weights: expected a list of the lengths of the ids")
  if (!all(vapply(weights, is.numeric, NA)))
    tenon_stop("dtype", "embedding bag: weights: expected numbers in a list, got ",
               class(Find(Negate(is.numeric), weights))[1L])
  fill <- function(bags, value) vapply(bags, function(v)
    c(as.numeric(v), rep(value, max(sizes, 1L) - length(v))), numeric(max(sizes, 1L)))
  square <- function(v) matrix(v, max(sizes, 1L), length(sizes))
  list(ids = square(fill(ids, first)), there = square(fill(lapply(sizes, rep, x = 1), 0)),
       weights = if (!is.null(weights)) square(fill(weights, 0)), sizes = sizes)
}

embedding_bag <- function(table, ids, mode, weights, first) {
  need_choice(mode, c("sum", "mean", "max"), "mode")
  if (!is.null(weights) && mode != "sum")
    tenon_stop("argument", "embedding bag: weights: expected NULL with mode \"", mode, "\"")
  d <- matrix_dim(table)
  bags <- pad_bags(ids, weights, first, d[2L] - 1L + first)
  if (any(bags$sizes == 0L) && is.null(bags$there))
    tenon_stop("shape", "embedding bag: ids: expected at least one row, got ", shape_text(dim(bags$ids)))
  x <- .Call(C_gather, table, as_ids(bags$ids), first)
  wide <- function(v) .Call(C_reshape, v, c(1, extents_of(v)))
  # Not a product with 0: what fills up a bag may be NaN or infinite.
  if (!is.null(bags$there)) x <- tenon_where(wide(bags$there) > 0, x, if (mode == "max") -Inf else 0)
  if (mode == "max") {
    y <- tenon_max(x, 2)
    if (any(bags$sizes == 0L)) y <- tenon_where(matrix(bags$sizes > 0L, 1L), y, 0)
    return(y)
  }
  if (!is.null(bags$weights)) x <- .Call(C_mul, x, wide(bags$weights))
  y <- tenon_sum(x, 2)
  if (mode == "mean") .Call(C_mul, y, matrix(1 / pmax(bags$sizes, 1), 1L)) else y
}

#' @rdname cells
#' @export
tenon_embedding_bag <- function(table, ids, mode = "sum", weights = NULL)
  embedding_bag(table, ids, mode, weights, 1L)

#' @rdname cells
#' @export
ag_embedding_bag <- function(vocab_size, dim, mode = "sum") {
  self <- ag_embedding(vocab_size, dim)
  self$mode <- need_choice(mode, c("sum", "mean", "max"), "mode")
  self$forward <- function(ids, weights = NULL)
    embedding_bag(self$weight, ids, self$mode, weights, 0L)
  new_layer(self, "ag_embedding_bag")
}
