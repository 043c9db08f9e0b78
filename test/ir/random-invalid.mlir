// RUN: tenon-opt %s --split-input-file --verify-diagnostics

func.func @random_uniform_seed(%s: tensor<i32>, %t: tensor<i64>) {
  // expected-error @+2 {{seed: expected i64[], got i32[]}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.random_uniform %s, %t {shape = array<i64: 4>, stream = 0 : i64, dtype = f32} : (tensor<i32>, tensor<i64>) -> tensor<4xf32>
  return
}

// -----

func.func @random_normal_dtype(%s: tensor<i64>) {
  // expected-error @+2 {{dtype: expected a float type}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.random_normal %s, %s {shape = array<i64: 4>, stream = 0 : i64, dtype = i32} : (tensor<i64>, tensor<i64>) -> tensor<4xf32>
  return
}

// -----

func.func @dropout_rate(%x: tensor<4xf32>, %s: tensor<i64>) {
  // expected-error @+2 {{rate: expected 0 <= rate < 1, got 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.dropout %x, %s, %s {rate = 1.0 : f64, stream = 0 : i64} : (tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
  return
}
