// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// The elements that equal the result share dy equally.
// CHECK-LABEL: @reduce_max(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[D:.*]]: tensor<4xf32>
// CHECK: %[[Y:.*]] = tenon.reduce_max %[[X]]
// CHECK: %[[B:.*]] = tenon.broadcast %[[Y]]
// CHECK: %[[C:.*]] = tenon.compare %[[X]], %[[B]] {predicate = #tenon.predicate<eq>}
// CHECK: %[[O:.*]] = tenon.cast %[[C]]
// CHECK: %[[N:.*]] = tenon.reduce_sum %[[O]]
// CHECK: %[[Q:.*]] = tenon.div %[[D]], %[[N]]
// CHECK: %[[R:.*]] = tenon.broadcast %[[Q]]
// CHECK: %[[G:.*]] = tenon.select %[[C]], %[[R]], %{{.*}}
// CHECK: return %[[G]]
func.func @reduce_max(%x: tensor<4x8xf32>, %d: tensor<4xf32>) -> tensor<4x8xf32> {
  %y = tenon.reduce_max %x {axes = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4xf32>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return %g : tensor<4x8xf32>
}
