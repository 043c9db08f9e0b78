# Seconds per step of a training loop, the peer of bench/peers/torch_steps.py.
#
# usage: Rscript steps.R CASE THREADS SECONDS
# Prints the median over bursts shorter than two seconds.

library(tenon)

arguments <- commandArgs(trailingOnly = TRUE)
case <- arguments[1L]
invisible(tenon_threads(as.integer(arguments[2L])))
seconds <- as.numeric(arguments[3L])
set.seed(0)
here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L]))

random <- function(...) array(rnorm(prod(...)), c(...))

# Weights and biases of a stack of layers, and its output for x [features, batch].
stack_of <- function(widths) Map(function(inp, out)
  list(w = tenon_tensor(random(out, inp) / sqrt(inp)), b = tenon_tensor(rep(0, out))),
  head(widths, -1L), widths[-1L])
run_stack <- function(p, x) {
  for (i in seq_along(p)) {
    x <- p[[i]]$w %*% x + p[[i]]$b
    if (i < length(p)) x <- tenon_relu(x)
  }
  x
}

small_step <- function(p, x, y)
  tenon_sgd(p, value_and_grad(function(p) tenon_mse(run_stack(p, x), y))(p)$grad, 1e-3)

ag_layers <- function(widths) {
  n <- length(widths) - 1L
  do.call(ag_sequential, lapply(seq_len(n), function(i)
    ag_linear(widths[i], widths[i + 1L], activation = if (i < n) "relu")))
}

cases <- list(
  "mlp-small" = function() { # jitted step in an R loop
    ag_dtype("f32")
    p <- stack_of(c(10, 10, 10, 10, 10, 1))
    x <- tenon_tensor(random(10, 32))
    y <- tenon_tensor(random(1, 32))
    step <- jit(small_step, donate = 1L)
    function() p <<- step(p, x, y)
  },
  "mlp-small-ag" = function() {
    ag_dtype("f32")
    model <- ag_layers(c(10, 10, 10, 10, 10, 1))
    optimizer <- optimizer_sgd(model$parameters(), 1e-3)
    x <- ag_tensor(random(10, 32))
    y <- ag_tensor(random(1, 32))
    function() {
      with_grad_tape(loss <- ag_mse_loss(model$forward(x), y))
      optimizer$step(backward(loss))
    }
  },
  "mlp-small-loop" = function() { # a thousand steps in one program
    ag_dtype("f32")
    p <- stack_of(c(10, 10, 10, 10, 10, 1))
    x <- tenon_tensor(random(10, 32))
    y <- tenon_tensor(random(1, 32))
    loop <- compile_loop(function(state, batch, i) list(small_step(state, x, y), NULL), 1000L)
    run <- function() p <<- loop(p)[[1L]]
    structure(run, steps = 1000)
  },
  "mlp-large" = function() {
    ag_dtype("f32")
    p <- stack_of(c(784, 512, 256, 10))
    state <- list(p = p, m = tenon_zeros_like(p), v = tenon_zeros_like(p))
    x <- tenon_tensor(random(784, 128))
    y <- sample.int(10L, 128L, replace = TRUE)
    t <- 0
    step <- jit(function(state, x, y, t) {
      g <- value_and_grad(function(p) tenon_cross_entropy(run_stack(p, x), y))(state$p)$grad
      tenon_adam(state$p, g, state$m, state$v, 1e-3, t)
    }, donate = 1L)
    function() state <<- step(state, x, y, t <<- t + 1)
  },
  "mlp-large-ag" = function() { # f64, as ag_* computes by default
    model <- ag_layers(c(784, 512, 256, 10))
    optimizer <- optimizer_adam(model$parameters())
    x <- ag_tensor(random(784, 128))
    y <- matrix(0, 10, 128)
    y[cbind(sample.int(10L, 128L, replace = TRUE), 1:128)] <- 1
    function() {
      with_grad_tape(loss <- ag_softmax_cross_entropy_loss(model$forward(x), y))
      optimizer$step(backward(loss))
    }
  },
  "attention" = function() {
    ag_dtype("f32")
    qkv <- lapply(1:3, function(i) tenon_tensor(random(64, 1024, 8)))
    step <- jit(function(qkv)
      value_and_grad(function(p) sum(tenon_attention(p[[1]], p[[2]], p[[3]])))(qkv))
    function() step(qkv)
  },
  "transformer" = function() {
    source(file.path(here, "../../examples/r/char_model.R"))
    ag_dtype("f32")
    p <- new_parameters(100L)
    state <- list(p = p, m = tenon_zeros_like(p), v = tenon_zeros_like(p))
    text <- sample.int(100L, 5000L, replace = TRUE)
    w <- windows(text, sample.int(4000L, batch))
    t <- 0
    function() state <<- train_step(state, w$ids, w$targets, 1e-3, t <<- t + 1)$state
  }
)

step <- cases[[case]]()
per_call <- attr(step, "steps")
if (is.null(per_call)) per_call <- 1
now <- function() proc.time()[["elapsed"]]
for (i in 1:3) step()
begin <- now()
count <- 0L
while (now() - begin < 0.2) {
  step()
  count <- count + 1L
}
times <- numeric()
end <- now() + seconds
while (now() < end || length(times) < 3L) {
  begin <- now()
  for (i in seq_len(count)) step()
  times <- c(times, (now() - begin) / count)
}
cat(median(times) / per_call, "\n")
