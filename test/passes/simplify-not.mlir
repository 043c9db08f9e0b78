// What looks alike and has another meaning: left alone.
// RUN: tenon-opt %s -tenon-simplify | FileCheck %s

// The sign of zero: -0 + 0 is 0.
// CHECK-LABEL: @zero
// CHECK: tenon.add
func.func @zero(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tenon.constant dense<0.0> : tensor<4xf32>
  %y = tenon.add %x, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// 1e60 is no f32: 0 * 1e30 * 1e30 is 0 and not NaN.
// CHECK-LABEL: @factors
// CHECK-COUNT-2: tenon.mul
func.func @factors(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = tenon.constant dense<1.0e30> : tensor<4xf32>
  %y = tenon.mul %x, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %z = tenon.mul %y, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}

// The first product is needed as well.
// CHECK-LABEL: @two_uses
// CHECK-COUNT-2: tenon.mul
func.func @two_uses(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c = tenon.constant dense<3.0> : tensor<4xf32>
  %y = tenon.mul %x, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %z = tenon.mul %y, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y, %z : tensor<4xf32>, tensor<4xf32>
}

// 100000 is no f16.
// CHECK-LABEL: @repeats
// CHECK: tenon.reduce_sum
func.func @repeats(%x: tensor<1xf16>) -> tensor<f16> {
  %b = tenon.broadcast %x {shape = array<i64: 100000>, dims = array<i64: 0>} : (tensor<1xf16>) -> tensor<100000xf16>
  %s = tenon.reduce_sum %b {axes = array<i64: 0>} : (tensor<100000xf16>) -> tensor<f16>
  return %s : tensor<f16>
}
