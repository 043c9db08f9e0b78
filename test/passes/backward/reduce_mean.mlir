// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// dy / n is repeated along the reduced axes.
// CHECK-LABEL: @reduce_mean(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[D:.*]]: tensor<4xf32>
// CHECK: tenon.constant dense<1.250000e-01>
// CHECK: %[[M:.*]] = tenon.mul %[[D]], %{{.*}}
// CHECK: %[[G:.*]] = tenon.broadcast %[[M]] {dims = array<i64: 0>, shape = array<i64: 4, 8>}
// CHECK: return %[[G]]
func.func @reduce_mean(%x: tensor<4x8xf32>, %d: tensor<4xf32>) -> tensor<4x8xf32> {
  %y = tenon.reduce_mean %x {axes = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4xf32>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return %g : tensor<4x8xf32>
}
