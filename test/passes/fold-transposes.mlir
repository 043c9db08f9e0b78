// RUN: tenon-opt %s -tenon-fold-transposes -split-input-file | FileCheck %s

// CHECK-LABEL: @operands
// CHECK-SAME: %[[A:.*]]: tensor<8x4xf32>, %[[B:.*]]: tensor<6x8xf32>
// CHECK-NEXT: tenon.matmul %[[A]], %[[B]] {transpose_a = true, transpose_b = true}
// CHECK-NEXT: return
func.func @operands(%a: tensor<8x4xf32>, %b: tensor<6x8xf32>) -> tensor<4x6xf32> {
  %at = tenon.transpose %a {permutation = array<i64: 1, 0>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %bt = tenon.transpose %b {permutation = array<i64: 1, 0>} : (tensor<6x8xf32>) -> tensor<8x6xf32>
  %y = tenon.matmul %at, %bt : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// -----

// A flag that is set is cleared.
// CHECK-LABEL: @cancels
// CHECK-SAME: %[[A:.*]]: tensor<2x4x8xf32>, %[[B:.*]]: tensor<2x8x6xf32>
// CHECK-NEXT: tenon.matmul %[[A]], %[[B]] :
func.func @cancels(%a: tensor<2x4x8xf32>, %b: tensor<2x8x6xf32>) -> tensor<2x4x6xf32> {
  %at = tenon.transpose %a {permutation = array<i64: 0, 2, 1>} : (tensor<2x4x8xf32>) -> tensor<2x8x4xf32>
  %y = tenon.matmul %at, %b {transpose_a = true} : (tensor<2x8x4xf32>, tensor<2x8x6xf32>) -> tensor<2x4x6xf32>
  return %y : tensor<2x4x6xf32>
}

// -----

// CHECK-LABEL: @result
// CHECK-SAME: %[[A:.*]]: tensor<4x8xf32>, %[[B:.*]]: tensor<8x6xf32>
// CHECK-NEXT: tenon.matmul %[[B]], %[[A]] {transpose_a = true, transpose_b = true} {{.*}} -> tensor<6x4xf32>
func.func @result(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>) -> tensor<6x4xf32> {
  %y = tenon.matmul %a, %b : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %t = tenon.transpose %y {permutation = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  return %t : tensor<6x4xf32>
}

// -----

// One weight for all batches, forward and gradient.
// CHECK-LABEL: @rows
// CHECK-SAME: %[[X:.*]]: tensor<2x4x8xf32>, %[[W:.*]]: tensor<8x6xf32>, %[[D:.*]]: tensor<2x4x6xf32>
// CHECK-DAG: %[[R:.*]] = tenon.reshape %[[X]] {shape = array<i64: 8, 8>}
// CHECK-DAG: %[[Y:.*]] = tenon.matmul %[[R]], %[[W]] : (tensor<8x8xf32>, tensor<8x6xf32>)
// CHECK-DAG: %[[E:.*]] = tenon.reshape %[[D]] {shape = array<i64: 8, 6>}
// CHECK-DAG: tenon.matmul %{{.*}}, %[[E]] {transpose_a = true} : (tensor<8x8xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
// CHECK-NOT: tenon.reduce_sum
// CHECK: return
func.func @rows(%x: tensor<2x4x8xf32>, %w: tensor<8x6xf32>, %d: tensor<2x4x6xf32>) -> (tensor<2x4x6xf32>, tensor<8x6xf32>) {
  %b = tenon.broadcast %w {shape = array<i64: 2, 8, 6>, dims = array<i64: 1, 2>} : (tensor<8x6xf32>) -> tensor<2x8x6xf32>
  %y = tenon.matmul %x, %b : (tensor<2x4x8xf32>, tensor<2x8x6xf32>) -> tensor<2x4x6xf32>
  %p = tenon.matmul %x, %d {transpose_a = true} : (tensor<2x4x8xf32>, tensor<2x4x6xf32>) -> tensor<2x8x6xf32>
  %g = tenon.reduce_sum %p {axes = array<i64: 0>} : (tensor<2x8x6xf32>) -> tensor<8x6xf32>
  return %y, %g : tensor<2x4x6xf32>, tensor<8x6xf32>
}

// -----

// CHECK-LABEL: @unit_axes
// CHECK-NEXT: tenon.reshape %{{.*}} {shape = array<i64: 1, 4, 1, 8>}
func.func @unit_axes(%x: tensor<4x1x1x8xf32>) -> tensor<1x4x1x8xf32> {
  %t = tenon.transpose %x {permutation = array<i64: 1, 0, 2, 3>} : (tensor<4x1x1x8xf32>) -> tensor<1x4x1x8xf32>
  return %t : tensor<1x4x1x8xf32>
}

// -----

// Left alone: transposes of batch axes, next to attention, and of products used twice;
// a weight repeated over rows with the batch in front of a transposed operand.
// CHECK-LABEL: @alone
// CHECK-COUNT-3: tenon.transpose
// CHECK: tenon.broadcast
// CHECK: return
func.func @alone(%q: tensor<1x8x2x4xf32>, %a: tensor<4x8xf32>, %b: tensor<8x6xf32>, %c: tensor<3x8x4xf32>)
    -> (tensor<1x2x8x4xf32>, tensor<1x2x8x8xf32>, tensor<6x4xf32>, tensor<4x6xf32>, tensor<3x4x6xf32>) {
  %h = tenon.transpose %q {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x8x2x4xf32>) -> tensor<1x2x8x4xf32>
  %o, %l = tenon.attention %h, %h, %h {scale = 1.0 : f64} : (tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) -> (tensor<1x2x8x4xf32>, tensor<1x2x8xf32>)
  %i = tenon.transpose %q {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x8x2x4xf32>) -> tensor<1x2x8x4xf32>
  %p = tenon.matmul %i, %o {transpose_b = true} : (tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x8x8xf32>
  %y = tenon.matmul %a, %b : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %t = tenon.transpose %y {permutation = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %bb = tenon.broadcast %b {shape = array<i64: 3, 8, 6>, dims = array<i64: 1, 2>} : (tensor<8x6xf32>) -> tensor<3x8x6xf32>
  %z = tenon.matmul %c, %bb {transpose_a = true} : (tensor<3x8x4xf32>, tensor<3x8x6xf32>) -> tensor<3x4x6xf32>
  return %o, %p, %t, %y, %z : tensor<1x2x8x4xf32>, tensor<1x2x8x8xf32>, tensor<6x4xf32>, tensor<4x6xf32>, tensor<3x4x6xf32>
}
