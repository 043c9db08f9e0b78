// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// CHECK-LABEL: @fold_windows(
// CHECK-SAME: %[[X:.*]]: tensor<4x3x4xf32>, %[[D:.*]]: tensor<4x9xf32>
// CHECK: %[[G:.*]] = tenon.windows %[[D]] {dilations = array<i64: 1>, sizes = array<i64: 3>, strides = array<i64: 2>}
// CHECK: return %[[G]]
func.func @fold_windows(%x: tensor<4x3x4xf32>, %d: tensor<4x9xf32>) -> tensor<4x3x4xf32> {
  %y = tenon.fold_windows %x {extents = array<i64: 9>, strides = array<i64: 2>, dilations = array<i64: 1>} : (tensor<4x3x4xf32>) -> tensor<4x9xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4x9xf32>, tensor<4x3x4xf32>, tensor<4x9xf32>) -> tensor<4x3x4xf32>
  return %g : tensor<4x3x4xf32>
}
