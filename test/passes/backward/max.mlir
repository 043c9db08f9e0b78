// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// All of dy to the winner, half to each at a tie.
// CHECK-LABEL: @max(
// CHECK-SAME: %[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>, %[[D:.*]]: tensor<4xf32>
// CHECK: tenon.compare %[[A]], %[[B]] {predicate = #tenon.predicate<eq>}
// CHECK: %[[T:.*]] = tenon.select
// CHECK: tenon.compare %[[A]], %[[B]] {predicate = #tenon.predicate<gt>}
// CHECK: %[[P:.*]] = tenon.select %{{.*}}, %[[D]], %[[T]]
// CHECK: tenon.compare %[[B]], %[[A]] {predicate = #tenon.predicate<gt>}
// CHECK: %[[Q:.*]] = tenon.select %{{.*}}, %[[D]], %[[T]]
// CHECK: return %[[P]], %[[Q]]
func.func @max(%a: tensor<4xf32>, %b: tensor<4xf32>, %d: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = tenon.max %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %ga = tenon.gradient %y, %a, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %gb = tenon.gradient %y, %b, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %ga, %gb : tensor<4xf32>, tensor<4xf32>
}
