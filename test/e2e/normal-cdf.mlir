// Phi, alone and beside GELU, whose gradient needs it.
// RUN: tenon-run %s --compare=reference --low=-5 --high=5
// RUN: tenon-run %s --compare=reference --low=-5 --high=5 --backend=vulkan
// RUN: tenon-run %s --compare=reference --low=-5 --high=5 --march=x86-64-v3

func.func @cdf_f64(%x: tensor<3x67xf64>) -> tensor<3x67xf64> {
  %y = tenon.normal_cdf %x : tensor<3x67xf64>
  return %y : tensor<3x67xf64>
}

func.func @cdf_f32(%x: tensor<3x67xf32>) -> tensor<3x67xf32> {
  %y = tenon.normal_cdf %x : tensor<3x67xf32>
  return %y : tensor<3x67xf32>
}

func.func @cdf_f16(%x: tensor<3x67xf16>) -> tensor<3x67xf16> {
  %y = tenon.normal_cdf %x : tensor<3x67xf16>
  return %y : tensor<3x67xf16>
}

func.func @cdf_bf16(%x: tensor<3x67xbf16>) -> tensor<3x67xbf16> {
  %y = tenon.normal_cdf %x : tensor<3x67xbf16>
  return %y : tensor<3x67xbf16>
}

func.func @gelu_gradient_f64(%x: tensor<129xf64>) -> (tensor<129xf64>, tensor<129xf64>) {
  %y = tenon.gelu %x : tensor<129xf64>
  %s = tenon.reduce_sum %y {axes = array<i64: 0>} : (tensor<129xf64>) -> tensor<f64>
  %g = tenon.gradient %s, %x : (tensor<f64>, tensor<129xf64>) -> tensor<129xf64>
  return %y, %g : tensor<129xf64>, tensor<129xf64>
}

func.func @gelu_gradient_f32(%x: tensor<129xf32>) -> (tensor<129xf32>, tensor<129xf32>) {
  %y = tenon.gelu %x : tensor<129xf32>
  %s = tenon.reduce_sum %y {axes = array<i64: 0>} : (tensor<129xf32>) -> tensor<f32>
  %g = tenon.gradient %s, %x : (tensor<f32>, tensor<129xf32>) -> tensor<129xf32>
  return %y, %g : tensor<129xf32>, tensor<129xf32>
}
