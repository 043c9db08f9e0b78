# Seconds per step of a training loop in ggmlR, a peer of bench/r/steps.R.
#
# usage: Rscript ggmlr_steps.R mlp-large THREADS SECONDS

suppressMessages(library(ggmlR))

seconds <- as.numeric(commandArgs(trailingOnly = TRUE)[3L])
set.seed(0)
model <- ag_sequential(ag_linear(784L, 512L, "relu"), ag_linear(512L, 256L, "relu"),
                       ag_linear(256L, 10L))
optimizer <- optimizer_adam(model$parameters())
x <- ag_tensor(matrix(rnorm(784 * 128), 784))
y <- matrix(0, 10, 128)
y[cbind(sample.int(10L, 128L, replace = TRUE), 1:128)] <- 1
step <- function() {
  with_grad_tape(loss <- ag_softmax_cross_entropy_loss(model$forward(x), y))
  optimizer$step(backward(loss))
  optimizer$zero_grad()
}
step()
times <- numeric()
end <- proc.time()[["elapsed"]] + seconds
while (proc.time()[["elapsed"]] < end || length(times) < 3L)
  times <- c(times, system.time(for (i in 1:5) step())[["elapsed"]] / 5)
cat(median(times), "\n")
