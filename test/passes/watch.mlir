// Gradients by a value inside of a program: what is watched is neither merged nor
// looked through until gradients are derived, then it is as if it had not been there.
// RUN: tenon-opt %s -canonicalize -cse -tenon-fuse-attention -tenon-fuse-norms -split-input-file | FileCheck %s
// RUN: tenon-opt %s -tenon-input-phase -tenon-fused-phase -tenon-differentiated-phase -split-input-file \
// RUN:   | FileCheck %s --check-prefix=AFTER

// AFTER-NOT: tenon.watch
// AFTER-NOT: tenon.gradient

// Only one of two equal values is differentiated by.
// CHECK-LABEL: @equal
// CHECK: %[[T:.*]] = tenon.tanh
// CHECK-NOT: tenon.tanh
// CHECK: %[[A:.*]] = tenon.watch %[[T]]
// CHECK: %[[B:.*]] = tenon.watch %[[T]]
// CHECK: tenon.mul %[[A]], %[[B]]
func.func @equal(%w: tensor<4xf32>) -> tensor<4xf32> {
  %a = tenon.tanh %w : tensor<4xf32>
  %aw = tenon.watch %a : tensor<4xf32>
  %b = tenon.tanh %w : tensor<4xf32>
  %bw = tenon.watch %b : tensor<4xf32>
  %p = tenon.mul %aw, %bw : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %s = tenon.reduce_sum %p {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  %g = tenon.gradient %s, %aw : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

// Views of a watched view do not become views of what it is made from.
// CHECK-LABEL: @views
// CHECK: tenon.reshape
// CHECK-NEXT: tenon.watch
// CHECK-NEXT: tenon.reshape
// CHECK: tenon.transpose
// CHECK-NEXT: tenon.watch
// CHECK-NEXT: tenon.transpose
func.func @views(%x: tensor<2x4xf32>) -> (tensor<8xf32>, tensor<4x2xf32>) {
  %r = tenon.reshape %x {shape = array<i64: 8>} : (tensor<2x4xf32>) -> tensor<8xf32>
  %rw = tenon.watch %r : tensor<8xf32>
  %r2 = tenon.reshape %rw {shape = array<i64: 4, 2>} : (tensor<8xf32>) -> tensor<4x2xf32>
  %e = tenon.exp %r2 : tensor<4x2xf32>
  %s = tenon.reduce_sum %e {axes = array<i64: 0, 1>} : (tensor<4x2xf32>) -> tensor<f32>
  %g = tenon.gradient %s, %rw : (tensor<f32>, tensor<8xf32>) -> tensor<8xf32>
  %t = tenon.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x4xf32>) -> tensor<4x2xf32>
  %tw = tenon.watch %t : tensor<4x2xf32>
  %t2 = tenon.transpose %tw {permutation = array<i64: 1, 0>} : (tensor<4x2xf32>) -> tensor<2x4xf32>
  %f = tenon.exp %t2 : tensor<2x4xf32>
  %u = tenon.reduce_sum %f {axes = array<i64: 0, 1>} : (tensor<2x4xf32>) -> tensor<f32>
  %h = tenon.gradient %u, %tw : (tensor<f32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return %g, %h : tensor<8xf32>, tensor<4x2xf32>
}

// -----

// The scaled queries stay scaled: the attention takes its factor from elsewhere.
// CHECK-LABEL: @scaled_queries
// CHECK: %[[S:.*]] = tenon.mul
// CHECK: %[[Q:.*]] = tenon.watch %[[S]]
// CHECK: tenon.attention {{.*}} {scale = 1.000000e+00 : f64}
func.func @scaled_queries(%q: tensor<1x2x3x4xf64>, %k: tensor<1x2x5x4xf64>, %v: tensor<1x2x5x4xf64>)
    -> tensor<1x2x3x4xf64> {
  %half = tenon.constant dense<0.5> : tensor<1x2x3x4xf64>
  %s = tenon.mul %q, %half : (tensor<1x2x3x4xf64>, tensor<1x2x3x4xf64>) -> tensor<1x2x3x4xf64>
  %w = tenon.watch %s : tensor<1x2x3x4xf64>
  %p = tenon.matmul %w, %k {transpose_b = true} : (tensor<1x2x3x4xf64>, tensor<1x2x5x4xf64>) -> tensor<1x2x3x5xf64>
  %m = tenon.softmax %p {axis = 3 : i64} : (tensor<1x2x3x5xf64>) -> tensor<1x2x3x5xf64>
  %o = tenon.matmul %m, %v : (tensor<1x2x3x5xf64>, tensor<1x2x5x4xf64>) -> tensor<1x2x3x4xf64>
  %o2 = tenon.mul %o, %o : (tensor<1x2x3x4xf64>, tensor<1x2x3x4xf64>) -> tensor<1x2x3x4xf64>
  %l = tenon.reduce_sum %o2 {axes = array<i64: 0, 1, 2, 3>} : (tensor<1x2x3x4xf64>) -> tensor<f64>
  %g = tenon.gradient %l, %w : (tensor<f64>, tensor<1x2x3x4xf64>) -> tensor<1x2x3x4xf64>
  return %g : tensor<1x2x3x4xf64>
}

// -----

// One that nobody needs goes away.
// CHECK-LABEL: @unused
// CHECK-NEXT: return
func.func @unused(%x: tensor<4xf32>) -> tensor<4xf32> {
  %w = tenon.watch %x : tensor<4xf32>
  return %x : tensor<4xf32>
}
