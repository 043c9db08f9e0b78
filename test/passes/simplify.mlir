// RUN: tenon-opt %s -tenon-simplify -split-input-file | FileCheck %s

// CHECK-LABEL: @sum_of_broadcast
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>
// CHECK: %[[C:.*]] = tenon.constant dense<4.0{{.*}}> : tensor<8xf32>
// CHECK: %[[Y:.*]] = tenon.mul %[[X]], %[[C]]
// CHECK-NEXT: return %[[Y]]
func.func @sum_of_broadcast(%x: tensor<8xf32>) -> tensor<8xf32> {
  %b = tenon.broadcast %x {shape = array<i64: 4, 8>, dims = array<i64: 1>} : (tensor<8xf32>) -> tensor<4x8xf32>
  %s = tenon.reduce_sum %b {axes = array<i64: 0>} : (tensor<4x8xf32>) -> tensor<8xf32>
  return %s : tensor<8xf32>
}

// -----

// Part of the axes are repeated, the reduced axes stay.
// CHECK-LABEL: @max_of_broadcast
// CHECK-SAME: %[[X:.*]]: tensor<3x8xf32>
// CHECK: %[[M:.*]] = tenon.reduce_max %[[X]] {axes = array<i64: 1>, keep = true}
// CHECK-NEXT: %[[B:.*]] = tenon.broadcast %[[M]] {dims = array<i64: 1, 2>, shape = array<i64: 1, 3, 1>}
// CHECK-NEXT: return %[[B]]
func.func @max_of_broadcast(%x: tensor<3x8xf32>) -> tensor<1x3x1xf32> {
  %b = tenon.broadcast %x {shape = array<i64: 4, 3, 8>, dims = array<i64: 1, 2>} : (tensor<3x8xf32>) -> tensor<4x3x8xf32>
  %s = tenon.reduce_max %b {axes = array<i64: 0, 2>, keep = true} : (tensor<4x3x8xf32>) -> tensor<1x3x1xf32>
  return %s : tensor<1x3x1xf32>
}

// -----

// CHECK-LABEL: @chains
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>
// CHECK: %[[B:.*]] = tenon.broadcast %[[X]] {dims = array<i64: 2>, shape = array<i64: 2, 4, 8>}
// CHECK-NEXT: %[[S:.*]] = tenon.reduce_sum %{{.*}} {axes = array<i64: 0, 2>}
// CHECK-NEXT: return %[[B]], %[[S]]
func.func @chains(%x: tensor<8xf32>, %z: tensor<2x4x8xf32>) -> (tensor<2x4x8xf32>, tensor<4xf32>) {
  %r = tenon.reshape %x {shape = array<i64: 1, 8>} : (tensor<8xf32>) -> tensor<1x8xf32>
  %a = tenon.broadcast %r {shape = array<i64: 4, 8>, dims = array<i64: 0, 1>} : (tensor<1x8xf32>) -> tensor<4x8xf32>
  %b = tenon.broadcast %a {shape = array<i64: 2, 4, 8>, dims = array<i64: 1, 2>} : (tensor<4x8xf32>) -> tensor<2x4x8xf32>
  %s = tenon.reduce_sum %z {axes = array<i64: 2>} : (tensor<2x4x8xf32>) -> tensor<2x4xf32>
  %t = tenon.reduce_sum %s {axes = array<i64: 0>} : (tensor<2x4xf32>) -> tensor<4xf32>
  return %b, %t : tensor<2x4x8xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: @arithmetic
// CHECK-SAME: %[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>
// CHECK-DAG: %[[C:.*]] = tenon.constant dense<-6.0{{.*}}>
// CHECK-DAG: %[[S:.*]] = tenon.sub %[[A]], %[[B]]
// CHECK-DAG: %[[P:.*]] = tenon.add %[[A]], %[[B]]
// CHECK-DAG: %[[M:.*]] = tenon.mul %[[A]], %[[C]]
// CHECK-DAG: %[[Q:.*]] = tenon.mul %[[A]], %[[A]]
// CHECK: return %[[S]], %[[P]], %[[M]], %[[Q]]
func.func @arithmetic(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %two = tenon.constant dense<2.0> : tensor<4xf32>
  %three = tenon.constant dense<3.0> : tensor<4xf32>
  %n = tenon.neg %b : tensor<4xf32>
  %2 = tenon.add %a, %n : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = tenon.sub %a, %n : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = tenon.mul %a, %two : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = tenon.mul %4, %three : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %6 = tenon.neg %5 : tensor<4xf32>
  %7 = tenon.pow %a, %two : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2, %3, %6, %7 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: @pieces
// CHECK-SAME: %[[A:.*]]: tensor<2x3xf32>, %[[B:.*]]: tensor<2x2xf32>
// CHECK-NEXT: %[[C:.*]] = tenon.concat %[[A]], %[[B]] {axis = 1 : i64}
// CHECK-NEXT: return %[[C]], %[[B]], %[[A]]
func.func @pieces(%a: tensor<2x3xf32>, %b: tensor<2x2xf32>) -> (tensor<2x5xf32>, tensor<2x2xf32>, tensor<2x3xf32>) {
  %0 = tenon.pad %b {low = array<i64: 0, 3>, high = array<i64: 0, 0>, value = 0.0 : f64} : (tensor<2x2xf32>) -> tensor<2x5xf32>
  %1 = tenon.pad %a {low = array<i64: 0, 0>, high = array<i64: 0, 2>, value = 0.0 : f64} : (tensor<2x3xf32>) -> tensor<2x5xf32>
  %2 = tenon.add %0, %1 : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
  %3 = tenon.slice %2 {offsets = array<i64: 0, 3>, sizes = array<i64: 2, 2>, strides = array<i64: 1, 1>} : (tensor<2x5xf32>) -> tensor<2x2xf32>
  %4 = tenon.slice %1 {offsets = array<i64: 0, 0>, sizes = array<i64: 2, 3>, strides = array<i64: 1, 1>} : (tensor<2x5xf32>) -> tensor<2x3xf32>
  return %2, %3, %4 : tensor<2x5xf32>, tensor<2x2xf32>, tensor<2x3xf32>
}

// -----

// Left alone: a reduction over axes that are not repeated, overlapping pieces, other
// powers, a slice across parts, a reshape that splits an axis.
// CHECK-LABEL: @alone
// CHECK: tenon.reduce_sum
// CHECK: tenon.pad
// CHECK: tenon.pad
// CHECK: tenon.add
// CHECK: tenon.pow
// CHECK: tenon.concat
// CHECK: tenon.slice
// CHECK: tenon.reshape
// CHECK: tenon.broadcast
func.func @alone(%x: tensor<8xf32>, %a: tensor<2x3xf32>) -> (tensor<4xf32>, tensor<2x5xf32>, tensor<8xf32>, tensor<4xf32>, tensor<3x2x4xf32>) {
  %half = tenon.constant dense<0.5> : tensor<8xf32>
  %b = tenon.broadcast %x {shape = array<i64: 4, 8>, dims = array<i64: 1>} : (tensor<8xf32>) -> tensor<4x8xf32>
  %e = tenon.exp %b : tensor<4x8xf32>
  %s = tenon.reduce_sum %e {axes = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4xf32>
  %0 = tenon.pad %a {low = array<i64: 0, 2>, high = array<i64: 0, 0>, value = 0.0 : f64} : (tensor<2x3xf32>) -> tensor<2x5xf32>
  %1 = tenon.pad %a {low = array<i64: 0, 0>, high = array<i64: 0, 2>, value = 0.0 : f64} : (tensor<2x3xf32>) -> tensor<2x5xf32>
  %2 = tenon.add %0, %1 : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
  %3 = tenon.pow %x, %half : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %4 = tenon.concat %x, %x {axis = 0 : i64} : (tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32>
  %5 = tenon.slice %4 {offsets = array<i64: 6>, sizes = array<i64: 4>, strides = array<i64: 1>} : (tensor<16xf32>) -> tensor<4xf32>
  %6 = tenon.reshape %x {shape = array<i64: 2, 4>} : (tensor<8xf32>) -> tensor<2x4xf32>
  %7 = tenon.broadcast %6 {shape = array<i64: 3, 2, 4>, dims = array<i64: 1, 2>} : (tensor<2x4xf32>) -> tensor<3x2x4xf32>
  return %s, %2, %3, %5, %7 : tensor<4xf32>, tensor<2x5xf32>, tensor<8xf32>, tensor<4xf32>, tensor<3x2x4xf32>
}
