// RUN: tenon-opt %s --split-input-file --verify-diagnostics

func.func @mse_loss_shape(%x: tensor<4x8xf32>, %t: tensor<8x4xf32>) {
  // expected-error @+2 {{operands need one shape, got f32[4,8] and f32[8,4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.mse_loss %x, %t : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<f32>
  return
}

// -----

func.func @cross_entropy_target(%x: tensor<4x8xf32>, %t: tensor<4xf32>) {
  // expected-error @+2 {{target: expected f32[4,8], got f32[4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.cross_entropy %x, %t {floor = 0.0 : f64} : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @softmax_cross_entropy_ids(%x: tensor<4x8xf32>, %i: tensor<5xi32>) {
  // expected-error @+2 {{target: expected f32[4,8] or integer class ids without its last axis, got i32[5]}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.softmax_cross_entropy %x, %i {floor = 0.0 : f64} : (tensor<4x8xf32>, tensor<5xi32>) -> tensor<4xf32>
  return
}
