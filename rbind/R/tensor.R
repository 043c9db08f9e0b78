#' Tensors and parameters
#'
#' `tenon_tensor()` makes a tensor of any rank from an R array. `ag_tensor()` and
#' `ag_param()` make a matrix `[features, samples]`; a plain vector becomes one
#' column. A parameter (`ag_param()`) is what gradients are taken of and what
#' optimizers write.
#'
#' A tensor is lazy: it is computed when it is read, by [as.matrix()],
#' [as.array()], [print()] or `$data`. Fields: `$data` (matrix), `$grad` (matrix
#' or `NULL`: accumulates over calls of [backward()] until `zero_grad()`),
#' `$requires_grad`, `$id`, `$dtype`, `$device`. Assigning `$data` replaces the
#' values of a parameter. `saveRDS()` keeps parameters and computed tensors.
#'
#' @param data,x Numbers: a vector, matrix or array (`ag_` functions: of at most
#'   two axes), or a tensor. `NA` counts as `NaN`; only `"f64"` reads it back as `NA`.
#' @param device As for [ag_device()]: where its elements lie.
#' @param dtype Element type: `"f64"`, `"f32"`, `"f16"`, `"bf16"`, for
#'   `tenon_tensor()` also `"i64"`, `"i32"`, `"i8"`, `"i1"`. Default: that of
#'   [ag_dtype()]; where that is `"f16"` or `"bf16"`, a parameter is `"f32"`.
#' @return An object of class `ag_tensor`.
#' @section Errors: `tenon_error_dtype` for what is not numbers and for a dtype that is
#'   not there (for a parameter also one that is no float), `tenon_error_shape` for more
#'   than two axes (`ag_`) or eight, `tenon_error_argument` for numbers that an integer
#'   dtype cannot hold, `tenon_error_device` for a device that is not there.
#' @examples
#' x <- tenon_tensor(array(1:24, c(2, 3, 4)), "f32")
#' dim(x)
#' w <- ag_param(matrix(0.5, 2, 3))
#' w$data
#' as.matrix(ag_matmul(w, diag(3)))
#' ag_tensor(1:3)
#' @export
tenon_tensor <- function(x, dtype = ag_default_dtype())
  .Call(C_tensor, x, dtype, FALSE, ag_default_device())

# What parameters are where products are computed in a low type.
wide_dtype <- function(dtype) if (dtype %in% c("f16", "bf16")) "f32" else dtype

two_axes <- function(data) {
  if (inherits(data, "ag_tensor")) data <- as.array(data)
  if (is.data.frame(data)) data <- as.matrix(data)
  if (!is.numeric(data) && !is.logical(data))
    tenon_stop("dtype", "expected numbers, got ", if (is.null(data)) "NULL" else class(data)[1])
  if (is.matrix(data)) return(data)
  if (length(dim(data)) > 2L)
    tenon_stop("shape", "expected a matrix or a vector, got an array of ", length(dim(data)), " axes")
  matrix(data, ncol = 1L)
}

#' @rdname tenon_tensor
#' @export
ag_tensor <- function(data, device = ag_default_device(), dtype = ag_default_dtype()) {
  device <- usable_device(device)
  .Call(C_tensor, two_axes(data), dtype, FALSE, device)
}

#' @rdname tenon_tensor
#' @export
ag_param <- function(data, device = ag_default_device(), dtype = wide_dtype(ag_default_dtype())) {
  device <- usable_device(device)
  .Call(C_tensor, two_axes(data), dtype, TRUE, device)
}

#' Reading tensors
#'
#' Computes a tensor, with everything pending, and gives it as R numbers: f64,
#' f32, f16, bf16 and i64 as doubles, i32 and i8 as integers, i1 as logicals.
#'
#' @param x A tensor.
#' @param mode As for [base::as.vector()].
#' @param value For `dim<-`: the new extents, as many elements. For `$<-`: new
#'   values of a parameter (`$data`) or its gradient (`$grad`, `NULL` to clear).
#' @param name `"data"` or `"grad"`.
#' @param ... Not used.
#' @return `as.matrix()` a matrix (a tensor without axes gives 1x1, one with more
#'   than two keeps its first axis), `as.array()` an array of the tensor's `dim`,
#'   `dim()` the extents or `NULL` for a tensor without axes.
#' @section Errors: `tenon_error_argument` where there is nothing to read: while a
#'   function is traced, and for a tensor that was donated or came from another
#'   session unread; also for assigning another field than `$data` and `$grad`, or these
#'   of what is no parameter or while a function is traced. `tenon_error_shape` when what
#'   is assigned does not fit.
#' @examples
#' x <- tenon_tensor(matrix(1:6, 2))
#' as.matrix(x * 2)
#' as.numeric(sum(x))
#' dim(x)
#' @name reading
NULL

#' @rdname reading
#' @export
as.matrix.ag_tensor <- function(x, ...) .Call(C_matrix, x)

#' @rdname reading
#' @export
as.array.ag_tensor <- function(x, ...) .Call(C_array, x)

#' @rdname reading
#' @export
as.vector.ag_tensor <- function(x, mode = "any") as.vector(.Call(C_array, x), mode)

#' @rdname reading
#' @export
as.double.ag_tensor <- function(x, ...) as.double(.Call(C_array, x))

#' @rdname reading
#' @export
as.integer.ag_tensor <- function(x, ...) as.integer(.Call(C_array, x))

#' @rdname reading
#' @export
as.logical.ag_tensor <- function(x, ...) as.logical(.Call(C_array, x))

#' @rdname reading
#' @export
dim.ag_tensor <- function(x) .Call(C_dim, x)

#' @rdname reading
#' @export
length.ag_tensor <- function(x) as.integer(prod(.Call(C_dim, x)))

#' @rdname reading
#' @export
`dim<-.ag_tensor` <- function(x, value) .Call(C_reshape, x, value)

#' @rdname reading
#' @export
`$.ag_tensor` <- function(x, name) .Call(C_field, x, name)

#' @rdname reading
#' @export
`$<-.ag_tensor` <- function(x, name, value) switch(name,
  data = .Call(C_set_data, x, if (inherits(value, "ag_tensor")) value else two_axes(value)),
  grad = .Call(C_set_grad, x, value),
  tenon_stop("argument", "$", name, ": cannot be set; $data and $grad can"))

#' @rdname reading
#' @export
print.ag_tensor <- function(x, ...) {
  d <- .Call(C_dim, x)
  cat("<tenon ", if (.Call(C_is_param, x)) "parameter " else "", .Call(C_dtype, x), " ",
      shape_text(d), ">\n", sep = "")
  value <- tryCatch(.Call(C_array, x), tenon_error = function(e) conditionMessage(e))
  if (is.character(value)) cat("(", value, ")\n", sep = "")
  else if (length(value) <= 1000L) print(value)
  else cat(format(head(as.vector(value), 6L), digits = 4), "...\n")
  invisible(x)
}

#' @rdname reading
#' @param object A tensor.
#' @export
str.ag_tensor <- function(object, ...) cat(" ", format(object), "\n", sep = "")

#' @rdname reading
#' @export
format.ag_tensor <- function(x, ...)
  paste0("<tenon ", .Call(C_dtype, x), " ", shape_text(.Call(C_dim, x)), ">")
