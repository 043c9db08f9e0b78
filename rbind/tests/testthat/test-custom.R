# Shaders of the user's. On a machine without a GPU, Mesa's driver that runs on the processor.
skip_unless_vulkan <- function() if (!ggml_vulkan_available()) skip_on_cran()
forget_told <- function() assign("told", FALSE, envir = tenon:::custom_state)
quietly <- function(expr) suppressMessages(expr, classes = "tenon_fallback")

declare <- function(...) {
  names <- c(...)
  c("layout(local_size_x = 64) in;",
    sprintf("layout(binding = %d) %s buffer B%d { float %s[]; };", seq_along(names) - 1L,
            ifelse(startsWith(names, ">"), "writeonly", "readonly"), seq_along(names), sub(">", "", names)))
}
each <- function(binding, ...)
  c("void main() {", "uint i = gl_GlobalInvocationID.x;", sprintf("if (i >= tenon_size(%d)) return;", binding),
    ..., "}")
# y = x * w; told apart from its body by the digit that `extra` adds.
product <- function(extra = "", ...)
  tenon_custom_op(c(declare("x", "w", ">y"), each(2, paste0("y[i] = x[i] * w[i]", extra, ";"))),
                  function(x, w) x * w, ...)

test_that("the body runs on the CPU, which is said once", {
  forget_told()
  op <- product()
  x <- tenon_tensor(M(3, 2), "f32")
  expect_message(y <- op(x, x), "on the CPU, not the GPU: the body of tenon_custom_op", class = "tenon_fallback")
  near(as.array(y), as.array(x)^2, 1e-6)
  expect_silent(op(x, x))
  square <- function(x) sum(op(x, x * 2))
  near(as.array(grad(square)(x)), 4 * as.array(x), 1e-5)
  near(as.array(jit(op)(x, x)), as.array(x)^2, 1e-6)
})

test_that("arguments are numbers and gradients as well", {
  lines <- sub("float k", "int k", c(declare("x", "k", ">y"), each(2, "y[i] = x[i] * k[i];")))
  op <- tenon_custom_op(lines, function(x, k) x * tenon_cast(k, "f32"))
  near(as.array(quietly(op(tenon_tensor(c(1.5, 2), "f32"), 2:3))), c(3, 6))
  w <- with_dtype("f32", ag_param(M(2, 2)))
  with_dtype("f32", {
    with_grad_tape(loss <- ag_mse_loss(quietly(product()(w, w)), M(2, 2)))
    g <- backward(loss)
  })
  expect_identical(dim(w$grad), c(2L, 2L))
})

test_that("the shader runs on the device: lazily, in jit() and ahead of time", {
  skip_unless_vulkan()
  op <- product(" + 100")
  x <- tenon_tensor(M(30, 7), "f32")
  expected <- as.array(x)^2 + 100
  near(as.array(jit(op, device = "vulkan")(x, x)), expected, 1e-6)
  before <- ag_device("vulkan")
  on.exit(ag_device(before))
  near(as.array(op(x, x)), expected, 1e-6)
  near(as.array(op(as.array(x), x)), expected, 1e-6)
  ag_device(before)
  dir.create(folder <- tempfile())
  path <- file.path(folder, "libcustom.so")
  forget_told()
  expect_silent(tenon_compile(op, list(x, x), path, target = c("vulkan", "cpu")))
  near(as.array(tenon_load_program(path, device = "vulkan")(x, x)), expected, 1e-6)
  near(as.array(tenon_load_program(path, device = "cpu")(x, x)), expected - 100, 1e-6)
})

test_that("gradients are those of the body, or of a second shader", {
  skip_unless_vulkan()
  x <- tenon_tensor(M(5, 3), "f32")
  w <- tenon_tensor(M(5, 3), "f32")
  gradient <- function(op, device) {
    f <- value_and_grad(function(x, w) sum(op(x, w) * op(w, w)))
    lapply(quietly(jit(function(x, w) f(x, w)$grad, device = device)(x, w)), as.array)
  }
  backward <- c(declare("x", "w", "y", "dy", ">dx", ">dw"), each(4, "dx[i] = w[i] * dy[i] FACTOR; dw[i] = x[i] * dy[i];"))
  own <- function(factor) product(backward = sub("FACTOR", factor, backward), backward_groups = ~ ceiling(size / 64))
  expected <- gradient(product(), "cpu")
  Map(near, gradient(product(), "vulkan"), expected, 1e-5)
  Map(near, gradient(own(""), "vulkan"), expected, 1e-5)
  Map(near, gradient(own("* 2"), "cpu"), expected, 1e-5) # the CPU has the body's
  expect_false(isTRUE(all.equal(gradient(own("* 2"), "vulkan")[[1]], expected[[1]])))
})

test_that("several results, and workgroups by their extents", {
  skip_unless_vulkan()
  op <- tenon_custom_op(c(
    "layout(local_size_x = 4, local_size_y = 2) in;",
    "layout(binding = 0) readonly buffer X { float x[]; };",
    "layout(binding = 1) writeonly buffer Y { float y[]; };",
    "layout(binding = 2) writeonly buffer Z { int z[]; };",
    "void main() {",
    "  uint row = gl_GlobalInvocationID.x, column = gl_GlobalInvocationID.y, rows = tenon_extent(1, 1);",
    "  if (row >= rows || column >= tenon_extent(1, 0)) return;",
    "  y[column * rows + row] = 2 * x[column * rows + row];",
    "  if (row == 0) z[column] = int(column);",
    "}"), function(x) list(twice = x * 2, at = tenon_cast(tenon_sum(x * 0, 1), "i32")),
    groups = ~ c(ceiling(d1 / 4), (d2 + 1) %/% 2))
  for (columns in c(5, 6, 7, 8)) { # later ones by a program of open extents
    x <- M(3, columns)
    y <- jit(op, device = "vulkan")(tenon_tensor(x, "f32"))
    expect_identical(names(y), c("twice", "at"))
    near(as.array(y$twice), 2 * x, 1e-6)
    expect_identical(c(as.array(y$at)), seq_len(columns) - 1L)
  }
})

test_that("what does not fit is refused at the call, with the line", {
  x <- tenon_tensor(c(1, 2), "f32")
  refused <- function(op, message, args = list(x)) quietly(
    expect_error(do.call(op, args), message, fixed = TRUE, class = "tenon_error_argument"))
  make <- function(..., body = function(x) x * 2) tenon_custom_op(c(declare("x", ">y"), ...), body)
  refused(make("void main() {", "  y[0] = z;", "}"), "glsl: line 5: 'z' : undeclared identifier")
  refused(make("void main() {}"), "binding 0 (f64[2]): expected an array of double, got one of float",
          list(tenon_tensor(c(1, 2), "f64")))
  refused(make("void main() {}", body = function(x) list(x, x * 2)), "the shader declares no buffer for this result")
  refused(make("void main() {}", body = function(x) 1), "body: expected a tensor")
  refused(tenon_custom_op(c(declare("x", ">y"), "void main() {}"), function(x) x, backward = "void main() {}"),
          "glsl: binding 0 (f32[2]): the shader declares no buffer for this input")
  expect_error(tenon_custom_op(1, identity), class = "tenon_error_argument")
  expect_error(tenon_custom_op("void main() {}", 1), class = "tenon_error_argument")
  for (groups in list(~ sqrt(size), ~ c(1, 1, 1, 1), ~ 1.5, ~ NA, ~ f(1)(2), "size", y ~ size, ~ d9))
    expect_error(tenon_custom_op("void main() {}", identity, groups = groups), "expected a formula",
                 class = "tenon_error_argument")
})
