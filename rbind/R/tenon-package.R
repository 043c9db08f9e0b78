#' tenon: a tensor compiler
#'
#' Operations on tensors are recorded, not run: reading a value, or an
#' optimizer's `$step()`, compiles everything pending into one native program,
#' with its gradient where one is asked for, and runs it. Programs are cached, so
#' that a training loop compiles once.
#'
#' There are two styles over one engine. The `ag_` functions work on matrices
#' `[features, samples]` with a tape, layers and optimizers. The functional style
#' works on arrays of any rank: [jit()], [grad()], [value_and_grad()],
#' [compile_loop()], R's own operators and the `tenon_` functions.
#'
#' Numbers are doubles (f64) unless [ag_dtype()] says otherwise. `NA` in data
#' counts as `NaN`. Errors are conditions of class `tenon_error` with one of the subclasses
#' `tenon_error_shape`, `_dtype`, `_argument`, `_device`, `_memory`, `_io`,
#' `_compile`; they leave the session and all tensors usable. Ctrl-C
#' and a time limit raise an interrupt of class `tenon_cancelled`.
#' @section Coming from ggmlR:
#' `ag_` functions, losses, optimizers and [ag_dataloader()] keep their names, their layout
#' `[features, samples]` and ids that count from 0. What differs: nothing runs until a value
#' is read, and a step that is new takes some tenths of a second to compile; so there is
#' nothing to capture, `ag_capture_step()` and `ag_graph_mode()` are not needed. [ag_dtype()]
#' counts on the CPU as well. `$data` and `$grad` are always matrices; a tensor holds no other
#' fields. The device `"gpu"` is called `"vulkan"` where it is told. `saveRDS(model, path)` stands for
#' `ag_save_model()`; [tenon_save_tensors()] keeps the parameters alone.
#' @keywords internal
#' @useDynLib tenon, .registration = TRUE
#' @importFrom stats runif
#' @importFrom utils head packageVersion str
"_PACKAGE"
