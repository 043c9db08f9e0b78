// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// da = dy * b, db = dy * a
// CHECK-LABEL: @mul(
// CHECK-SAME: %[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>, %[[D:.*]]: tensor<4xf32>
// CHECK: %[[P:.*]] = tenon.mul %[[D]], %[[B]]
// CHECK: %[[Q:.*]] = tenon.mul %[[D]], %[[A]]
// CHECK: return %[[P]], %[[Q]]
func.func @mul(%a: tensor<4xf32>, %b: tensor<4xf32>, %d: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = tenon.mul %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %ga = tenon.gradient %y, %a, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %gb = tenon.gradient %y, %b, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %ga, %gb : tensor<4xf32>, tensor<4xf32>
}
