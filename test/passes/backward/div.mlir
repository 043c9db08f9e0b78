// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// da = dy / b, db = -dy / b * y
// CHECK-LABEL: @div(
// CHECK-SAME: %[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>, %[[D:.*]]: tensor<4xf32>
// CHECK: %[[Y:.*]] = tenon.div %[[A]], %[[B]]
// CHECK: %[[P:.*]] = tenon.div %[[D]], %[[B]]
// CHECK: %[[Q:.*]] = tenon.mul %[[P]], %[[Y]]
// CHECK: %[[N:.*]] = tenon.neg %[[Q]]
// CHECK: return %[[P]], %[[N]]
func.func @div(%a: tensor<4xf32>, %b: tensor<4xf32>, %d: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = tenon.div %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %ga = tenon.gradient %y, %a, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %gb = tenon.gradient %y, %b, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %ga, %gb : tensor<4xf32>, tensor<4xf32>
}
