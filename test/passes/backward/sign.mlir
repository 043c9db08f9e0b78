// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// The gradient of the sign is zero.
// CHECK-LABEL: @sign(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[D:.*]]: tensor<4xf32>
// CHECK: %[[G:.*]] = tenon.constant dense<0.000000e+00>
// CHECK-NOT: tenon.sign
// CHECK: return %[[G]] : tensor<4xf32>
func.func @sign(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %y = tenon.sign %x : tensor<4xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}
