// RUN: tenon-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @identities
// CHECK-SAME: %[[X:.*]]: tensor<4x6xf32>
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]]
func.func @identities(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  %one = tenon.fill {shape = array<i64: 4, 6>, value = 1.0 : f64, dtype = f32} : () -> tensor<4x6xf32>
  %a = tenon.mul %x, %one : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %t = tenon.transpose %x {permutation = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %b = tenon.transpose %t {permutation = array<i64: 1, 0>} : (tensor<6x4xf32>) -> tensor<4x6xf32>
  %r = tenon.reshape %x {shape = array<i64: 24>} : (tensor<4x6xf32>) -> tensor<24xf32>
  %c = tenon.reshape %r {shape = array<i64: 4, 6>} : (tensor<24xf32>) -> tensor<4x6xf32>
  return %a, %b, %c : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}

// Adding 0 turns -0 into 0, multiplying by 0 hides NaN: both stay.
// CHECK-LABEL: @not_identities
// CHECK: tenon.add
// CHECK: tenon.mul
func.func @not_identities(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = tenon.constant dense<0.0> : tensor<4xf32>
  %a = tenon.add %x, %zero : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %b = tenon.mul %x, %zero : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @constants
// CHECK-NEXT: %[[C:.*]] = tenon.constant dense<6.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT: return %[[C]]
func.func @constants() -> tensor<2x3xf32> {
  %two = tenon.constant dense<2.0> : tensor<3xf32>
  %three = tenon.constant dense<3.0> : tensor<3xf32>
  %p = tenon.mul %two, %three : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %b = tenon.broadcast %p {shape = array<i64: 2, 3>, dims = array<i64: 1>} : (tensor<3xf32>) -> tensor<2x3xf32>
  return %b : tensor<2x3xf32>
}
