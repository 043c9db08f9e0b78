// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// Summed over new and stretched axes.
// CHECK-LABEL: @broadcast(
// CHECK-SAME: %[[X:.*]]: tensor<3x1xf32>, %[[D:.*]]: tensor<2x3x4xf32>
// CHECK: %[[S:.*]] = tenon.reduce_sum %[[D]] {axes = array<i64: 0, 2>}
// CHECK: %[[G:.*]] = tenon.reshape %[[S]] {shape = array<i64: 3, 1>}
// CHECK: return %[[G]]
func.func @broadcast(%x: tensor<3x1xf32>, %d: tensor<2x3x4xf32>) -> tensor<3x1xf32> {
  %y = tenon.broadcast %x {shape = array<i64: 2, 3, 4>, dims = array<i64: 1, 2>} : (tensor<3x1xf32>) -> tensor<2x3x4xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<2x3x4xf32>, tensor<3x1xf32>, tensor<2x3x4xf32>) -> tensor<3x1xf32>
  return %g : tensor<3x1xf32>
}
