#' Gated units
#'
#' `tenon_glu()` gives `activation(a) * b`. With one argument `a` and `b` are the halves of
#' `x` along `axis`, `a` the first one, or the second with `swapped`. The activations:
#' `"sigmoid"` (GLU), `"relu"` (ReGLU), `"gelu"` (GEGLU, the tanh form), `"gelu_erf"`,
#' `"gelu_quick"` (`a * sigmoid(1.702 * a)`), `"silu"` (SwiGLU) and `"silu_oai"`
#' (`min(a, limit) * sigmoid(alpha * min(a, limit)) * (clamp(b, -limit, limit) + 1)`).
#'
#' The `ggml_` functions are the same in ggml's conventions, along the first axis and in
#' f32: `ggml_glu(ctx, a, op)` with `op` one of the constants, and one of each kind.
#'
#' @param x,a A tensor or R array; without `gate` with an even extent along the axis.
#' @param gate,b `NULL`, or what the activated `x` is multiplied by, of its shape.
#' @param activation Name of the activation, see above.
#' @param axis The axis that is halved.
#' @param swapped `TRUE` activates the second half.
#' @param alpha,limit Constants of `"silu_oai"`.
#' @param ctx Not used; may be `NULL`.
#' @param op One of the `GGML_GLU_OP_` constants.
#' @return A lazy tensor with half the extent along the axis, or of the shape of `gate`.
#'   The `ggml_` functions give an R array if they are given R arrays alone.
#' @section Errors: `tenon_error_shape` for an odd extent or a `gate` of another shape,
#'   `tenon_error_argument` for an activation that does not exist.
#' @references Shazeer (2020), GLU variants improve Transformer,
#'   \url{https://arxiv.org/abs/2002.05202}.
#' @examples
#' x <- matrix(c(1, -1, 2, 3), 4, 2)
#' as.matrix(tenon_glu(x, activation = "relu"))
#' as.matrix(tenon_glu(x[1:2, ], x[3:4, ], "silu"))
#' ggml_swiglu(NULL, x)
#' identical(ggml_glu(NULL, x, GGML_GLU_OP_REGLU), ggml_reglu(NULL, x))
#' lapply(list(ggml_geglu(NULL, x), ggml_geglu_quick(NULL, x)), dim)
#' ggml_glu_split(NULL, x[1:2, ], x[3:4, ], GGML_GLU_OP_GEGLU_ERF)
#' dim(ggml_reglu_split(NULL, x, x) + ggml_geglu_split(NULL, x, x) + ggml_swiglu_split(NULL, x, x))
#' @name gated
NULL

gates <- c(relu = 0L, gelu = 1L, silu = 2L, silu_oai = 3L, gelu_erf = 4L, gelu_quick = 5L,
           sigmoid = NA)

#' @rdname gated
#' @export
GGML_GLU_OP_REGLU <- 0L
#' @rdname gated
#' @export
GGML_GLU_OP_GEGLU <- 1L
#' @rdname gated
#' @export
GGML_GLU_OP_SWIGLU <- 2L
#' @rdname gated
#' @export
GGML_GLU_OP_SWIGLU_OAI <- 3L
#' @rdname gated
#' @export
GGML_GLU_OP_GEGLU_ERF <- 4L
#' @rdname gated
#' @export
GGML_GLU_OP_GEGLU_QUICK <- 5L

# The part of `x` from `offset` (0 the first) along an axis.
slice_axis <- function(x, axis, offset, size) {
  d <- extents_of(x)
  from <- numeric(length(d))
  from[axis] <- offset
  d[axis] <- size
  .Call(C_slice, x, from, d, rep(1, length(d)))
}

#' @rdname gated
#' @export
tenon_glu <- function(x, gate = NULL, activation = "sigmoid", axis = 1, swapped = FALSE,
                      alpha = 1.702, limit = 7) {
  need_choice(activation, names(gates), "activation")
  d <- extents_of(x)
  if (is.null(gate)) {
    axis <- need_axis(axis, length(d))
    if (d[axis] %% 2 != 0)
      tenon_stop("shape", "glu: expected an even extent on axis ", axis, ", got ", shape_text(d))
    half <- d[axis] / 2
    gate <- slice_axis(x, axis, if (need_flag(swapped, "swapped")) 0 else half, half)
    x <- slice_axis(x, axis, if (swapped) half else 0, half)
  } else if (!identical(as.integer(d), as.integer(extents_of(gate)))) {
    tenon_stop("shape", "glu: gate: expected ", shape_text(d), ", got ", shape_text(extents_of(gate)))
  }
  if (activation == "silu_oai") {
    x <- tenon_clamp(x, -Inf, need_number(limit, "limit", 0))
    return(.Call(C_mul, .Call(C_mul, x, tenon_sigmoid(.Call(C_mul, x, need_number(alpha, "alpha")))),
                 .Call(C_add, tenon_clamp(gate, -limit, limit), 1)))
  }
  y <- switch(activation, relu = tenon_relu(x), gelu = tenon_gelu(x, TRUE), silu = tenon_silu(x),
              gelu_erf = tenon_gelu(x), sigmoid = tenon_sigmoid(x),
              gelu_quick = .Call(C_mul, x, tenon_sigmoid(.Call(C_mul, x, 1.702))))
  .Call(C_mul, y, gate)
}

need_choice <- function(x, choices, what) {
  if (!is.character(x) || length(x) != 1L || !x %in% choices)
    tenon_stop("argument", what, ": expected one of ", paste0('"', choices, '"', collapse = ", "),
               ", got ", paste(deparse(x, 60L)[1L], collapse = ""))
  x
}

as_f32 <- function(x, what) {
  if (!inherits(x, "ag_tensor") && !is.numeric(x))
    tenon_stop("dtype", what, ": expected an array or a tensor, got ", if (is.null(x)) "NULL" else class(x)[1])
  .Call(C_cast, x, "f32")
}

glu_kind <- function(op) {
  at <- match(need_number(op, "op"), gates)
  if (is.na(at)) tenon_stop("argument", "op: expected 0 to 5, got ", op)
  names(gates)[at]
}

ggml_gated <- function(a, b, kind, swapped = FALSE) {
  x <- tenon_glu(as_f32(a, "a"), if (!is.null(b)) as_f32(b, "b"), kind, 1, swapped)
  like_input(x, a, b)
}

#' @rdname gated
#' @export
ggml_glu <- function(ctx, a, op, swapped = FALSE) ggml_gated(a, NULL, glu_kind(op), swapped)
#' @rdname gated
#' @export
ggml_glu_split <- function(ctx, a, b, op) ggml_gated(a, b, glu_kind(op))
#' @rdname gated
#' @export
ggml_reglu <- function(ctx, a) ggml_gated(a, NULL, "relu")
#' @rdname gated
#' @export
ggml_geglu <- function(ctx, a) ggml_gated(a, NULL, "gelu")
#' @rdname gated
#' @export
ggml_geglu_quick <- function(ctx, a) ggml_gated(a, NULL, "gelu_quick")
#' @rdname gated
#' @export
ggml_swiglu <- function(ctx, a) ggml_gated(a, NULL, "silu")
#' @rdname gated
#' @export
ggml_reglu_split <- function(ctx, a, b) ggml_gated(a, b, "relu")
#' @rdname gated
#' @export
ggml_geglu_split <- function(ctx, a, b) ggml_gated(a, b, "gelu")
#' @rdname gated
#' @export
ggml_swiglu_split <- function(ctx, a, b) ggml_gated(a, b, "silu")
