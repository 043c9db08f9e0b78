// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// dx = dy - e^y * sum(dy)
// CHECK-LABEL: @log_softmax(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[D:.*]]: tensor<4x8xf32>
// CHECK: %[[Y:.*]] = tenon.log_softmax %[[X]]
// CHECK-DAG: %[[S:.*]] = tenon.reduce_sum %[[D]] {axes = array<i64: 1>, keep = true}
// CHECK-DAG: %[[B:.*]] = tenon.broadcast %[[S]]
// CHECK-DAG: %[[E:.*]] = tenon.exp %[[Y]]
// CHECK: %[[P:.*]] = tenon.mul %[[E]], %[[B]]
// CHECK: %[[G:.*]] = tenon.sub %[[D]], %[[P]]
// CHECK: return %[[G]]
func.func @log_softmax(%x: tensor<4x8xf32>, %d: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = tenon.log_softmax %x {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %g : tensor<4x8xf32>
}
