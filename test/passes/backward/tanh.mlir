// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// dx = dy * (1 - y^2)
// CHECK-LABEL: @tanh(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[D:.*]]: tensor<4xf32>
// CHECK: %[[Y:.*]] = tenon.tanh %[[X]]
// CHECK: %[[Q:.*]] = tenon.mul %[[Y]], %[[Y]]
// CHECK: %[[S:.*]] = tenon.sub %{{.*}}, %[[Q]]
// CHECK: %[[G:.*]] = tenon.mul %[[D]], %[[S]]
// CHECK: return %[[G]] : tensor<4xf32>
func.func @tanh(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %y = tenon.tanh %x : tensor<4xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}
