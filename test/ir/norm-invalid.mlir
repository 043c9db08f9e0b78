// RUN: tenon-opt %s --split-input-file --verify-diagnostics

func.func @softmax_axis(%x: tensor<4x8xf32>) {
  // expected-error @+2 {{axis: expected 0 to 1, got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.softmax %x {axis = 2 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @log_softmax_axis(%x: tensor<4x8xf32>) {
  // expected-error @+2 {{axis: expected 0 to 1, got 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.log_softmax %x {axis = 3 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @layer_norm_gamma(%x: tensor<4x8xf32>, %g: tensor<4xf32>) {
  // expected-error @+2 {{gamma: expected the dtype of x and shape [8], got f32[4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.layer_norm %x, %g {eps = 1.0e-5 : f64} : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @rms_norm_eps(%x: tensor<4x8xf32>) {
  // expected-error @+2 {{eps: expected at least 0, got -1}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.rms_norm %x {eps = -1.0 : f64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
