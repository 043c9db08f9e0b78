# Two spirals, told apart by a small network: the ag_ style, with a tape.
#   Rscript examples/r/spiral.R
suppressMessages(library(tenon))
set.seed(1)

n <- 200
turn <- rep(seq(0.5, 3, length.out = n), 2)
class <- rep(0:1, each = n)
x <- rbind(turn * cos(3 * turn + pi * class), turn * sin(3 * turn + pi * class)) / 3

model <- ag_sequential(ag_linear(2, 32, "tanh"), ag_linear(32, 32, "tanh"), ag_linear(32, 2))
opt <- optimizer_adam(model$parameters(), lr = 0.02)
schedule <- lr_scheduler_cosine(opt, T_max = 400)

for (step in 1:400) {
  schedule$step()
  with_grad_tape(loss <- ag_softmax_cross_entropy_loss(model$forward(x), class))
  opt$step(backward(loss))
  opt$zero_grad()
  if (step %% 100 == 0) cat(sprintf("step %3d  loss %.4f\n", step, as.numeric(loss)))
}
cat(sprintf("right: %.1f%%\n", 100 * mean(ag_argmax(model$forward(x)) == class)))
cat(tenon_cache_info()[["compiles"]], "programs compiled\n")
