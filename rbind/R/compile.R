#' Compiled functions
#'
#' `jit(f)` runs `f` once for each new combination of argument shapes and dtypes,
#' records what it does and compiles that into one program; later calls only run
#' the program. Arguments are arrays, tensors and numbers, and nested lists of
#' them; strings, functions, single logicals, `NULL` and the arguments named by
#' `static` are part of the program (a new value traces again). Tensors and arrays
#' that `f` takes from elsewhere are read at every call, but no new ones are looked
#' for. Inside `f` tensors have no values that R could look at: `if (x > 0)` is R's error
#' "argument is not interpretable as logical"; write [tenon_where()]
#' or [tenon_if()].
#'
#' The results are tensors in the structure that `f` returned, computed when the
#' call returns. f32 state stays f32 storage between calls and is not converted.
#' With `donate`, tensors of those arguments are given up: results of their type
#' take over their storage in place, and the old tensor can no longer be read.
#'
#' Where gradients are recorded (inside [grad()] and [with_grad_tape()]) and inside
#' another traced function, a jitted function is simply called, so that gradients flow
#' through it.
#'
#' `compile_loop(step, n)` compiles `n` steps into one program, so that R is out of
#' the loop. `step(state, batch, i)` returns `list(state, out)`; the new state has the
#' structure, names (in any order) and types of the old one; `batch` is a
#' slice of `data` along its last axis, whose extent is `n` (of each array in it, where
#' `data` is a nested list; `NULL` where `data` is left out); `i` counts from 1 (a tensor of
#' dtype i64). `loop(state, data)` returns `list(state = , out = )`, with `out` stacked
#' along a new last axis. Gradients do not flow
#' through a loop: take them inside its step.
#'
#' Ctrl-C ends a loop after a whole step, with a condition of classes `tenon_cancelled`
#' and `interrupt` that says the number of steps done; as R's own interrupts,
#' `tryCatch(error = )` does not catch it. With `donate = TRUE`, tensors that were given
#' as the state then hold that of the last whole step (where nothing else, such as an R
#' matrix, shares their storage); else they are as they were.
#'
#' @param f,step Functions.
#' @param donate `jit()`: positions of arguments whose storage the results may
#'   take; `compile_loop()`: `TRUE` to take that of the state.
#' @param static Positions of arguments that are part of the program.
#' @param n Number of steps.
#' @param device `NULL`: the session's, see [ag_device()]. Or one of its values, for this function.
#' @return A function.
#' @section Errors: `tenon_error_argument` for reading a value while traced, and for a
#'   loop that a gradient would have to flow through;
#'   `tenon_error_shape` when data or a loop's state do not fit; all errors of the
#'   ops in `f`, at the first call; `tenon_error_device` for a device that is not there.
#' @examples
#' f <- jit(function(w, x) tanh(w %*% x))
#' as.matrix(f(matrix(0.1, 2, 3), matrix(1, 3, 1)))
#' loop <- compile_loop(function(state, batch, i) {
#'   state <- state + sum(batch)
#'   list(state, state)
#' }, 3)
#' r <- loop(0, matrix(1:6, 2))
#' as.numeric(r$out)
#' @export
jit <- function(f, donate = NULL, static = NULL, device = NULL) {
  f <- need_function(f, "f")
  self <- .Call(C_function, f, positions(donate, "donate"), positions(static, "static"), 0,
                if (!is.null(device)) usable_device(device))
  function(...) .Call(C_call, self, list(...))
}

# A function, or the name of one that the caller's caller sees.
need_function <- function(f, what) {
  if (is.character(f) && length(f) == 1L) f <- get0(f, parent.frame(2L), mode = "function")
  if (!is.function(f))
    tenon_stop("argument", what, ": expected a function, got ",
               if (is.null(f)) "NULL" else class(f)[1L])
  f
}

positions <- function(x, what) {
  if (is.null(x)) return(integer())
  if (!is.numeric(x) || anyNA(x) || any(x < 1 | x > .Machine$integer.max) || any(x != floor(x)))
    tenon_stop("argument", what, ": expected positions of arguments, from 1")
  as.integer(x)
}

#' @rdname jit
#' @export
compile_loop <- function(step, n, donate = FALSE, device = NULL) {
  n <- need_count(n, "n")
  step <- need_function(step, "step")
  taken <- names(formals(args(step)))
  if (length(taken) < 3L && !"..." %in% taken)
    tenon_stop("argument", "step: expected a function of (state, batch, i), got one of (",
               paste(taken, collapse = ", "), ")")
  self <- .Call(C_function, step, if (need_flag(donate, "donate")) 1L else integer(), integer(),
                as.numeric(n), if (!is.null(device)) usable_device(device))
  function(state, data = NULL) .Call(C_call, self, list(state, data))
}

# Called from C for a signature that is new.
trace_call <- function(self, args) {
  .Call(C_trace_begin)
  level <- compiler::enableJIT(0L) # to compile what runs once takes longer than that
  on.exit({compiler::enableJIT(level); .Call(C_trace_end)})
  traced <- .Call(C_trace_arguments, self, args)
  f <- self$f
  trip <- if (self$trips > 0) .Call(C_trip) # also where the step does not look at it
  if (is.null(trip)) {
    out <- do.call(f, traced, quote = TRUE)
  } else {
    out <- f(traced[[1L]], traced[[2L]], trip)
    if (is.list(out) && length(out) == 2L) out <- loop_result(traced[[1L]], out)
  }
  .Call(C_trace_finish, self, args, out)
}

# What a step returned as list(state, out), by name where it has these names.
loop_result <- function(state, out) {
  parts <- c("state", "out")
  out <- if (setequal(names(out), parts)) out[parts] else structure(out, names = parts)
  out["state"] <- list(like_state(state, out$state, "state"))
  out
}

# The new state of a loop in the order of the old one, matched by name where it has names.
like_state <- function(old, new, at) {
  if (is.list(old) != is.list(new))
    tenon_stop("argument", "loop: the new state must have the structure of the old one: ", at,
               ": expected ", if (is.list(old)) "a list" else "a tensor", ", got ",
               if (is.list(new)) "a list" else "a tensor")
  if (!is.list(old)) return(new)
  if (length(old) != length(new))
    tenon_stop("argument", "loop: the new state must have the structure of the old one: ", at,
               ": expected ", length(old), " elements, got ", length(new))
  from <- names(old)
  to <- names(new)
  if (!identical(from, to)) {
    if (is.null(from) || is.null(to) || anyDuplicated(from) || !setequal(from, to)) {
      said <- function(x) if (is.null(x)) "no names" else paste(x, collapse = ", ")
      tenon_stop("argument", "loop: the new state must have the names of the old one: ", at,
                 ": expected ", said(from), ", got ", said(to))
    }
    new <- new[from]
  }
  for (i in seq_along(old))
    new[i] <- list(like_state(old[[i]], new[[i]], paste0(at, if (is.null(from)) paste0("[[", i, "]]")
                                                          else paste0("$", from[i]))))
  new
}

# Called from C for a compiled function inside a function that is being traced, or
# where gradients are recorded.
call_inline <- function(self, args) {
  if (self$trips > 0) tenon_stop("argument", "a loop of compile_loop() cannot run inside jit()")
  do.call(self$f, args, quote = TRUE)
}

#' Look at the compiler's program
#'
#' Traces `f` as [jit()] does and gives its program as text after a phase of the
#' compiler. A function with a tape may return its loss, what [backward()] returned,
#' or call `$step()`, which is shown and not run.
#'
#' @param f A function.
#' @param ... Its arguments.
#' @param phase `"input"`, `"fused"`, `"differentiated"`, `"kernels"`, `"planned"`,
#'   `"llvm"` or `"asm"`.
#' @return A string of class `tenon_ir`; printing shows it.
#' @section Errors: those of tracing and compiling; `tenon_error_argument` for an
#'   unknown phase.
#' @examples
#' tenon_ir(function(x) tanh(x) * 2, matrix(1, 2, 2), phase = "input")
#' @export
tenon_ir <- function(f, ..., phase = "differentiated") {
  phases <- c("input", "fused", "differentiated", "kernels", "planned", "llvm", "asm")
  if (!is.character(phase) || length(phase) != 1L || !phase %in% phases)
    tenon_stop("argument", "tenon_ir: phase: expected one of ",
               paste0('"', phases, '"', collapse = ", "), ", got ", deparse(phase, nlines = 1L))
  structure(traced_text(need_function(f, "f"), list(...), phase), class = "tenon_ir")
}

# What the compiler says of a function after a phase.
traced_text <- function(f, args, phase) {
  self <- .Call(C_function, f, integer(), integer(), 0, NULL)
  .Call(C_trace_begin)
  on.exit(.Call(C_trace_end))
  out <- do.call(f, .Call(C_trace_arguments, self, args), quote = TRUE)
  .Call(C_trace_print, out, phase)
}

#' @rdname tenon_ir
#' @param x A `tenon_ir`.
#' @export
print.tenon_ir <- function(x, ...) {
  cat(x, "\n", sep = "")
  invisible(x)
}
