// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// dx = -dy * sin(x)
// CHECK-LABEL: @cos(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[D:.*]]: tensor<4xf32>
// CHECK: %[[S:.*]] = tenon.sin %[[X]]
// CHECK: %[[M:.*]] = tenon.mul %[[D]], %[[S]]
// CHECK: %[[G:.*]] = tenon.neg %[[M]]
// CHECK: return %[[G]] : tensor<4xf32>
func.func @cos(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %y = tenon.cos %x : tensor<4xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}
