// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// Rows are summed into a zero table.
// CHECK-LABEL: @gather(
// CHECK-SAME: %[[X:.*]]: tensor<50x8xf32>, %[[I:.*]]: tensor<4xi32>, %[[D:.*]]: tensor<4x8xf32>
// CHECK: %[[G:.*]] = tenon.scatter_add %[[I]], %[[D]] {rows = 50 : i64}
// CHECK: return %[[G]]
func.func @gather(%x: tensor<50x8xf32>, %i: tensor<4xi32>, %d: tensor<4x8xf32>) -> tensor<50x8xf32> {
  %y = tenon.gather %x, %i : (tensor<50x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4x8xf32>, tensor<50x8xf32>, tensor<4x8xf32>) -> tensor<50x8xf32>
  return %g : tensor<50x8xf32>
}
