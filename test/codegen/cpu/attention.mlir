// Attention takes the views around it into its kernel, and nothing else.

// RUN: tenon-opt %s --tenon-form-kernels | FileCheck %s

// The head split of [sequence, width] matrices costs no kernel and no copy.
// CHECK-LABEL:   func.func @split_heads
// CHECK:           tenon.kernel "attention"
// CHECK-COUNT-3:   tenon.transpose
// CHECK:           tenon.attention
// CHECK:           tenon.transpose
// CHECK:           tenon.reshape
// CHECK:           tenon.yield
// CHECK-NOT:       tenon.kernel
// CHECK:           return
func.func @split_heads(%q: tensor<64x128xf32>, %k: tensor<64x128xf32>, %v: tensor<64x128xf32>)
    -> tensor<64x128xf32> {
  %q0 = tenon.reshape %q {shape = array<i64: 1, 64, 4, 32>} : (tensor<64x128xf32>) -> tensor<1x64x4x32xf32>
  %k0 = tenon.reshape %k {shape = array<i64: 1, 64, 4, 32>} : (tensor<64x128xf32>) -> tensor<1x64x4x32xf32>
  %v0 = tenon.reshape %v {shape = array<i64: 1, 64, 4, 32>} : (tensor<64x128xf32>) -> tensor<1x64x4x32xf32>
  %q1 = tenon.transpose %q0 {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x64x4x32xf32>) -> tensor<1x4x64x32xf32>
  %k1 = tenon.transpose %k0 {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x64x4x32xf32>) -> tensor<1x4x64x32xf32>
  %v1 = tenon.transpose %v0 {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x64x4x32xf32>) -> tensor<1x4x64x32xf32>
  %o, %lse = tenon.attention %q1, %k1, %v1 {scale = 0.125 : f64, causal = true}
     : (tensor<1x4x64x32xf32>, tensor<1x4x64x32xf32>, tensor<1x4x64x32xf32>)
    -> (tensor<1x4x64x32xf32>, tensor<1x4x64xf32>)
  %o1 = tenon.transpose %o {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x4x64x32xf32>) -> tensor<1x64x4x32xf32>
  %o2 = tenon.reshape %o1 {shape = array<i64: 64, 128>} : (tensor<1x64x4x32xf32>) -> tensor<64x128xf32>
  return %o2 : tensor<64x128xf32>
}

// Arithmetic is no view.
// CHECK-LABEL: func.func @arithmetic_stays_outside
// CHECK:         tenon.kernel "rows"
// CHECK:         tenon.exp
// CHECK:         tenon.kernel "attention"
// CHECK:         tenon.attention
// CHECK:         tenon.kernel "rows"
// CHECK:         tenon.neg
func.func @arithmetic_stays_outside(%q: tensor<1x4x64x32xf32>, %k: tensor<1x4x64x32xf32>)
    -> tensor<1x4x64x32xf32> {
  %e = tenon.exp %q : tensor<1x4x64x32xf32>
  %o, %lse = tenon.attention %e, %k, %k {scale = 0.125 : f64}
     : (tensor<1x4x64x32xf32>, tensor<1x4x64x32xf32>, tensor<1x4x64x32xf32>)
    -> (tensor<1x4x64x32xf32>, tensor<1x4x64xf32>)
  %n = tenon.neg %o : tensor<1x4x64x32xf32>
  return %n : tensor<1x4x64x32xf32>
}

// Rows of a transposed matrix do not lie at one stride: a copy is made outside.
// CHECK-LABEL: func.func @no_strides
// CHECK:         tenon.kernel "rows"
// CHECK:         tenon.kernel "attention"
func.func @no_strides(%x: tensor<32x64xf32>, %k: tensor<1x4x64x8xf32>) -> tensor<1x4x64x8xf32> {
  %t = tenon.transpose %x {permutation = array<i64: 1, 0>} : (tensor<32x64xf32>) -> tensor<64x32xf32>
  %q = tenon.reshape %t {shape = array<i64: 1, 4, 64, 8>} : (tensor<64x32xf32>) -> tensor<1x4x64x8xf32>
  %o, %lse = tenon.attention %q, %k, %k {scale = 0.125 : f64}
     : (tensor<1x4x64x8xf32>, tensor<1x4x64x8xf32>, tensor<1x4x64x8xf32>)
    -> (tensor<1x4x64x8xf32>, tensor<1x4x64xf32>)
  return %o : tensor<1x4x64x8xf32>
}
