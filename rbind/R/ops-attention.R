#' Fused attention on matrices
#'
#' Scaled dot-product attention of all heads as one operation, forward and
#' backward: head `h` is the rows `(h - 1) * d_head + 1` to `h * d_head` of `q`, `k`
#' and `v`, with `d_head = d_model / n_heads`, and gives
#' `v_h %*% t(softmax_rows(scale * t(q_h) %*% k_h + t(mask)))`. Memory grows with the
#' number of tokens, not with its square. A query that may attend to nothing gives 0.
#'
#' @param q Queries `[d_model, seq_q]`.
#' @param k,v Keys and values `[d_model, seq_kv]`.
#' @param n_heads Number of heads; divides `d_model`.
#' @param scale Multiplies the scores; default `1 / sqrt(d_head)`.
#' @param mask `[seq_kv, seq_q]`: keys index rows, queries index columns (a square
#'   mask the other way round cannot be noticed). Logical: `TRUE` = may attend.
#'   Numeric: added to the scores, not rounded; `-Inf` forbids. An [ag_param()] gets
#'   a gradient.
#' @param causal `TRUE`: query j sees keys 1 to `min(j, seq_kv)`. Not with `mask`.
#' @return A lazy `ag_tensor` `[d_model, seq_q]`, heads one below the other, in the
#'   dtype of the tensors among `q`, `k` and `v`, else that of [ag_dtype()].
#' @section Errors: `tenon_error_shape` and `tenon_error_argument`: `n_heads` must
#'   divide d_model; q, k and v share d_model; k and v have the same sequence length;
#'   the mask is a matrix `[seq_kv, seq_q]`; either `mask` or `causal`.
#' @examples
#' set.seed(1)
#' q <- ag_param(matrix(rnorm(16 * 8), 16))
#' k <- ag_param(matrix(rnorm(16 * 8), 16))
#' v <- ag_param(matrix(rnorm(16 * 8), 16))
#' with_grad_tape({
#'   out <- ag_flash_attention(q, k, v, n_heads = 4)
#'   loss <- ag_mse_loss(out, matrix(0, 16, 8))
#' })
#' backward(loss)
#' dim(q$grad)
#' @export
ag_flash_attention <- function(q, k, v, n_heads, scale = NULL, mask = NULL, causal = FALSE)
  .Call(C_flash_attention, q, k, v, n_heads, scale, mask, causal)

#' Fused attention on arrays
#'
#' `softmax_keys(scale * q'k + mask)` times `v` for each head and batch element, as
#' one operation forward and backward. Query head `i` of `h` uses key head
#' `ceiling(i * g / h)` of `g`.
#'
#' @param q `[d, n, h, batch]`; trailing axes may be left out.
#' @param k,v `[d, m, g, batch]` and `[e, m, g, batch]`; `h` is a multiple of `g`.
#' @param mask `NULL`, or `[m, n, h or 1, batch or 1]`: logical (`TRUE` = may
#'   attend) or numeric (added).
#' @param causal `TRUE`: query j sees keys 1 to j.
#' @param scale Multiplies the scores; default `1 / sqrt(d)`.
#' @return A lazy tensor `[e, n, h, batch]` with the axes of `q`.
#' @section Errors: `tenon_error_shape` says the three shapes.
#' @examples
#' q <- array(rnorm(8 * 5 * 2), c(8, 5, 2))
#' dim(tenon_attention(q, q, q, causal = TRUE))
#' @export
tenon_attention <- function(q, k, v, mask = NULL, causal = FALSE, scale = NULL)
  .Call(C_attention, q, k, v, mask, scale, causal)

#' Flash attention in ggml's conventions
#'
#' On plain R arrays or tensors, computed in f32. `ggml_flash_attn_ext()` gives
#' `softmax(scale * q'k + mask)` times `v`; heads and tokens of the result are
#' swapped, so that `[D_v * H, N]` is the layout of concatenated heads.
#' `ggml_flash_attn_back()` gives the gradients of q, k and v for the gradient `d` of
#' that result, packed into one vector: each in its source's order, each beginning
#' at a multiple of four numbers, padding 0. It has two forms:
#' `(ctx, q, k, v, mask, d, scale)` and the older `(ctx, q, k, v, d, masked)`, which
#' scales by `1 / sqrt(D_k)` and is causal when `masked` is `TRUE`; the older one is
#' meant when `masked` is named, or the sixth argument is a logical or missing.
#'
#' @param ctx Not used; may be `NULL`.
#' @param q `[D_k, N, H, B]`; trailing axes of extent 1 may be left out.
#' @param k,v `[D_k, M, H_kv, B]` and `[D_v, M, H_kv, B]`; H is a multiple of H_kv.
#' @param mask `NULL` or `[M, N, H_m, B_m]`, added to the scores (logical: `TRUE` =
#'   may attend); H_m divides H, B_m divides B, reused in turn.
#' @param d Gradient of the result, `[D_v, H, N, B]`.
#' @param scale Multiplies the scores.
#' @param max_bias,logit_softcap Only 0.
#' @param masked Older form: `TRUE`, which is also what its absence means, for causal
#'   attention.
#' @return `ggml_flash_attn_ext()`: `[D_v, H, N, B]`. `ggml_flash_attn_back()`: one
#'   axis. A tensor when one of q, k, v is one, else an R array.
#' @section Errors: `tenon_error_shape` and `tenon_error_argument`.
#' @examples
#' q <- array(rnorm(4 * 3 * 2), c(4, 3, 2, 1))
#' o <- ggml_flash_attn_ext(NULL, q, q, q, scale = 0.5)
#' dim(o)
#' g <- ggml_flash_attn_back(NULL, q, q, q, NULL, array(1, dim(o)), 0.5)
#' length(g)
#' @name ggml_flash_attn
NULL

four_axes <- function(x, what) {
  if (!inherits(x, "ag_tensor") && !is.numeric(x))
    tenon_stop("dtype", "flash attention: ", what, ": expected an array or a tensor, got ",
               if (is.null(x)) "NULL" else class(x)[1])
  d <- dim(x)
  if (is.null(d)) d <- length(x)
  if (length(d) > 4L)
    tenon_stop("shape", "flash attention: ", what, ": expected at most 4 axes, got ", length(d))
  .Call(C_reshape, .Call(C_cast, x, "f32"), c(d, rep(1L, 4L - length(d))))
}

# A mask of H_m heads and B_m batches, repeated in turn to H and B or 1.
repeat_mask <- function(mask, heads, batches) {
  if (is.null(mask)) return(NULL)
  if (is.logical(mask)) {
    if (anyNA(mask)) tenon_stop("argument", "flash attention: mask: expected TRUE or FALSE, got NA")
    mask <- ifelse(mask, 0, -Inf)
  }
  mask <- four_axes(mask, "mask")
  for (axis in 3:4) {
    want <- if (axis == 3L) heads else batches
    have <- dim(mask)[axis]
    if (have == 1L || have == want) next
    if (have == 0L || want %% have)
      tenon_stop("shape", "flash attention: mask: expected an extent that divides ", want,
                 " on axis ", axis, ", got ", have)
    mask <- .Call(C_concat, rep(list(mask), want %/% have), axis)
  }
  mask
}

flash_output <- function(q, k, v, mask, scale, causal)
  .Call(C_aperm, .Call(C_attention, q, k, v, mask, scale, causal), c(1L, 3L, 2L, 4L))

like_input <- function(x, ...)
  if (any(vapply(list(...), inherits, NA, "ag_tensor"))) x else .Call(C_array, x)

#' @rdname ggml_flash_attn
#' @export
ggml_flash_attn_ext <- function(ctx, q, k, v, mask = NULL, scale, max_bias = 0, logit_softcap = 0) {
  if (missing(scale)) tenon_stop("argument", "flash attention: scale: expected a number, got nothing")
  if (need_number(max_bias, "max_bias") != 0 || need_number(logit_softcap, "logit_softcap") != 0)
    tenon_stop("argument", "flash attention: max_bias and logit_softcap are not supported: expected 0")
  x <- four_axes(q, "q")
  mask <- repeat_mask(mask, dim(x)[3L], dim(x)[4L])
  like_input(flash_output(x, four_axes(k, "k"), four_axes(v, "v"), mask, need_number(scale, "scale"),
                          FALSE), q, k, v)
}

#' @rdname ggml_flash_attn
#' @export
ggml_flash_attn_back <- function(ctx, q, k, v, mask = NULL, d, scale, masked) {
  flag <- !missing(d) && is.logical(d) && length(d) == 1L
  older <- !missing(masked) || missing(d) || flag
  x <- lapply(list(q = q, k = k, v = v), identity)
  x <- Map(four_axes, x, names(x))
  causal <- FALSE
  if (older) {
    if (missing(masked)) masked <- if (flag) d else TRUE
    d <- if (missing(d) || flag) mask else d
    mask <- NULL
    causal <- need_flag(masked, "masked")
    scale <- 1 / sqrt(dim(x$q)[1L])
  } else if (missing(scale)) {
    tenon_stop("argument", "flash attention: scale: expected a number, got nothing")
  }
  need_number(scale, "scale")
  mask <- repeat_mask(mask, dim(x$q)[3L], dim(x$q)[4L])
  d <- four_axes(d, "d")
  want <- c(dim(x$v)[1L], dim(x$q)[3L], dim(x$q)[2L], dim(x$q)[4L])
  if (!identical(as.integer(dim(d)), as.integer(want)))
    tenon_stop("shape", "flash attention: d: expected [D_v, H, N, B] = ", shape_text(want), ", got ",
               shape_text(dim(d)))
  grads <- grad(function(x) sum(flash_output(x$q, x$k, x$v, mask, scale, causal) * d))(x)
  flat <- lapply(grads, function(g) {
    n <- length(g)
    .Call(C_pad, .Call(C_reshape, g, n), 0L, as.integer(-n %% 4L), 0)
  })
  out <- .Call(C_concat, unname(flat), 1)
  if (any(vapply(list(q, k, v), inherits, NA, "ag_tensor"))) out else as.numeric(.Call(C_array, out))
}
