// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// Rows of dy; an id out of range was left out and gets 0.
// CHECK-LABEL: @scatter_add(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[I:.*]]: tensor<4xi32>, %[[D:.*]]: tensor<50x8xf32>
// CHECK: %[[R:.*]] = tenon.gather %[[D]], %[[I]]
// CHECK: tenon.compare %[[I]], %{{.*}} {predicate = #tenon.predicate<ge>}
// CHECK: tenon.compare %[[I]], %{{.*}} {predicate = #tenon.predicate<lt>}
// CHECK: %[[V:.*]] = tenon.broadcast
// CHECK: %[[G:.*]] = tenon.select %[[V]], %[[R]], %{{.*}}
// CHECK: return %[[G]]
func.func @scatter_add(%x: tensor<4x8xf32>, %i: tensor<4xi32>, %d: tensor<50x8xf32>) -> tensor<4x8xf32> {
  %y = tenon.scatter_add %i, %x {rows = 50 : i64} : (tensor<4xi32>, tensor<4x8xf32>) -> tensor<50x8xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<50x8xf32>, tensor<4x8xf32>, tensor<50x8xf32>) -> tensor<4x8xf32>
  return %g : tensor<4x8xf32>
}
