// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// da = db = dy
// CHECK-LABEL: @add(
// CHECK-SAME: %[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>, %[[D:.*]]: tensor<4xf32>
// CHECK: return %[[D]], %[[D]]
func.func @add(%a: tensor<4xf32>, %b: tensor<4xf32>, %d: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = tenon.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %ga = tenon.gradient %y, %a, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %gb = tenon.gradient %y, %b, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %ga, %gb : tensor<4xf32>, tensor<4xf32>
}
