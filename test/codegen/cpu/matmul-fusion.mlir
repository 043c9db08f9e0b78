// RUN: tenon-opt %s --tenon-form-kernels --split-input-file | FileCheck %s

// Bias and activation are computed on the sums; what the backward pass needs is a
// second result.
// CHECK-LABEL: func.func @bias_activation
// CHECK: %[[K:.*]]:2 = tenon.kernel "matmul"
// CHECK: tenon.matmul
// CHECK: %[[S:.*]] = tenon.add
// CHECK: %[[G:.*]] = tenon.gelu %[[S]]
// CHECK: tenon.yield %[[S]], %[[G]]
// CHECK-NOT: tenon.kernel
// CHECK: return %[[K]]#0, %[[K]]#1
func.func @bias_activation(%x: tensor<64x32xf32>, %w: tensor<32x48xf32>, %b: tensor<48xf32>)
    -> (tensor<64x48xf32>, tensor<64x48xf32>) {
  %y = tenon.matmul %x, %w : (tensor<64x32xf32>, tensor<32x48xf32>) -> tensor<64x48xf32>
  %bb = tenon.broadcast %b {shape = array<i64: 64, 48>, dims = array<i64: 1>} : (tensor<48xf32>) -> tensor<64x48xf32>
  %s = tenon.add %y, %bb : (tensor<64x48xf32>, tensor<64x48xf32>) -> tensor<64x48xf32>
  %g = tenon.gelu %s : tensor<64x48xf32>
  return %s, %g : tensor<64x48xf32>, tensor<64x48xf32>
}

// -----

// Splitting heads costs no copy.
// CHECK-LABEL: func.func @heads
// CHECK: tenon.kernel "matmul"
// CHECK: tenon.matmul
// CHECK: tenon.reshape
// CHECK: tenon.transpose
// CHECK: tenon.yield
// CHECK-NOT: tenon.kernel
func.func @heads(%x: tensor<64x32xf32>, %w: tensor<32x48xf32>) -> tensor<3x64x16xf32> {
  %y = tenon.matmul %x, %w : (tensor<64x32xf32>, tensor<32x48xf32>) -> tensor<64x48xf32>
  %r = tenon.reshape %y {shape = array<i64: 64, 3, 16>} : (tensor<64x48xf32>) -> tensor<64x3x16xf32>
  %t = tenon.transpose %r {permutation = array<i64: 1, 0, 2>} : (tensor<64x3x16xf32>) -> tensor<3x64x16xf32>
  return %t : tensor<3x64x16xf32>
}

// -----

// A reduction of the product is another kernel; so is an operand that would be computed
// again for each block of the other.
// CHECK-LABEL: func.func @apart
// CHECK: tenon.kernel "rows"
// CHECK: tenon.exp
// CHECK: tenon.kernel "matmul"
// CHECK: tenon.matmul
// CHECK-NEXT: tenon.yield
// CHECK: tenon.kernel "rows"
// CHECK: tenon.reduce_sum
func.func @apart(%x: tensor<512x32xf32>, %w: tensor<32x512xf32>) -> tensor<512xf32> {
  %e = tenon.exp %x : tensor<512x32xf32>
  %y = tenon.matmul %e, %w : (tensor<512x32xf32>, tensor<32x512xf32>) -> tensor<512x512xf32>
  %s = tenon.reduce_sum %y {axes = array<i64: 1>} : (tensor<512x512xf32>) -> tensor<512xf32>
  return %s : tensor<512xf32>
}
