// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// da = dy * b * a^(b - 1), db = dy * y * log(a); 0 for b = 0 and a = 0.
// CHECK-LABEL: @pow(
// CHECK-SAME: %[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>, %[[D:.*]]: tensor<4xf32>
// CHECK: %[[Y:.*]] = tenon.pow %[[A]], %[[B]]
// CHECK: %[[NONZERO:.*]] = tenon.compare %[[A]], %{{.*}} {predicate = #tenon.predicate<ne>}
// CHECK: tenon.compare %[[B]], %{{.*}} {predicate = #tenon.predicate<ne>}
// CHECK: %[[P:.*]] = tenon.mul %[[D]]
// CHECK: %[[BASE:.*]] = tenon.select %[[NONZERO]], %[[A]]
// CHECK: %[[L:.*]] = tenon.log %[[BASE]]
// CHECK: %[[Q:.*]] = tenon.mul %[[D]]
// CHECK: return %[[P]], %[[Q]]
func.func @pow(%a: tensor<4xf32>, %b: tensor<4xf32>, %d: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = tenon.pow %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %ga = tenon.gradient %y, %a, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %gb = tenon.gradient %y, %b, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %ga, %gb : tensor<4xf32>, tensor<4xf32>
}
