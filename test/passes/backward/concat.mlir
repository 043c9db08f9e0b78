// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// Each part its slice of dy.
// CHECK-LABEL: @concat(
// CHECK-SAME: %[[A:.*]]: tensor<2x6xf32>, %[[B:.*]]: tensor<3x6xf32>, %[[D:.*]]: tensor<5x6xf32>
// CHECK: %[[P:.*]] = tenon.slice %[[D]] {offsets = array<i64: 0, 0>, sizes = array<i64: 2, 6>
// CHECK: %[[Q:.*]] = tenon.slice %[[D]] {offsets = array<i64: 2, 0>, sizes = array<i64: 3, 6>
// CHECK: return %[[P]], %[[Q]]
func.func @concat(%a: tensor<2x6xf32>, %b: tensor<3x6xf32>, %d: tensor<5x6xf32>) -> (tensor<2x6xf32>, tensor<3x6xf32>) {
  %y = tenon.concat %a, %b {axis = 0 : i64} : (tensor<2x6xf32>, tensor<3x6xf32>) -> tensor<5x6xf32>
  %ga = tenon.gradient %y, %a, %d : (tensor<5x6xf32>, tensor<2x6xf32>, tensor<5x6xf32>) -> tensor<2x6xf32>
  %gb = tenon.gradient %y, %b, %d : (tensor<5x6xf32>, tensor<3x6xf32>, tensor<5x6xf32>) -> tensor<3x6xf32>
  return %ga, %gb : tensor<2x6xf32>, tensor<3x6xf32>
}
