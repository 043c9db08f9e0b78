// A row kernel over no axes at all.
// RUN: tenon-run %s --compare=reference | FileCheck %s
// RUN: tenon-run %s --compare=reference --backend=vulkan
// CHECK-COUNT-2: ok

func.func @mse(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %0 = tenon.mse_loss %x, %y : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @half(%x: tensor<f16>, %y: tensor<f16>) -> tensor<f16> {
  %0 = tenon.mse_loss %x, %y : (tensor<f16>, tensor<f16>) -> tensor<f16>
  return %0 : tensor<f16>
}
