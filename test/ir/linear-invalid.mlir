// RUN: tenon-opt %s --split-input-file --verify-diagnostics

func.func @matmul_inner(%a: tensor<4x8xf32>, %b: tensor<6x7xf32>) {
  // expected-error @+2 {{inner extents differ: 8 of f32[4,8] and 7 of f32[6,7] transposed}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.matmul %a, %b {transpose_b = true} : (tensor<4x8xf32>, tensor<6x7xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @matmul_rank(%a: tensor<2x4x8xf32>, %b: tensor<8x6xf32>) {
  // expected-error @+2 {{expected two tensors of one rank, at least 2, got f32[2,4,8] and f32[8,6]}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.matmul %a, %b : (tensor<2x4x8xf32>, tensor<8x6xf32>) -> tensor<2x4x6xf32>
  return
}

// -----

func.func @matmul_batch(%a: tensor<2x4x8xf32>, %b: tensor<3x8x6xf32>) {
  // expected-error @+2 {{batch axis 0: expected equal extents, got f32[2,4,8] and f32[3,8,6]}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.matmul %a, %b : (tensor<2x4x8xf32>, tensor<3x8x6xf32>) -> tensor<2x4x6xf32>
  return
}
