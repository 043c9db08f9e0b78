// Second derivatives, whose products read what other kernels read as well.
// RUN: tenon-run %s --compare=reference
// RUN: tenon-run %s --compare=reference --backend=vulkan

func.func @self_attention(%arg0: tensor<3x4xf64>) -> tensor<3x4xf64> {
  %0 = tenon.reshape %arg0 {shape = array<i64: 1, 1, 3, 4>} : (tensor<3x4xf64>) -> tensor<1x1x3x4xf64>
  %o, %lse = tenon.attention %0, %0, %0 {scale = 5.000000e-01 : f64} : (tensor<1x1x3x4xf64>, tensor<1x1x3x4xf64>, tensor<1x1x3x4xf64>) -> (tensor<1x1x3x4xf64>, tensor<1x1x3xf64>)
  %1 = tenon.reshape %o {shape = array<i64: 3, 4>} : (tensor<1x1x3x4xf64>) -> tensor<3x4xf64>
  %2 = tenon.mul %1, %1 : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3x4xf64>
  %3 = tenon.reduce_sum %2 {axes = array<i64: 0, 1>} : (tensor<3x4xf64>) -> tensor<f64>
  %4 = tenon.gradient %3, %arg0 : (tensor<f64>, tensor<3x4xf64>) -> tensor<3x4xf64>
  %5 = tenon.mul %4, %4 : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3x4xf64>
  %6 = tenon.reduce_sum %5 {axes = array<i64: 0, 1>} : (tensor<3x4xf64>) -> tensor<f64>
  %7 = tenon.gradient %6, %arg0 : (tensor<f64>, tensor<3x4xf64>) -> tensor<3x4xf64>
  return %7 : tensor<3x4xf64>
}

