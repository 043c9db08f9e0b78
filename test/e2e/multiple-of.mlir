// Extents that are multiples of tiles, as the program says: kernels have no code for a rest. Other
// extents are refused.

// RUN: tenon-run %s --compare=reference --extent=64
// RUN: tenon-run %s --compare=reference --extent=192 --sanitize
// RUN: tenon-run %s --compare=reference --extent=128 -O0 --march=x86-64-v2
// RUN: tenon-run %s --compare=reference --extent=0
// RUN: tenon-run %s --compare=reference --extent=128 --backend=vulkan
// RUN: not tenon-run %s --function=rows --extent=13 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not tenon-run %s --function=rows --extent=13 --backend=reference 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not tenon-run %s --function=rows --extent=13 --backend=vulkan 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not tenon-run %s --function=product --extent=64,32 2>&1 | FileCheck %s --check-prefix=PRODUCT

// ROWS: tenon-run: shape: input 'batch' axis 1: expected a multiple of 8, got 13
func.func @rows(%x: tensor<3x?xf32> {tenon.multiple_of = array<i64: 1, 8>, tenon.name = "batch"})
    -> (tensor<3x?xf32>, tensor<3xf32>, tensor<?xf32>) {
  %y = tenon.exp %x : tensor<3x?xf32>
  %s = tenon.reduce_sum %x {axes = array<i64: 1>} : (tensor<3x?xf32>) -> tensor<3xf32>
  %c = tenon.reduce_max %x {axes = array<i64: 0>} : (tensor<3x?xf32>) -> tensor<?xf32>
  return %y, %s, %c : tensor<3x?xf32>, tensor<3xf32>, tensor<?xf32>
}

// PRODUCT: tenon-run: shape: input 'input1' axis 0: expected a multiple of 64, got 32
func.func @product(%a: tensor<?x?xf32> {tenon.multiple_of = array<i64: 64, 1>},
                   %b: tensor<?x?xf32> {tenon.multiple_of = array<i64: 64, 64>}) -> tensor<?x?xf32> {
  %y = tenon.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %z = tenon.tanh %y : tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}

func.func @transposed(%a: tensor<?x40xf16> {tenon.multiple_of = array<i64: 16, 1>},
                      %b: tensor<?x40xf16> {tenon.multiple_of = array<i64: 16, 1>}) -> tensor<40x40xf16> {
  %y = tenon.matmul %a, %b {transpose_a = true} : (tensor<?x40xf16>, tensor<?x40xf16>) -> tensor<40x40xf16>
  return %y : tensor<40x40xf16>
}

func.func @dot(%a: tensor<2x?xf32> {tenon.multiple_of = array<i64: 1, 64>},
               %b: tensor<9x?xf32> {tenon.multiple_of = array<i64: 1, 64>}) -> tensor<2x9xf32> {
  %y = tenon.matmul %a, %b {transpose_b = true} : (tensor<2x?xf32>, tensor<9x?xf32>) -> tensor<2x9xf32>
  return %y : tensor<2x9xf32>
}

func.func @attention(%q: tensor<1x2x?x16xf32> {tenon.multiple_of = array<i64: 1, 1, 64, 1>},
                     %k: tensor<1x2x?x16xf32> {tenon.multiple_of = array<i64: 1, 1, 64, 1>},
                     %d: tensor<1x2x?x16xf32>)
    -> (tensor<1x2x?x16xf32>, tensor<1x2x?x16xf32>, tensor<1x2x?x16xf32>) {
  %o, %lse = tenon.attention %q, %k, %k {scale = 0.25 : f64, causal = true}
     : (tensor<1x2x?x16xf32>, tensor<1x2x?x16xf32>, tensor<1x2x?x16xf32>) -> (tensor<1x2x?x16xf32>, tensor<1x2x?xf32>)
  %gq = tenon.gradient %o, %q, %d : (tensor<1x2x?x16xf32>, tensor<1x2x?x16xf32>, tensor<1x2x?x16xf32>) -> tensor<1x2x?x16xf32>
  %gk = tenon.gradient %o, %k, %d : (tensor<1x2x?x16xf32>, tensor<1x2x?x16xf32>, tensor<1x2x?x16xf32>) -> tensor<1x2x?x16xf32>
  return %o, %gq, %gk : tensor<1x2x?x16xf32>, tensor<1x2x?x16xf32>, tensor<1x2x?x16xf32>
}
