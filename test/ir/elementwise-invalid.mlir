// RUN: tenon-opt %s --split-input-file --verify-diagnostics

func.func @add_shape(%a: tensor<4x8xf32>, %b: tensor<4xf32>) {
  // expected-error @+2 {{operands need one shape, got f32[4,8] and f32[4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.add %a, %b : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @mul_dtype(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  // expected-error @+2 {{operands need one dtype, got f32[4] and f64[4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.mul %a, %b : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @clamp_bounds(%a: tensor<4xf32>) {
  // expected-error @+1 {{expected lo <= hi, got lo = 2, hi = 1}}
  %y = tenon.clamp %a {lo = 2.0 : f64, hi = 1.0 : f64} : tensor<4xf32>
  return
}

// -----

func.func @select_shape(%c: tensor<3xi1>, %a: tensor<4xf32>) {
  // expected-error @+2 {{operands need one shape, got i1[3] and f32[4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.select %c, %a, %a : (tensor<3xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}
