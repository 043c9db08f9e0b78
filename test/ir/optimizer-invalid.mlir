// RUN: tenon-opt %s --split-input-file --verify-diagnostics

func.func @sgd_gradient(%p: tensor<4xf32>, %g: tensor<5xf32>, %l: tensor<f32>) {
  // expected-error @+2 {{operand 1: expected the type of the parameter f32[4], got f32[5]}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.sgd %p, %g, %l : (tensor<4xf32>, tensor<5xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @momentum_lr(%p: tensor<4xf32>, %l: tensor<f64>) {
  // expected-error @+2 {{lr: expected f32[], got f64[]}}
  // expected-error @+1 {{failed to infer returned types}}
  %y, %v = tenon.momentum %p, %p, %p, %l {mu = 0.9 : f64} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f64>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @adam_step(%p: tensor<4xf32>, %l: tensor<f32>) {
  // expected-error @+2 {{step: expected i64[], got f32[]}}
  // expected-error @+1 {{failed to infer returned types}}
  %y, %m, %v = tenon.adam %p, %p, %p, %p, %l, %l {beta1 = 0.9 : f64, beta2 = 0.99 : f64, eps = 0.0 : f64, weight_decay = 0.0 : f64} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @loss_scale_state(%s: tensor<3xf32>) {
  // expected-error @+2 {{expected a state of f32[2], the scale and the number of good steps, got f32[3]}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.loss_scale %s {interval = 2000 : i64} : (tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @loss_scale_interval(%s: tensor<2xf32>) {
  // expected-error @+2 {{interval: expected at least 1, got 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.loss_scale %s {interval = 0 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return
}
