# A small transformer that learns to write licences, one character at a time.
#
# The text is the licences that every Debian has; the last tenth of each file
# validates. The model is in char_model.R.
#
#   Rscript char_transformer.R [steps]        writes char_transformer.{png,rds}
#   Rscript char_transformer.R --logits FILE  logits of a saved model, for the check

library(cli)
script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L])
source(file.path(dirname(script), "char_model.R"))
ag_dtype(Sys.getenv("TENON_DTYPE", "f32")) # f16 and bf16: products in it

# ---- a fresh process: logits of a saved model -----------------------------------

arguments <- commandArgs(trailingOnly = TRUE)
if (length(arguments) == 2L && arguments[1L] == "--logits") {
  saved <- readRDS(arguments[2L])
  logits <- as.matrix(predict_logits(saved$p, saved$ids))
  cat(sprintf("%a", logits), sep = "\n")
  quit(save = "no")
}

# ---- training -------------------------------------------------------------------

steps <- if (length(arguments)) as.integer(arguments[1L]) else 2800L
set.seed(1)
text <- read_text()
classes <- length(text$alphabet)
cli_h1("A character transformer")
cli_text("{length(text$train)} characters to learn from, {length(text$validation)} to validate, ",
         "{classes} different; {tenon_threads()} thread{?s}.")
cli_text("Back-off counts of 4 characters: {round(backoff_loss(text$train, text$validation, classes), 3)} ",
         "nats per character.")

p <- new_parameters(classes)
state <- list(p = p, m = tenon_zeros_like(p), v = tenon_zeros_like(p), scale = tenon_loss_scale())
history <- data.frame(step = integer(), train = numeric(), validation = numeric())
recent <- numeric()
speed <- loss <- 0
trained <- 0 # seconds, validation left out
cli_progress_bar("Training", total = steps, format = paste(
  "{pb_bar} {pb_current}/{pb_total} loss {format(round(loss, 3), nsmall = 3)}",
  "{format(round(speed), big.mark = ',')} tokens/s, {pb_eta} left"))
for (t in seq_len(steps)) {
  begin <- proc.time()[["elapsed"]]
  w <- windows(text$train, sample.int(length(text$train) - context, batch))
  result <- train_step(state, w$ids, w$targets, learning_rate(t, steps), t)
  state <- result$state
  recent <- c(recent, as.numeric(result$loss))
  trained <- trained + proc.time()[["elapsed"]] - begin
  loss <- mean(tail(recent, 50L))
  speed <- t * context * batch / max(trained, 1e-3)
  if (t %% 200L == 0L || t == steps) {
    history[nrow(history) + 1L, ] <- list(t, loss, validation_loss(state$p, text$validation))
    recent <- tail(recent, 50L)
  }
  cli_progress_update()
}
cli_progress_done()
final <- tail(history$validation, 1L)
cli_alert_success("{steps} steps in {round(trained)} s, {round(speed)} tokens/s: validation loss {round(final, 3)} nats per character.")

# ---- what came out ----------------------------------------------------------------

png("char_transformer.png", 900, 600, res = 120)
plot(history$step, history$train, type = "l", lwd = 2, col = "steelblue", xlab = "step",
     ylab = "loss (nats per character)", ylim = range(history[-1L], na.rm = TRUE),
     main = "Character transformer")
lines(history$step, history$validation, lwd = 2, col = "firebrick")
legend("topright", c("training", "validation"), col = c("steelblue", "firebrick"), lwd = 2, bty = "n")
invisible(dev.off())
cli_alert_info("Losses are plotted in char_transformer.png. A sample, which goes on from the [prompt]:")
sample <- write_text(state$p, text$alphabet, text$validation[seq_len(context)], 400L)
cat(style_bold("[", substr(sample, 1L, context), "]"), substring(sample, context + 1L), "\n\n", sep = "")

ids <- check_ids(text$validation)
saveRDS(list(p = state$p, ids = ids), "char_transformer.rds")
here <- as.matrix(predict_logits(state$p, ids))
there <- as.numeric(system2(file.path(R.home("bin"), "Rscript"),
                            c(shQuote(script), "--logits", "char_transformer.rds"), stdout = TRUE))
stopifnot(length(there) == length(here))
if (!identical(there, as.numeric(here))) stop("the loaded model gives other logits")
cli_alert_success("Saved to char_transformer.rds; a fresh R process gives the same {length(there)} logits.")
