// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// dx = dy * y * (1 - y)
// CHECK-LABEL: @sigmoid(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[D:.*]]: tensor<4xf32>
// CHECK: %[[Y:.*]] = tenon.sigmoid %[[X]]
// CHECK: %[[O:.*]] = tenon.sub %{{.*}}, %[[Y]]
// CHECK: %[[S:.*]] = tenon.mul %[[Y]], %[[O]]
// CHECK: %[[G:.*]] = tenon.mul %[[D]], %[[S]]
// CHECK: return %[[G]] : tensor<4xf32>
func.func @sigmoid(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %y = tenon.sigmoid %x : tensor<4xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}
