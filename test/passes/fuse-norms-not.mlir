// RUN: tenon-opt %s -tenon-fuse-norms=report=true -split-input-file -verify-diagnostics | FileCheck %s
// CHECK-NOT: tenon.layer_norm
// CHECK-NOT: tenon.rms_norm

func.func @statistic_used(%x: tensor<4x8xf64>) -> (tensor<4x8xf64>, tensor<4xf64>) {
  %eps = tenon.constant dense<1.0e-3> : tensor<4xf64>
  %s = tenon.mul %x, %x : (tensor<4x8xf64>, tensor<4x8xf64>) -> tensor<4x8xf64>
  %v = tenon.reduce_mean %s {axes = array<i64: 1>} : (tensor<4x8xf64>) -> tensor<4xf64>
  %ve = tenon.add %v, %eps : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %r = tenon.rsqrt %ve : tensor<4xf64>
  %rb = tenon.broadcast %r {shape = array<i64: 4, 8>, dims = array<i64: 0>} : (tensor<4xf64>) -> tensor<4x8xf64>
  // expected-remark@+1 {{not fused into a norm: a statistic of the rows has another use}}
  %y = tenon.mul %x, %rb : (tensor<4x8xf64>, tensor<4x8xf64>) -> tensor<4x8xf64>
  return %y, %v : tensor<4x8xf64>, tensor<4xf64>
}

// -----

func.func @centred_used(%x: tensor<4x8xf64>) -> (tensor<4x8xf64>, tensor<4x8xf64>) {
  %eps = tenon.constant dense<1.0e-3> : tensor<4xf64>
  %m = tenon.reduce_mean %x {axes = array<i64: 1>} : (tensor<4x8xf64>) -> tensor<4xf64>
  %mb = tenon.broadcast %m {shape = array<i64: 4, 8>, dims = array<i64: 0>} : (tensor<4xf64>) -> tensor<4x8xf64>
  %c = tenon.sub %x, %mb : (tensor<4x8xf64>, tensor<4x8xf64>) -> tensor<4x8xf64>
  %s = tenon.mul %c, %c : (tensor<4x8xf64>, tensor<4x8xf64>) -> tensor<4x8xf64>
  %v = tenon.reduce_mean %s {axes = array<i64: 1>} : (tensor<4x8xf64>) -> tensor<4xf64>
  %ve = tenon.add %v, %eps : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %r = tenon.rsqrt %ve : tensor<4xf64>
  %rb = tenon.broadcast %r {shape = array<i64: 4, 8>, dims = array<i64: 0>} : (tensor<4xf64>) -> tensor<4x8xf64>
  // expected-remark@+1 {{not fused into a norm: the centred rows have another use}}
  %y = tenon.mul %c, %rb : (tensor<4x8xf64>, tensor<4x8xf64>) -> tensor<4x8xf64>
  return %y, %c : tensor<4x8xf64>, tensor<4x8xf64>
}

// -----

// Statistics over columns, and a sum divided by n - 1: other formulas.
func.func @columns(%x: tensor<8x8xf64>) -> tensor<8x8xf64> {
  %eps = tenon.constant dense<1.0e-3> : tensor<8xf64>
  %s = tenon.mul %x, %x : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
  %v = tenon.reduce_mean %s {axes = array<i64: 0>} : (tensor<8x8xf64>) -> tensor<8xf64>
  %ve = tenon.add %v, %eps : (tensor<8xf64>, tensor<8xf64>) -> tensor<8xf64>
  %r = tenon.rsqrt %ve : tensor<8xf64>
  %rb = tenon.broadcast %r {shape = array<i64: 8, 8>, dims = array<i64: 0>} : (tensor<8xf64>) -> tensor<8x8xf64>
  %y = tenon.mul %x, %rb : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
  return %y : tensor<8x8xf64>
}
func.func @other_divisor(%x: tensor<8x8xf64>) -> tensor<8x8xf64> {
  %eps = tenon.constant dense<1.0e-3> : tensor<8xf64>
  %n = tenon.constant dense<7.0> : tensor<8xf64>
  %s = tenon.mul %x, %x : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
  %t = tenon.reduce_sum %s {axes = array<i64: 1>} : (tensor<8x8xf64>) -> tensor<8xf64>
  %v = tenon.div %t, %n : (tensor<8xf64>, tensor<8xf64>) -> tensor<8xf64>
  %ve = tenon.add %v, %eps : (tensor<8xf64>, tensor<8xf64>) -> tensor<8xf64>
  %r = tenon.rsqrt %ve : tensor<8xf64>
  %rb = tenon.broadcast %r {shape = array<i64: 8, 8>, dims = array<i64: 0>} : (tensor<8xf64>) -> tensor<8x8xf64>
  %y = tenon.mul %x, %rb : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
  return %y : tensor<8x8xf64>
}
// No rows at all.
func.func @scalars(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %b = tenon.broadcast %x {shape = array<i64>, dims = array<i64>} : (tensor<f32>) -> tensor<f32>
  %r = tenon.mul %b, %y : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}
