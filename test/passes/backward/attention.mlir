// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// One op, which reads lse; no gradient of the mask unless it is asked for.
// CHECK-LABEL: @attention(
// CHECK-SAME: %[[Q:.*]]: tensor<1x2x8x4xf32>, %[[M:.*]]: tensor<1x1x8x8xf32>, %[[D:.*]]: tensor<1x2x8x4xf32>
// CHECK: %[[O:.*]], %[[L:.*]] = tenon.attention
// CHECK: %[[DQ:.*]], %[[DK:.*]], %[[DV:.*]] = tenon.attention_grad %[[Q]], %[[Q]], %[[Q]] mask %[[M]] o %[[O]], %[[L]], %[[D]] {scale = 5.000000e-01 : f64}
// CHECK: %[[S:.*]] = tenon.add %[[DQ]], %[[DK]]
// CHECK: %[[G:.*]] = tenon.add %[[S]], %[[DV]]
// CHECK: return %[[G]]
func.func @attention(%q: tensor<1x2x8x4xf32>, %m: tensor<1x1x8x8xf32>, %d: tensor<1x2x8x4xf32>) -> tensor<1x2x8x4xf32> {
  %y, %l = tenon.attention %q, %q, %q, %m {scale = 0.5 : f64} : (tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x1x8x8xf32>) -> (tensor<1x2x8x4xf32>, tensor<1x2x8xf32>)
  %g = tenon.gradient %y, %q, %d : (tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x8x4xf32>
  return %g : tensor<1x2x8x4xf32>
}
