// RUN: tenon-run %s --compare=reference
// RUN: tenon-run %s --compare=reference --backend=vulkan

func.func @last_sum_f64(%x: tensor<5x33xf64>) -> tensor<5xf64> {
  %y = tenon.reduce_sum %x {axes = array<i64: 1>} : (tensor<5x33xf64>) -> tensor<5xf64>
  return %y : tensor<5xf64>
}

func.func @last_mean_f64(%x: tensor<5x33xf64>) -> tensor<5xf64> {
  %y = tenon.reduce_mean %x {axes = array<i64: 1>} : (tensor<5x33xf64>) -> tensor<5xf64>
  return %y : tensor<5xf64>
}

func.func @last_max_f64(%x: tensor<5x33xf64>) -> tensor<5xf64> {
  %y = tenon.reduce_max %x {axes = array<i64: 1>} : (tensor<5x33xf64>) -> tensor<5xf64>
  return %y : tensor<5xf64>
}

func.func @last_min_f64(%x: tensor<5x33xf64>) -> tensor<5xf64> {
  %y = tenon.reduce_min %x {axes = array<i64: 1>} : (tensor<5x33xf64>) -> tensor<5xf64>
  return %y : tensor<5xf64>
}

func.func @last_prod_f64(%x: tensor<5x33xf64>) -> tensor<5xf64> {
  %y = tenon.reduce_prod %x {axes = array<i64: 1>} : (tensor<5x33xf64>) -> tensor<5xf64>
  return %y : tensor<5xf64>
}

func.func @last_sum_f32(%x: tensor<5x33xf32>) -> tensor<5xf32> {
  %y = tenon.reduce_sum %x {axes = array<i64: 1>} : (tensor<5x33xf32>) -> tensor<5xf32>
  return %y : tensor<5xf32>
}

func.func @last_mean_f32(%x: tensor<5x33xf32>) -> tensor<5xf32> {
  %y = tenon.reduce_mean %x {axes = array<i64: 1>} : (tensor<5x33xf32>) -> tensor<5xf32>
  return %y : tensor<5xf32>
}

func.func @last_max_f32(%x: tensor<5x33xf32>) -> tensor<5xf32> {
  %y = tenon.reduce_max %x {axes = array<i64: 1>} : (tensor<5x33xf32>) -> tensor<5xf32>
  return %y : tensor<5xf32>
}

func.func @last_min_f32(%x: tensor<5x33xf32>) -> tensor<5xf32> {
  %y = tenon.reduce_min %x {axes = array<i64: 1>} : (tensor<5x33xf32>) -> tensor<5xf32>
  return %y : tensor<5xf32>
}

func.func @last_prod_f32(%x: tensor<5x33xf32>) -> tensor<5xf32> {
  %y = tenon.reduce_prod %x {axes = array<i64: 1>} : (tensor<5x33xf32>) -> tensor<5xf32>
  return %y : tensor<5xf32>
}

func.func @last_sum_f16(%x: tensor<5x33xf16>) -> tensor<5xf16> {
  %y = tenon.reduce_sum %x {axes = array<i64: 1>} : (tensor<5x33xf16>) -> tensor<5xf16>
  return %y : tensor<5xf16>
}

func.func @last_mean_f16(%x: tensor<5x33xf16>) -> tensor<5xf16> {
  %y = tenon.reduce_mean %x {axes = array<i64: 1>} : (tensor<5x33xf16>) -> tensor<5xf16>
  return %y : tensor<5xf16>
}

func.func @last_max_f16(%x: tensor<5x33xf16>) -> tensor<5xf16> {
  %y = tenon.reduce_max %x {axes = array<i64: 1>} : (tensor<5x33xf16>) -> tensor<5xf16>
  return %y : tensor<5xf16>
}

func.func @last_min_f16(%x: tensor<5x33xf16>) -> tensor<5xf16> {
  %y = tenon.reduce_min %x {axes = array<i64: 1>} : (tensor<5x33xf16>) -> tensor<5xf16>
  return %y : tensor<5xf16>
}

func.func @last_prod_f16(%x: tensor<5x33xf16>) -> tensor<5xf16> {
  %y = tenon.reduce_prod %x {axes = array<i64: 1>} : (tensor<5x33xf16>) -> tensor<5xf16>
  return %y : tensor<5xf16>
}

func.func @last_sum_bf16(%x: tensor<5x33xbf16>) -> tensor<5xbf16> {
  %y = tenon.reduce_sum %x {axes = array<i64: 1>} : (tensor<5x33xbf16>) -> tensor<5xbf16>
  return %y : tensor<5xbf16>
}

func.func @last_mean_bf16(%x: tensor<5x33xbf16>) -> tensor<5xbf16> {
  %y = tenon.reduce_mean %x {axes = array<i64: 1>} : (tensor<5x33xbf16>) -> tensor<5xbf16>
  return %y : tensor<5xbf16>
}

func.func @last_max_bf16(%x: tensor<5x33xbf16>) -> tensor<5xbf16> {
  %y = tenon.reduce_max %x {axes = array<i64: 1>} : (tensor<5x33xbf16>) -> tensor<5xbf16>
  return %y : tensor<5xbf16>
}

func.func @last_min_bf16(%x: tensor<5x33xbf16>) -> tensor<5xbf16> {
  %y = tenon.reduce_min %x {axes = array<i64: 1>} : (tensor<5x33xbf16>) -> tensor<5xbf16>
  return %y : tensor<5xbf16>
}

func.func @last_prod_bf16(%x: tensor<5x33xbf16>) -> tensor<5xbf16> {
  %y = tenon.reduce_prod %x {axes = array<i64: 1>} : (tensor<5x33xbf16>) -> tensor<5xbf16>
  return %y : tensor<5xbf16>
}

func.func @sum_0(%x: tensor<7x5x3xf32>) -> tensor<5x3xf32> {
  %y = tenon.reduce_sum %x {axes = array<i64: 0>} : (tensor<7x5x3xf32>) -> tensor<5x3xf32>
  return %y : tensor<5x3xf32>
}

func.func @max_0(%x: tensor<7x5x3xf64>) -> tensor<5x3xf64> {
  %y = tenon.reduce_max %x {axes = array<i64: 0>} : (tensor<7x5x3xf64>) -> tensor<5x3xf64>
  return %y : tensor<5x3xf64>
}

func.func @sum_1(%x: tensor<7x5x3xf32>) -> tensor<7x1x3xf32> {
  %y = tenon.reduce_sum %x {axes = array<i64: 1>, keep = true} : (tensor<7x5x3xf32>) -> tensor<7x1x3xf32>
  return %y : tensor<7x1x3xf32>
}

func.func @max_1(%x: tensor<7x5x3xf64>) -> tensor<7x1x3xf64> {
  %y = tenon.reduce_max %x {axes = array<i64: 1>, keep = true} : (tensor<7x5x3xf64>) -> tensor<7x1x3xf64>
  return %y : tensor<7x1x3xf64>
}

func.func @sum_2(%x: tensor<7x5x3xf32>) -> tensor<5xf32> {
  %y = tenon.reduce_sum %x {axes = array<i64: 0, 2>} : (tensor<7x5x3xf32>) -> tensor<5xf32>
  return %y : tensor<5xf32>
}

func.func @max_2(%x: tensor<7x5x3xf64>) -> tensor<5xf64> {
  %y = tenon.reduce_max %x {axes = array<i64: 0, 2>} : (tensor<7x5x3xf64>) -> tensor<5xf64>
  return %y : tensor<5xf64>
}

func.func @sum_3(%x: tensor<7x5x3xf32>) -> tensor<f32> {
  %y = tenon.reduce_sum %x {axes = array<i64: 0, 1, 2>} : (tensor<7x5x3xf32>) -> tensor<f32>
  return %y : tensor<f32>
}

func.func @max_3(%x: tensor<7x5x3xf64>) -> tensor<f64> {
  %y = tenon.reduce_max %x {axes = array<i64: 0, 1, 2>} : (tensor<7x5x3xf64>) -> tensor<f64>
  return %y : tensor<f64>
}

func.func @sum_4(%x: tensor<1x129xf32>) -> tensor<129xf32> {
  %y = tenon.reduce_sum %x {axes = array<i64: 0>} : (tensor<1x129xf32>) -> tensor<129xf32>
  return %y : tensor<129xf32>
}

func.func @max_4(%x: tensor<1x129xf64>) -> tensor<129xf64> {
  %y = tenon.reduce_max %x {axes = array<i64: 0>} : (tensor<1x129xf64>) -> tensor<129xf64>
  return %y : tensor<129xf64>
}

func.func @sum_5(%x: tensor<3x1xf32>) -> tensor<3x1xf32> {
  %y = tenon.reduce_sum %x {axes = array<i64: 1>, keep = true} : (tensor<3x1xf32>) -> tensor<3x1xf32>
  return %y : tensor<3x1xf32>
}

func.func @max_5(%x: tensor<3x1xf64>) -> tensor<3x1xf64> {
  %y = tenon.reduce_max %x {axes = array<i64: 1>, keep = true} : (tensor<3x1xf64>) -> tensor<3x1xf64>
  return %y : tensor<3x1xf64>
}

func.func @sum_6(%x: tensor<1025xf32>) -> tensor<f32> {
  %y = tenon.reduce_sum %x {axes = array<i64: 0>} : (tensor<1025xf32>) -> tensor<f32>
  return %y : tensor<f32>
}

func.func @max_6(%x: tensor<1025xf64>) -> tensor<f64> {
  %y = tenon.reduce_max %x {axes = array<i64: 0>} : (tensor<1025xf64>) -> tensor<f64>
  return %y : tensor<f64>
}

func.func @sum_7(%x: tensor<300x257xf32>) -> tensor<257xf32> {
  %y = tenon.reduce_sum %x {axes = array<i64: 0>} : (tensor<300x257xf32>) -> tensor<257xf32>
  return %y : tensor<257xf32>
}

func.func @max_7(%x: tensor<300x257xf64>) -> tensor<257xf64> {
  %y = tenon.reduce_max %x {axes = array<i64: 0>} : (tensor<300x257xf64>) -> tensor<257xf64>
  return %y : tensor<257xf64>
}

func.func @sum_8(%x: tensor<300x257xf32>) -> tensor<300xf32> {
  %y = tenon.reduce_sum %x {axes = array<i64: 1>} : (tensor<300x257xf32>) -> tensor<300xf32>
  return %y : tensor<300xf32>
}

func.func @max_8(%x: tensor<300x257xf64>) -> tensor<300xf64> {
  %y = tenon.reduce_max %x {axes = array<i64: 1>} : (tensor<300x257xf64>) -> tensor<300xf64>
  return %y : tensor<300xf64>
}

func.func @sum_9(%x: tensor<2x70000xf32>) -> tensor<2xf32> {
  %y = tenon.reduce_sum %x {axes = array<i64: 1>} : (tensor<2x70000xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

func.func @max_9(%x: tensor<2x70000xf64>) -> tensor<2xf64> {
  %y = tenon.reduce_max %x {axes = array<i64: 1>} : (tensor<2x70000xf64>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}

func.func @sum_10(%x: tensor<70000x3xf32>) -> tensor<3xf32> {
  %y = tenon.reduce_sum %x {axes = array<i64: 0>} : (tensor<70000x3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

func.func @max_10(%x: tensor<70000x3xf64>) -> tensor<3xf64> {
  %y = tenon.reduce_max %x {axes = array<i64: 0>} : (tensor<70000x3xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func @argmax_f32_0(%x: tensor<6x37xf32>) -> tensor<37xi64> {
  %y = tenon.argmax %x {axis = 0 : i64} : (tensor<6x37xf32>) -> tensor<37xi64>
  return %y : tensor<37xi64>
}

func.func @argmax_f32_1(%x: tensor<6x37xf32>) -> tensor<6xi64> {
  %y = tenon.argmax %x {axis = 1 : i64} : (tensor<6x37xf32>) -> tensor<6xi64>
  return %y : tensor<6xi64>
}

func.func @argmax_f64_0(%x: tensor<6x37xf64>) -> tensor<37xi64> {
  %y = tenon.argmax %x {axis = 0 : i64} : (tensor<6x37xf64>) -> tensor<37xi64>
  return %y : tensor<37xi64>
}

func.func @argmax_f64_1(%x: tensor<6x37xf64>) -> tensor<6xi64> {
  %y = tenon.argmax %x {axis = 1 : i64} : (tensor<6x37xf64>) -> tensor<6xi64>
  return %y : tensor<6xi64>
}

func.func @argmax_i32_0(%x: tensor<6x37xi32>) -> tensor<37xi64> {
  %y = tenon.argmax %x {axis = 0 : i64} : (tensor<6x37xi32>) -> tensor<37xi64>
  return %y : tensor<37xi64>
}

func.func @argmax_i32_1(%x: tensor<6x37xi32>) -> tensor<6xi64> {
  %y = tenon.argmax %x {axis = 1 : i64} : (tensor<6x37xi32>) -> tensor<6xi64>
  return %y : tensor<6xi64>
}

func.func @argmin_f32_0(%x: tensor<6x37xf32>) -> tensor<37xi64> {
  %y = tenon.argmin %x {axis = 0 : i64} : (tensor<6x37xf32>) -> tensor<37xi64>
  return %y : tensor<37xi64>
}

func.func @argmin_f32_1(%x: tensor<6x37xf32>) -> tensor<6xi64> {
  %y = tenon.argmin %x {axis = 1 : i64} : (tensor<6x37xf32>) -> tensor<6xi64>
  return %y : tensor<6xi64>
}

func.func @argmin_f64_0(%x: tensor<6x37xf64>) -> tensor<37xi64> {
  %y = tenon.argmin %x {axis = 0 : i64} : (tensor<6x37xf64>) -> tensor<37xi64>
  return %y : tensor<37xi64>
}

func.func @argmin_f64_1(%x: tensor<6x37xf64>) -> tensor<6xi64> {
  %y = tenon.argmin %x {axis = 1 : i64} : (tensor<6x37xf64>) -> tensor<6xi64>
  return %y : tensor<6xi64>
}

func.func @argmin_i32_0(%x: tensor<6x37xi32>) -> tensor<37xi64> {
  %y = tenon.argmin %x {axis = 0 : i64} : (tensor<6x37xi32>) -> tensor<37xi64>
  return %y : tensor<37xi64>
}

func.func @argmin_i32_1(%x: tensor<6x37xi32>) -> tensor<6xi64> {
  %y = tenon.argmin %x {axis = 1 : i64} : (tensor<6x37xi32>) -> tensor<6xi64>
  return %y : tensor<6xi64>
}
