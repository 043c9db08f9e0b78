// RUN: tenon-opt %s -tenon-mixed-precision="type=f16" -tenon-scale-loss -split-input-file -verify-diagnostics

func.func @two(%w: tensor<4x4xf32>, %lr: tensor<f32>, %s: tensor<2xf32>) -> (tensor<4x4xf32>, tensor<2xf32>) {
  %y = tenon.matmul %w, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %l = tenon.reduce_sum %y {axes = array<i64: 0, 1>} : (tensor<4x4xf32>) -> tensor<f32>
  %g = tenon.gradient %l, %w : (tensor<f32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %p = tenon.sgd %w, %g, %lr : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  // expected-error @+1 {{expected one in a block, got 2}}
  %n = tenon.loss_scale %s {interval = 2000 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  %m = tenon.loss_scale %n {interval = 2000 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return %p, %m : tensor<4x4xf32>, tensor<2xf32>
}

// -----

func.func @late(%w: tensor<4x4xf32>, %lr: tensor<f32>, %s: tensor<2xf32>) -> (tensor<4x4xf32>, tensor<2xf32>) {
  %y = tenon.matmul %w, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %l = tenon.reduce_sum %y {axes = array<i64: 0, 1>} : (tensor<4x4xf32>) -> tensor<f32>
  %g = tenon.gradient %l, %w : (tensor<f32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %p = tenon.sgd %w, %g, %lr : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  %a = tenon.abs %s : tensor<2xf32>
  // expected-error @+1 {{expected its state before the gradients that are scaled by it}}
  %n = tenon.loss_scale %a {interval = 2000 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return %p, %n : tensor<4x4xf32>, tensor<2xf32>
}

// -----

func.func @early(%w: tensor<4x4xf32>, %lr: tensor<f32>, %s: tensor<2xf32>) -> (tensor<4x4xf32>, tensor<2xf32>) {
  // expected-error @+1 {{expected the next state to be read behind all gradients}}
  %n = tenon.loss_scale %s {interval = 2000 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  %a = tenon.abs %n : tensor<2xf32>
  %y = tenon.matmul %w, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %l = tenon.reduce_sum %y {axes = array<i64: 0, 1>} : (tensor<4x4xf32>) -> tensor<f32>
  %g = tenon.gradient %l, %w : (tensor<f32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %p = tenon.sgd %w, %g, %lr : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  return %p, %a : tensor<4x4xf32>, tensor<2xf32>
}
