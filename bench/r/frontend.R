# Microseconds to record an op from R: one row of the benchmarks' table.
# The chain is run once at its end, from the cache, on 2x2 matrices.
#
# usage: Rscript frontend.R

library(tenon)

A <- ag_param(diag(2))
B <- ag_tensor(diag(2) * 0.5)
ops <- 400L
chain <- function() {
  v <- A
  for (i in seq_len(ops / 2L)) v <- ag_mul(ag_add(v, B), B)
  as.matrix(v)
}
for (i in 1:3) chain()
now <- function() as.numeric(Sys.time()) # to the microsecond; system.time() rounds to 1 ms
times <- replicate(200L, {
  begin <- now()
  for (i in 1:5) chain()
  (now() - begin) / 5
})
cat("record an op from R, us", median(times) / ops * 1e6, "-", "-", "<= 1", sep = "\t")
cat("\n")
