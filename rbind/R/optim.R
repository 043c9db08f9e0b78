#' Optimizers
#'
#' An optimizer is an environment with `$params`, `$lr` and its constants (read at every
#' step; assign them to change them: another rate costs nothing, another constant
#' compiles anew), `$step(grads = NULL)`, `$zero_grad()`, `$state()` and
#' `$load_state(state)`. `$step(grads)` takes the environment that [backward()]
#' returned, `$step()` the accumulated `$grad`; it runs everything pending as one
#' program, which is compiled once whatever the learning rate. Parameters and
#' moments are updated in place.
#'
#' SGD: `v = momentum * v + g`, `w = w - lr * v`. Adam: `w = w - lr * mhat /
#' (sqrt(vhat) + eps)`; AdamW also subtracts `lr * weight_decay * w`.
#'
#' @section Loss scaling: where products are computed in f16 (`ag_dtype("f16")`), gradients may be too
#'   small or too large for it. A step that runs with what the gradients are computed of then takes those of
#'   the loss times `$loss_scale` and divides them by it again, in f32. If one of
#'   them is not finite, no parameter and no moment changes, and the scale is halved; after 2000 steps
#'   without that it is doubled. It begins at 65536, can be assigned, and is part of `$state()`. Gradients that R has
#'   looked at, or has accumulated over several calls, are not scaled.
#'
#' @param params A list of [ag_param()].
#' @param lr Learning rate.
#' @param momentum,beta1,beta2,eps,weight_decay Constants.
#' @param accumulate_steps Gradients of so many calls make one step.
#' @param average `TRUE` divides accumulated gradients by their number.
#' @return An environment of class `ag_optimizer_sgd` or `ag_optimizer_adam`.
#'   `$step()` returns invisibly `TRUE`, or `FALSE` while accumulating.
#' @section Errors: `tenon_error_argument` for what is no parameter, for constants that
#'   are no numbers from 0, also when assigned, and for assigning `$params` or a momentum
#'   to an optimizer made without; `tenon_error_shape` when a gradient does not fit; then no parameter has changed.
#' @examples
#' w <- ag_param(matrix(c(1, -2), 1))
#' opt <- optimizer_adam(list(w = w), lr = 0.1)
#' for (i in 1:20) {
#'   with_grad_tape(loss <- ag_sum(ag_mul(w, w)))
#'   opt$step(backward(loss))
#'   opt$zero_grad()
#' }
#' w$data
#' optimizer_sgd(list(w = w), lr = 0.1, momentum = 0.9)$lr
#' optimizer_adamw(list(w = w), weight_decay = 0.1)$weight_decay
#' @name optimizers
NULL

#' @rdname optimizers
#' @export
optimizer_sgd <- function(params, lr = 0.01, momentum = 0, accumulate_steps = 1L, average = TRUE) {
  need_number(momentum, "momentum", 0)
  new_optimizer("ag_optimizer_sgd", params, lr, if (momentum > 0) "momentum" else "sgd",
                list(momentum = momentum), accumulate_steps, average)
}

#' @rdname optimizers
#' @export
optimizer_adam <- function(params, lr = 0.001, beta1 = 0.9, beta2 = 0.999, eps = 1e-8,
                           accumulate_steps = 1L, average = TRUE)
  new_optimizer("ag_optimizer_adam", params, lr, "adam",
                list(beta1 = beta1, beta2 = beta2, eps = eps, weight_decay = 0), accumulate_steps,
                average)

#' @rdname optimizers
#' @export
optimizer_adamw <- function(params, lr = 0.001, beta1 = 0.9, beta2 = 0.999, eps = 1e-8,
                            weight_decay = 0.01, accumulate_steps = 1L, average = TRUE)
  new_optimizer(c("ag_optimizer_adamw", "ag_optimizer_adam"), params, lr, "adam",
                list(beta1 = beta1, beta2 = beta2, eps = eps, weight_decay = weight_decay),
                accumulate_steps, average)

new_optimizer <- function(class, params, lr, rule, constants, accumulate_steps, average) {
  if (inherits(params, "ag_tensor")) params <- list(params)
  if (!is.list(params)) tenon_stop("argument", "params: expected a list of ag_param, got ", class(params)[1])
  need_number(lr, "lr")
  for (name in names(constants)) need_number(constants[[name]], name, 0)
  constants <- vapply(constants, as.numeric, 0)
  steps <- need_count(accumulate_steps, "accumulate_steps")
  need_flag(average, "average")
  ids <- vapply(params, function(p) if (inherits(p, "ag_tensor") && p$requires_grad) p$id else NA, 1L)
  if (anyNA(ids))
    tenon_stop("argument", "params: expected ag_param, element ", which(is.na(ids))[1L], " is none")
  if (anyDuplicated(ids)) {
    warning("params: a parameter stands there twice; it is kept once", call. = FALSE)
    params <- params[!duplicated(ids)]
  }
  state <- .Call(C_optimizer, params, rule)
  self <- new.env(parent = emptyenv())
  self$lr <- lr
  makeActiveBinding("params", function(value) {
    if (!missing(value)) tenon_stop("argument", "params: make a new optimizer for other parameters")
    params
  }, self)
  held <- bind_constants(self, rule, constants)
  take <- function(grads) invisible(.Call(C_step, state, grads, self$lr, held$constants))
  self$step <- if (steps == 1L) function(grads = NULL) take(grads)
               else accumulating_step(self, take, steps, average)
  self$zero_grad <- function() invisible(.Call(C_zero_grad, self$params))
  self$state <- function()
    c(.Call(C_optimizer_state, state), list(loss_scale = .Call(C_optimizer_scale, state, NULL)))
  makeActiveBinding("loss_scale", function(value) {
    if (missing(value)) return(.Call(C_optimizer_scale, state, NULL)[1L])
    .Call(C_optimizer_scale, state, c(need_number(value, "loss_scale", 2^-24, 2^24), 0))
  }, self)
  self$load_state <- function(value) load_optimizer_state(state, value)
  class(self) <- class
  self
}

# Constants as fields of an optimizer, checked when they are assigned. Gives the environment
# whose `constants` are the current ones.
bind_constants <- function(self, rule, constants) {
  held <- new.env(parent = emptyenv())
  held$constants <- constants
  lapply(names(constants), function(name) makeActiveBinding(name, function(value) {
    if (missing(value)) return(held$constants[[name]])
    need_number(value, name, 0)
    if (rule == "sgd" && value != 0)
      tenon_stop("argument", name, ": this optimizer was made without: expected 0, got ", value)
    held$constants[[name]] <- as.numeric(value)
  }, self))
  held
}

print_optimizer <- function(x, ...) {
  constants <- setdiff(ls(x), c("params", "step", "zero_grad", "state", "load_state", "loss_scale"))
  values <- vapply(constants, function(name) format(x[[name]]), "")
  cat("<", class(x)[1L], ": ", length(x$params), " parameters, ",
      paste(constants, values, collapse = ", "), ">\n", sep = "")
  invisible(x)
}

#' @export
print.ag_optimizer_sgd <- print_optimizer

#' @export
print.ag_optimizer_adam <- print_optimizer

# Sums the gradients of `steps` calls, then steps once.
accumulating_step <- function(self, take, steps, average) {
  held <- list()
  count <- 0L
  function(grads = NULL) {
    for (p in self$params) {
      key <- as.character(p$id)
      g <- if (is.null(grads)) NULL else grads[[key]]
      if (!is.null(g)) held[[key]] <<- if (is.null(held[[key]])) g + 0 else held[[key]] + g
    }
    count <<- count + 1L
    if (count < steps) return(invisible(FALSE))
    sums <- new.env(parent = emptyenv())
    for (p in self$params) {
      key <- as.character(p$id)
      g <- if (is.null(grads)) p$grad else held[[key]]
      if (!is.null(g)) sums[[key]] <- if (average) g / steps else g
    }
    held <<- list()
    count <<- 0L
    take(sums)
  }
}

load_optimizer_state <- function(state, value) {
  if (!is.list(value) || !is.numeric(value$step))
    tenon_stop("argument", "load_state: expected what $state() of such an optimizer returned")
  need_count(value$step, "load_state: step", 0)
  scale <- value$loss_scale # of a state that is older than 0.1.0, none
  if (!is.null(scale) && !(is.numeric(scale) && length(scale) == 2L && all(is.finite(scale)) && scale[1L] > 0))
    tenon_stop("argument", "load_state: loss_scale: expected a scale and a number of steps, got ",
               deparse(scale, nlines = 1L))
  .Call(C_load_optimizer, state, value$step, value$moments)
  if (!is.null(scale)) .Call(C_optimizer_scale, state, as.numeric(scale))
  invisible(NULL)
}

#' Dynamic loss scaling in compiled functions
#'
#' `state <- tenon_loss_scale()` is a state to begin with, the scale 65536 and a count of 0 steps.
#' `tenon_loss_scale(state)`, in a function of [jit()] or a step of [compile_loop()] that
#' takes gradients and updates parameters by them ([tenon_adam()] and the like), gives the next state,
#' which the function returns as it does the parameters. Where
#' products are computed in f16, as [ag_dtype()] says, the gradients are then taken of the scaled loss
#' and divided by the scale in f32. If one is not finite, parameters and moments stay as they are, bit
#' for bit, and the scale is halved; after `interval` steps without that it is doubled. Elsewhere
#' nothing is scaled, and the state stays as it is. Optimizers as [optimizer_adam()] do all this
#' themselves.
#'
#' @param state `NULL`, or the state: a tensor of dtype f32 with the scale and the number of steps.
#' @param interval Steps before the scale is doubled.
#' @return A tensor: a state.
#' @section Errors: `tenon_error_shape` for a state that is not of 2 numbers, `tenon_error_argument` for an
#'   interval that is no whole number from 1; `tenon_error_compile`, when it is compiled, for two states of the same gradients.
#' @examples
#' step <- jit(function(w, scale, x) {
#'   g <- grad(function(w) sum((w %*% x)^2))(w)
#'   list(w = tenon_sgd(w, g, 0.01), scale = tenon_loss_scale(scale))
#' })
#' before <- ag_dtype("f16")
#' r <- step(tenon_tensor(matrix(1, 1, 2), "f32"), tenon_loss_scale(), matrix(1:2, 2))
#' as.array(r$scale)
#' ag_dtype(before)
#' @export
tenon_loss_scale <- function(state = NULL, interval = 2000L) {
  interval <- need_count(interval, "interval")
  if (is.null(state)) tenon_tensor(c(65536, 0), "f32") else .Call(C_loss_scale, state, interval)
}

#' Limit the norm of gradients
#'
#' Scales all gradients by `max_norm / (norm + 1e-6)` when the norm of all of them
#' together is larger than `max_norm`. Stays lazy: clipping is part of the step's
#' program.
#'
#' @param params A named list of parameters.
#' @param grads The environment that [backward()] returned; it is changed.
#' @param max_norm Largest L2 norm.
#' @return Invisibly the norm before clipping, a tensor of one number.
#' @section Errors: `tenon_error_argument`.
#' @examples
#' w <- ag_param(matrix(c(3, 4), 1))
#' with_grad_tape(loss <- ag_sum(ag_mul(w, w)))
#' grads <- backward(loss)
#' print(clip_grad_norm(list(w = w), grads, 1))
#' grads[[as.character(w$id)]]
#' @export
clip_grad_norm <- function(params, grads, max_norm) {
  need_number(max_norm, "max_norm", 0)
  if (!is.list(params) || !all(vapply(params, inherits, NA, "ag_tensor")))
    tenon_stop("argument", "params: expected a list of parameters, got ", class(params)[1L])
  if (!is.environment(grads))
    tenon_stop("argument", "grads: expected the environment that backward() returns, got ", class(grads)[1])
  keys <- vapply(params, function(p) as.character(p$id), "")
  keys <- keys[vapply(keys, exists, NA, envir = grads, inherits = FALSE)]
  if (!length(keys)) return(invisible(0))
  squares <- lapply(keys, function(key) {
    g <- get(key, envir = grads, inherits = FALSE)
    .Call(C_ag_reduce, .Call(C_mul, g, g), "sum", NULL)
  })
  norm <- .Call(C_sqrt, Reduce(function(a, b) .Call(C_add, a, b), squares))
  factor <- .Call(C_where, .Call(C_gt, norm, max_norm),
                  .Call(C_div, max_norm, .Call(C_add, norm, 1e-6)), 1)
  for (key in keys)
    assign(key, .Call(C_lazy, .Call(C_mul, get(key, envir = grads, inherits = FALSE), factor)),
           envir = grads)
  invisible(.Call(C_lazy, .Call(C_reshape, norm, integer())))
}

#' Learning-rate schedules
#'
#' Each call of `$step()` sets the optimizer's `$lr` for the next step.
#' `lr_scheduler_step()` multiplies it by `gamma` every `step_size` calls.
#' `lr_scheduler_cosine()` follows half a cosine from the rate at the start to
#' `lr_min` in `T_max` calls: the first call keeps the rate, and after `T_max` it
#' stays at `lr_min`.
#'
#' @param optimizer An optimizer.
#' @param step_size,T_max Numbers of calls.
#' @param gamma Factor.
#' @param lr_min Lowest rate.
#' @return An environment with `$step()`, which returns the new rate invisibly.
#' @section Errors: `tenon_error_argument`, also for what is no optimizer.
#' @examples
#' opt <- optimizer_sgd(list(ag_param(1)), lr = 1)
#' schedule <- lr_scheduler_cosine(opt, T_max = 4)
#' sapply(0:4, function(t) schedule$step())
#' schedule <- lr_scheduler_step(opt, step_size = 2)
#' sapply(0:4, function(t) schedule$step())
#' @name schedules
NULL

need_optimizer <- function(x) {
  if (!is.environment(x) || !inherits(x, c("ag_optimizer_sgd", "ag_optimizer_adam")))
    tenon_stop("argument", "optimizer: expected an optimizer, got ",
               if (is.null(x)) "NULL" else class(x)[1L])
}

#' @rdname schedules
#' @export
lr_scheduler_step <- function(optimizer, step_size, gamma = 0.1) {
  need_optimizer(optimizer)
  size <- need_count(step_size, "step_size")
  need_number(gamma, "gamma", 0)
  self <- new.env(parent = emptyenv())
  self$calls <- 0L
  self$step <- function() {
    self$calls <- self$calls + 1L
    if (self$calls %% size == 0L) optimizer$lr <- optimizer$lr * gamma
    invisible(optimizer$lr)
  }
  structure(self, class = "lr_scheduler_step")
}

#' @rdname schedules
#' @export
lr_scheduler_cosine <- function(optimizer, T_max, lr_min = 0) {
  need_optimizer(optimizer)
  last <- need_count(T_max, "T_max")
  need_number(lr_min, "lr_min", 0)
  high <- optimizer$lr
  self <- new.env(parent = emptyenv())
  self$calls <- -1L
  self$step <- function() {
    self$calls <- self$calls + 1L
    t <- min(self$calls, last)
    optimizer$lr <- lr_min + (high - lr_min) * (1 + cos(pi * t / last)) / 2
    invisible(optimizer$lr)
  }
  structure(self, class = "lr_scheduler_cosine")
}
