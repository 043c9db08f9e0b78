#' Shaders of your own
#'
#' `tenon_custom_op()` makes an op of a GLSL compute shader: a function of tensors that runs the
#' shader on a GPU (`ag_device("vulkan")`, `jit(f, device = "vulkan")`, `tenon_compile(target = "vulkan")`).
#' `body` is an R function that computes the same with tensors: it tells the shapes of the results,
#' runs where there is no GPU, and is differentiated unless `backward` is given. Compare the two
#' with each other before you rely on the shader.
#'
#' The shader binds the arguments in their order, then the results: storage buffers with
#' bindings 0, 1, ... of set 0, each a block with one array without a length, `readonly` for arguments.
#' f32 is `float`, f64 `double`, f16 `float16_t`, bf16 its bits as `uint16_t`, i32 `int`, i64 `int64_t`,
#' i8 `int8_t`, i1 `uint8_t`. Elements are in R's order. `tenon_size(binding)` in it is the number of
#' elements of a tensor, `tenon_extent(binding, axis)` an extent: axis 0 is the *last* of `dim()`.
#' An index outside of a tensor is not caught: it may write into another one.
#'
#' `groups` is a formula that says how many workgroups run, one number or `c()` of up to three along x, y
#' and z, from `d1`, `d2`, ... (the `dim()` of the first result), `size` (their product), whole numbers, `+`, `-`,
#' `*`, `%/%`, `%%` and `ceiling(a / b)`. Without it each element of the first result gets an invocation along x.
#'
#' `backward`, a second shader, gives the gradient. Its bindings are the arguments, the results, the gradients of
#' the results, and then the gradients of the arguments of float dtypes, which it writes. `backward_groups` goes
#' by the first of those.
#'
#' @param glsl,backward The source of a compute shader, or its lines.
#' @param body A function of tensors that gives a tensor or a list of at most four.
#' @param groups,backward_groups Formulas.
#' @return A function of tensors and numbers, which are taken by their position; it gives what `body` does.
#' @section Errors: `tenon_error_argument`, when the op is called, for a shader that does not compile, with the line,
#'   or binds other types or numbers of buffers than there are arguments and results; for groups that are no such
#'   formula; for a body that gives no tensors.
#' @section On the CPU: the body runs. That is said once in a session, in a message of class `tenon_fallback`.
#' @examples
#' square <- tenon_custom_op("
#'   layout(local_size_x = 64) in;
#'   layout(binding = 0) readonly buffer X { float x[]; };
#'   layout(binding = 1) writeonly buffer Y { float y[]; };
#'   void main() {
#'     uint i = gl_GlobalInvocationID.x;
#'     if (i < tenon_size(1)) y[i] = x[i] * x[i];
#'   }", function(x) x * x)
#' x <- tenon_tensor(c(1, 2, 3), "f32")
#' as.array(square(x))
#' as.array(grad(function(x) sum(square(x)))(x))
#' if (ggml_vulkan_available()) as.array(jit(square, device = "vulkan")(x))
#' @export
tenon_custom_op <- function(glsl, body, groups = NULL, backward = NULL, backward_groups = NULL) {
  glsl <- shader_source(glsl, "glsl")
  body <- need_function(body, "body")
  if (!is.null(backward)) backward <- shader_source(backward, "backward")
  group_counts(groups, 0L, "groups")
  group_counts(backward_groups, 0L, "backward_groups")
  function(...) {
    tell_body()
    inputs <- lapply(unname(list(...)), as_input)
    out <- do.call(body, inputs, quote = TRUE)
    results <- if (is.list(out)) out else list(out)
    if (!length(results) || length(results) > 4L || !all(vapply(results, inherits, NA, "ag_tensor")))
      tenon_stop("argument", "body: expected a tensor or a list of one to four, got ",
                 if (is.list(out)) "another list" else class(out)[1L])
    floats <- Filter(function(x) x$dtype %in% c("f64", "f32", "f16", "bf16"), inputs)
    if (!is.null(backward) && !length(floats))
      tenon_stop("argument", "backward: expected an argument of a float dtype")
    computed <- .Call(C_custom, inputs, unname(results), glsl,
                      group_counts(groups, length(dim(results[[1L]])), "groups"), backward,
                      if (!is.null(backward))
                        group_counts(backward_groups, length(dim(floats[[1L]])), "backward_groups"))
    if (!is.list(out)) return(computed[[1L]])
    out[] <- computed
    out
  }
}

as_input <- function(x) {
  tensor <- .Call(C_custom_input, x)
  if (!is.null(tensor)) return(tensor)
  tenon_tensor(x, if (is.integer(x)) "i32" else if (is.logical(x)) "i1" else ag_default_dtype())
}

shader_source <- function(x, what) {
  if (!is.character(x) || !length(x) || anyNA(x))
    tenon_stop("argument", what, ": expected the source of a shader")
  enc2utf8(paste(x, collapse = "\n"))
}

# Says once that shaders do not run, where they do not.
custom_state <- new.env()
tell_body <- function() {
  device <- ag_default_device()
  if (device == "vulkan" || isTRUE(custom_state$gpu) || isTRUE(custom_state$told)) return(invisible())
  custom_state$told <- TRUE
  tell_fallback(paste0("the body of tenon_custom_op() runs, as the device is \"", device,
                       "\"; shaders run on \"vulkan\""))
}

# A formula as the affine map that the compiler takes: its symbols are extents from the last of dim().
# Rank 0 stands for one that is not known yet.
group_counts <- function(groups, rank, what) {
  if (is.null(groups)) return(NULL)
  wrong <- function(got)
    tenon_stop("argument", what, ": expected a formula of d1, d2, ..., size, whole numbers, +, -, *, %/%, %% and ",
               "ceiling(a / b), as ~ ceiling(size / 64), got ", deparse(got, nlines = 1L))
  if (!inherits(groups, "formula") || length(groups) != 2L) wrong(groups)
  extents <- paste0("d", seq_len(rank))
  affine <- function(e) {
    if (is.numeric(e) && isTRUE(e == floor(e))) return(format(e, scientific = FALSE))
    if (is.name(e)) {
      name <- as.character(e)
      if (name == "size") return(if (rank) paste0("(", paste(extents, collapse = " * "), ")") else "1")
      if (grepl("^d[1-8]$", name) && (rank == 0L || name %in% extents)) return(name)
      wrong(e)
    }
    if (!is.call(e) || !is.name(e[[1L]])) wrong(e)
    f <- as.character(e[[1L]])
    sides <- function(x, operator) paste0("(", affine(x[[2L]]), " ", operator, " ", affine(x[[3L]]), ")")
    quotient <- if (f == "ceiling" && length(e) == 2L) e[[2L]]
    if (is.call(quotient) && identical(quotient[[1L]], as.name("/"))) return(sides(quotient, "ceildiv"))
    if (f == "(" || (f == "ceiling" && length(e) == 2L)) return(affine(e[[2L]]))
    operator <- c("+" = "+", "-" = "-", "*" = "*", "%/%" = "floordiv", "%%" = "mod")[f]
    if (is.na(operator) || length(e) != 3L) wrong(e)
    sides(e, operator)
  }
  formula <- groups[[2L]]
  axes <- if (is.call(formula) && identical(formula[[1L]], as.name("c"))) as.list(formula)[-1L] else list(formula)
  if (!length(axes) || length(axes) > 3L) wrong(formula)
  paste0("()[", paste(rev(extents), collapse = ", "), "] -> (",
         paste(vapply(axes, affine, ""), collapse = ", "), ")")
}
