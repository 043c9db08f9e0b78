flash_check <- function(d, h, n, m = n, ..., tolerance = 1e-8) {
  q <- ag_param(M(d, n))
  k <- ag_param(M(d, m))
  v <- ag_param(M(d, m))
  target <- M(d, n)
  expect_true(ag_gradcheck(function(q, k, v) ag_mse_loss(ag_flash_attention(q, k, v, h, ...), target),
                           list(q = q, k = k, v = v), atol = 1e-6, quiet = TRUE))
}

test_that("the forward pass agrees with R", {
  set.seed(11)
  for (h in c(1, 2, 4)) {
    q <- M(8, 5)
    k <- M(8, 7)
    v <- M(8, 7)
    near(ag_flash_attention(q, k, v, h), heads_of(q, k, v, h))
    near(ag_flash_attention(q, k, v, h, scale = 0.3), heads_of(q, k, v, h, scale = 0.3))
    near(ag_flash_attention(q, k, v, h, causal = TRUE), heads_of(q, k, v, h, mask = causal_mask(7, 5)))
    bias <- M(7, 5)
    near(ag_flash_attention(q, k, v, h, mask = bias), heads_of(q, k, v, h, mask = bias))
    see <- matrix(runif(35) > 0.4, 7, 5)
    see[1, ] <- TRUE
    near(ag_flash_attention(q, k, v, h, mask = see), heads_of(q, k, v, h, mask = ifelse(see, 0, -Inf)))
  }
})

test_that("a fully masked query gives zeros and finite gradients", {
  q <- ag_param(M(4, 3))
  k <- ag_param(M(4, 3))
  v <- ag_param(M(4, 3))
  see <- matrix(TRUE, 3, 3)
  see[, 2] <- FALSE
  with_grad_tape(out <- ag_flash_attention(q, k, v, 2, mask = see))
  near(as.matrix(out)[, 2], rep(0, 4))
  flash_check(4, 2, 3, mask = see)
})

test_that("gradients of q, k and v agree with differences", {
  set.seed(12)
  flash_check(8, 4, 6)
  flash_check(8, 2, 5, causal = TRUE)
  flash_check(6, 2, 4, 6)
  flash_check(6, 2, 6, 4, causal = TRUE)
  flash_check(6, 2, 4, 6, causal = TRUE)
  flash_check(4, 1, 3, scale = 0.7)
  flash_check(4, 2, 3, 5, mask = M(5, 3))
})

test_that("odd sizes agree with R", {
  set.seed(13)
  for (width in c(1, 7, 33, 66, 100)) for (n in c(1, 3, 17, 65, 129)) {
    q <- M(2 * width, n)
    k <- M(2 * width, n)
    near(ag_flash_attention(q, k, q, 2, causal = TRUE),
         heads_of(q, k, q, 2, mask = causal_mask(n, n)), 1e-9)
  }
  flash_check(7, 1, 3)
  flash_check(2, 2, 17)
})

test_that("a bias that is a parameter gets a gradient", {
  q <- M(4, 3)
  k <- M(4, 5)
  bias <- ag_param(M(5, 3))
  expect_true(ag_gradcheck(function(b) ag_sum(ag_tanh(ag_flash_attention(q, k, k, 2, mask = b))),
                           list(bias), quiet = TRUE))
})

test_that("masks are not rounded and f32 follows ag_dtype", {
  q <- M(4, 3)
  bias <- matrix(1 + 1e-9 * seq_len(9), 3)
  near(ag_flash_attention(q, q, q, 1, mask = bias), attention_of(q, q, q, mask = bias), 1e-12)
  with_dtype("f32", {
    out <- ag_flash_attention(q, q, q, 1)
    expect_identical(out$dtype, "f32")
    near(out, attention_of(q, q, q), 1e-5)
  })
})

test_that("its errors say what was expected", {
  q <- M(6, 4)
  expect_error(ag_flash_attention(q, q, q, 4), "divide d_model", class = "tenon_error_argument")
  expect_error(ag_flash_attention(q, M(5, 4), q, 2), "share d_model", class = "tenon_error_shape")
  expect_error(ag_flash_attention(q, M(6, 3), q, 2), "sequence length", class = "tenon_error_shape")
  expect_error(ag_flash_attention(q, q, q, 2, mask = 1:4), "needs `mask` to be a matrix", class = "tenon_error")
  expect_error(ag_flash_attention(q, M(6, 3), M(6, 3), 2, mask = M(4, 3)), "seq_kv, seq_q",
               class = "tenon_error_shape")
  expect_error(ag_flash_attention(q, q, q, 2, mask = M(4, 4), causal = TRUE), "either `mask` or `causal`",
               class = "tenon_error_argument")
  expect_error(ag_flash_attention(q, q, q, NA), class = "tenon_error_argument")
  expect_error(ag_flash_attention(NULL, q, q, 2), class = "tenon_error_dtype")
  expect_error(ag_flash_attention(q, q, q, 2, mask = matrix(NA, 4, 4)), class = "tenon_error_argument")
})

test_that("a mask has four axes at most, as the operands have", {
  q <- array(rnorm(12), c(2, 3, 2))
  for (axes in list(c(4, 3, 2), c(3, 3, 3), c(3, 3, 2, 2), c(3, 3, 2, 1, 2), rep(1, 8)))
    expect_error(tenon_attention(q, q, q, mask = array(0, axes)), "expected a mask",
                 class = "tenon_error_shape")
  expect_error(tenon_attention(array(q, c(dim(q), 1, 1)), q, q), "expected q of",
               class = "tenon_error_shape")
})

test_that("tenon_attention works on batches and grouped heads", {
  set.seed(14)
  q <- array(rnorm(3 * 4 * 4 * 2), c(3, 4, 4, 2))
  k <- array(rnorm(3 * 5 * 2 * 2), c(3, 5, 2, 2))
  v <- array(rnorm(2 * 5 * 2 * 2), c(2, 5, 2, 2))
  o <- as.array(tenon_attention(q, k, v))
  expect_identical(dim(o), c(2L, 4L, 4L, 2L))
  for (h in 1:4) for (b in 1:2) {
    g <- ceiling(h / 2)
    near(o[, , h, b], attention_of(q[, , h, b], k[, , g, b], v[, , g, b]))
  }
  near(tenon_attention(q[, , 1, 1], k[, , 1, 1], v[, , 1, 1]), o[, , 1, 1])
  expect_error(tenon_attention(q, k[, , , 1, drop = FALSE], v), class = "tenon_error_shape")
})

test_that("ggml_flash_attn_ext swaps heads and tokens", {
  q <- array(rnorm(4 * 3 * 4 * 2), c(4, 3, 4, 2))
  k <- array(rnorm(4 * 5 * 2 * 2), c(4, 5, 2, 2))
  v <- array(rnorm(3 * 5 * 2 * 2), c(3, 5, 2, 2))
  mask <- array(rnorm(5 * 3 * 2), c(5, 3, 2))
  o <- ggml_flash_attn_ext(NULL, q, k, v, mask, scale = 0.4)
  expect_identical(dim(o), c(3L, 4L, 3L, 2L))
  for (h in 1:4)
    near(o[, h, , 2], attention_of(q[, , h, 2], k[, , ceiling(h / 2), 2], v[, , ceiling(h / 2), 2], 0.4,
                                   mask[, , (h - 1) %% 2 + 1]), 1e-5)
  expect_error(ggml_flash_attn_ext(NULL, q, k, v), "scale", class = "tenon_error_argument")
  expect_error(ggml_flash_attn_ext(NULL, q, k, v, scale = 1, max_bias = 8), class = "tenon_error_argument")
})

back_by_differences <- function(q, k, v, d, scale, mask = 0, eps = 1e-5) {
  value <- function(x) {
    o <- 0
    groups <- dim(x$q)[3] / dim(x$k)[3]
    for (h in seq_len(dim(x$q)[3])) {
      g <- ceiling(h / groups)
      o <- o + sum(attention_of(matrix(x$q[, , h], nrow(x$q)), matrix(x$k[, , g], nrow(x$k)),
                                matrix(x$v[, , g], nrow(x$v)), scale, mask) * d[, h, ])
    }
    o
  }
  x <- list(q = q, k = k, v = v)
  lapply(c(q = "q", k = "k", v = "v"), function(name) {
    g <- x[[name]]
    for (i in seq_along(g)) {
      up <- down <- x
      up[[name]][i] <- up[[name]][i] + eps
      down[[name]][i] <- down[[name]][i] - eps
      g[i] <- (value(up) - value(down)) / (2 * eps)
    }
    g
  })
}

test_that("ggml_flash_attn_back packs the gradients, in both forms", {
  set.seed(15)
  q <- array(rnorm(3 * 3 * 4), c(3, 3, 4))
  k <- array(rnorm(3 * 5 * 2), c(3, 5, 2))
  v <- array(rnorm(5 * 5 * 2), c(5, 5, 2))
  d <- array(rnorm(5 * 4 * 3), c(5, 4, 3))
  pad <- function(n) ceiling(4 * n / 16) * 4
  unpack <- function(x) {
    at <- c(0, pad(36), pad(36) + pad(30))
    expect_gte(length(x), at[3] + 50)
    if (pad(30) > 30) expect_identical(x[at[2] + 31:pad(30)], rep(0, pad(30) - 30))
    list(q = x[1:36], k = x[at[2] + 1:30], v = x[at[3] + 1:50])
  }
  bias <- M(5, 3)
  same <- function(x, y) for (name in names(y)) near(unpack(x)[[name]], y[[name]], 2e-3)
  same(ggml_flash_attn_back(NULL, q, k, v, NULL, d, 0.5), back_by_differences(q, k, v, d, 0.5))
  same(ggml_flash_attn_back(NULL, q, k, v, bias, d, 0.5), back_by_differences(q, k, v, d, 0.5, bias))
  causal <- back_by_differences(q, k, v, d, 1 / sqrt(3), causal_mask(5, 3))
  same(ggml_flash_attn_back(NULL, q, k, v, d, TRUE), causal)
  same(ggml_flash_attn_back(NULL, q, k, v, d), causal)
  same(ggml_flash_attn_back(NULL, q, k, v, d, masked = FALSE), back_by_differences(q, k, v, d, 1 / sqrt(3)))
  expect_s3_class(ggml_flash_attn_back(NULL, tenon_tensor(q), k, v, NULL, d, 0.5), "ag_tensor")
  expect_error(ggml_flash_attn_back(NULL, q, k, v, NULL, v, 0.5), "D_v, H, N, B", class = "tenon_error_shape")
})

test_that("memory of attention grows with the number of tokens, not with its square", {
  skip_if(ag_default_device() == "reference", "the interpreter keeps all scores")
  skip_if_not(file.access("/proc/self/clear_refs", 2) == 0, "no peak size to reset here")
  megabytes <- function(field)
    as.numeric(gsub("[^0-9]", "", grep(field, readLines("/proc/self/status"), value = TRUE))) / 1024
  n <- 16384
  with_dtype("f32", {
    qkv <- lapply(1:3, function(i) tenon_tensor(M(64, n)))
    step <- jit(function(p) value_and_grad(function(p)
      sum(tenon_attention(p[[1]], p[[2]], p[[3]], causal = TRUE)))(p))
    gc()
    cat("5", file = "/proc/self/clear_refs")
    before <- megabytes("VmRSS")
    r <- step(qkv)
    peak <- megabytes("VmHWM")
  })
  expect_identical(dim(r$grad[[1]]), c(64L, 16384L))
  expect_lt(peak - before, 200) # its scores would be 1024 MB
})
