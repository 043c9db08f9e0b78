// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// dx = dy * sigmoid(x)
// CHECK-LABEL: @softplus(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[D:.*]]: tensor<4xf32>
// CHECK: %[[S:.*]] = tenon.sigmoid %[[X]]
// CHECK: %[[G:.*]] = tenon.mul %[[D]], %[[S]]
// CHECK: return %[[G]] : tensor<4xf32>
func.func @softplus(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %y = tenon.softplus %x : tensor<4xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}
