// RUN: tenon-run %s --compare=reference
// RUN: tenon-run %s --compare=reference --backend=vulkan

func.func @softmax_f64_0_37(%x: tensor<6x37xf64>) -> tensor<6x37xf64> {
  %y = tenon.softmax %x {axis = 0 : i64} : (tensor<6x37xf64>) -> tensor<6x37xf64>
  return %y : tensor<6x37xf64>
}

func.func @softmax_f64_1_37(%x: tensor<6x37xf64>) -> tensor<6x37xf64> {
  %y = tenon.softmax %x {axis = 1 : i64} : (tensor<6x37xf64>) -> tensor<6x37xf64>
  return %y : tensor<6x37xf64>
}

func.func @softmax_f32_0_37(%x: tensor<6x37xf32>) -> tensor<6x37xf32> {
  %y = tenon.softmax %x {axis = 0 : i64} : (tensor<6x37xf32>) -> tensor<6x37xf32>
  return %y : tensor<6x37xf32>
}

func.func @softmax_f32_1_37(%x: tensor<6x37xf32>) -> tensor<6x37xf32> {
  %y = tenon.softmax %x {axis = 1 : i64} : (tensor<6x37xf32>) -> tensor<6x37xf32>
  return %y : tensor<6x37xf32>
}

func.func @softmax_f16_0_37(%x: tensor<6x37xf16>) -> tensor<6x37xf16> {
  %y = tenon.softmax %x {axis = 0 : i64} : (tensor<6x37xf16>) -> tensor<6x37xf16>
  return %y : tensor<6x37xf16>
}

func.func @softmax_f16_1_37(%x: tensor<6x37xf16>) -> tensor<6x37xf16> {
  %y = tenon.softmax %x {axis = 1 : i64} : (tensor<6x37xf16>) -> tensor<6x37xf16>
  return %y : tensor<6x37xf16>
}

func.func @softmax_bf16_0_37(%x: tensor<6x37xbf16>) -> tensor<6x37xbf16> {
  %y = tenon.softmax %x {axis = 0 : i64} : (tensor<6x37xbf16>) -> tensor<6x37xbf16>
  return %y : tensor<6x37xbf16>
}

func.func @softmax_bf16_1_37(%x: tensor<6x37xbf16>) -> tensor<6x37xbf16> {
  %y = tenon.softmax %x {axis = 1 : i64} : (tensor<6x37xbf16>) -> tensor<6x37xbf16>
  return %y : tensor<6x37xbf16>
}

func.func @log_softmax_f64_0_37(%x: tensor<6x37xf64>) -> tensor<6x37xf64> {
  %y = tenon.log_softmax %x {axis = 0 : i64} : (tensor<6x37xf64>) -> tensor<6x37xf64>
  return %y : tensor<6x37xf64>
}

func.func @log_softmax_f64_1_37(%x: tensor<6x37xf64>) -> tensor<6x37xf64> {
  %y = tenon.log_softmax %x {axis = 1 : i64} : (tensor<6x37xf64>) -> tensor<6x37xf64>
  return %y : tensor<6x37xf64>
}

func.func @log_softmax_f32_0_37(%x: tensor<6x37xf32>) -> tensor<6x37xf32> {
  %y = tenon.log_softmax %x {axis = 0 : i64} : (tensor<6x37xf32>) -> tensor<6x37xf32>
  return %y : tensor<6x37xf32>
}

func.func @log_softmax_f32_1_37(%x: tensor<6x37xf32>) -> tensor<6x37xf32> {
  %y = tenon.log_softmax %x {axis = 1 : i64} : (tensor<6x37xf32>) -> tensor<6x37xf32>
  return %y : tensor<6x37xf32>
}

func.func @log_softmax_f16_0_37(%x: tensor<6x37xf16>) -> tensor<6x37xf16> {
  %y = tenon.log_softmax %x {axis = 0 : i64} : (tensor<6x37xf16>) -> tensor<6x37xf16>
  return %y : tensor<6x37xf16>
}

func.func @log_softmax_f16_1_37(%x: tensor<6x37xf16>) -> tensor<6x37xf16> {
  %y = tenon.log_softmax %x {axis = 1 : i64} : (tensor<6x37xf16>) -> tensor<6x37xf16>
  return %y : tensor<6x37xf16>
}

func.func @log_softmax_bf16_0_37(%x: tensor<6x37xbf16>) -> tensor<6x37xbf16> {
  %y = tenon.log_softmax %x {axis = 0 : i64} : (tensor<6x37xbf16>) -> tensor<6x37xbf16>
  return %y : tensor<6x37xbf16>
}

func.func @log_softmax_bf16_1_37(%x: tensor<6x37xbf16>) -> tensor<6x37xbf16> {
  %y = tenon.log_softmax %x {axis = 1 : i64} : (tensor<6x37xbf16>) -> tensor<6x37xbf16>
  return %y : tensor<6x37xbf16>
}

func.func @softmax_f32_2_129(%x: tensor<3x4x129xf32>) -> tensor<3x4x129xf32> {
  %y = tenon.softmax %x {axis = 2 : i64} : (tensor<3x4x129xf32>) -> tensor<3x4x129xf32>
  return %y : tensor<3x4x129xf32>
}

func.func @softmax_f32_1_1000(%x: tensor<2x1000xf32>) -> tensor<2x1000xf32> {
  %y = tenon.softmax %x {axis = 1 : i64} : (tensor<2x1000xf32>) -> tensor<2x1000xf32>
  return %y : tensor<2x1000xf32>
}

func.func @softmax_f64_1_1(%x: tensor<1x1xf64>) -> tensor<1x1xf64> {
  %y = tenon.softmax %x {axis = 1 : i64} : (tensor<1x1xf64>) -> tensor<1x1xf64>
  return %y : tensor<1x1xf64>
}

func.func @layer_norm_f64(%x: tensor<7x33xf64>, %g: tensor<33xf64>, %b: tensor<33xf64>) -> tensor<7x33xf64> {
  %y = tenon.layer_norm %x, %g bias %b {eps = 1.0e-5 : f64} : (tensor<7x33xf64>, tensor<33xf64>, tensor<33xf64>) -> tensor<7x33xf64>
  return %y : tensor<7x33xf64>
}

func.func @rms_norm_f64(%x: tensor<7x33xf64>, %g: tensor<33xf64>) -> tensor<7x33xf64> {
  %y = tenon.rms_norm %x, %g {eps = 1.0e-5 : f64} : (tensor<7x33xf64>, tensor<33xf64>) -> tensor<7x33xf64>
  return %y : tensor<7x33xf64>
}

func.func @layer_norm_f32(%x: tensor<7x33xf32>, %g: tensor<33xf32>, %b: tensor<33xf32>) -> tensor<7x33xf32> {
  %y = tenon.layer_norm %x, %g bias %b {eps = 1.0e-5 : f64} : (tensor<7x33xf32>, tensor<33xf32>, tensor<33xf32>) -> tensor<7x33xf32>
  return %y : tensor<7x33xf32>
}

func.func @rms_norm_f32(%x: tensor<7x33xf32>, %g: tensor<33xf32>) -> tensor<7x33xf32> {
  %y = tenon.rms_norm %x, %g {eps = 1.0e-5 : f64} : (tensor<7x33xf32>, tensor<33xf32>) -> tensor<7x33xf32>
  return %y : tensor<7x33xf32>
}

func.func @layer_norm_f16(%x: tensor<7x33xf16>, %g: tensor<33xf16>, %b: tensor<33xf16>) -> tensor<7x33xf16> {
  %y = tenon.layer_norm %x, %g bias %b {eps = 1.0e-5 : f64} : (tensor<7x33xf16>, tensor<33xf16>, tensor<33xf16>) -> tensor<7x33xf16>
  return %y : tensor<7x33xf16>
}

func.func @rms_norm_f16(%x: tensor<7x33xf16>, %g: tensor<33xf16>) -> tensor<7x33xf16> {
  %y = tenon.rms_norm %x, %g {eps = 1.0e-5 : f64} : (tensor<7x33xf16>, tensor<33xf16>) -> tensor<7x33xf16>
  return %y : tensor<7x33xf16>
}

func.func @layer_norm_bf16(%x: tensor<7x33xbf16>, %g: tensor<33xbf16>, %b: tensor<33xbf16>) -> tensor<7x33xbf16> {
  %y = tenon.layer_norm %x, %g bias %b {eps = 1.0e-5 : f64} : (tensor<7x33xbf16>, tensor<33xbf16>, tensor<33xbf16>) -> tensor<7x33xbf16>
  return %y : tensor<7x33xbf16>
}

func.func @rms_norm_bf16(%x: tensor<7x33xbf16>, %g: tensor<33xbf16>) -> tensor<7x33xbf16> {
  %y = tenon.rms_norm %x, %g {eps = 1.0e-5 : f64} : (tensor<7x33xbf16>, tensor<33xbf16>) -> tensor<7x33xbf16>
  return %y : tensor<7x33xbf16>
}

func.func @layer_norm_plain(%x: tensor<7x33xf32>) -> tensor<7x33xf32> {
  %y = tenon.layer_norm %x {eps = 1.0e-5 : f64} : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %y : tensor<7x33xf32>
}
