// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// Gradients come in the layouts of their operands, by flags alone.
// CHECK-LABEL: @matmul(
// CHECK-SAME: %[[A:.*]]: tensor<4x8xf32>, %[[B:.*]]: tensor<6x8xf32>, %[[D:.*]]: tensor<4x6xf32>
// CHECK: %[[P:.*]] = tenon.matmul %[[D]], %[[B]] :
// CHECK: %[[Q:.*]] = tenon.matmul %[[D]], %[[A]] {transpose_a = true}
// CHECK: return %[[P]], %[[Q]]
func.func @matmul(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %d: tensor<4x6xf32>) -> (tensor<4x8xf32>, tensor<6x8xf32>) {
  %y = tenon.matmul %a, %b {transpose_b = true} : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
  %ga = tenon.gradient %y, %a, %d : (tensor<4x6xf32>, tensor<4x8xf32>, tensor<4x6xf32>) -> tensor<4x8xf32>
  %gb = tenon.gradient %y, %b, %d : (tensor<4x6xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<6x8xf32>
  return %ga, %gb : tensor<4x8xf32>, tensor<6x8xf32>
}
