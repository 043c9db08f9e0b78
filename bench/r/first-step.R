# What the first step of the demo takes in a process that compiles, and in later ones that
# find the program in the disk cache.
#
# usage: Rscript first-step.R [PROCESSES]
# Each process prints what these take: loading the package, which opens the cache, the first
# step up to its loss, the second one. Time of the processor tells more on a busy machine.

here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L]))
arguments <- commandArgs(trailingOnly = TRUE)
now <- function() c(as.numeric(Sys.time()), sum(proc.time()[1:2]))
since <- function(begin) {
  ms <- 1e3 * (now() - begin)
  sprintf("%.0f ms (processor %.0f)", ms[1L], ms[2L])
}

if (length(arguments) < 2L) {
  folder <- tempfile("cache")
  script <- file.path(here, "first-step.R")
  for (process in seq_len(if (length(arguments)) as.integer(arguments) else 6L))
    system2(file.path(R.home("bin"), "Rscript"), c("--no-save", shQuote(script), process, shQuote(folder)))
  unlink(folder, recursive = TRUE)
  quit(save = "no")
}

options(tenon.disk_cache = arguments[2L])
begin <- now()
suppressPackageStartupMessages(library(tenon))
package <- since(begin)
source(file.path(here, "..", "..", "examples", "r", "char_model.R"))
set.seed(1)
ag_dtype("f32")
text <- sample.int(86L, 1e4L, TRUE)
p <- new_parameters(86L)
state <- list(p = p, m = tenon_zeros_like(p), v = tenon_zeros_like(p))
w <- windows(text, seq_len(batch))
step <- function(t) {
  begin <- now()
  result <- train_step(state, w$ids, w$targets, 1e-3, t)
  loss <- as.numeric(result$loss)
  state <<- result$state
  since(begin)
}
first <- step(1)
cat(sprintf("process %s: package %s, first step %s, second %s, %d programs from the cache\n",
            arguments[1L], package, first, step(2), as.integer(tenon_disk_cache()$hits)))
