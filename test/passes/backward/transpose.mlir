// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// The inverse permutation.
// CHECK-LABEL: @transpose(
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4xf32>, %[[D:.*]]: tensor<4x2x3xf32>
// CHECK: %[[G:.*]] = tenon.transpose %[[D]] {permutation = array<i64: 1, 2, 0>}
// CHECK: return %[[G]]
func.func @transpose(%x: tensor<2x3x4xf32>, %d: tensor<4x2x3xf32>) -> tensor<2x3x4xf32> {
  %y = tenon.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4x2x3xf32>, tensor<2x3x4xf32>, tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
  return %g : tensor<2x3x4xf32>
}
