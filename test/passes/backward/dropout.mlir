// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// The same numbers again.
// CHECK-LABEL: @dropout(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[S:.*]]: tensor<i64>, %[[D:.*]]: tensor<4xf32>
// CHECK: %[[G:.*]] = tenon.dropout %[[D]], %[[S]], %[[S]] {rate = 1.000000e-01 : f64, stream = 3 : i64}
// CHECK: return %[[G]]
func.func @dropout(%x: tensor<4xf32>, %s: tensor<i64>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %y = tenon.dropout %x, %s, %s {rate = 0.1 : f64, stream = 3 : i64} : (tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}
