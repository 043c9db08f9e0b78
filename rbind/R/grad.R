#' Tape and gradients
#'
#' `with_grad_tape()` evaluates `expr` in the caller's frame and records what
#' depends on a parameter; a new tape ends the one before. `backward()` records the
#' gradients of a 1x1 loss; nothing runs before a gradient is read or an optimizer
#' steps.
#'
#' @param expr Code to record.
#' @param loss A 1x1 tensor recorded on the current tape.
#' @param x A parameter.
#' @return `with_grad_tape()`: the value of `expr`. `backward()`: invisibly an
#'   environment with the gradients of this call as (lazy) matrices, named by
#'   `as.character(param$id)`; each is also added to the parameter's `$grad`.
#'   `ag_grad()`: the accumulated gradient as a matrix, or `NULL`.
#' @section Errors: `tenon_error_argument` when the loss is not on the tape,
#'   `tenon_error_shape` when it is not 1x1.
#' @examples
#' w <- ag_param(matrix(c(1, 2), 1))
#' with_grad_tape(loss <- ag_sum(ag_mul(w, w)))
#' grads <- backward(loss)
#' grads[[as.character(w$id)]]
#' ag_grad(w)
#' @name tape
NULL

#' @rdname tape
#' @export
with_grad_tape <- function(expr) {
  .Call(C_tape, TRUE)
  on.exit(.Call(C_tape, FALSE))
  expr
}

#' @rdname tape
#' @export
backward <- function(loss) invisible(.Call(C_backward, loss))

#' @rdname tape
#' @export
ag_grad <- function(x) .Call(C_field, x, "grad")

#' Compare gradients with central differences
#'
#' @param fn A function of the inputs, given as they stand in `inputs` (by name
#'   where named), that returns a 1x1 tensor.
#' @param inputs A list of [ag_param()].
#' @param eps Step of the differences.
#' @param atol Largest error that passes.
#' @param verbose Print the largest error of each input.
#' @param quiet Print nothing.
#' @return Invisibly `TRUE` or `FALSE`.
#' @section Errors: those of `fn`.
#' @examples
#' w <- ag_param(matrix(c(0.3, -0.2), 1))
#' print(ag_gradcheck(function(w) ag_sum(ag_tanh(w)), list(w = w)))
#' @export
ag_gradcheck <- function(fn, inputs, eps = 1e-5, atol = 1e-4, verbose = FALSE, quiet = FALSE) {
  fn <- need_function(fn, "fn")
  need_number(eps, "eps", .Machine$double.eps)
  need_number(atol, "atol", 0)
  need_flag(verbose, "verbose")
  need_flag(quiet, "quiet")
  inputs <- as.list(inputs)
  value <- function() as.numeric(as.matrix(do.call(fn, inputs)))
  with_grad_tape(loss <- do.call(fn, inputs))
  grads <- backward(loss)
  passed <- TRUE
  params <- which(vapply(inputs, function(p) inherits(p, "ag_tensor") && p$requires_grad, NA))
  starts <- lapply(inputs[params], function(p) p$data + 0)
  gradients <- Map(function(p, start) {
    g <- grads[[as.character(p$id)]]
    if (is.null(g)) start * 0 else g + 0
  }, inputs[params], starts)
  with_grad_tape(NULL) # or all that follows would be kept for another backward()
  on.exit(for (k in seq_along(params)) inputs[[params[k]]]$data <- starts[[k]])
  for (k in params) {
    p <- inputs[[k]]
    start <- starts[[match(k, params)]]
    g <- gradients[[match(k, params)]]
    worst <- 0
    for (i in seq_along(start)) {
      difference <- 0
      for (side in c(1, -1)) {
        moved <- start
        moved[i] <- start[i] + side * eps
        p$data <- moved
        difference <- difference + side * value()
      }
      worst <- max(worst, abs(difference / (2 * eps) - g[i]))
    }
    p$data <- start
    ok <- is.finite(worst) && worst <= atol
    passed <- passed && ok
    name <- if (is.null(names(inputs)) || !nzchar(names(inputs)[k])) k else names(inputs)[k]
    if (!quiet && (verbose || !ok))
      cat("gradient of ", name, ": largest error ", format(worst), if (ok) "" else " (too large)",
          "\n", sep = "")
  }
  invisible(passed)
}

#' Gradients of functions
#'
#' Functions of numbers, arrays, tensors and nested lists of them. The gradient has
#' the structure of the argument, `NULL` where an element is no float. May be
#' nested, and used inside [jit()], where forward and backward become one program.
#'
#' @param f A function that returns a tensor of one element.
#' @param wrt Which argument to differentiate by: a position or a name.
#' @param has_aux `TRUE`: `f` returns `list(loss, aux)`; the value is then that list.
#' @return `grad()`: a function that returns the gradient. `value_and_grad()`: one
#'   that returns `list(value, grad)`.
#' @section Errors: `tenon_error_shape` when the function returns more than one
#'   element, `tenon_error_argument` when the argument holds no float, when it uses the argument also from outside, or with
#'   `has_aux` returns no list of two.
#' @examples
#' loss <- function(w, x) sum((w %*% x)^2)
#' as.matrix(grad(loss)(matrix(1, 1, 2), matrix(1:2, 2)))
#' r <- value_and_grad(loss)(matrix(1, 1, 2), matrix(1:2, 2))
#' as.numeric(r$value)
#' @export
grad <- function(f, wrt = 1L) {
  both <- value_and_grad(f, wrt)
  function(...) both(...)$grad
}

#' @rdname grad
#' @export
value_and_grad <- function(f, wrt = 1L, has_aux = FALSE) {
  f <- need_function(f, "f")
  if (length(wrt) != 1L) tenon_stop("argument", "wrt: expected one argument, got ", length(wrt))
  if (!is.character(wrt)) wrt <- need_count(wrt, "wrt")
  need_flag(has_aux, "has_aux")
  function(...) {
    args <- list(...)
    if (is.character(wrt) && !wrt %in% names(args) || is.numeric(wrt) && wrt > length(args))
      tenon_stop("argument", "grad: argument ", wrt, " was not given")
    tape <- .Call(C_grad_begin)
    on.exit(.Call(C_grad_end, tape))
    leaves <- sources <- list()
    wrap <- function(x) {
      if (is.list(x)) {
        x[] <- lapply(x, wrap)
        return(x)
      }
      leaf <- .Call(C_grad_leaf, x)
      if (is.null(leaf)) return(x)
      at <- length(leaves) + 1L
      if (is.list(leaf)) {
        sources[at] <<- leaf[2L]
        leaf <- leaf[[1L]]
      } else {
        sources[at] <<- list(NULL)
      }
      leaves[[at]] <<- leaf
      leaf
    }
    target <- args[[wrt]]
    args[[wrt]] <- wrap(target)
    if (!length(leaves))
      tenon_stop("argument", "grad: argument ", wrt, ": expected floats to differentiate by, got ",
                 if (is.list(target)) "a list without any" else class(target)[1L],
                 if (is.integer(target)) " (as.numeric() makes floats)")
    value <- do.call(f, args, quote = TRUE)
    if (has_aux && !(is.list(value) && length(value) == 2L))
      tenon_stop("argument", "grad: has_aux: expected the function to return list(loss, aux), got ",
                 if (is.list(value)) paste("a list of", length(value)) else class(value)[1L])
    grads <- .Call(C_grad_finish, if (has_aux) value[[1L]] else value, leaves, sources)
    used <- 0L
    unwrap <- function(x) {
      if (is.list(x)) {
        for (i in seq_along(x)) x[i] <- list(unwrap(x[[i]]))
        return(x)
      }
      if (!inherits(x, "ag_tensor")) return(NULL)
      if (used < length(leaves) && identical(x, leaves[[used + 1L]])) {
        used <<- used + 1L
        grads[[used]]
      }
    }
    list(value = value, grad = unwrap(args[[wrt]]))
  }
}
