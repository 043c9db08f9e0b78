// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// dx = dy * cos(x)
// CHECK-LABEL: @sin(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[D:.*]]: tensor<4xf32>
// CHECK: %[[C:.*]] = tenon.cos %[[X]]
// CHECK: %[[G:.*]] = tenon.mul %[[D]], %[[C]]
// CHECK: return %[[G]] : tensor<4xf32>
func.func @sin(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %y = tenon.sin %x : tensor<4xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}
