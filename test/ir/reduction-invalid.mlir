// RUN: tenon-opt %s --split-input-file --verify-diagnostics

func.func @reduce_sum_twice(%x: tensor<4x8xf32>) {
  // expected-error @+2 {{axes: axis 1 is named twice}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.reduce_sum %x {axes = array<i64: 1, 1>} : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @reduce_max_axis(%x: tensor<4x8xf32>) {
  // expected-error @+2 {{axis: expected 0 to 1, got -1}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.reduce_max %x {axes = array<i64: -1>} : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @argmax_empty(%x: tensor<0x8xf32>) {
  // expected-error @+2 {{axis 0 has no elements}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.argmax %x {axis = 0 : i64} : (tensor<0x8xf32>) -> tensor<8xi64>
  return
}
