# The character model of char_transformer.R: its text, its parameters, its forward
# pass and its training step.
#
# 2 pre-norm layers, 4 heads, width 128, GELU of 512, learned positions, context 64,
# dropout 0.1 on the residual branches; AdamW with warm-up and cosine.

suppressPackageStartupMessages(library(tenon))

context <- 64L
batch <- 32L
width <- 128L
heads <- 4L
layers <- 2L
dropout <- 0.1

# ---- text ---------------------------------------------------------------------

read_text <- function(folder = "/usr/share/common-licenses") {
  files <- list.files(folder, full.names = TRUE)
  files <- files[!nzchar(Sys.readlink(files)) & !dir.exists(files)]
  texts <- lapply(files, function(file) {
    raw <- readChar(file, file.size(file), useBytes = TRUE)
    utf8ToInt(iconv(raw, "UTF-8", "UTF-8", sub = "?"))
  })
  alphabet <- sort(unique(unlist(texts)))
  coded <- lapply(texts, match, alphabet)
  cut <- lapply(coded, function(x) seq_along(x) <= floor(0.9 * length(x)))
  list(
    alphabet = alphabet,
    train = unlist(Map(function(x, keep) x[keep], coded, cut)),
    validation = unlist(Map(function(x, keep) x[!keep], coded, cut))
  )
}

# Inputs and targets (the next characters) of windows that begin at `starts`.
windows <- function(text, starts) {
  at <- outer(seq_len(context) - 1L, starts, `+`)
  list(ids = matrix(text[at], context), targets = matrix(text[at + 1L], context))
}

# What counting reaches: characters given the four before, shorter contexts blended
# in by how many different characters followed (Witten and Bell 1991).
backoff_loss <- function(train, validation, classes, order = 4L) {
  key <- function(text, k) {
    n <- length(text)
    code <- numeric(n - order)
    for (i in rev(seq_len(k))) code <- code * classes + text[(order + 1L):n - i]
    code
  }
  probability <- rep(1 / classes, length(validation) - order)
  seen <- train[-seq_len(order)]
  asked <- validation[-seq_len(order)]
  for (k in 0:order) {
    contexts <- key(train, k)
    pairs <- contexts * classes + seen
    pair_count <- table(pairs)
    total <- table(contexts)
    kinds <- table(floor((as.numeric(names(pair_count)) - 1) / classes))
    look <- function(table, keys) {
      count <- as.numeric(table)[match(keys, as.numeric(names(table)))]
      ifelse(is.na(count), 0, count)
    }
    contexts <- key(validation, k)
    n <- look(total, contexts)
    t <- look(kinds, contexts)
    c <- look(pair_count, contexts * classes + asked)
    probability <- ifelse(n + t > 0, (c + t * probability) / (n + t), probability)
  }
  -mean(log(probability))
}

# ---- model --------------------------------------------------------------------

new_parameters <- function(classes) {
  f32 <- function(x) tenon_tensor(x, "f32") # also where products are computed in f16
  normal <- function(...) f32(array(rnorm(prod(...), sd = 0.02), c(...)))
  linear <- function(out, inp) { # as is usual: uniform in +-1/sqrt(inputs)
    bound <- 1 / sqrt(inp)
    list(w = f32(matrix(runif(out * inp, -bound, bound), out)), b = f32(runif(out, -bound, bound)))
  }
  norm <- function() list(gamma = f32(rep(1, width)), beta = f32(rep(0, width)))
  block <- function(i) list(norm1 = norm(), qkv = linear(3L * width, width), out = linear(width, width),
                            norm2 = norm(), up = linear(4L * width, width), down = linear(width, 4L * width))
  list(embedding = normal(width, classes), position = normal(width, context),
       blocks = lapply(seq_len(layers), block), norm = norm(), head = linear(classes, width))
}

apply_linear <- function(p, x) p$w %*% x + p$b
apply_norm <- function(p, x) tenon_layer_norm(x, p$gamma, p$beta)

# x is [width, context * batch]; heads are rows of it, cut out without a copy.
self_attention <- function(p, x, n) {
  qkv <- apply_linear(p$qkv, x)
  part <- function(i) {
    rows <- qkv[(i - 1L) * width + seq_len(width), ]
    tenon_transpose(tenon_reshape(rows, c(width / heads, heads, context, n)), c(1, 3, 2, 4))
  }
  o <- tenon_attention(part(1L), part(2L), part(3L), causal = TRUE)
  o <- tenon_reshape(tenon_transpose(o, c(1, 3, 2, 4)), c(width, context * n))
  apply_linear(p$out, o)
}

# Logits [classes, context * batch] for ids [context, batch].
forward <- function(p, ids, training) {
  n <- dim(ids)[2L]
  drop <- function(x) if (training) tenon_dropout(x, dropout) else x
  x <- tenon_embedding(p$embedding, ids) + tenon_reshape(p$position, c(width, context, 1L))
  x <- tenon_reshape(x, c(width, context * n))
  for (block in p$blocks) {
    x <- x + drop(self_attention(block, apply_norm(block$norm1, x), n))
    hidden <- tenon_gelu(apply_linear(block$up, apply_norm(block$norm2, x)))
    x <- x + drop(apply_linear(block$down, hidden))
  }
  apply_linear(p$head, apply_norm(p$norm, x))
}

loss_of <- function(p, ids, targets, training)
  tenon_cross_entropy(forward(p, ids, training), tenon_reshape(targets, length(targets)))

# Forward, backward and AdamW: one program, compiled once. With f16 the loss is scaled.
train_step <- jit(function(state, ids, targets, rate, t) {
  result <- value_and_grad(loss_of)(state$p, ids, targets, TRUE)
  new <- tenon_adam(state$p, result$grad, state$m, state$v, rate, t, weight_decay = 0.1)
  list(state = c(new, list(scale = tenon_loss_scale(state$scale))), loss = result$value)
}, donate = 1L)
evaluate <- jit(function(p, ids, targets) loss_of(p, ids, targets, FALSE))
predict_logits <- jit(function(p, ids) forward(p, ids, FALSE))

validation_loss <- function(p, text) {
  starts <- seq(1L, length(text) - context, by = context)
  total <- 0
  for (group in split(starts, ceiling(seq_along(starts) / batch))) {
    w <- windows(text, group)
    total <- total + as.numeric(evaluate(p, w$ids, w$targets)) * length(group)
  }
  total / length(starts)
}

learning_rate <- function(t, steps, peak = 2e-3, warmup = 100)
  peak * min(1, t / warmup) * (0.05 + 0.95 * 0.5 * (1 + cos(pi * t / steps)))

write_text <- function(p, alphabet, prompt, count, temperature = 0.8) {
  text <- prompt
  for (i in seq_len(count)) {
    ids <- matrix(tail(text, context), context)
    logits <- as.matrix(predict_logits(p, ids))[, context] / temperature
    text <- c(text, sample.int(length(alphabet), 1L, prob = exp(logits - max(logits))))
  }
  intToUtf8(alphabet[text])
}

check_ids <- function(text) matrix(text[seq_len(context)], context)
