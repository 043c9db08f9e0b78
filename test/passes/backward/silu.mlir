// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// dx = dy * s * (1 + x * (1 - s)), s the sigmoid
// CHECK-LABEL: @silu(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[D:.*]]: tensor<4xf32>
// CHECK: %[[S:.*]] = tenon.sigmoid %[[X]]
// CHECK: %[[O:.*]] = tenon.sub %{{.*}}, %[[S]]
// CHECK: %[[M:.*]] = tenon.mul %[[X]], %[[O]]
// CHECK: %[[A:.*]] = tenon.add %[[M]], %{{.*}}
// CHECK: %[[P:.*]] = tenon.mul %[[S]], %[[A]]
// CHECK: %[[G:.*]] = tenon.mul %[[D]], %[[P]]
// CHECK: return %[[G]] : tensor<4xf32>
func.func @silu(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %y = tenon.silu %x : tensor<4xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}
