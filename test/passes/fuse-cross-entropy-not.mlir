// RUN: tenon-opt %s -tenon-fuse-cross-entropy=report=true -split-input-file -verify-diagnostics | FileCheck %s
// CHECK-NOT: softmax_cross_entropy

func.func @probabilities_used(%x: tensor<4x8xf32>, %t: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4x8xf32>) {
  %p = tenon.softmax %x {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // expected-remark@+1 {{not fused into a cross entropy: the probabilities have another use}}
  %y = tenon.cross_entropy %p, %t {floor = 1.0e-7 : f64} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4xf32>
  return %y, %p : tensor<4xf32>, tensor<4x8xf32>
}

// -----

func.func @other_axis(%x: tensor<4x8xf32>, %t: tensor<4x8xf32>) -> tensor<4xf32> {
  %p = tenon.softmax %x {axis = 0 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // expected-remark@+1 {{not fused into a cross entropy: the softmax is not along the classes}}
  %y = tenon.cross_entropy %p, %t {floor = 1.0e-7 : f64} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @trained_target(%x: tensor<4x8xf32>, %w: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %t = tenon.sigmoid %w : tensor<4x8xf32>
  %l = tenon.log_softmax %x {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %m = tenon.mul %l, %t : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  // expected-remark@+1 {{not fused into a cross entropy: the target may need a gradient}}
  %s = tenon.reduce_sum %m {axes = array<i64: 0, 1>} : (tensor<4x8xf32>) -> tensor<f32>
  %g = tenon.gradient %s, %w : (tensor<f32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %g : tensor<4x8xf32>
}
