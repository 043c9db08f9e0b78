// With a memory budget values are computed again; the results are right, and the same bits.
// 32768 bytes without one.
// RUN: tenon-run %s --compare=reference --memory-budget=16384 | FileCheck %s
// RUN: tenon-run %s --compare=reference --memory-budget=16384 --backend=vulkan
// RUN: tenon-run %s --output=%t.kept --quiet
// RUN: tenon-run %s --output=%t.again --quiet --memory-budget=12000
// RUN: cmp %t.kept1.npy %t.again1.npy
// RUN: cmp %t.kept8.npy %t.again8.npy
// RUN: not tenon-run %s --memory-budget=2000 2>&1 | FileCheck %s --check-prefix=LESS
// RUN: not tenon-run %s --memory-budget=-5 2>&1 | FileCheck %s --check-prefix=NEGATIVE

// Two chains that begin alike share what both make, where the budget allows it: else 34.
// RUN: tenon-compile %s --memory-budget=16384 --compile-to=planned | FileCheck %s --check-prefix=FEW

// CHECK-COUNT-9: ok
// FEW-COUNT-33: = tenon.kernel
// FEW-NOT:      = tenon.kernel
// LESS: a memory budget of 2000 bytes: intermediate values take {{[0-9]+}}
// NEGATIVE: memory_budget: expected at least 0 bytes, got -5
func.func @main(%x: tensor<32x16xf32>, %w0: tensor<16x16xf32>, %w1: tensor<16x16xf32>, %w2: tensor<16x16xf32>, %w3: tensor<16x16xf32>, %w4: tensor<16x16xf32>, %w5: tensor<16x16xf32>, %w6: tensor<16x16xf32>, %w7: tensor<16x16xf32>) -> (tensor<f32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>) {
  %m0 = tenon.matmul %x, %w0 : (tensor<32x16xf32>, tensor<16x16xf32>) -> tensor<32x16xf32>
  %h0 = tenon.tanh %m0 : tensor<32x16xf32>
  %m1 = tenon.matmul %h0, %w1 : (tensor<32x16xf32>, tensor<16x16xf32>) -> tensor<32x16xf32>
  %h1 = tenon.tanh %m1 : tensor<32x16xf32>
  %m2 = tenon.matmul %h1, %w2 : (tensor<32x16xf32>, tensor<16x16xf32>) -> tensor<32x16xf32>
  %h2 = tenon.tanh %m2 : tensor<32x16xf32>
  %m3 = tenon.matmul %h2, %w3 : (tensor<32x16xf32>, tensor<16x16xf32>) -> tensor<32x16xf32>
  %h3 = tenon.tanh %m3 : tensor<32x16xf32>
  %m4 = tenon.matmul %h3, %w4 : (tensor<32x16xf32>, tensor<16x16xf32>) -> tensor<32x16xf32>
  %h4 = tenon.tanh %m4 : tensor<32x16xf32>
  %m5 = tenon.matmul %h4, %w5 : (tensor<32x16xf32>, tensor<16x16xf32>) -> tensor<32x16xf32>
  %h5 = tenon.tanh %m5 : tensor<32x16xf32>
  %m6 = tenon.matmul %h5, %w6 : (tensor<32x16xf32>, tensor<16x16xf32>) -> tensor<32x16xf32>
  %h6 = tenon.tanh %m6 : tensor<32x16xf32>
  %m7 = tenon.matmul %h6, %w7 : (tensor<32x16xf32>, tensor<16x16xf32>) -> tensor<32x16xf32>
  %h7 = tenon.tanh %m7 : tensor<32x16xf32>
  %l = tenon.reduce_sum %h7 {axes = array<i64: 0, 1>} : (tensor<32x16xf32>) -> tensor<f32>
  %g0 = tenon.gradient %l, %w0 : (tensor<f32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %g1 = tenon.gradient %l, %w1 : (tensor<f32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %g2 = tenon.gradient %l, %w2 : (tensor<f32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %g3 = tenon.gradient %l, %w3 : (tensor<f32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %g4 = tenon.gradient %l, %w4 : (tensor<f32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %g5 = tenon.gradient %l, %w5 : (tensor<f32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %g6 = tenon.gradient %l, %w6 : (tensor<f32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %g7 = tenon.gradient %l, %w7 : (tensor<f32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %l, %g0, %g1, %g2, %g3, %g4, %g5, %g6, %g7 : tensor<f32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
}
