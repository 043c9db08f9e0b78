// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// dy times the product of the others: with one zero, only there.
// CHECK-LABEL: @reduce_prod(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[D:.*]]: tensor<4xf32>
// CHECK: %[[C:.*]] = tenon.compare %[[X]], %{{.*}} {predicate = #tenon.predicate<eq>}
// CHECK: %[[R:.*]] = tenon.select %[[C]], %{{.*}}, %[[X]]
// CHECK: %[[P:.*]] = tenon.reduce_prod %[[R]]
// CHECK: tenon.reduce_sum
// CHECK: tenon.div
// CHECK: tenon.and
// CHECK: tenon.select
// CHECK: %[[S:.*]] = tenon.select
// CHECK: %[[B:.*]] = tenon.broadcast %[[D]]
// CHECK: %[[G:.*]] = tenon.mul %[[B]], %[[S]]
// CHECK: return %[[G]]
func.func @reduce_prod(%x: tensor<4x8xf32>, %d: tensor<4xf32>) -> tensor<4x8xf32> {
  %y = tenon.reduce_prod %x {axes = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4xf32>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return %g : tensor<4x8xf32>
}
