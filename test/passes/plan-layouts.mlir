// RUN: tenon-opt %s -tenon-plan-layouts -split-input-file | FileCheck %s

// Up into a product, past a splat and the bias, whose axis moves along.
// CHECK-LABEL: @up
// CHECK-SAME: %[[A:.*]]: tensor<4x8xf32>, %[[B:.*]]: tensor<8x6xf32>, %[[C:.*]]: tensor<6xf32>
// CHECK-NOT: tenon.transpose
// CHECK-DAG: %[[TWO:.*]] = tenon.constant {{.*}} tensor<6x4xf32>
// CHECK-DAG: %[[P:.*]] = tenon.matmul %[[B]], %[[A]] {transpose_a = true, transpose_b = true}
// CHECK-DAG: %[[BIAS:.*]] = tenon.broadcast %[[C]] {dims = array<i64: 0>, shape = array<i64: 6, 4>}
// CHECK: %[[S:.*]] = tenon.add %[[P]], %[[BIAS]]
// CHECK: %[[Y:.*]] = tenon.mul %[[S]], %[[TWO]]
// CHECK: return %[[Y]]
func.func @up(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>, %c: tensor<6xf32>) -> tensor<6x4xf32> {
  %p = tenon.matmul %a, %b : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %bias = tenon.broadcast %c {shape = array<i64: 4, 6>, dims = array<i64: 1>} : (tensor<6xf32>) -> tensor<4x6xf32>
  %s = tenon.add %p, %bias : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %two = tenon.constant dense<2.0> : tensor<4x6xf32>
  %m = tenon.mul %s, %two : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %t = tenon.transpose %m {permutation = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  return %t : tensor<6x4xf32>
}

// -----

// Two transposes become one.
// CHECK-LABEL: @merged
// CHECK-SAME: %[[A:.*]]: tensor<2x3x4xf32>, %[[B:.*]]: tensor<2x3x4xf32>
// CHECK-NEXT: %[[S:.*]] = tenon.add %[[A]], %[[B]]
// CHECK-NEXT: %[[T:.*]] = tenon.transpose %[[S]] {permutation = array<i64: 2, 0, 1>}
// CHECK-NEXT: return %[[T]]
func.func @merged(%a: tensor<2x3x4xf32>, %b: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %at = tenon.transpose %a {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %bt = tenon.transpose %b {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %s = tenon.add %at, %bt : (tensor<4x2x3xf32>, tensor<4x2x3xf32>) -> tensor<4x2x3xf32>
  return %s : tensor<4x2x3xf32>
}

// -----

// Down to a product, which takes the flag (tenon-fold-transposes).
// CHECK-LABEL: @down
// CHECK-SAME: %[[A:.*]]: tensor<8x4xf32>
// CHECK-NEXT: %[[E:.*]] = tenon.exp %[[A]]
// CHECK-NEXT: %[[R:.*]] = tenon.relu %[[E]]
// CHECK-NEXT: %[[T:.*]] = tenon.transpose %[[R]]
// CHECK-NEXT: tenon.matmul %[[T]]
func.func @down(%a: tensor<8x4xf32>, %b: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %at = tenon.transpose %a {permutation = array<i64: 1, 0>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %e = tenon.exp %at : tensor<4x8xf32>
  %r = tenon.relu %e : tensor<4x8xf32>
  %y = tenon.matmul %r, %b : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// -----

// CHECK-LABEL: @reduced
// CHECK-SAME: %[[A:.*]]: tensor<2x3x4xf32>
// CHECK-NEXT: %[[M:.*]] = tenon.mul %[[A]], %[[A]]
// CHECK-NEXT: %[[S:.*]] = tenon.reduce_sum %[[M]] {axes = array<i64: 1>}
// CHECK-SAME: -> tensor<2x4xf32>
// CHECK-NEXT: %[[T:.*]] = tenon.transpose %[[S]] {permutation = array<i64: 1, 0>}
// CHECK-NEXT: return %[[T]]
func.func @reduced(%a: tensor<2x3x4xf32>) -> tensor<4x2xf32> {
  %t = tenon.transpose %a {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %m = tenon.mul %t, %t : (tensor<4x2x3xf32>, tensor<4x2x3xf32>) -> tensor<4x2x3xf32>
  %s = tenon.reduce_sum %m {axes = array<i64: 2>} : (tensor<4x2x3xf32>) -> tensor<4x2xf32>
  return %s : tensor<4x2xf32>
}

// -----

// CHECK-LABEL: @kept
// CHECK-SAME: %[[A:.*]]: tensor<2x3xf32>
// CHECK-NEXT: %[[S:.*]] = tenon.reduce_max %[[A]] {axes = array<i64: 0>, keep = true} : (tensor<2x3xf32>) -> tensor<1x3xf32>
// CHECK-NEXT: tenon.transpose %[[S]] {permutation = array<i64: 1, 0>} : (tensor<1x3xf32>) -> tensor<3x1xf32>
func.func @kept(%a: tensor<2x3xf32>) -> tensor<3x1xf32> {
  %t = tenon.transpose %a {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %s = tenon.reduce_max %t {axes = array<i64: 1>, keep = true} : (tensor<3x2xf32>) -> tensor<3x1xf32>
  return %s : tensor<3x1xf32>
}

// -----

// Left alone: nothing takes the result, another operand is not transposed, or the
// operand is read in its own layout as well.

// CHECK-LABEL: @result
// CHECK-NEXT: tenon.transpose
// CHECK-NEXT: tenon.exp
// CHECK-NEXT: return
func.func @result(%a: tensor<8x4xf32>) -> tensor<4x8xf32> {
  %t = tenon.transpose %a {permutation = array<i64: 1, 0>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %e = tenon.exp %t : tensor<4x8xf32>
  return %e : tensor<4x8xf32>
}

// CHECK-LABEL: @other_operand
// CHECK-NEXT: tenon.transpose
// CHECK-NEXT: tenon.add
// CHECK-NEXT: tenon.reduce_sum
func.func @other_operand(%a: tensor<8x4xf32>, %b: tensor<4x8xf32>) -> tensor<4xf32> {
  %t = tenon.transpose %a {permutation = array<i64: 1, 0>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %s = tenon.add %t, %b : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = tenon.reduce_sum %s {axes = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: @both_layouts
// CHECK-NEXT: tenon.matmul
// CHECK-NEXT: tenon.exp
// CHECK-NEXT: tenon.transpose
// CHECK-NEXT: return
func.func @both_layouts(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>) -> (tensor<4x6xf32>, tensor<6x4xf32>) {
  %p = tenon.matmul %a, %b : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %e = tenon.exp %p : tensor<4x6xf32>
  %t = tenon.transpose %e {permutation = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  return %e, %t : tensor<4x6xf32>, tensor<6x4xf32>
}
