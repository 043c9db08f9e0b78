#' Operators and mathematical functions on tensors
#'
#' R's own operators and group generics. Two operands need extents that are equal
#' or 1, from the first axis on: a vector of `d` numbers goes down the columns of a
#' `[d, n]` matrix, a `[1, n]` matrix along its rows. Numbers adapt to the dtype
#' of the tensor; of two tensors the wider float type wins. Comparisons give
#' dtype i1. `^` is C's `pow()`, which has a value where R says `NaN` for a negative
#' base with an infinity: `(-2)^Inf` is `Inf`.
#'
#' @section What R does not let a tensor take part in:
#' Some functions of R see no tensor. Write instead of `ifelse()` [tenon_where()], of
#' `pmax()` and `pmin()` [tenon_maximum()] and [tenon_minimum()], of `rowSums(x)`
#' `tenon_sum(x, axes = 2)` and of `colMeans(x)` `tenon_mean(x, axes = 1)`, of
#' `crossprod(x, y)` `t(x) %*% y`, of `round(x, 2)` `round(x * 100) / 100`, of `c(x, y)`, which
#' makes a list, [tenon_concat()]. `if` needs `as.logical(x)`, `apply()` and `lm()` want
#' `as.matrix(x)`: they read the value.
#'
#' @param e1,e2,x Tensors or R numbers.
#' @param ... For `Summary` functions further tensors; for `log()` the base.
#' @param na.rm Not supported: must be `FALSE`.
#' @return A lazy tensor. `sum()`, `max()`, `min()`, `prod()`, `mean()` reduce all
#'   axes to a tensor without axes; `range()` gives two numbers, `any()` and
#'   `all()` dtype i1.
#' @section Errors: `tenon_error_shape` says both shapes when they do not
#'   broadcast; `tenon_error_argument` names a function of a group that has no
#'   tensor form.
#' @examples
#' x <- tenon_tensor(matrix(c(-1, 2, 3, 4), 2))
#' as.matrix(2 * x + c(10, 20))
#' as.matrix(x > 2)
#' as.matrix(x %*% t(x))
#' as.numeric(sum(exp(x)))
#' @name operators
NULL

#' @rdname operators
#' @export
`+.ag_tensor` <- function(e1, e2) if (missing(e2)) e1 else .Call(C_add, e1, e2)

#' @rdname operators
#' @export
`-.ag_tensor` <- function(e1, e2) if (missing(e2)) .Call(C_neg, e1) else .Call(C_sub, e1, e2)

#' @rdname operators
#' @export
`*.ag_tensor` <- function(e1, e2) .Call(C_mul, e1, e2)

#' @rdname operators
#' @export
`/.ag_tensor` <- function(e1, e2) .Call(C_div, e1, e2)

#' @rdname operators
#' @export
`^.ag_tensor` <- function(e1, e2) .Call(C_pow, e1, e2)

#' @rdname operators
#' @export
`%%.ag_tensor` <- function(e1, e2) .Call(C_mod, e1, e2)

#' @rdname operators
#' @export
`%/%.ag_tensor` <- function(e1, e2) .Call(C_floor_div, e1, e2)

#' @rdname operators
#' @export
`==.ag_tensor` <- function(e1, e2) .Call(C_eq, e1, e2)

#' @rdname operators
#' @export
`!=.ag_tensor` <- function(e1, e2) .Call(C_ne, e1, e2)

#' @rdname operators
#' @export
`<.ag_tensor` <- function(e1, e2) .Call(C_lt, e1, e2)

#' @rdname operators
#' @export
`<=.ag_tensor` <- function(e1, e2) .Call(C_le, e1, e2)

#' @rdname operators
#' @export
`>.ag_tensor` <- function(e1, e2) .Call(C_gt, e1, e2)

#' @rdname operators
#' @export
`>=.ag_tensor` <- function(e1, e2) .Call(C_ge, e1, e2)

#' @rdname operators
#' @export
`&.ag_tensor` <- function(e1, e2) .Call(C_and, e1, e2)

#' @rdname operators
#' @export
`|.ag_tensor` <- function(e1, e2) .Call(C_or, e1, e2)

#' @rdname operators
#' @export
`!.ag_tensor` <- function(x) .Call(C_not, x)

#' @rdname operators
#' @export
Math.ag_tensor <- function(x, ...) switch(.Generic,
  exp = .Call(C_exp, x),
  log = if (...length()) .Call(C_div, .Call(C_log, x), log(...elt(1))) else .Call(C_log, x),
  tanh = .Call(C_tanh, x),
  sqrt = .Call(C_sqrt, x),
  abs = .Call(C_abs, x),
  sign = .Call(C_sign, x),
  floor = .Call(C_floor, x),
  ceiling = .Call(C_ceil, x),
  round = if (...length() && need_number(...elt(1), "digits") != 0)
    tenon_stop("argument", "round: only to whole numbers on a tensor") else .Call(C_round, x),
  trunc = .Call(C_mul, .Call(C_sign, x), .Call(C_floor, .Call(C_abs, x))),
  expm1 = .Call(C_expm1, x),
  log1p = .Call(C_log1p, x),
  log2 = .Call(C_div, .Call(C_log, x), log(2)),
  log10 = .Call(C_div, .Call(C_log, x), log(10)),
  sin = .Call(C_sin, x),
  cos = .Call(C_cos, x),
  tan = .Call(C_div, .Call(C_sin, x), .Call(C_cos, x)),
  sinh = sinh_of(x),
  cosh = {
    up <- exp(x * 0.5) # its square may be too large where half of it is not
    down <- exp(x * -0.5)
    up * (up * 0.5) + down * (down * 0.5)
  },
  cumsum = cumsum_of_all(x),
  tenon_stop("argument", .Generic, "() has no tensor form; use as.array() first"))

# The difference of exponentials cancels near 0, and each is too large before sinh is.
sinh_of <- function(x) {
  e <- expm1(tenon_clamp(x, -1, 1))
  up <- exp(x * 0.5)
  down <- exp(x * -0.5)
  tenon_where(abs(x) < 1, (e + e / (e + 1)) * 0.5, (up - down) * 0.5 * (up + down))
}

#' @rdname operators
#' @export
Summary.ag_tensor <- function(..., na.rm = FALSE) {
  if (!identical(na.rm, FALSE)) tenon_stop("argument", .Generic, ": na.rm is not supported on tensors")
  all_of <- function(x, kind) .Call(C_reduce, x, kind, NULL, FALSE)
  join <- function(kind, combine)
    Reduce(function(a, b) .Call(combine, a, b), lapply(list(...), all_of, kind))
  switch(.Generic,
    sum = join("sum", C_add),
    prod = join("prod", C_mul),
    max = join("max", C_max),
    min = join("min", C_min),
    range = tenon_concat(list(.Call(C_reshape, join("min", C_min), 1L),
                              .Call(C_reshape, join("max", C_max), 1L))),
    any = .Call(C_ne, join("max", C_max), 0L),
    all = .Call(C_ne, join("min", C_min), 0L))
}

#' @rdname operators
#' @export
mean.ag_tensor <- function(x, ...) .Call(C_reduce, x, "mean", NULL, FALSE)

#' Elementwise functions on tensors
#'
#' `tenon_gelu()` is x times the normal distribution function, with `approximate`
#' its tanh form; `tenon_silu()` is x times sigmoid(x); `tenon_where()` takes from
#' `a` where `condition` holds, else from `b`; `tenon_cast()` converts to another
#' dtype; `tenon_stop_gradient()` is `x`, and no gradient flows through.
#'
#' @param x,a,b,condition Tensors or R numbers; `a`, `b` and `condition` broadcast.
#' @param lo,hi Bounds.
#' @param approximate `TRUE` for the tanh form.
#' @param dtype A dtype as for [tenon_tensor()].
#' @return A lazy tensor.
#' @section Errors: `tenon_error_shape`, `tenon_error_dtype` as they are.
#' @examples
#' as.array(tenon_gelu(c(-1, 0, 1)))
#' as.array(tenon_where(c(TRUE, FALSE), c(1, 2), 0))
#' x <- tenon_tensor(c(0.5, 1, 2))
#' lapply(list(tenon_relu(x), tenon_silu(x), tenon_sigmoid(x), tenon_softplus(x)), as.array)
#' lapply(list(tenon_erf(x), tenon_rsqrt(x), tenon_clamp(x, 0, 1)), as.array)
#' lapply(list(tenon_maximum(x, 1), tenon_minimum(x, 1)), as.array)
#' tenon_cast(x, "f32")$dtype
#' as.array(grad(function(x) sum(x * tenon_stop_gradient(x)))(x))
#' @name elementwise
NULL

#' @rdname elementwise
#' @export
tenon_relu <- function(x) .Call(C_relu, x)
#' @rdname elementwise
#' @export
tenon_gelu <- function(x, approximate = FALSE) .Call(C_gelu, x, approximate)
#' @rdname elementwise
#' @export
tenon_silu <- function(x) .Call(C_silu, x)
#' @rdname elementwise
#' @export
tenon_sigmoid <- function(x) .Call(C_sigmoid, x)
#' @rdname elementwise
#' @export
tenon_softplus <- function(x) .Call(C_softplus, x)
#' @rdname elementwise
#' @export
tenon_erf <- function(x) .Call(C_erf, x)
#' @rdname elementwise
#' @export
tenon_rsqrt <- function(x) .Call(C_rsqrt, x)
#' @rdname elementwise
#' @export
tenon_clamp <- function(x, lo = -Inf, hi = Inf) .Call(C_clamp, x, lo, hi)
#' @rdname elementwise
#' @export
tenon_maximum <- function(a, b) .Call(C_max, a, b)
#' @rdname elementwise
#' @export
tenon_minimum <- function(a, b) .Call(C_min, a, b)
#' @rdname elementwise
#' @export
tenon_where <- function(condition, a, b) .Call(C_where, condition, a, b)
#' @rdname elementwise
#' @export
tenon_cast <- function(x, dtype) .Call(C_cast, x, dtype)
#' @rdname elementwise
#' @export
tenon_stop_gradient <- function(x) .Call(C_stop_gradient, x)
