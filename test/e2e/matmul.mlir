// RUN: tenon-run %s --compare=reference
// RUN: tenon-run %s --compare=reference --backend=vulkan

func.func @mm_f64_1_1_1_00(%a: tensor<1x1xf64>, %b: tensor<1x1xf64>) -> tensor<1x1xf64> {
  %y = tenon.matmul %a, %b : (tensor<1x1xf64>, tensor<1x1xf64>) -> tensor<1x1xf64>
  return %y : tensor<1x1xf64>
}

func.func @mm_f64_5_7_3_00(%a: tensor<5x3xf64>, %b: tensor<3x7xf64>) -> tensor<5x7xf64> {
  %y = tenon.matmul %a, %b : (tensor<5x3xf64>, tensor<3x7xf64>) -> tensor<5x7xf64>
  return %y : tensor<5x7xf64>
}

func.func @mm_f64_33_65_17_00(%a: tensor<33x17xf64>, %b: tensor<17x65xf64>) -> tensor<33x65xf64> {
  %y = tenon.matmul %a, %b : (tensor<33x17xf64>, tensor<17x65xf64>) -> tensor<33x65xf64>
  return %y : tensor<33x65xf64>
}

func.func @mm_f64_64_64_64_00(%a: tensor<64x64xf64>, %b: tensor<64x64xf64>) -> tensor<64x64xf64> {
  %y = tenon.matmul %a, %b : (tensor<64x64xf64>, tensor<64x64xf64>) -> tensor<64x64xf64>
  return %y : tensor<64x64xf64>
}

func.func @mm_f64_130_67_300_00(%a: tensor<130x300xf64>, %b: tensor<300x67xf64>) -> tensor<130x67xf64> {
  %y = tenon.matmul %a, %b : (tensor<130x300xf64>, tensor<300x67xf64>) -> tensor<130x67xf64>
  return %y : tensor<130x67xf64>
}

func.func @mm_f64_19_23_31_01(%a: tensor<19x31xf64>, %b: tensor<23x31xf64>) -> tensor<19x23xf64> {
  %y = tenon.matmul %a, %b {transpose_b = true} : (tensor<19x31xf64>, tensor<23x31xf64>) -> tensor<19x23xf64>
  return %y : tensor<19x23xf64>
}

func.func @mm_f64_19_23_31_10(%a: tensor<31x19xf64>, %b: tensor<31x23xf64>) -> tensor<19x23xf64> {
  %y = tenon.matmul %a, %b {transpose_a = true} : (tensor<31x19xf64>, tensor<31x23xf64>) -> tensor<19x23xf64>
  return %y : tensor<19x23xf64>
}

func.func @mm_f64_19_23_31_11(%a: tensor<31x19xf64>, %b: tensor<23x31xf64>) -> tensor<19x23xf64> {
  %y = tenon.matmul %a, %b {transpose_a = true, transpose_b = true} : (tensor<31x19xf64>, tensor<23x31xf64>) -> tensor<19x23xf64>
  return %y : tensor<19x23xf64>
}

func.func @mm_f64_9_10_11_00_b(%a: tensor<3x2x9x11xf64>, %b: tensor<3x2x11x10xf64>) -> tensor<3x2x9x10xf64> {
  %y = tenon.matmul %a, %b : (tensor<3x2x9x11xf64>, tensor<3x2x11x10xf64>) -> tensor<3x2x9x10xf64>
  return %y : tensor<3x2x9x10xf64>
}

func.func @mm_f32_1_1_1_00(%a: tensor<1x1xf32>, %b: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %y = tenon.matmul %a, %b : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
  return %y : tensor<1x1xf32>
}

func.func @mm_f32_5_7_3_00(%a: tensor<5x3xf32>, %b: tensor<3x7xf32>) -> tensor<5x7xf32> {
  %y = tenon.matmul %a, %b : (tensor<5x3xf32>, tensor<3x7xf32>) -> tensor<5x7xf32>
  return %y : tensor<5x7xf32>
}

func.func @mm_f32_33_65_17_00(%a: tensor<33x17xf32>, %b: tensor<17x65xf32>) -> tensor<33x65xf32> {
  %y = tenon.matmul %a, %b : (tensor<33x17xf32>, tensor<17x65xf32>) -> tensor<33x65xf32>
  return %y : tensor<33x65xf32>
}

func.func @mm_f32_64_64_64_00(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = tenon.matmul %a, %b : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

func.func @mm_f32_130_67_300_00(%a: tensor<130x300xf32>, %b: tensor<300x67xf32>) -> tensor<130x67xf32> {
  %y = tenon.matmul %a, %b : (tensor<130x300xf32>, tensor<300x67xf32>) -> tensor<130x67xf32>
  return %y : tensor<130x67xf32>
}

func.func @mm_f32_19_23_31_01(%a: tensor<19x31xf32>, %b: tensor<23x31xf32>) -> tensor<19x23xf32> {
  %y = tenon.matmul %a, %b {transpose_b = true} : (tensor<19x31xf32>, tensor<23x31xf32>) -> tensor<19x23xf32>
  return %y : tensor<19x23xf32>
}

func.func @mm_f32_19_23_31_10(%a: tensor<31x19xf32>, %b: tensor<31x23xf32>) -> tensor<19x23xf32> {
  %y = tenon.matmul %a, %b {transpose_a = true} : (tensor<31x19xf32>, tensor<31x23xf32>) -> tensor<19x23xf32>
  return %y : tensor<19x23xf32>
}

func.func @mm_f32_19_23_31_11(%a: tensor<31x19xf32>, %b: tensor<23x31xf32>) -> tensor<19x23xf32> {
  %y = tenon.matmul %a, %b {transpose_a = true, transpose_b = true} : (tensor<31x19xf32>, tensor<23x31xf32>) -> tensor<19x23xf32>
  return %y : tensor<19x23xf32>
}

func.func @mm_f32_9_10_11_00_b(%a: tensor<3x2x9x11xf32>, %b: tensor<3x2x11x10xf32>) -> tensor<3x2x9x10xf32> {
  %y = tenon.matmul %a, %b : (tensor<3x2x9x11xf32>, tensor<3x2x11x10xf32>) -> tensor<3x2x9x10xf32>
  return %y : tensor<3x2x9x10xf32>
}

func.func @mm_f16_1_1_1_00(%a: tensor<1x1xf16>, %b: tensor<1x1xf16>) -> tensor<1x1xf16> {
  %y = tenon.matmul %a, %b : (tensor<1x1xf16>, tensor<1x1xf16>) -> tensor<1x1xf16>
  return %y : tensor<1x1xf16>
}

func.func @mm_f16_5_7_3_00(%a: tensor<5x3xf16>, %b: tensor<3x7xf16>) -> tensor<5x7xf16> {
  %y = tenon.matmul %a, %b : (tensor<5x3xf16>, tensor<3x7xf16>) -> tensor<5x7xf16>
  return %y : tensor<5x7xf16>
}

func.func @mm_f16_33_65_17_00(%a: tensor<33x17xf16>, %b: tensor<17x65xf16>) -> tensor<33x65xf16> {
  %y = tenon.matmul %a, %b : (tensor<33x17xf16>, tensor<17x65xf16>) -> tensor<33x65xf16>
  return %y : tensor<33x65xf16>
}

func.func @mm_f16_64_64_64_00(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %y = tenon.matmul %a, %b : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  return %y : tensor<64x64xf16>
}

func.func @mm_f16_130_67_300_00(%a: tensor<130x300xf16>, %b: tensor<300x67xf16>) -> tensor<130x67xf16> {
  %y = tenon.matmul %a, %b : (tensor<130x300xf16>, tensor<300x67xf16>) -> tensor<130x67xf16>
  return %y : tensor<130x67xf16>
}

func.func @mm_f16_19_23_31_01(%a: tensor<19x31xf16>, %b: tensor<23x31xf16>) -> tensor<19x23xf16> {
  %y = tenon.matmul %a, %b {transpose_b = true} : (tensor<19x31xf16>, tensor<23x31xf16>) -> tensor<19x23xf16>
  return %y : tensor<19x23xf16>
}

func.func @mm_f16_19_23_31_10(%a: tensor<31x19xf16>, %b: tensor<31x23xf16>) -> tensor<19x23xf16> {
  %y = tenon.matmul %a, %b {transpose_a = true} : (tensor<31x19xf16>, tensor<31x23xf16>) -> tensor<19x23xf16>
  return %y : tensor<19x23xf16>
}

func.func @mm_f16_19_23_31_11(%a: tensor<31x19xf16>, %b: tensor<23x31xf16>) -> tensor<19x23xf16> {
  %y = tenon.matmul %a, %b {transpose_a = true, transpose_b = true} : (tensor<31x19xf16>, tensor<23x31xf16>) -> tensor<19x23xf16>
  return %y : tensor<19x23xf16>
}

func.func @mm_f16_9_10_11_00_b(%a: tensor<3x2x9x11xf16>, %b: tensor<3x2x11x10xf16>) -> tensor<3x2x9x10xf16> {
  %y = tenon.matmul %a, %b : (tensor<3x2x9x11xf16>, tensor<3x2x11x10xf16>) -> tensor<3x2x9x10xf16>
  return %y : tensor<3x2x9x10xf16>
}

func.func @mm_bf16_1_1_1_00(%a: tensor<1x1xbf16>, %b: tensor<1x1xbf16>) -> tensor<1x1xbf16> {
  %y = tenon.matmul %a, %b : (tensor<1x1xbf16>, tensor<1x1xbf16>) -> tensor<1x1xbf16>
  return %y : tensor<1x1xbf16>
}

func.func @mm_bf16_5_7_3_00(%a: tensor<5x3xbf16>, %b: tensor<3x7xbf16>) -> tensor<5x7xbf16> {
  %y = tenon.matmul %a, %b : (tensor<5x3xbf16>, tensor<3x7xbf16>) -> tensor<5x7xbf16>
  return %y : tensor<5x7xbf16>
}

func.func @mm_bf16_33_65_17_00(%a: tensor<33x17xbf16>, %b: tensor<17x65xbf16>) -> tensor<33x65xbf16> {
  %y = tenon.matmul %a, %b : (tensor<33x17xbf16>, tensor<17x65xbf16>) -> tensor<33x65xbf16>
  return %y : tensor<33x65xbf16>
}

func.func @mm_bf16_64_64_64_00(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %y = tenon.matmul %a, %b : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %y : tensor<64x64xbf16>
}

func.func @mm_bf16_130_67_300_00(%a: tensor<130x300xbf16>, %b: tensor<300x67xbf16>) -> tensor<130x67xbf16> {
  %y = tenon.matmul %a, %b : (tensor<130x300xbf16>, tensor<300x67xbf16>) -> tensor<130x67xbf16>
  return %y : tensor<130x67xbf16>
}

func.func @mm_bf16_19_23_31_01(%a: tensor<19x31xbf16>, %b: tensor<23x31xbf16>) -> tensor<19x23xbf16> {
  %y = tenon.matmul %a, %b {transpose_b = true} : (tensor<19x31xbf16>, tensor<23x31xbf16>) -> tensor<19x23xbf16>
  return %y : tensor<19x23xbf16>
}

func.func @mm_bf16_19_23_31_10(%a: tensor<31x19xbf16>, %b: tensor<31x23xbf16>) -> tensor<19x23xbf16> {
  %y = tenon.matmul %a, %b {transpose_a = true} : (tensor<31x19xbf16>, tensor<31x23xbf16>) -> tensor<19x23xbf16>
  return %y : tensor<19x23xbf16>
}

func.func @mm_bf16_19_23_31_11(%a: tensor<31x19xbf16>, %b: tensor<23x31xbf16>) -> tensor<19x23xbf16> {
  %y = tenon.matmul %a, %b {transpose_a = true, transpose_b = true} : (tensor<31x19xbf16>, tensor<23x31xbf16>) -> tensor<19x23xbf16>
  return %y : tensor<19x23xbf16>
}

func.func @mm_bf16_9_10_11_00_b(%a: tensor<3x2x9x11xbf16>, %b: tensor<3x2x11x10xbf16>) -> tensor<3x2x9x10xbf16> {
  %y = tenon.matmul %a, %b : (tensor<3x2x9x11xbf16>, tensor<3x2x11x10xbf16>) -> tensor<3x2x9x10xbf16>
  return %y : tensor<3x2x9x10xbf16>
}

func.func @mm_f32_1_100_300_00(%a: tensor<1x300xf32>, %b: tensor<300x100xf32>) -> tensor<1x100xf32> {
  %y = tenon.matmul %a, %b : (tensor<1x300xf32>, tensor<300x100xf32>) -> tensor<1x100xf32>
  return %y : tensor<1x100xf32>
}

func.func @mm_f32_100_1_300_00(%a: tensor<100x300xf32>, %b: tensor<300x1xf32>) -> tensor<100x1xf32> {
  %y = tenon.matmul %a, %b : (tensor<100x300xf32>, tensor<300x1xf32>) -> tensor<100x1xf32>
  return %y : tensor<100x1xf32>
}

func.func @mm_f32_4_5_0_00(%a: tensor<4x0xf32>, %b: tensor<0x5xf32>) -> tensor<4x5xf32> {
  %y = tenon.matmul %a, %b : (tensor<4x0xf32>, tensor<0x5xf32>) -> tensor<4x5xf32>
  return %y : tensor<4x5xf32>
}

func.func @mm_f32_0_5_4_00(%a: tensor<0x4xf32>, %b: tensor<4x5xf32>) -> tensor<0x5xf32> {
  %y = tenon.matmul %a, %b : (tensor<0x4xf32>, tensor<4x5xf32>) -> tensor<0x5xf32>
  return %y : tensor<0x5xf32>
}
