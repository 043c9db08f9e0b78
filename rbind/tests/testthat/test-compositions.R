set.seed(7)
M0 <- M(4, 3)
kernels_of <- function(f, ...) length(grep("tenon.kernel", strsplit(format(tenon_ir(f, ..., phase = "kernels")), "\n")[[1L]]))
checks <- function(f, ...) expect_true(ag_gradcheck(function(...) ag_sum(f(...)^2), list(...)))
sigmoid <- function(x) 1 / (1 + exp(-x))
gelu <- function(x) 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))

test_that("gated units are what their formulas say, in one kernel", {
  x <- M(6, 5)
  a <- x[1:3, ]
  b <- x[4:6, ]
  acts <- list(sigmoid = sigmoid, relu = function(x) pmax(x, 0), gelu = gelu,
               gelu_erf = function(x) x * pnorm(x), gelu_quick = function(x) x * sigmoid(1.702 * x),
               silu = function(x) x * sigmoid(x))
  for (name in names(acts)) {
    near(tenon_glu(x, activation = name), acts[[name]](a) * b, 1e-9)
    near(tenon_glu(x, activation = name, swapped = TRUE), acts[[name]](b) * a, 1e-9)
    near(tenon_glu(a, b, name), acts[[name]](a) * b, 1e-9)
  }
  near(tenon_glu(t(x), activation = "silu", axis = 2), t(acts$silu(a) * b))
  big <- x * 10
  near(tenon_glu(big, activation = "silu_oai"), {
    g <- pmin(big[1:3, ], 7)
    g * sigmoid(1.702 * g) * (pmin(pmax(big[4:6, ], -7), 7) + 1)
  })
  expect_identical(kernels_of(function(x) tenon_glu(x, activation = "gelu"), x), 1L)
  for (name in c("sigmoid", "gelu", "silu", "gelu_erf"))
    checks(function(x) tenon_glu(x, activation = name), ag_param(M(4, 3)))
  near(ggml_geglu(NULL, x), gelu(a) * b, 1e-5)
  near(ggml_glu(NULL, x, GGML_GLU_OP_SWIGLU, TRUE), acts$silu(b) * a, 1e-5)
  near(ggml_reglu_split(NULL, a, b), acts$relu(a) * b, 1e-5)
  expect_true(is.matrix(ggml_swiglu(NULL, x)))
  expect_s3_class(ggml_swiglu(NULL, tenon_tensor(x)), "ag_tensor")
  expect_error(tenon_glu(M(5, 2)), "even extent on axis 1, got \\[5,2\\]", class = "tenon_error_shape")
  expect_error(tenon_glu(a, x), "expected \\[3,5\\], got \\[6,5\\]", class = "tenon_error_shape")
  expect_error(tenon_glu(x, activation = "tanh"), '"silu".*"tanh"', class = "tenon_error_argument")
  expect_error(ggml_glu(NULL, x, 6), "0 to 5, got 6", class = "tenon_error_argument")
  expect_error(ggml_reglu(NULL, "x"), class = "tenon_error_dtype")
})

normalized <- function(v, eps = 1e-5) (v - mean(v)) / sqrt(mean((v - mean(v))^2) + eps)

test_that("group and instance norm", {
  x <- array(rnorm(3 * 4 * 6 * 2), c(3, 4, 6, 2))
  gamma <- rnorm(6)
  beta <- rnorm(6)
  expected <- x
  for (n in 1:2) for (g in 1:3) {
    at <- (g - 1) * 2 + 1:2
    expected[, , at, n] <- normalized(x[, , at, n])
  }
  near(tenon_group_norm(x, 3), expected)
  affine <- expected * rep(rep(gamma, each = 12), 2) + rep(rep(beta, each = 12), 2)
  near(tenon_group_norm(x, 3, gamma, beta), affine)
  each <- x
  for (n in 1:2) for (k in 1:6) each[, , k, n] <- normalized(x[, , k, n])
  near(tenon_instance_norm(x), each)
  layer <- ag_group_norm(3, 6)
  layer$gamma$data <- matrix(gamma)
  layer$beta$data <- matrix(beta)
  near(layer$forward(x), affine)
  expect_identical(names(layer$parameters()), c("gamma", "beta"))
  near(ag_instance_norm(6)$forward(x), each)
  near(tenon_group_norm(M(6, 2), 6, beta = beta), rep(beta, 2))
  expect_lte(kernels_of(function(x) tenon_group_norm(x, 3), x), 2L)
  checks(function(x, g, b) tenon_group_norm(x, 2, g, b) * M0, ag_param(M(4, 3)), ag_param(M(4, 1)),
         ag_param(M(4, 1)))
  expect_error(tenon_group_norm(x, 4), "divide, got 6", class = "tenon_error_shape")
  expect_error(tenon_group_norm(x, 3, gamma = 1:5), "expected 6 values, got \\[5\\]", class = "tenon_error_shape")
  expect_error(tenon_group_norm(1:4, 2), class = "tenon_error_shape")
  expect_error(ag_group_norm(4, 6), "divisor of 6 channels, got 4", class = "tenon_error_argument")
  expect_error(layer$forward(M(5, 2)), "expected 6 channels, got \\[5,2\\]", class = "tenon_error_shape")
})

test_that("batch norm and its running statistics", {
  x <- M(4, 10)
  norm <- ag_batch_norm(4, momentum = 0.3)
  near(norm$forward(x), t(apply(x, 1, normalized)))
  m <- 0.3 * rowMeans(x)
  v <- 0.7 + 0.3 * rowMeans((x - rowMeans(x))^2)
  near(norm$running_mean, m)
  near(norm$running_var, v)
  y <- M(4, 3)
  norm$forward(y)
  near(norm$running_mean, 0.7 * m + 0.3 * rowMeans(y))
  ag_eval(norm)
  before <- as.matrix(norm$running_mean)
  near(norm$forward(y), (y - c(before)) / sqrt(c(as.matrix(norm$running_var)) + 1e-5))
  expect_identical(as.matrix(norm$running_mean), before)
  ag_train(norm)
  # State and gradients through a training step; the statistics have no gradient.
  model <- ag_sequential(ag_linear(4, 4), norm, ag_linear(4, 1))
  optimizer <- optimizer_sgd(model$parameters(), lr = 0.1)
  for (step in 1:3) {
    with_grad_tape(loss <- ag_mse_loss(model$forward(x), matrix(0, 1, 10)))
    optimizer$step(backward(loss))
  }
  expect_true(all(is.finite(as.matrix(norm$running_var))))
  copy <- unserialize(serialize(norm, NULL))
  near(copy$running_mean, norm$running_mean)
  checks(function(x, g, b) tenon_batch_norm(x, g, b)$y * M0, ag_param(M(4, 3)), ag_param(M(4, 1)),
         ag_param(M(4, 1)))
  expect_lte(kernels_of(function(x) tenon_batch_norm(x)$y, x), 2L)
  image <- array(rnorm(3 * 2 * 5), c(3, 2, 5))
  near(tenon_batch_norm(image)$y, aperm(array(apply(image, 2, normalized), c(3, 5, 2)), c(1, 3, 2)))
  f <- jit(function(x, m, v) tenon_batch_norm(x, mean = m, var = v, training = TRUE))
  s <- f(x, numeric(4), rep(1, 4))
  near(s$mean, 0.1 * rowMeans(x))
  expect_error(jit(function(x) norm$forward(x))(x), "ag_eval", class = "tenon_error_argument")
  ag_eval(norm)
  near(jit(function(x) norm$forward(x))(x), norm$forward(x))
  expect_error(norm$forward(M(3, 2)), "expected 4 features \\(rows\\), got \\[3,2\\]", class = "tenon_error_shape")
  expect_error(tenon_batch_norm(x, training = FALSE), "mean and var", class = "tenon_error_argument")
  expect_error(tenon_batch_norm(x, mean = 1:4), "or neither", class = "tenon_error_argument")
  expect_error(tenon_batch_norm(x, mean = 1:3, var = 1:4), "expected 4 values, got \\[3\\]", class = "tenon_error_shape")
  expect_error(tenon_batch_norm(matrix(0, 3, 0)), "expected elements", class = "tenon_error_shape")
  expect_error(ag_batch_norm(4, momentum = 2), class = "tenon_error_argument")
})

test_that("the rms norm layer", {
  x <- M(5, 3)
  norm <- ag_rms_norm(5)
  near(norm$forward(x), apply(x, 2, function(v) v / sqrt(mean(v^2) + 1e-5)))
  expect_identical(names(norm$parameters()), "gamma")
  expect_error(norm$forward(M(4, 3)), "expected 5 features \\(rows\\), got \\[4,3\\]", class = "tenon_error_shape")
})

# By loops, from ggml's definition: pairs, their positions and angles.
rope_by_loops <- function(x, pos, n, mode, base = 10000, freq_scale = 1, ff = NULL, sections = NULL) {
  y <- x
  d <- dim(x)
  vision <- mode == "vision"
  tokens <- d[3]
  ends <- cumsum(sections)
  for (t in seq_len(tokens)) for (p in seq_len(if (vision) n else n / 2)) {
    kind <- 1
    step <- p - 1
    if (!is.null(sections)) {
      sector <- (p - 1) %% ends[4]
      kind <- sum(sector >= ends) + 1
      if (vision) step <- sector - c(0, ends)[kind]
    }
    angle <- pos[t + (kind - 1) * tokens] * base^(-2 * step / n) * freq_scale
    if (!is.null(ff)) angle <- angle / ff[p]
    i <- if (mode == "norm") c(2 * p - 1, 2 * p) else c(p, p + if (vision) n else n / 2)
    for (h in seq_len(d[2])) {
      v <- x[i, h, t]
      y[i, h, t] <- c(v[1] * cos(angle) - v[2] * sin(angle), v[1] * sin(angle) + v[2] * cos(angle))
    }
  }
  y
}

test_that("rotary embedding in all modes", {
  x <- array(rnorm(8 * 2 * 5), c(8, 2, 5))
  pos <- c(3, 0, 7, 2, 11)
  for (mode in c("norm", "neox")) for (n in c(8, 4)) {
    near(tenon_rope(x, pos, n, mode), rope_by_loops(x, pos, n, mode))
    near(tenon_rope(x, as.integer(pos), n, mode, base = 500, freq_scale = 0.5, freq_factors = c(1, 2, 1, 4)),
         rope_by_loops(x, pos, n, mode, 500, 0.5, c(1, 2, 1, 4)))
  }
  four <- c(pos, pos + 1, pos * 2, 0 * pos)
  near(tenon_rope(x, four, mode = "mrope", sections = c(2, 1, 1, 0)),
       rope_by_loops(x, four, 8, "mrope", sections = c(2, 1, 1, 0)))
  near(tenon_rope(x, four, mode = "mrope", sections = c(1, 1, 0, 1)),
       rope_by_loops(x, four, 8, "mrope", sections = c(1, 1, 0, 1)))
  near(tenon_rope(x, four, mode = "vision", sections = c(2, 2, 0, 0)),
       rope_by_loops(x, four, 4, "vision", sections = c(2, 2, 0, 0)))
  # Positions in a tensor, batches, and back.
  for (mode in c("norm", "neox"))
    near(tenon_rope(x, tenon_tensor(pos, "i32"), mode = mode), rope_by_loops(x, pos, 8, mode))
  near(tenon_rope(x, tenon_tensor(four, "i32"), mode = "mrope", sections = c(2, 1, 1, 0)),
       rope_by_loops(x, four, 8, "mrope", sections = c(2, 1, 1, 0)))
  two <- array(c(x, -x), c(dim(x), 2))
  near(tenon_rope(two, pos), c(rope_by_loops(x, pos, 8, "norm"), -rope_by_loops(x, pos, 8, "norm")))
  near(tenon_rope(tenon_rope(x, pos, mode = "neox"), pos, mode = "neox", inverse = TRUE), x)
  near(tenon_rope(x, pos, 0), x)
})

test_that("YaRN keeps fast pairs and scales slow ones", {
  x <- array(rep(c(1, 0), 64), c(128, 1, 1))
  angle <- function(...) {
    y <- as.array(tenon_rope(x, 100, base = 10000, ...))
    atan2(y[c(FALSE, TRUE), 1, 1], y[c(TRUE, FALSE), 1, 1])
  }
  turn <- function(a) atan2(sin(a), cos(a))
  own <- 100 * 10000^(-(0:63) / 64)
  low <- floor(128 * log(4096 / (32 * 2 * pi)) / (2 * log(10000)))
  high <- ceiling(128 * log(4096 / (2 * pi)) / (2 * log(10000)))
  keep <- 1 - pmin(1, pmax(0, (0:63 - low) / (high - low)))
  near(angle(freq_scale = 0.25, ext_factor = 1, n_ctx_orig = 4096), turn(own * (0.25 * (1 - keep) + keep)), 1e-8)
  y <- as.array(tenon_rope(x, 0, freq_scale = 0.25, ext_factor = 1, n_ctx_orig = 4096, attn_factor = 2))
  near(y[1, 1, 1], 2 * (1 + 0.1 * log(4)))
  expect_error(tenon_rope(x, 0, ext_factor = 1), "n_ctx_orig", class = "tenon_error_argument")
})

test_that("rope is one kernel, has gradients, and ggml's names", {
  x <- array(rnorm(8 * 2 * 5), c(8, 2, 5))
  for (mode in c("norm", "neox"))
    expect_identical(kernels_of(function(x) tenon_rope(x, 0:4, 4, mode), x), 1L)
  for (mode in c("norm", "neox"))
    checks(function(w) tenon_reshape(tenon_rope(tenon_reshape(w, c(4, 2, 3)), 0:2, 4, mode), c(8, 3)) *
             matrix(1:24, 8), ag_param(M(8, 3)))
  y <- ggml_rope(NULL, x, 0:4, 8L, GGML_ROPE_TYPE_NEOX)
  near(y, rope_by_loops(x, 0:4, 8, "neox"), 1e-5)
  near(ggml_rope_ext_back(NULL, y, 0:4, NULL, 8L, GGML_ROPE_TYPE_NEOX), x, 1e-5)
  near(ggml_rope_multi(NULL, x, rep(0:4, 4), NULL, 4L, c(2L, 2L, 0L, 0L), GGML_ROPE_TYPE_VISION),
       rope_by_loops(x, rep(0:4, 4), 4, "vision", sections = c(2, 2, 0, 0)), 1e-5)
  expect_error(tenon_rope(x, 0:3), "expected 1 x 5, got \\[4\\]", class = "tenon_error_shape")
  expect_error(tenon_rope(x, 0:4, 3), "even number from 0 to 8, got 3", class = "tenon_error_argument")
  expect_error(tenon_rope(x, 0:4, 10), class = "tenon_error_argument")
  expect_error(tenon_rope(x, rep(0:4, 4), mode = "mrope"), "sections", class = "tenon_error_argument")
  expect_error(tenon_rope(x, rep(0:4, 4), 2, mode = "vision", sections = 1:4), "half of 8, got 2",
               class = "tenon_error_argument")
  expect_error(tenon_rope(M(8, 5), 0:4), "\\[8,5\\]", class = "tenon_error_shape")
  expect_error(tenon_rope(x, c(0:3, NA)), "NA", class = "tenon_error_argument")
  expect_error(ggml_rope(NULL, x, 0:4, 8, 1), "0, 2, 8 or 24, got 1", class = "tenon_error_argument")
})

test_that("einsum is the sum that it writes", {
  a <- M(2, 3)
  b <- M(3, 4)
  near(tenon_einsum("ij,jk->ik", a, b), a %*% b)
  near(tenon_einsum("ij,jk", a, b), a %*% b)
  near(tenon_einsum("ij,jk->ki", a, b), t(a %*% b))
  near(tenon_einsum("ij->", a), sum(a))
  near(tenon_einsum("ij->ji", a), t(a))
  near(tenon_einsum("ij,ij->", a, a), sum(a * a))
  near(tenon_einsum("ij,ij->ij", a, a), a * a)
  near(tenon_einsum("ij,kl->ijkl", a, b), outer(a, b))
  near(tenon_einsum("ij,k->ijk", a, 1:2), outer(a, 1:2))
  near(tenon_einsum("ij,k->j", a, 1:2), colSums(a) * 3)
  near(tenon_einsum("ij,->ij", a, 3), a * 3)
  s <- M(3, 3)
  near(tenon_einsum("ii->", s), sum(diag(s)))
  near(tenon_einsum("ii->i", s), diag(s))
  near(tenon_einsum("iij->j", array(1:18, c(3, 3, 2))), c(15, 42))
  near(tenon_einsum("ij,jk,kl->il", a, b, M(4, 2) -> d), a %*% b %*% d)
  q <- array(rnorm(2 * 3 * 2 * 2), c(2, 3, 2, 2))
  k <- array(rnorm(2 * 4 * 2 * 2), c(2, 4, 2, 2))
  y <- as.array(tenon_einsum("dnhb,dmhb->nmhb", q, k))
  for (h in 1:2) for (b in 1:2) near(y[, , h, b], t(q[, , h, b]) %*% k[, , h, b])
  near(tenon_einsum("bi,bij->bj", t(a), array(1:24, c(3, 2, 4))),
       t(vapply(1:3, function(b) c(a[, b] %*% array(1:24, c(3, 2, 4))[b, , ]), numeric(4))))
  checks(function(a, b) tenon_einsum("ij,jk->ki", a, b), ag_param(M(2, 3)), ag_param(M(3, 2)))
  checks(function(a) tenon_einsum("ii->i", a), ag_param(M(3, 3)))
  expect_identical(kernels_of(function(a, b) tenon_einsum("ji,kj->ik", a, b), M(3, 2), M(4, 3)), 1L)
})

test_that("einsum says what is wrong", {
  a <- M(2, 3)
  argument <- function(...) expect_error(tenon_einsum(...), class = "tenon_error_argument")
  argument("ij,jk->ik", a)
  argument("ij->iji", a)
  argument("ij->ik", a)
  argument("i1->i", a)
  argument("...i->i", a)
  argument(3, a)
  expect_error(tenon_einsum("ijk->i", a), 'expected 3 axes for "ijk", got \\[2,3\\]', class = "tenon_error_shape")
  expect_error(tenon_einsum("ij,jk->ik", a, a), '"j" of operand 2: expected 3, got 2', class = "tenon_error_shape")
  expect_error(tenon_einsum("ii->i", a), class = "tenon_error_shape")
  expect_error(tenon_einsum("i->i", "x"), class = "tenon_error_dtype")
})

test_that("cells are what their formulas say", {
  x <- M(3, 5)
  h <- M(4, 5)
  c0 <- M(4, 5)
  W <- M(16, 3)
  U <- M(16, 4)
  b <- rnorm(16)
  z <- W %*% x + U %*% h + b
  g <- function(k) z[(k - 1) * 4 + 1:4, ]
  c1 <- sigmoid(g(2)) * c0 + sigmoid(g(1)) * tanh(g(3))
  s <- tenon_lstm_cell(x, h, c0, W, U, b)
  near(s$c, c1)
  near(s$h, sigmoid(g(4)) * tanh(c1))
  expect_lte(kernels_of(function(x, h, c) tenon_lstm_cell(x, h, c, W, U, b), x, h, c0), 4L)
  W <- M(12, 3)
  U <- M(12, 4)
  b <- rnorm(12)
  u <- rnorm(12)
  p <- W %*% x + b
  q <- U %*% h + u
  at <- function(v, k) v[(k - 1) * 4 + 1:4, ]
  r <- sigmoid(at(p, 1) + at(q, 1))
  z <- sigmoid(at(p, 2) + at(q, 2))
  n <- tanh(at(p, 3) + r * at(q, 3))
  near(tenon_gru_cell(x, h, W, U, b, u), (1 - z) * n + z * h)
})

test_that("cell layers train through time", {
  lstm <- ag_lstm_cell(2, 3)
  gru <- ag_gru_cell(2, 3)
  expect_identical(names(lstm$parameters()), c("W", "U", "b"))
  expect_identical(names(gru$parameters()), c("W", "U", "b", "u"))
  x <- lapply(1:3, function(t) M(2, 2))
  run <- function(W, U, b) {
    s <- NULL
    for (v in x) s <- lstm$forward(v, s)
    ag_sum(s$h * s$h) + ag_sum(s$c)
  }
  expect_true(ag_gradcheck(run, lstm$parameters()))
  run <- function(W, U, b, u) {
    h <- NULL
    for (v in x) h <- gru$forward(v, h)
    ag_sum(h * h)
  }
  expect_true(ag_gradcheck(run, gru$parameters()))
  expect_error(lstm$forward(M(3, 2)), "W: expected \\[12,3\\], got \\[12,2\\]", class = "tenon_error_shape")
  expect_error(lstm$forward(x[[1]], M(3, 2)), "list of h and c", class = "tenon_error_argument")
  expect_error(gru$forward(x[[1]], M(4, 2)), "h: expected \\[3,2\\], got \\[4,2\\]", class = "tenon_error_shape")
  expect_error(ag_gru_cell(0, 2), class = "tenon_error_argument")
})

test_that("bags of embeddings", {
  table <- M(3, 6)
  ids <- matrix(c(1L, 2L, 6L, 6L, 3L, 1L), 2)
  columns <- function(f) vapply(1:3, function(j) apply(table[, ids[, j]], 1, f), numeric(3))
  near(tenon_embedding_bag(table, ids), columns(sum))
  near(tenon_embedding_bag(table, ids, "mean"), columns(mean))
  near(tenon_embedding_bag(table, ids, "max"), columns(max))
  w <- M(2, 3)
  near(tenon_embedding_bag(table, ids, weights = w),
       vapply(1:3, function(j) table[, ids[, j]] %*% w[, j], numeric(3)))
  ragged <- list(c(2, 5, 2), integer(0), 4)
  for (mode in c("sum", "mean", "max")) {
    f <- get(mode)
    near(tenon_embedding_bag(table, ragged, mode),
         cbind(apply(table[, c(2, 5, 2)], 1, f), 0, table[, 4]))
  }
  near(tenon_embedding_bag(table, ragged, weights = list(c(1, 2, 3), numeric(0), -1)),
       cbind(table[, 2] * 4 + table[, 5] * 2, 0, -table[, 4]))
  # What fills up the shorter bags does not count, whatever it is.
  odd <- cbind(c(NaN, Inf, -Inf), table[, -1])
  for (mode in c("sum", "mean", "max"))
    near(tenon_embedding_bag(odd, ragged, mode), tenon_embedding_bag(table, ragged, mode))
  near(tenon_embedding_bag(matrix(0, 2, 0), list(integer(0))), matrix(0, 2, 1))
  expect_error(tenon_embedding_bag(table, list(1:2), weights = list(c("a", "b"))), "got character",
               class = "tenon_error_dtype")
  bag <- ag_embedding_bag(6, 3, "mean")
  bag$weight$data <- table
  near(bag$forward(ids - 1L), columns(mean))
  near(bag$forward(tenon_tensor(ids - 1, "i32")), columns(mean))
  for (mode in c("sum", "mean", "max"))
    checks(function(w) tenon_embedding_bag(w, ragged, mode), ag_param(M(2, 6)))
  expect_identical(kernels_of(function(t) tenon_embedding_bag(t, ids), table), 1L)
  expect_error(bag$forward(ids), "from 0 to 5, got 6", class = "tenon_error_argument")
  expect_error(tenon_embedding_bag(table, 1:3), "a matrix or a list", class = "tenon_error_shape")
  expect_error(tenon_embedding_bag(table, ids, "max", w), class = "tenon_error_argument")
  expect_error(tenon_embedding_bag(table, ids, weights = 1:2), class = "tenon_error_shape")
  expect_error(tenon_embedding_bag(table, ragged, weights = list(1, 2, 3)), class = "tenon_error_shape")
  expect_error(ag_embedding_bag(6, 3, "median"), class = "tenon_error_argument")
})

test_that("cross entropy with smoothed targets and weighted classes", {
  z <- M(4, 6)
  y <- c(1L, 3L, 4L, 4L, 2L, 1L)
  logp <- apply(z, 2, function(v) v - log(sum(exp(v))))
  hot <- diag(4)[, y]
  w <- c(0.5, 2, 1, 3)
  e <- 0.2
  soft <- hot * (1 - e) + e / 4
  near(tenon_cross_entropy(z, y, label_smoothing = e), -mean(colSums(soft * logp)))
  near(tenon_cross_entropy(z, y, class_weights = w), -sum(hot * w * logp) / sum(w[y]))
  near(tenon_cross_entropy(z, y, e, w), -sum(soft * w * logp) / sum(w[y]))
  near(tenon_cross_entropy(z, soft, class_weights = w), -sum(soft * w * logp) / 6)
  near(tenon_cross_entropy(z, tenon_tensor(y, "i32"), e, w), -sum(soft * w * logp) / sum(w[y]))
  near(tenon_cross_entropy(z, y, 0L), tenon_cross_entropy(z, y))
  near(tenon_cross_entropy(z, y, class_weights = rep(1, 4)), tenon_cross_entropy(z, y))
  loss <- ag_softmax_cross_entropy_loss(z, y - 1L, e, w)
  expect_identical(dim(loss), c(1L, 1L))
  near(loss, -sum(soft * w * logp) / sum(w[y]))
  masked <- z
  masked[2, 1] <- -Inf
  expect_true(is.finite(as.numeric(tenon_cross_entropy(masked, y, class_weights = w))))
  expect_true(ag_gradcheck(function(z) ag_softmax_cross_entropy_loss(z, y - 1L, e, w), list(z = ag_param(z))))
  expect_true(ag_gradcheck(function(z) ag_softmax_cross_entropy_loss(z, y - 1L, 0, w), list(z = ag_param(z))))
  expect_lte(kernels_of(function(z) tenon_cross_entropy(z, y, e), z), 2L)
  expect_error(tenon_cross_entropy(z, y, 2), "label_smoothing.*from 0 to 1, got 2", class = "tenon_error_argument")
  expect_error(tenon_cross_entropy(z, y, class_weights = 1:3), "expected 4 values, got \\[3\\]", class = "tenon_error_shape")
  expect_error(tenon_cross_entropy(z, 5:10, 0.1), class = "tenon_error_argument")
  expect_error(tenon_cross_entropy(z, 1:3, 0.1), class = "tenon_error_shape")
})

test_that("a gradient through a reshape is right for the sizes of one program too", {
  for (n in 3:7) {
    x <- rnorm(n)
    w <- rnorm(n)
    by_hand <- sum(x) * w + sum(w * x)
    f <- function(x) {
      y <- tenon_reshape(x, c(n, 1, 1))
      sum(tenon_reshape(y * tenon_sum(y, 1, TRUE), c(n, 1)) * w)
    }
    near(grad(f)(x), by_hand)
  }
})
