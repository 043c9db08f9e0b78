// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// The elements that equal the result share dy equally.
// CHECK-LABEL: @reduce_min(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[D:.*]]: tensor<4xf32>
// CHECK: %[[Y:.*]] = tenon.reduce_min %[[X]]
// CHECK: %[[B:.*]] = tenon.broadcast %[[Y]]
// CHECK: %[[C:.*]] = tenon.compare %[[X]], %[[B]] {predicate = #tenon.predicate<eq>}
// CHECK: %[[O:.*]] = tenon.cast %[[C]]
// CHECK: %[[N:.*]] = tenon.reduce_sum %[[O]]
// CHECK: %[[Q:.*]] = tenon.div %[[D]], %[[N]]
// CHECK: %[[R:.*]] = tenon.broadcast %[[Q]]
// CHECK: %[[G:.*]] = tenon.select %[[C]], %[[R]], %{{.*}}
// CHECK: return %[[G]]
func.func @reduce_min(%x: tensor<4x8xf32>, %d: tensor<4xf32>) -> tensor<4x8xf32> {
  %y = tenon.reduce_min %x {axes = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4xf32>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return %g : tensor<4x8xf32>
}
