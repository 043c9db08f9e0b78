// Lengths around the tiles of attention on GPUs, and widths that are no multiple of a vector.
// RUN: tenon-run %s --compare=reference
// RUN: tenon-run %s --compare=reference --backend=vulkan
// RUN: tenon-run %s --compare=reference --march=x86-64-v2

func.func @f32_1_1_64_64(%q: tensor<2x4x1x64xf32>, %k: tensor<2x4x1x64xf32>, %v: tensor<2x4x1x64xf32>) -> (tensor<2x4x1x64xf32>, tensor<2x4x1xf32>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.125 : f64, causal = true} : (tensor<2x4x1x64xf32>, tensor<2x4x1x64xf32>, tensor<2x4x1x64xf32>) -> (tensor<2x4x1x64xf32>, tensor<2x4x1xf32>)
  return %o, %lse : tensor<2x4x1x64xf32>, tensor<2x4x1xf32>
}

func.func @f16_0_5_8_8(%q: tensor<2x4x0x8xf16>, %k: tensor<2x2x5x8xf16>, %v: tensor<2x2x5x8xf16>, %mask: tensor<1x1x0x5xf16>) -> (tensor<2x4x0x8xf16>, tensor<2x4x0xf32>) {
  %o, %lse = tenon.attention %q, %k, %v, %mask {scale = -0.25 : f64, causal = true} : (tensor<2x4x0x8xf16>, tensor<2x2x5x8xf16>, tensor<2x2x5x8xf16>, tensor<1x1x0x5xf16>) -> (tensor<2x4x0x8xf16>, tensor<2x4x0xf32>)
  return %o, %lse : tensor<2x4x0x8xf16>, tensor<2x4x0xf32>
}

func.func @f32_5_0_8_8(%q: tensor<2x4x5x8xf32>, %k: tensor<2x1x0x8xf32>, %v: tensor<2x1x0x8xf32>, %mask: tensor<1x4x5x0xi1>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5xf32>) {
  %o, %lse = tenon.attention %q, %k, %v, %mask {scale = 1.0 : f64} : (tensor<2x4x5x8xf32>, tensor<2x1x0x8xf32>, tensor<2x1x0x8xf32>, tensor<1x4x5x0xi1>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5xf32>)
  return %o, %lse : tensor<2x4x5x8xf32>, tensor<2x4x5xf32>
}

func.func @f16_31_63_33_17(%q: tensor<2x4x31x33xf16>, %k: tensor<2x4x63x33xf16>, %v: tensor<2x4x63x17xf16>) -> (tensor<2x4x31x17xf16>, tensor<2x4x31xf32>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.125 : f64, causal = true} : (tensor<2x4x31x33xf16>, tensor<2x4x63x33xf16>, tensor<2x4x63x17xf16>) -> (tensor<2x4x31x17xf16>, tensor<2x4x31xf32>)
  return %o, %lse : tensor<2x4x31x17xf16>, tensor<2x4x31xf32>
}

func.func @f32_32_64_64_64(%q: tensor<2x4x32x64xf32>, %k: tensor<2x2x64x64xf32>, %v: tensor<2x2x64x64xf32>, %mask: tensor<1x1x32x64xf32>) -> (tensor<2x4x32x64xf32>, tensor<2x4x32xf32>) {
  %o, %lse = tenon.attention %q, %k, %v, %mask {scale = -0.25 : f64} : (tensor<2x4x32x64xf32>, tensor<2x2x64x64xf32>, tensor<2x2x64x64xf32>, tensor<1x1x32x64xf32>) -> (tensor<2x4x32x64xf32>, tensor<2x4x32xf32>)
  return %o, %lse : tensor<2x4x32x64xf32>, tensor<2x4x32xf32>
}

func.func @f16_33_65_64_64(%q: tensor<2x4x33x64xf16>, %k: tensor<2x1x65x64xf16>, %v: tensor<2x1x65x64xf16>, %mask: tensor<1x4x33x65xi1>) -> (tensor<2x4x33x64xf16>, tensor<2x4x33xf32>) {
  %o, %lse = tenon.attention %q, %k, %v, %mask {scale = 1.0 : f64, causal = true} : (tensor<2x4x33x64xf16>, tensor<2x1x65x64xf16>, tensor<2x1x65x64xf16>, tensor<1x4x33x65xi1>) -> (tensor<2x4x33x64xf16>, tensor<2x4x33xf32>)
  return %o, %lse : tensor<2x4x33x64xf16>, tensor<2x4x33xf32>
}

func.func @f32_63_127_5_3(%q: tensor<1x4x63x5xf32>, %k: tensor<1x4x127x5xf32>, %v: tensor<1x4x127x3xf32>) -> (tensor<1x4x63x3xf32>, tensor<1x4x63xf32>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.125 : f64} : (tensor<1x4x63x5xf32>, tensor<1x4x127x5xf32>, tensor<1x4x127x3xf32>) -> (tensor<1x4x63x3xf32>, tensor<1x4x63xf32>)
  return %o, %lse : tensor<1x4x63x3xf32>, tensor<1x4x63xf32>
}

func.func @f16_64_128_16_48(%q: tensor<1x4x64x16xf16>, %k: tensor<1x2x128x16xf16>, %v: tensor<1x2x128x48xf16>, %mask: tensor<1x1x64x128xf16>) -> (tensor<1x4x64x48xf16>, tensor<1x4x64xf32>) {
  %o, %lse = tenon.attention %q, %k, %v, %mask {scale = -0.25 : f64, causal = true} : (tensor<1x4x64x16xf16>, tensor<1x2x128x16xf16>, tensor<1x2x128x48xf16>, tensor<1x1x64x128xf16>) -> (tensor<1x4x64x48xf16>, tensor<1x4x64xf32>)
  return %o, %lse : tensor<1x4x64x48xf16>, tensor<1x4x64xf32>
}

func.func @f32_65_129_128_128(%q: tensor<1x4x65x128xf32>, %k: tensor<1x1x129x128xf32>, %v: tensor<1x1x129x128xf32>, %mask: tensor<1x4x65x129xi1>) -> (tensor<1x4x65x128xf32>, tensor<1x4x65xf32>) {
  %o, %lse = tenon.attention %q, %k, %v, %mask {scale = 1.0 : f64} : (tensor<1x4x65x128xf32>, tensor<1x1x129x128xf32>, tensor<1x1x129x128xf32>, tensor<1x4x65x129xi1>) -> (tensor<1x4x65x128xf32>, tensor<1x4x65xf32>)
  return %o, %lse : tensor<1x4x65x128xf32>, tensor<1x4x65xf32>
}

func.func @f16_127_63_72_40(%q: tensor<1x4x127x72xf16>, %k: tensor<1x4x63x72xf16>, %v: tensor<1x4x63x40xf16>) -> (tensor<1x4x127x40xf16>, tensor<1x4x127xf32>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.125 : f64, causal = true} : (tensor<1x4x127x72xf16>, tensor<1x4x63x72xf16>, tensor<1x4x63x40xf16>) -> (tensor<1x4x127x40xf16>, tensor<1x4x127xf32>)
  return %o, %lse : tensor<1x4x127x40xf16>, tensor<1x4x127xf32>
}

func.func @f32_128_64_16_16(%q: tensor<1x4x128x16xf32>, %k: tensor<1x2x64x16xf32>, %v: tensor<1x2x64x16xf32>, %mask: tensor<1x1x128x64xf32>) -> (tensor<1x4x128x16xf32>, tensor<1x4x128xf32>) {
  %o, %lse = tenon.attention %q, %k, %v, %mask {scale = -0.25 : f64, causal = true} : (tensor<1x4x128x16xf32>, tensor<1x2x64x16xf32>, tensor<1x2x64x16xf32>, tensor<1x1x128x64xf32>) -> (tensor<1x4x128x16xf32>, tensor<1x4x128xf32>)
  return %o, %lse : tensor<1x4x128x16xf32>, tensor<1x4x128xf32>
}

func.func @f16_129_65_96_120(%q: tensor<1x4x129x96xf16>, %k: tensor<1x1x65x96xf16>, %v: tensor<1x1x65x120xf16>, %mask: tensor<1x4x129x65xi1>) -> (tensor<1x4x129x120xf16>, tensor<1x4x129xf32>) {
  %o, %lse = tenon.attention %q, %k, %v, %mask {scale = 1.0 : f64, causal = true} : (tensor<1x4x129x96xf16>, tensor<1x1x65x96xf16>, tensor<1x1x65x120xf16>, tensor<1x4x129x65xi1>) -> (tensor<1x4x129x120xf16>, tensor<1x4x129xf32>)
  return %o, %lse : tensor<1x4x129x120xf16>, tensor<1x4x129xf32>
}

func.func @f32_16_1_256_256(%q: tensor<2x4x16x256xf32>, %k: tensor<2x4x1x256xf32>, %v: tensor<2x4x1x256xf32>) -> (tensor<2x4x16x256xf32>, tensor<2x4x16xf32>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.125 : f64} : (tensor<2x4x16x256xf32>, tensor<2x4x1x256xf32>, tensor<2x4x1x256xf32>) -> (tensor<2x4x16x256xf32>, tensor<2x4x16xf32>)
  return %o, %lse : tensor<2x4x16x256xf32>, tensor<2x4x16xf32>
}
