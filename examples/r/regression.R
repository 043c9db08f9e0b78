# Ridge regression three ways in the functional style: a jitted step in an R loop, the
# whole training loop as one program, and the solution in closed form.
#   Rscript examples/r/regression.R
suppressMessages(library(tenon))
set.seed(1)

d <- 8
n <- 256
truth <- matrix(rnorm(d), 1)
x <- matrix(rnorm(d * n), d)
y <- truth %*% x + 0.1 * rnorm(n)
penalty <- 0.01

loss <- function(w, x, y) tenon_mse(w %*% x, y) + penalty * sum(w^2)
step <- function(w, x, y) {
  r <- value_and_grad(loss)(w, x, y)
  list(w = tenon_sgd(w, r$grad, 0.1), loss = r$value)
}

one <- jit(step, donate = 1)
w <- tenon_tensor(matrix(0, 1, d))
for (i in 1:200) {
  r <- one(w, x, y)
  w <- r$w
}

loop <- compile_loop(function(w, batch, i) {
  r <- step(w, x, y)
  list(r$w, r$loss)
}, 200)
all <- loop(matrix(0, 1, d))

exact <- t(solve(tcrossprod(x) / n + penalty * diag(d), x %*% t(y) / n))
cat("step by step - exact:", format(max(abs(as.matrix(w) - exact)), digits = 3), "\n")
cat("one program  - exact:", format(max(abs(as.matrix(all[[1]]) - exact)), digits = 3), "\n")
cat("loss of the first and last step:", format(as.numeric(all[[2]])[c(1, 200)], digits = 4), "\n")
