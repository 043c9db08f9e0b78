// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// dy is repeated along the reduced axes.
// CHECK-LABEL: @reduce_sum(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[D:.*]]: tensor<4xf32>
// CHECK: %[[G:.*]] = tenon.broadcast %[[D]] {dims = array<i64: 0>, shape = array<i64: 4, 8>}
// CHECK: return %[[G]]
func.func @reduce_sum(%x: tensor<4x8xf32>, %d: tensor<4xf32>) -> tensor<4x8xf32> {
  %y = tenon.reduce_sum %x {axes = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4xf32>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return %g : tensor<4x8xf32>
}
