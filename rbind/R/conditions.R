# Called from C: raises a condition of class tenon_error_<kind>.
raise_error <- function(kind, message) {
  # As R's own interrupts: handlers of errors do not catch it.
  if (kind == "interrupt")
    stop(structure(class = c("tenon_cancelled", "interrupt", "condition"),
                   list(message = message, call = NULL)))
  stop(structure(class = c(paste0("tenon_error_", kind), "tenon_error", "error", "condition"),
                 list(message = message, call = NULL)))
}

tenon_stop <- function(kind, ...) raise_error(kind, paste0(...))

shape_text <- function(dim) paste0("[", paste(dim, collapse = ","), "]")

# One number that is not NA.
need_number <- function(x, what, least = -Inf, most = Inf) {
  if (!is.numeric(x) || length(x) != 1L || is.na(x) || x < least || x > most)
    tenon_stop("argument", what, ": expected a number",
               if (is.finite(least) || is.finite(most)) paste0(" from ", least, " to ", most),
               ", got ", if (length(x) == 1L) format(x) else paste(class(x)[1], "of length", length(x)))
  x
}

need_count <- function(x, what, least = 1) {
  need_number(x, what, least, .Machine$integer.max)
  if (x != floor(x)) tenon_stop("argument", what, ": expected a whole number, got ", x)
  as.integer(x)
}

need_flag <- function(x, what) {
  if (!is.logical(x) || length(x) != 1L || is.na(x))
    tenon_stop("argument", what, ": expected TRUE or FALSE, got ",
               if (length(x) == 1L) format(x) else paste(class(x)[1], "of length", length(x)))
  x
}
