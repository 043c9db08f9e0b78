// Attention written out, a loss, and the gradient by the values: what R's tracing gives for
//
//   x <- tenon_tensor(matrix(0, 16, 64), "f32") # shapes and element types count, values do not
//   f <- function(q, k, v, y) {
//     loss <- function(v) tenon_mse(v %*% tenon_softmax((t(k) %*% q) / 4), y)
//     value_and_grad(loss)(v)
//   }
//   cat(tenon_ir(f, x, x, x, x, phase = "input"), file = "attention.mlir")
func.func @main(%arg0: tensor<64x16xf32>, %arg1: tensor<64x16xf32>, %arg2: tensor<64x16xf32>, %arg3: tensor<64x16xf32>) -> (tensor<f32>, tensor<64x16xf32>) {
  %0 = tenon.constant dense<4.000000e+00> : tensor<64x64xf32>
  %1 = tenon.transpose %arg1 {permutation = array<i64: 1, 0>} : (tensor<64x16xf32>) -> tensor<16x64xf32>
  %2 = tenon.matmul %arg0, %1 : (tensor<64x16xf32>, tensor<16x64xf32>) -> tensor<64x64xf32>
  %3 = tenon.div %2, %0 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %4 = tenon.softmax %3 {axis = 1 : i64} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %5 = tenon.matmul %4, %arg2 : (tensor<64x64xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
  %6 = tenon.mse_loss %5, %arg3 : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<f32>
  %7 = tenon.gradient %6, %arg2 : (tensor<f32>, tensor<64x16xf32>) -> tensor<64x16xf32>
  return %6, %7 : tensor<f32>, tensor<64x16xf32>
}

