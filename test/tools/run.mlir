// Results, files of arrays, and the profile.
// RUN: tenon-run %s --function=ramp | FileCheck %s --check-prefix=RAMP
// RUN: tenon-run %s --function=ramp --backend=reference --output=%t.ramp --quiet
// RUN: tenon-run %s %t.ramp0.npy --function=twice | FileCheck %s --check-prefix=TWICE
// RUN: tenon-run %s --function=product --quiet --profile=%t.json
// RUN: FileCheck %s --check-prefix=PROFILE --input-file=%t.json
// RUN: not tenon-run %s --function=none 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tenon-run %s %t.ramp0.npy --function=product 2>&1 | FileCheck %s --check-prefix=FILES

// RAMP: output0: f32[2,3] = {{\[\[}}0, 1, 2], [0, 1, 2]]
func.func @ramp() -> tensor<2x3xf32> {
  %0 = tenon.iota {shape = array<i64: 2, 3>, axis = 1 : i64, dtype = f32} : () -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// TWICE: output0: f32[2,3] = {{\[\[}}0, 2, 4], [0, 2, 4]]
func.func @twice(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = tenon.add %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// 2 * 4 * 6 * 8 operations on 4 * (4 * 8 + 8 * 6 + 4 * 6) bytes.
// PROFILE: "name":"matmul: matmul"
// PROFILE-SAME: "bytes":416,"flops":384
func.func @product(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %0 = tenon.matmul %a, %b : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// NONE: tenon-run: argument: no function 'none'; the module has 'ramp', 'twice', 'product'
// FILES: expected 2 input files, got 1
