// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// dx = y * (dy - sum(dy * y))
// CHECK-LABEL: @softmax(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[D:.*]]: tensor<4x8xf32>
// CHECK: %[[Y:.*]] = tenon.softmax %[[X]]
// CHECK: %[[P:.*]] = tenon.mul %[[D]], %[[Y]]
// CHECK: %[[S:.*]] = tenon.reduce_sum %[[P]] {axes = array<i64: 1>, keep = true}
// CHECK: %[[B:.*]] = tenon.broadcast %[[S]]
// CHECK: %[[C:.*]] = tenon.sub %[[D]], %[[B]]
// CHECK: %[[G:.*]] = tenon.mul %[[Y]], %[[C]]
// CHECK: return %[[G]]
func.func @softmax(%x: tensor<4x8xf32>, %d: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = tenon.softmax %x {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %g : tensor<4x8xf32>
}
