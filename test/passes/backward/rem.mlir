// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// da = dy, db = -dy * trunc(a / b)
// CHECK-LABEL: @rem(
// CHECK-SAME: %[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>, %[[D:.*]]: tensor<4xf32>
// CHECK: %[[Q:.*]] = tenon.div %[[A]], %[[B]]
// CHECK-DAG: tenon.sign %[[Q]]
// CHECK-DAG: tenon.abs %[[Q]]
// CHECK: tenon.floor
// CHECK: %[[N:.*]] = tenon.neg
// CHECK: return %[[D]], %[[N]]
func.func @rem(%a: tensor<4xf32>, %b: tensor<4xf32>, %d: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = tenon.rem %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %ga = tenon.gradient %y, %a, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %gb = tenon.gradient %y, %b, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %ga, %gb : tensor<4xf32>, tensor<4xf32>
}
