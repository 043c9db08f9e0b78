# Attention written three ways is one fused operation each way: look at the program.
#   Rscript examples/r/attention.R
suppressMessages(library(tenon))
set.seed(1)

q <- ag_param(matrix(rnorm(16 * 8), 16))
k <- ag_param(matrix(rnorm(16 * 8), 16))
v <- ag_param(matrix(rnorm(16 * 8), 16))
heads <- ag_multihead_attention(16, 4)

ways <- list(
  "ag_flash_attention" = function() ag_flash_attention(q, k, v, n_heads = 4),
  "ag_multihead_attention" = function() heads$forward(q, k, v),
  "matmul and softmax" = function()
    ag_matmul(v, ag_softmax(ag_scale(ag_matmul(ag_transpose(k), q), 1 / sqrt(16)))))

count <- function(text, op) lengths(regmatches(text, gregexpr(op, text)))
for (name in names(ways)) {
  text <- tenon_ir(function() {
    with_grad_tape(loss <- ag_mse_loss(ways[[name]](), matrix(0, 16, 8)))
    backward(loss)
  })
  cat(sprintf("%-24s %d attention, %d attention_grad\n", name, count(text, "tenon\\.attention "),
              count(text, "tenon\\.attention_grad")))
}
