// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// By decomposition: products of matrices, exponentials of scores minus lse.
// CHECK-LABEL: @attention_grad(
// CHECK-SAME: %[[Q:.*]]: tensor<1x2x8x4xf32>, %[[K:.*]]: tensor<1x2x8x4xf32>, %[[D:.*]]: tensor<1x2x8x4xf32>
// CHECK: tenon.attention_grad
// CHECK: tenon.matmul %[[Q]], %[[K]] {transpose_b = true}
// CHECK: tenon.iota
// CHECK: tenon.exp
// CHECK-NOT: tenon.gradient
// CHECK: return
func.func @attention_grad(%q: tensor<1x2x8x4xf32>, %k: tensor<1x2x8x4xf32>, %d: tensor<1x2x8x4xf32>) -> tensor<1x2x8x4xf32> {
  %y, %l = tenon.attention %q, %k, %k {scale = 0.5 : f64, causal = true} : (tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) -> (tensor<1x2x8x4xf32>, tensor<1x2x8xf32>)
  %g = tenon.gradient %y, %q, %d : (tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x8x4xf32>
  %h = tenon.gradient %g, %q, %d : (tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x8x4xf32>
  return %h : tensor<1x2x8x4xf32>
}
