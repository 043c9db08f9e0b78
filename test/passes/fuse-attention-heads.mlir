// RUN: tenon-opt %s -tenon-fuse-attention=report=true -canonicalize -cse -split-input-file -verify-diagnostics | FileCheck %s

// The loop over heads of a multi-head layer whose matrices are [d_model, seq] column
// by column: scores are keys x queries, heads are columns, joined side by side.
// CHECK-LABEL: @per_head
// CHECK-SAME: %[[Q:.*]]: tensor<8x4xf32>, %[[K:.*]]: tensor<6x4xf32>, %[[V:.*]]: tensor<6x4xf32>
// CHECK-DAG: %[[Q1:.*]] = tenon.reshape %[[Q]] {shape = array<i64: 1, 8, 2, 2>}
// CHECK-DAG: %[[Q2:.*]] = tenon.transpose %[[Q1]] {permutation = array<i64: 0, 2, 1, 3>}
// CHECK-DAG: %[[K1:.*]] = tenon.reshape %[[K]] {shape = array<i64: 1, 6, 2, 2>}
// CHECK-DAG: %[[K2:.*]] = tenon.transpose %[[K1]] {permutation = array<i64: 0, 2, 1, 3>}
// CHECK-DAG: %[[V1:.*]] = tenon.reshape %[[V]] {shape = array<i64: 1, 6, 2, 2>}
// CHECK-DAG: %[[V2:.*]] = tenon.transpose %[[V1]] {permutation = array<i64: 0, 2, 1, 3>}
// CHECK: %[[O:.*]], %{{.*}} = tenon.attention %[[Q2]], %[[K2]], %[[V2]] {scale = 5.000000e-01
// CHECK-NOT: tenon.attention
// CHECK: %[[T:.*]] = tenon.transpose %[[O]] {permutation = array<i64: 0, 2, 1, 3>}
// CHECK: %[[R:.*]] = tenon.reshape %[[T]] {shape = array<i64: 8, 4>}
// CHECK: return %[[R]]
func.func @per_head(%q: tensor<8x4xf32>, %k: tensor<6x4xf32>, %v: tensor<6x4xf32>) -> tensor<8x4xf32> {
  %c = tenon.constant dense<0.5> : tensor<6x8xf32>
  %q0 = tenon.slice %q {offsets = array<i64: 0, 0>, sizes = array<i64: 8, 2>, strides = array<i64: 1, 1>} : (tensor<8x4xf32>) -> tensor<8x2xf32>
  %k0 = tenon.slice %k {offsets = array<i64: 0, 0>, sizes = array<i64: 6, 2>, strides = array<i64: 1, 1>} : (tensor<6x4xf32>) -> tensor<6x2xf32>
  %v0 = tenon.slice %v {offsets = array<i64: 0, 0>, sizes = array<i64: 6, 2>, strides = array<i64: 1, 1>} : (tensor<6x4xf32>) -> tensor<6x2xf32>
  %s0 = tenon.matmul %k0, %q0 {transpose_b = true} : (tensor<6x2xf32>, tensor<8x2xf32>) -> tensor<6x8xf32>
  %t0 = tenon.mul %s0, %c : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
  %p0 = tenon.softmax %t0 {axis = 0 : i64} : (tensor<6x8xf32>) -> tensor<6x8xf32>
  %o0 = tenon.matmul %p0, %v0 {transpose_a = true} : (tensor<6x8xf32>, tensor<6x2xf32>) -> tensor<8x2xf32>
  %q1 = tenon.slice %q {offsets = array<i64: 0, 2>, sizes = array<i64: 8, 2>, strides = array<i64: 1, 1>} : (tensor<8x4xf32>) -> tensor<8x2xf32>
  %k1 = tenon.slice %k {offsets = array<i64: 0, 2>, sizes = array<i64: 6, 2>, strides = array<i64: 1, 1>} : (tensor<6x4xf32>) -> tensor<6x2xf32>
  %v1 = tenon.slice %v {offsets = array<i64: 0, 2>, sizes = array<i64: 6, 2>, strides = array<i64: 1, 1>} : (tensor<6x4xf32>) -> tensor<6x2xf32>
  %s1 = tenon.matmul %k1, %q1 {transpose_b = true} : (tensor<6x2xf32>, tensor<8x2xf32>) -> tensor<6x8xf32>
  %t1 = tenon.mul %s1, %c : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
  %p1 = tenon.softmax %t1 {axis = 0 : i64} : (tensor<6x8xf32>) -> tensor<6x8xf32>
  %o1 = tenon.matmul %p1, %v1 {transpose_a = true} : (tensor<6x8xf32>, tensor<6x2xf32>) -> tensor<8x2xf32>
  %o = tenon.concat %o0, %o1 {axis = 1 : i64} : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

// Two query heads share one key head; q is scaled by a value.
// CHECK-LABEL: @shared_keys
// CHECK: tenon.mul
// CHECK: tenon.attention {{.*}} : (tensor<1x2x8x2xf32>, tensor<1x1x8x2xf32>, tensor<1x1x8x2xf32>)
// CHECK-NOT: tenon.attention
func.func @shared_keys(%f: tensor<f32>, %q: tensor<8x4xf32>, %k: tensor<8x2xf32>) -> tensor<8x4xf32> {
  %c = tenon.broadcast %f {shape = array<i64: 8, 8>, dims = array<i64>} : (tensor<f32>) -> tensor<8x8xf32>
  %q0 = tenon.slice %q {offsets = array<i64: 0, 0>, sizes = array<i64: 8, 2>, strides = array<i64: 1, 1>} : (tensor<8x4xf32>) -> tensor<8x2xf32>
  %s0 = tenon.matmul %q0, %k {transpose_b = true} : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x8xf32>
  %t0 = tenon.mul %s0, %c : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %p0 = tenon.softmax %t0 {axis = 1 : i64} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %o0 = tenon.matmul %p0, %k : (tensor<8x8xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
  %q1 = tenon.slice %q {offsets = array<i64: 0, 2>, sizes = array<i64: 8, 2>, strides = array<i64: 1, 1>} : (tensor<8x4xf32>) -> tensor<8x2xf32>
  %s1 = tenon.matmul %q1, %k {transpose_b = true} : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x8xf32>
  %t1 = tenon.mul %s1, %c : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %p1 = tenon.softmax %t1 {axis = 1 : i64} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %o1 = tenon.matmul %p1, %k : (tensor<8x8xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
  %o = tenon.concat %o0, %o1 {axis = 1 : i64} : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

// Heads in another order than they lie in memory stay apart.
// CHECK-LABEL: @order
// CHECK-COUNT-2: tenon.attention
func.func @order(%q: tensor<8x4xf32>, %k: tensor<8x2xf32>) -> tensor<8x4xf32> {
  %q0 = tenon.slice %q {offsets = array<i64: 0, 2>, sizes = array<i64: 8, 2>, strides = array<i64: 1, 1>} : (tensor<8x4xf32>) -> tensor<8x2xf32>
  %s0 = tenon.matmul %q0, %k {transpose_b = true} : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x8xf32>
  %p0 = tenon.softmax %s0 {axis = 1 : i64} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %o0 = tenon.matmul %p0, %k : (tensor<8x8xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
  %q1 = tenon.slice %q {offsets = array<i64: 0, 0>, sizes = array<i64: 8, 2>, strides = array<i64: 1, 1>} : (tensor<8x4xf32>) -> tensor<8x2xf32>
  %s1 = tenon.matmul %q1, %k {transpose_b = true} : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x8xf32>
  %p1 = tenon.softmax %s1 {axis = 1 : i64} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %o1 = tenon.matmul %p1, %k : (tensor<8x8xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
  // expected-remark@+1 {{heads not merged: operands are not neighbouring slices of one tensor}}
  %o = tenon.concat %o0, %o1 {axis = 1 : i64} : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

// Each head's scale is a value of its own, and a bias is added after it.
// CHECK-LABEL: @own_scales
// CHECK-SAME: %[[F0:.*]]: tensor<f32>, %[[F1:.*]]: tensor<f32>
// CHECK-DAG: %[[R0:.*]] = tenon.reshape %[[F0]]
// CHECK-DAG: %[[R1:.*]] = tenon.reshape %[[F1]]
// CHECK: %[[C:.*]] = tenon.concat %[[R0]], %[[R1]]
// CHECK: %[[B:.*]] = tenon.broadcast %[[C]] {dims = array<i64: 1>
// CHECK: %[[Q:.*]] = tenon.mul %{{.*}}, %[[B]]
// CHECK: tenon.attention %[[Q]]
// CHECK-NOT: tenon.attention
func.func @own_scales(%f0: tensor<f32>, %f1: tensor<f32>, %m: tensor<8x8xf64>, %q: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %c0 = tenon.broadcast %f0 {shape = array<i64: 8, 8>, dims = array<i64>} : (tensor<f32>) -> tensor<8x8xf32>
  %q0 = tenon.slice %q {offsets = array<i64: 0, 0>, sizes = array<i64: 8, 2>, strides = array<i64: 1, 1>} : (tensor<8x4xf32>) -> tensor<8x2xf32>
  %s0 = tenon.matmul %q0, %q0 {transpose_b = true} : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x8xf32>
  %t0 = tenon.mul %s0, %c0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %m0 = tenon.cast %m {dtype = f32} : (tensor<8x8xf64>) -> tensor<8x8xf32>
  %u0 = tenon.add %t0, %m0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %p0 = tenon.softmax %u0 {axis = 1 : i64} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %o0 = tenon.matmul %p0, %q0 : (tensor<8x8xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
  %c1 = tenon.broadcast %f1 {shape = array<i64: 8, 8>, dims = array<i64>} : (tensor<f32>) -> tensor<8x8xf32>
  %q1 = tenon.slice %q {offsets = array<i64: 0, 2>, sizes = array<i64: 8, 2>, strides = array<i64: 1, 1>} : (tensor<8x4xf32>) -> tensor<8x2xf32>
  %s1 = tenon.matmul %q1, %q1 {transpose_b = true} : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x8xf32>
  %t1 = tenon.mul %s1, %c1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %m1 = tenon.cast %m {dtype = f32} : (tensor<8x8xf64>) -> tensor<8x8xf32>
  %u1 = tenon.add %t1, %m1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %p1 = tenon.softmax %u1 {axis = 1 : i64} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %o1 = tenon.matmul %p1, %q1 : (tensor<8x8xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
  %o = tenon.concat %o0, %o1 {axis = 1 : i64} : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}
