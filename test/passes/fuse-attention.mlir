// RUN: tenon-opt %s -tenon-fuse-attention -canonicalize -cse -split-input-file | FileCheck %s

// Rank 2, one head; the scale between product and softmax.
// CHECK-LABEL: @rank2
// CHECK: tenon.attention %{{.*}}, %{{.*}}, %{{.*}} {scale = 2.500000e-01 : f64} : (tensor<1x1x8x4xf32>, tensor<1x1x6x4xf32>, tensor<1x1x6x5xf32>)
// CHECK-NOT: tenon.softmax
// CHECK-NOT: tenon.matmul
func.func @rank2(%q: tensor<8x4xf32>, %k: tensor<6x4xf32>, %v: tensor<6x5xf32>) -> tensor<8x5xf32> {
  %c = tenon.constant dense<0.25> : tensor<8x6xf32>
  %s = tenon.matmul %q, %k {transpose_b = true} : (tensor<8x4xf32>, tensor<6x4xf32>) -> tensor<8x6xf32>
  %t = tenon.mul %s, %c : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
  %p = tenon.softmax %t {axis = 1 : i64} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  %o = tenon.matmul %p, %v : (tensor<8x6xf32>, tensor<6x5xf32>) -> tensor<8x5xf32>
  return %o : tensor<8x5xf32>
}

// -----

// No scale is scale 1; rank 3 is a batch of one head; k transposed by an op.
// CHECK-LABEL: @rank3
// CHECK: tenon.attention {{.*}} {scale = 1.000000e+00 : f64} : (tensor<2x1x8x4xf32>, tensor<2x1x6x4xf32>, tensor<2x1x6x4xf32>)
// CHECK-NOT: tenon.transpose
// CHECK: return
func.func @rank3(%q: tensor<2x8x4xf32>, %k: tensor<2x6x4xf32>, %v: tensor<2x6x4xf32>) -> tensor<2x8x4xf32> {
  %kt = tenon.transpose %k {permutation = array<i64: 0, 2, 1>} : (tensor<2x6x4xf32>) -> tensor<2x4x6xf32>
  %s = tenon.matmul %q, %kt : (tensor<2x8x4xf32>, tensor<2x4x6xf32>) -> tensor<2x8x6xf32>
  %p = tenon.softmax %s {axis = 2 : i64} : (tensor<2x8x6xf32>) -> tensor<2x8x6xf32>
  %o = tenon.matmul %p, %v : (tensor<2x8x6xf32>, tensor<2x6x4xf32>) -> tensor<2x8x4xf32>
  return %o : tensor<2x8x4xf32>
}

// -----

// Scores stored keys x queries, softmax along the first axis, the scale on q by
// division, and the result transposed.
// CHECK-LABEL: @keys_first
// CHECK-SAME: %[[Q:.*]]: tensor<8x4xf32>, %[[K:.*]]: tensor<6x4xf32>, %[[V:.*]]: tensor<6x5xf32>
// CHECK-DAG: %[[Q4:.*]] = tenon.reshape %[[Q]]
// CHECK-DAG: %[[K4:.*]] = tenon.reshape %[[K]]
// CHECK-DAG: %[[V4:.*]] = tenon.reshape %[[V]]
// CHECK: %[[O:.*]], %{{.*}} = tenon.attention %[[Q4]], %[[K4]], %[[V4]] {scale = 5.000000e-01 : f64}
// CHECK: %[[O2:.*]] = tenon.reshape %[[O]]
// CHECK: %[[T:.*]] = tenon.transpose %[[O2]]
// CHECK: return %[[T]] : tensor<5x8xf32>
func.func @keys_first(%q: tensor<8x4xf32>, %k: tensor<6x4xf32>, %v: tensor<6x5xf32>) -> tensor<5x8xf32> {
  %c = tenon.constant dense<2.0> : tensor<8x4xf32>
  %r = tenon.div %q, %c : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = tenon.matmul %k, %r {transpose_b = true} : (tensor<6x4xf32>, tensor<8x4xf32>) -> tensor<6x8xf32>
  %p = tenon.softmax %s {axis = 0 : i64} : (tensor<6x8xf32>) -> tensor<6x8xf32>
  %o = tenon.matmul %v, %p {transpose_a = true} : (tensor<6x5xf32>, tensor<6x8xf32>) -> tensor<5x8xf32>
  return %o : tensor<5x8xf32>
}

// -----

// A scale that is a value (its number may change from step to step) goes to q.
// CHECK-LABEL: @scale_value
// CHECK-SAME: %[[F:.*]]: tensor<f32>
// CHECK: %[[B:.*]] = tenon.broadcast %[[F]]
// CHECK: %[[Q:.*]] = tenon.mul %{{.*}}, %[[B]]
// CHECK: tenon.attention %[[Q]], {{.*}}{scale = 1.000000e+00
func.func @scale_value(%f: tensor<f32>, %q: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %s = tenon.matmul %q, %q {transpose_b = true} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %c = tenon.broadcast %f {shape = array<i64: 8, 8>, dims = array<i64>} : (tensor<f32>) -> tensor<8x8xf32>
  %t = tenon.mul %s, %c : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = tenon.softmax %t {axis = 1 : i64} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %o = tenon.matmul %p, %q : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

// Heads that a broadcast repeats become grouped heads.
// CHECK-LABEL: @grouped
// CHECK-NOT: tenon.broadcast
// CHECK: tenon.attention %{{.*}}, %{{.*}}, %{{.*}} {{.*}} : (tensor<2x6x8x4xf32>, tensor<2x3x8x4xf32>, tensor<2x3x8x4xf32>)
func.func @grouped(%q: tensor<2x6x8x4xf32>, %k0: tensor<2x3x8x4xf32>, %v0: tensor<2x3x8x4xf32>) -> tensor<2x6x8x4xf32> {
  %k1 = tenon.broadcast %k0 {shape = array<i64: 2, 3, 2, 8, 4>, dims = array<i64: 0, 1, 3, 4>} : (tensor<2x3x8x4xf32>) -> tensor<2x3x2x8x4xf32>
  %k = tenon.reshape %k1 {shape = array<i64: 2, 6, 8, 4>} : (tensor<2x3x2x8x4xf32>) -> tensor<2x6x8x4xf32>
  %v1 = tenon.broadcast %v0 {shape = array<i64: 2, 3, 2, 8, 4>, dims = array<i64: 0, 1, 3, 4>} : (tensor<2x3x8x4xf32>) -> tensor<2x3x2x8x4xf32>
  %v = tenon.reshape %v1 {shape = array<i64: 2, 6, 8, 4>} : (tensor<2x3x2x8x4xf32>) -> tensor<2x6x8x4xf32>
  %s = tenon.matmul %q, %k {transpose_b = true} : (tensor<2x6x8x4xf32>, tensor<2x6x8x4xf32>) -> tensor<2x6x8x8xf32>
  %p = tenon.softmax %s {axis = 3 : i64} : (tensor<2x6x8x8xf32>) -> tensor<2x6x8x8xf32>
  %o = tenon.matmul %p, %v : (tensor<2x6x8x8xf32>, tensor<2x6x8x4xf32>) -> tensor<2x6x8x4xf32>
  return %o : tensor<2x6x8x4xf32>
}

// -----

// Forward and backward are one op each.
// RUN: tenon-opt %s -tenon-fuse-attention -tenon-derive-backward -canonicalize -cse -split-input-file | FileCheck %s --check-prefix=BOTH
// BOTH-LABEL: @backward
// BOTH-COUNT-1: tenon.attention %
// BOTH-COUNT-1: tenon.attention_grad %
// BOTH-NOT: tenon.softmax
// BOTH-NOT: tenon.matmul
func.func @backward(%q: tensor<1x2x8x4xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x8x4xf32>)
    -> (tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) {
  %s = tenon.matmul %q, %k {transpose_b = true} : (tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x8x8xf32>
  %p = tenon.softmax %s {axis = 3 : i64} : (tensor<1x2x8x8xf32>) -> tensor<1x2x8x8xf32>
  %o = tenon.matmul %p, %v : (tensor<1x2x8x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x8x4xf32>
  %2 = tenon.mul %o, %o : (tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x8x4xf32>
  %l = tenon.reduce_sum %2 {axes = array<i64: 0, 1, 2, 3>} : (tensor<1x2x8x4xf32>) -> tensor<f32>
  %dq = tenon.gradient %l, %q : (tensor<f32>, tensor<1x2x8x4xf32>) -> tensor<1x2x8x4xf32>
  %dk = tenon.gradient %l, %k : (tensor<f32>, tensor<1x2x8x4xf32>) -> tensor<1x2x8x4xf32>
  %dv = tenon.gradient %l, %v : (tensor<f32>, tensor<1x2x8x4xf32>) -> tensor<1x2x8x4xf32>
  return %dq, %dk, %dv : tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>
}
