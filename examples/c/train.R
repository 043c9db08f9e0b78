# Compiles the character model of examples/r for train.c, which trains it without R.
#
#   Rscript train.R FOLDER              writes libchar_model.so, char_model.h, text.bin
#   Rscript train.R FOLDER STEPS        also losses.txt, R's own losses of these steps, to
#   Rscript train.R FOLDER STEPS small  compare; dropout is off then, as its masks differ
#
# The library has two functions: `init` gives the first state (parameters and AdamW's
# moments), `step` takes state and a batch and gives the next state and the loss.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(script), "..", "r", "char_model.R"))
arguments <- commandArgs(trailingOnly = TRUE)
if (!length(arguments)) stop("usage: Rscript train.R FOLDER [STEPS [small]]")
folder <- arguments[1L]
steps <- if (length(arguments) > 1L) as.integer(arguments[2L]) else 0L
if (steps > 0L) dropout <- 0
if ("small" %in% arguments) {
  context <- 16L
  batch <- 4L
  width <- 32L
  heads <- 2L
  layers <- 1L
}

set.seed(1)
ag_dtype("f32")
text <- read_text()
p <- new_parameters(length(text$alphabet))
state <- list(p = p, m = tenon_zeros_like(p), v = tenon_zeros_like(p))

step <- function(state, ids, targets, rate, t) {
  result <- value_and_grad(loss_of)(state$p, ids, targets, TRUE)
  state <- tenon_adam(state$p, result$grad, state$m, state$v, rate, t, weight_decay = 0.1)
  list(state = state, loss = result$value)
}
ids <- matrix(1L, context, batch)
tenon_compile(list(init = function() state, step = step),
              list(step = list(state, ids, ids, 0.001, 1)),
              file.path(folder, "libchar_model.so"), donate = list(step = 1L))
writeBin(text$train, file.path(folder, "text.bin"), endian = "little")

# Batches begin where this generator says (Park and Miller), as in train.c.
random <- 1
losses <- numeric(steps)
step <- jit(step)
for (t in seq_len(steps)) {
  starts <- numeric(batch)
  for (i in seq_len(batch)) {
    random <- (random * 16807) %% 2147483647
    starts[i] <- random %% (length(text$train) - context) + 1
  }
  w <- windows(text$train, starts)
  result <- step(state, w$ids, w$targets, learning_rate(t, 2800), t)
  state <- result$state
  losses[t] <- as.numeric(result$loss)
}
if (steps > 0L) writeLines(sprintf("%.9g", losses), file.path(folder, "losses.txt"))
