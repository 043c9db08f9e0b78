#' tenon: a tensor compiler
#'
#' Operations on tensors are recorded, not run: reading a value, or an
#' optimizer's `$step()`, compiles everything pending into one native program,
#' with its gradient where one is asked for, and runs it. Programs are cached, so
#' that a training loop compiles once.
#'
#' There are two styles over one engine. The `ag_` functions work on matrices
#' `[features, samples]` with a tape, layers and optimizers. The functional style
#' works on arrays of any rank: [jit()], [grad()], [value_and_grad()],
#' [compile_loop()], R's own operators and the `tenon_` functions.
#'
#' Numbers are doubles (f64) unless [ag_dtype()] says otherwise. `NA` in data
#' counts as `NaN`. Errors are conditions of class `tenon_error` with one of the subclasses
#' `tenon_error_shape`, `_dtype`, `_argument`, `_device`, `_memory`, `_io`,
#' `_compile`; they leave the session and all tensors usable. Ctrl-C
#' and a time limit raise an interrupt of class `tenon_cancelled`.
#' @keywords internal
#' @useDynLib tenon, .registration = TRUE
#' @importFrom stats runif
#' @importFrom utils head packageVersion
"_PACKAGE"
