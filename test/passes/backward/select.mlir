// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// dy goes where the value came from.
// CHECK-LABEL: @select(
// CHECK-SAME: %[[C:.*]]: tensor<4xi1>, %[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>, %[[D:.*]]: tensor<4xf32>
// CHECK: %[[Z:.*]] = tenon.constant dense<0.0
// CHECK: %[[P:.*]] = tenon.select %[[C]], %[[D]], %[[Z]]
// CHECK: %[[Q:.*]] = tenon.select %[[C]], %[[Z]], %[[D]]
// CHECK: return %[[P]], %[[Q]]
func.func @select(%c: tensor<4xi1>, %a: tensor<4xf32>, %b: tensor<4xf32>, %d: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = tenon.select %c, %a, %b : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %ga = tenon.gradient %y, %a, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %gb = tenon.gradient %y, %b, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %ga, %gb : tensor<4xf32>, tensor<4xf32>
}
