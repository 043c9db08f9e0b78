// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// dx = dy * (Phi(x) + x * phi(x))
// CHECK-LABEL: @gelu(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[D:.*]]: tensor<4xf32>
// CHECK: tenon.normal_cdf
// CHECK: tenon.exp
// CHECK: %[[S:.*]] = tenon.add
// CHECK: %[[G:.*]] = tenon.mul %[[D]], %[[S]]
// CHECK: return %[[G]] : tensor<4xf32>
func.func @gelu(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %y = tenon.gelu %x : tensor<4xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}
