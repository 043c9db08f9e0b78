// RUN: tenon-run %s --compare=reference --low=0.1 --high=3
// RUN: tenon-run %s --compare=reference --low=0.1 --high=3 --backend=vulkan

func.func @a_f64(%a: tensor<3x5x7xf64>, %b: tensor<3x5x7xf64>) -> tensor<3x5x7xf64> {
  %y0 = tenon.pow %a, %b : (tensor<3x5x7xf64>, tensor<3x5x7xf64>) -> tensor<3x5x7xf64>
  return %y0 : tensor<3x5x7xf64>
}

func.func @a_f32(%a: tensor<129xf32>, %b: tensor<129xf32>) -> tensor<129xf32> {
  %y0 = tenon.pow %a, %b : (tensor<129xf32>, tensor<129xf32>) -> tensor<129xf32>
  return %y0 : tensor<129xf32>
}

func.func @a_f16(%a: tensor<33x3xf16>, %b: tensor<33x3xf16>) -> tensor<33x3xf16> {
  %y0 = tenon.pow %a, %b : (tensor<33x3xf16>, tensor<33x3xf16>) -> tensor<33x3xf16>
  return %y0 : tensor<33x3xf16>
}

func.func @a_bf16(%a: tensor<2x65xbf16>, %b: tensor<2x65xbf16>) -> tensor<2x65xbf16> {
  %y0 = tenon.pow %a, %b : (tensor<2x65xbf16>, tensor<2x65xbf16>) -> tensor<2x65xbf16>
  return %y0 : tensor<2x65xbf16>
}
