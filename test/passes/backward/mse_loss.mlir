// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// dx = 2 / n * (x - t) * dy, the target the negative.
// CHECK-LABEL: @mse_loss(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[T:.*]]: tensor<4xf32>, %[[D:.*]]: tensor<f32>
// CHECK: tenon.constant dense<5.000000e-01>
// CHECK: %[[S:.*]] = tenon.sub %[[X]], %[[T]]
// CHECK: %[[P:.*]] = tenon.mul %[[S]], %{{.*}}
// CHECK: %[[N:.*]] = tenon.neg %[[P]]
// CHECK: return %[[P]], %[[N]]
func.func @mse_loss(%x: tensor<4xf32>, %t: tensor<4xf32>, %d: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = tenon.mse_loss %x, %t : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  %g = tenon.gradient %y, %x, %d : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %gt = tenon.gradient %y, %t, %d : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %g, %gt : tensor<4xf32>, tensor<4xf32>
}
