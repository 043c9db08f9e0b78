#' What a compiled function costs
#'
#' Compiles `f` as [jit()] does, without running it, and tells what each kernel has to do,
#' the least time that this machine needs for it, where values lie in memory and when, and
#' why ops were not fused. `plot()` draws the memory plan: steps to the right, the
#' arena upwards, a box for each value.
#'
#' The times are bounds, not measurements: `us_at_peak` is what the operations take at the
#' rate of multiply-adds of all threads, `us_at_bandwidth` what reading every
#' operand and writing every result once takes at the rate of copies. Both rates are measured when
#' the report is made. [tenon_profile()] shows what kernels take.
#'
#' @param f A function.
#' @param ... Its arguments.
#' @return A list of class `tenon_report`:
#'   \item{processor, threads}{what the code is for and how many threads run it}
#'   \item{flops_f32, flops_f64, bandwidth}{the machine's operations and bytes per second}
#'   \item{kernels}{a data frame, a row a kernel: `step`, `runs` (trips of loops),
#'     `conditional` (in a branch of [tenon_if()]), `strategy`,
#'     `ops`, `location`, `flops`, `bytes`, `us_at_peak`, `us_at_bandwidth`,
#'     `scratch_bytes` (shared and of one thread), `code_bytes`, `compile_ms`}
#'   \item{values}{a data frame, a row a value in the arena: `value`, `type`, `offset`, `bytes`,
#'     `from` and `to`, the first and last step that need it}
#'   \item{arena_bytes, steps}{of the whole program}
#'   \item{remarks}{a data frame of `location` and `text`: why passes left something alone}
#' @section Errors: those of tracing and compiling.
#' @examples
#' report <- tenon_report(function(x, w) tanh(w %*% x), matrix(1, 3, 4), matrix(1, 2, 3))
#' report$kernels[, c("ops", "flops", "bytes")]
#' @export
tenon_report <- function(f, ...) {
  text <- traced_text(need_function(f, "f"), list(...), "report-json")
  all <- jsonlite::fromJSON(text, simplifyVector = FALSE)
  program <- all$programs[[1L]]
  column <- function(rows, name, type = NA_real_)
    vapply(rows, function(row) if (is.null(row[[name]])) type else row[[name]], type)
  joined <- function(kernel, name) {
    texts <- column(kernel$sources, name, "")
    paste(if (name == "op") texts else unique(texts[nzchar(texts)]), collapse = " ")
  }
  kernels <- program$kernels
  values <- program$values
  structure(list(
    processor = all$processor, threads = all$threads,
    flops_f32 = all$flops_f32_per_second, flops_f64 = all$flops_f64_per_second,
    bandwidth = all$bytes_per_second,
    kernels = data.frame(
      step = column(kernels, "step"), runs = column(kernels, "runs"),
      conditional = column(kernels, "conditional", NA),
      strategy = column(kernels, "strategy", ""), ops = vapply(kernels, joined, "", "op"),
      location = vapply(kernels, joined, "", "location"),
      flops = column(kernels, "flops"), bytes = column(kernels, "bytes"),
      us_at_peak = 1e6 * column(kernels, "seconds_at_peak"),
      us_at_bandwidth = 1e6 * column(kernels, "seconds_at_bandwidth"),
      scratch_bytes = column(kernels, "scratch_shared") + column(kernels, "scratch_per_worker"),
      code_bytes = column(kernels, "code_bytes"),
      compile_ms = 1e3 * column(kernels, "compile_seconds")),
    values = data.frame(
      value = column(values, "maker", ""), type = column(values, "type", ""),
      offset = column(values, "offset"), bytes = column(values, "bytes"),
      from = column(values, "from"), to = column(values, "to")),
    arena_bytes = program$arena_bytes, steps = program$steps,
    remarks = data.frame(location = column(all$remarks, "location", ""),
                         text = column(all$remarks, "text", ""))), class = "tenon_report")
}

#' @rdname tenon_report
#' @param x A `tenon_report`.
#' @export
print.tenon_report <- function(x, ...) {
  rate <- function(value, unit) if (!is.null(value)) sprintf(", %.3g G%s", value / 1e9, unit)
  cat(x$processor, ", ", x$threads, " threads", rate(x$flops_f32, "FLOP/s f32"),
      rate(x$flops_f64, "FLOP/s f64"), rate(x$bandwidth, "B/s"), "\n", sep = "")
  shown <- c("step", "runs", "strategy", "flops", "bytes", "us_at_peak", "us_at_bandwidth", "ops")
  print(x$kernels[, shown], digits = 3L, row.names = FALSE)
  cat("arena of ", format(x$arena_bytes, big.mark = ","), " bytes for ", nrow(x$values), " values\n",
      sep = "")
  if (nrow(x$remarks)) cat("left alone\n")
  cat(sprintf("  %s%s%s\n", x$remarks$location, ifelse(nzchar(x$remarks$location), ": ", ""),
              x$remarks$text), sep = "")
  invisible(x)
}

#' @rdname tenon_report
#' @export
plot.tenon_report <- function(x, ...) {
  v <- x$values
  graphics::plot(NULL, xlim = c(0, max(x$steps, 1)), ylim = c(0, max(x$arena_bytes, 1)),
                 xlab = "step", ylab = "bytes in the arena", ...)
  graphics::rect(v$from, v$offset, v$to + 1, v$offset + v$bytes,
                 col = grDevices::hcl.colors(max(nrow(v), 1L), "Pastel 1"), border = "grey30")
  invisible(x)
}

#' Profile kernels
#'
#' Records every kernel that runs while `expr` is evaluated. `as.data.frame()` gives a row a
#' run of a kernel, `plot()` a timeline of them with a lane for each thread that ran programs, and
#' lane 0 for a GPU, whose clock tells the times;
#' the file opens in Perfetto (ui.perfetto.dev) and chrome://tracing.
#'
#' @param expr Code that computes tensors.
#' @param path File to write: Chrome trace JSON.
#' @return Invisibly `path`, of class `tenon_profile`. The data frame has columns `kernel`,
#'   `program`, `location`, `thread`, `start` and `time` (in microseconds), `flops` and
#'   `bytes`.
#' @section Errors: those of `expr`, after which no file is written; `tenon_error_io`
#'   when the file cannot be written, or is not there any more.
#' @examples
#' p <- tenon_profile(as.matrix(ag_relu(matrix(-1, 2, 2))), tempfile(fileext = ".json"))
#' as.data.frame(p)[, c("kernel", "time")]
#' plot(p)
#' @export
tenon_profile <- function(expr, path) {
  need_path(path)
  .Call(C_profile, NULL)
  done <- FALSE
  on.exit(if (!done) .Call(C_profile, tempfile()))
  force(expr)
  .Call(C_profile, path.expand(path)) # a file that cannot be written leaves it recording
  done <- TRUE
  invisible(structure(path, class = "tenon_profile"))
}

#' @rdname tenon_profile
#' @param x A `tenon_profile`.
#' @param row.names,optional Not used.
#' @param ... Of `plot()`: graphical parameters.
#' @export
as.data.frame.tenon_profile <- function(x, row.names = NULL, optional = FALSE, ...) {
  path <- path.expand(unclass(x))
  if (!file.exists(path)) tenon_stop("io", "tenon_profile: cannot read '", path, "': no such file")
  events <- jsonlite::fromJSON(path, simplifyVector = FALSE)$traceEvents
  text <- function(pick) vapply(events, pick, "")
  number <- function(pick) vapply(events, function(e) as.numeric(pick(e)), 0)
  data.frame(kernel = text(function(e) e$name), program = text(function(e) e$args$program),
             location = text(function(e) e$args$location), thread = number(function(e) e$tid),
             start = number(function(e) e$ts), time = number(function(e) e$dur),
             flops = number(function(e) e$args$flops), bytes = number(function(e) e$args$bytes))
}

#' @rdname tenon_profile
#' @export
print.tenon_profile <- function(x, ...) {
  runs <- as.data.frame(x)
  cat(nrow(runs), " runs of kernels, ", format(round(sum(runs$time)), big.mark = ","),
      " us, in ", unclass(x), "\n", sep = "")
  if (nrow(runs)) {
    total <- sort(tapply(runs$time, runs$kernel, sum), decreasing = TRUE)
    print(utils::head(data.frame(us = round(c(total), 1L), runs = c(table(runs$kernel)[names(total)]),
                                 row.names = names(total)), 10L))
  }
  invisible(x)
}

#' @rdname tenon_profile
#' @export
plot.tenon_profile <- function(x, ...) {
  runs <- as.data.frame(x)
  threads <- sort(unique(runs$thread))
  kernels <- names(sort(tapply(runs$time, runs$kernel, sum), decreasing = TRUE))
  colours <- grDevices::hcl.colors(max(length(kernels), 1L), "Set 2")
  lane <- match(runs$thread, threads)
  from <- if (nrow(runs)) runs$start / 1e3 else 0
  to <- from + if (nrow(runs)) runs$time / 1e3 else 1
  graphics::plot(NULL, xlim = c(min(from), max(to)),
                 ylim = c(0.5, max(length(threads), 1) + 1), yaxt = "n", xlab = "ms", ylab = "thread", ...)
  graphics::axis(2L, seq_along(threads), threads)
  if (nrow(runs))
    graphics::rect(from, lane - 0.4, to, lane + 0.4, col = colours[match(runs$kernel, kernels)],
                   border = NA)
  shown <- utils::head(kernels, 6L)
  if (length(shown))
    graphics::legend("topright", substr(shown, 1L, 40L), fill = utils::head(colours, 6L), bty = "n", cex = 0.7)
  invisible(x)
}
