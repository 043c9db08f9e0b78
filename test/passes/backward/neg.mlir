// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// dx = -dy
// CHECK-LABEL: @neg(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[D:.*]]: tensor<4xf32>
// CHECK: %[[G:.*]] = tenon.neg %[[D]]
// CHECK: return %[[G]] : tensor<4xf32>
func.func @neg(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %y = tenon.neg %x : tensor<4xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}
