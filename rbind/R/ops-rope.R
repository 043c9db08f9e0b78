#' Rotary position embedding
#'
#' Turns pairs of elements of each head by angles that grow with the token's position:
#' pair i of `n_dims / 2` by `position * freq_scale * base^(-2 i / n_dims) / freq_factors[i]`.
#' `"norm"` pairs neighbours (1, 2), (3, 4) ...; `"neox"` pairs i with `i + n_dims / 2`;
#' `"mrope"` is `"neox"` with four positions for each token (time, height, width, extra),
#' of which pair i takes the one whose section it is in; `"vision"` pairs i with `i +
#' n_dims`, where `n_dims` is half the head, and counts i from the start of each section.
#' Elements beyond are left as they are. The gradient turns back.
#'
#' With `ext_factor` the angles are mixed as YaRN does: pairs that turn more than
#' `beta_fast` times in `n_ctx_orig` tokens keep their frequency, those below `beta_slow`
#' times are scaled by `freq_scale`, and the result is multiplied by `attn_factor * (1 + 0.1
#' log(1 / freq_scale))`. The `ggml_` functions are the same in ggml's conventions, in f32.
#'
#' @param x,a `[head_dim, heads, tokens, batch]`; trailing axes may be left out.
#' @param positions,b Positions from 0, one for each token; for `"mrope"` and `"vision"`
#'   four times as many: those of time for all tokens, then of height, width and extra. A
#'   tensor, or numbers.
#' @param n_dims How many elements are turned, an even number; for `"vision"` half the head.
#' @param mode A name as above. For `ggml_rope*()`: 0, or a `GGML_ROPE_TYPE_` constant.
#' @param base,freq_base Base of the frequencies.
#' @param freq_scale Multiplies positions.
#' @param freq_factors,c `NULL`, or divisors of the angles, one for each pair.
#' @param sections Pairs in each of the four sections, which repeat.
#' @param n_ctx_orig,ext_factor,attn_factor,beta_fast,beta_slow Constants of YaRN.
#' @param inverse `TRUE` turns back.
#' @param ctx Not used; may be `NULL`.
#' @return A lazy tensor of the shape of `x`; the `ggml_` functions give an R array if they
#'   are given R arrays alone.
#' @section Errors: `tenon_error_shape` and `tenon_error_argument` with what was expected and
#'   what came.
#' @references Su et al. (2021), \url{https://arxiv.org/abs/2104.09864}; Peng et al. (2023),
#'   \url{https://arxiv.org/abs/2309.00071}.
#' @examples
#' x <- array(rnorm(8 * 2 * 5), c(8, 2, 5))
#' y <- tenon_rope(x, 0:4)
#' all.equal(as.array(tenon_rope(y, 0:4, inverse = TRUE)), x)
#' dim(tenon_rope(x, rep(0:4, 4), mode = "mrope", sections = c(2, 1, 1, 0)))
#' all.equal(ggml_rope(NULL, x, 0:4, 8, GGML_ROPE_TYPE_NEOX),
#'           as.array(tenon_rope(x, 0:4, mode = "neox")), tolerance = 1e-6)
#' dim(ggml_rope_ext(NULL, x, 0:4, NULL, 8, freq_scale = 0.5, ext_factor = 1, n_ctx_orig = 64))
#' dim(ggml_rope_ext_back(NULL, x, 0:4, NULL, 8))
#' dim(ggml_rope_multi(NULL, x, rep(0:4, 4), NULL, 4, c(2, 2, 0, 0), GGML_ROPE_TYPE_VISION))
#' @name rope
NULL

#' @rdname rope
#' @export
GGML_ROPE_TYPE_NORM <- 0L
#' @rdname rope
#' @export
GGML_ROPE_TYPE_NEOX <- 2L
#' @rdname rope
#' @export
GGML_ROPE_TYPE_MROPE <- 8L
#' @rdname rope
#' @export
GGML_ROPE_TYPE_VISION <- 24L

rope_modes <- c(norm = 0L, neox = 2L, mrope = 8L, vision = 24L)

#' @rdname rope
#' @export
tenon_rope <- function(x, positions, n_dims = NULL, mode = "norm", base = 10000, freq_scale = 1,
                       freq_factors = NULL, sections = NULL, n_ctx_orig = 0, ext_factor = 0,
                       attn_factor = 1, beta_fast = 32, beta_slow = 1, inverse = FALSE) {
  need_choice(mode, names(rope_modes), "mode")
  d <- extents_of(x)
  if (length(d) < 3L || length(d) > 4L)
    tenon_stop("shape", "rope: expected [head_dim, heads, tokens, batch], got ", shape_text(d))
  vision <- mode == "vision"
  multi <- vision || mode == "mrope"
  n_dims <- need_count(if (is.null(n_dims)) d[1L] / (1 + vision) else n_dims, "n_dims", 0)
  turned <- if (vision) 2L * n_dims else n_dims
  if (turned %% 2 != 0 || turned > d[1L] || vision && turned != d[1L])
    tenon_stop("argument", "n_dims: expected ",
               if (vision) paste("half of", d[1L]) else paste("an even number from 0 to", d[1L]),
               ", got ", n_dims)
  if (turned == 0L || prod(d) == 0) return(.Call(C_reshape, x, d))
  for (name in c("freq_scale", "ext_factor", "attn_factor", "beta_fast", "beta_slow", "n_ctx_orig"))
    need_number(get(name), name)
  need_number(base, "base", .Machine$double.xmin)
  pairs <- turned / 2
  from <- if (multi) rope_sections(sections, pairs, vision)
          else list(part = rep(1, pairs), step = seq_len(pairs) - 1)
  factors <- if (is.null(freq_factors)) rep(1, pairs) else as.vector(freq_factors)
  if (!is.numeric(factors) || length(factors) < pairs)
    tenon_stop("argument", "freq_factors: expected ", pairs, " numbers, got ", length(factors))
  turns <- base^(-2 * from$step / n_dims) / factors[seq_len(pairs)]
  scale <- attn_factor
  mix <- 0
  if (ext_factor != 0) {
    mix <- rope_ramp(n_dims, n_ctx_orig, base, beta_fast, beta_slow, pairs) * ext_factor
    scale <- scale * (1 + 0.1 * log(1 / freq_scale))
  }
  turns <- turns * (freq_scale * (1 - mix) + mix)
  angles <- rope_angles(positions, turns, from$part, d[3L], if (multi) 4 else 1)
  rotate_pairs(x, d, turned, mode == "norm", angles, scale, need_flag(inverse, "inverse"))
}

# The section of each pair and the power of its frequency.
rope_sections <- function(sections, pairs, restarts) {
  if (!is.numeric(sections) || length(sections) != 4L || anyNA(sections) || any(sections < 0) ||
      any(sections != floor(sections)) || sum(sections) < 1)
    tenon_stop("argument", "sections: expected four whole numbers of at least 0, not all 0, got ",
               deparse(sections, 60L)[1L])
  places <- (seq_len(pairs) - 1) %% sum(sections)
  part <- rep(1:4, sections)[places + 1]
  start <- c(0, cumsum(sections))[part]
  list(part = part, step = if (restarts) places - start else seq_len(pairs) - 1)
}

# 1 where a pair keeps its frequency, 0 where it is scaled.
rope_ramp <- function(n_dims, n_ctx_orig, base, beta_fast, beta_slow, pairs) {
  if (n_ctx_orig <= 0)
    tenon_stop("argument", "n_ctx_orig: expected more than 0 with ext_factor, got ", n_ctx_orig)
  pair_of <- function(rotations) n_dims * log(n_ctx_orig / (rotations * 2 * pi)) / (2 * log(base))
  low <- max(0, floor(pair_of(beta_fast)))
  high <- min(n_dims - 1, ceiling(pair_of(beta_slow)))
  1 - pmin(1, pmax(0, (seq_len(pairs) - 1 - low) / max(0.001, high - low)))
}

# Angles [pairs, 1, tokens]: numbers where the positions are.
rope_angles <- function(positions, turns, part, tokens, kinds) {
  if (prod(extents_of(positions)) != tokens * kinds)
    tenon_stop("shape", "rope: positions: expected ", kinds, " x ", tokens, ", got ",
               shape_text(extents_of(positions)))
  if (!inherits(positions, "ag_tensor")) {
    if (!is.numeric(positions) || anyNA(positions))
      tenon_stop("argument", "rope: positions: expected numbers, got ",
                 if (anyNA(positions)) "NA" else class(positions)[1L])
    p <- matrix(as.numeric(positions), tokens)
    return(array(turns * t(p[, part, drop = FALSE]), c(length(turns), 1, tokens)))
  }
  # f16 has no room for positions.
  dtype <- if (.Call(C_dtype, positions) == "f64") "f64" else if (ag_default_dtype() == "f64") "f64" else "f32"
  p <- .Call(C_reshape, .Call(C_cast, positions, dtype), c(tokens, kinds))
  if (kinds == 1) {
    p <- .Call(C_reshape, p, c(1, 1, tokens))
  } else {
    runs <- rle(part)
    p <- lapply(seq_along(runs$lengths), function(i)
      tenon_broadcast(.Call(C_reshape, slice_axis(p, 2, runs$values[i] - 1, 1), c(1, 1, tokens)),
                      c(runs$lengths[i], 1, tokens)))
    p <- if (length(p) == 1L) p[[1L]] else .Call(C_concat, p, 1)
  }
  .Call(C_mul, p, array(turns, c(length(turns), 1, 1)))
}

rotate_pairs <- function(x, d, turned, neighbours, angles, scale, inverse) {
  pairs <- turned / 2
  rest <- d[-1L]
  whole <- x
  if (turned < d[1L]) x <- slice_axis(x, 1, 0, turned)
  dtype <- if (inherits(x, "ag_tensor")) .Call(C_dtype, x) else ag_default_dtype()
  like <- function(v) if (inherits(v, "ag_tensor")) .Call(C_cast, v, dtype) else tenon_tensor(v, dtype)
  c <- like(cos(angles) * scale)
  s <- like(sin(angles) * if (inverse) -scale else scale)
  # Each element times the cosine, plus its partner times the sine with the partner's sign.
  axis <- if (neighbours) 1 else 2
  parts <- .Call(C_reshape, x, if (neighbours) c(2, pairs, rest) else c(pairs, 2, rest))
  first <- slice_axis(parts, axis, 0, 1)
  second <- slice_axis(parts, axis, 1, 1)
  wide <- if (neighbours) c(1, pairs, 1, rest[2L]) else c(pairs, 1, 1, rest[2L])
  c <- .Call(C_reshape, c, wide)
  s <- .Call(C_reshape, s, wide)
  y <- .Call(C_concat, list(.Call(C_sub, .Call(C_mul, first, c), .Call(C_mul, second, s)),
                            .Call(C_add, .Call(C_mul, first, s), .Call(C_mul, second, c))), axis)
  y <- .Call(C_reshape, y, c(turned, rest))
  if (turned < d[1L])
    y <- .Call(C_concat, list(y, slice_axis(whole, 1, turned, d[1L] - turned)), 1)
  y
}

rope_mode <- function(mode) {
  at <- match(need_number(mode, "mode"), rope_modes)
  if (is.na(at)) tenon_stop("argument", "mode: expected 0, 2, 8 or 24, got ", mode)
  names(rope_modes)[at]
}

#' @rdname rope
#' @export
ggml_rope <- function(ctx, a, b, n_dims, mode = 0L) ggml_rope_ext(ctx, a, b, NULL, n_dims, mode)

#' @rdname rope
#' @export
ggml_rope_ext <- function(ctx, a, b, c = NULL, n_dims, mode = 0L, n_ctx_orig = 0L,
                          freq_base = 10000, freq_scale = 1, ext_factor = 0, attn_factor = 1,
                          beta_fast = 32, beta_slow = 1)
  like_input(tenon_rope(as_f32(a, "a"), b, n_dims, rope_mode(mode), freq_base, freq_scale, c, NULL,
                        n_ctx_orig, ext_factor, attn_factor, beta_fast, beta_slow), a, b)

#' @rdname rope
#' @export
ggml_rope_ext_back <- function(ctx, a, b, c = NULL, n_dims, mode = 0L, n_ctx_orig = 0L,
                               freq_base = 10000, freq_scale = 1, ext_factor = 0, attn_factor = 1,
                               beta_fast = 32, beta_slow = 1)
  like_input(tenon_rope(as_f32(a, "a"), b, n_dims, rope_mode(mode), freq_base, freq_scale, c, NULL,
                        n_ctx_orig, ext_factor, attn_factor, beta_fast, beta_slow, TRUE), a, b)

#' @rdname rope
#' @export
ggml_rope_multi <- function(ctx, a, b, c = NULL, n_dims, sections = c(0L, 0L, 0L, 0L), mode = 0L,
                            n_ctx_orig = 0L, freq_base = 10000, freq_scale = 1, ext_factor = 0,
                            attn_factor = 1, beta_fast = 32, beta_slow = 1)
  like_input(tenon_rope(as_f32(a, "a"), b, n_dims, rope_mode(mode), freq_base, freq_scale, c,
                        sections, n_ctx_orig, ext_factor, attn_factor, beta_fast, beta_slow), a, b)
