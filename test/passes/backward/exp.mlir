// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// dx = dy * y
// CHECK-LABEL: @exp(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[D:.*]]: tensor<4xf32>
// CHECK: %[[Y:.*]] = tenon.exp %[[X]]
// CHECK: %[[G:.*]] = tenon.mul %[[D]], %[[Y]]
// CHECK: return %[[G]] : tensor<4xf32>
func.func @exp(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %y = tenon.exp %x : tensor<4xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}
