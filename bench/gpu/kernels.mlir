// The kernels whose speed on a GPU bench/gpu measures.

func.func @gemm_f32_4096(%x: tensor<4096x4096xf32>, %y: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %z = tenon.matmul %x, %y : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %z : tensor<4096x4096xf32>
}
func.func @gemm_f16_4096(%x: tensor<4096x4096xf16>, %y: tensor<4096x4096xf16>) -> tensor<4096x4096xf16> {
  %z = tenon.matmul %x, %y : (tensor<4096x4096xf16>, tensor<4096x4096xf16>) -> tensor<4096x4096xf16>
  return %z : tensor<4096x4096xf16>
}
func.func @gemm_f16_8192x1024(%x: tensor<8192x8192xf16>, %y: tensor<8192x1024xf16>) -> tensor<8192x1024xf16> {
  %z = tenon.matmul %x, %y : (tensor<8192x8192xf16>, tensor<8192x1024xf16>) -> tensor<8192x1024xf16>
  return %z : tensor<8192x1024xf16>
}
func.func @copy_f32_1g(%x: tensor<268435456xf32>) -> tensor<268435456xf32> {
  %y = tenon.neg %x : tensor<268435456xf32>
  return %y : tensor<268435456xf32>
}
func.func @gelu_f32_1g(%x: tensor<268435456xf32>) -> tensor<268435456xf32> {
  %y = tenon.gelu %x : tensor<268435456xf32>
  return %y : tensor<268435456xf32>
}
func.func @softmax_f32_1g(%x: tensor<65536x4096xf32>) -> tensor<65536x4096xf32> {
  %y = tenon.softmax %x {axis = 1 : i64} : (tensor<65536x4096xf32>) -> tensor<65536x4096xf32>
  return %y : tensor<65536x4096xf32>
}
func.func @layer_norm_f32_1g(%x: tensor<262144x1024xf32>, %g: tensor<1024xf32>, %b: tensor<1024xf32>) -> tensor<262144x1024xf32> {
  %y = tenon.layer_norm %x, %g bias %b {eps = 1.0e-5 : f64} : (tensor<262144x1024xf32>, tensor<1024xf32>, tensor<1024xf32>) -> tensor<262144x1024xf32>
  return %y : tensor<262144x1024xf32>
}
func.func @sum_all_f32_1g(%x: tensor<268435456xf32>) -> tensor<f32> {
  %y = tenon.reduce_sum %x {axes = array<i64: 0>} : (tensor<268435456xf32>) -> tensor<f32>
  return %y : tensor<f32>
}
func.func @sum_columns_f32_1g(%x: tensor<65536x4096xf32>) -> tensor<4096xf32> {
  %y = tenon.reduce_sum %x {axes = array<i64: 0>} : (tensor<65536x4096xf32>) -> tensor<4096xf32>
  return %y : tensor<4096xf32>
}
func.func @transpose_f32_1g(%x: tensor<16384x16384xf32>) -> tensor<16384x16384xf32> {
  %y = tenon.transpose %x {permutation = array<i64: 1, 0>} : (tensor<16384x16384xf32>) -> tensor<16384x16384xf32>
  return %y : tensor<16384x16384xf32>
}
func.func @small_f32(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %y = tenon.neg %x : tensor<1000xf32>
  return %y : tensor<1000xf32>
}
func.func @gemm_f32_512(%x: tensor<512x512xf32>, %y: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %z = tenon.matmul %x, %y : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %z : tensor<512x512xf32>
}
