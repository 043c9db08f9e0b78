// RUN: tenon-opt %s -tenon-fuse-cross-entropy -canonicalize -cse -split-input-file | FileCheck %s

// CHECK-LABEL: @log
// CHECK-NEXT: tenon.log_softmax %{{.*}} {axis = 0 : i64}
// CHECK-NEXT: return
func.func @log(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %p = tenon.softmax %x {axis = 0 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %y = tenon.log %p : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: @loss
// CHECK-NEXT: tenon.softmax_cross_entropy %{{.*}}, %{{.*}} {floor = 9.99{{.*}}E-8 : f64}
// CHECK-NEXT: return
func.func @loss(%x: tensor<4x8xf32>, %t: tensor<4x8xf32>) -> tensor<4xf32> {
  %p = tenon.softmax %x {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %y = tenon.cross_entropy %p, %t {floor = 1.0e-7 : f64} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Mean of the negative logarithms at the ids, written with one-hot rows.
// CHECK-LABEL: @ids
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[I:.*]]: tensor<4xi32>
// CHECK-NEXT: %[[L:.*]] = tenon.softmax_cross_entropy %[[X]], %[[I]] {floor = 0.000000e+00 : f64}
// CHECK-NEXT: %[[M:.*]] = tenon.reduce_mean %[[L]]
// CHECK-NEXT: return %[[M]]
func.func @ids(%x: tensor<4x8xf32>, %i: tensor<4xi32>) -> tensor<f32> {
  %p = tenon.softmax %x {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %l = tenon.log %p : tensor<4x8xf32>
  %t = tenon.one_hot %i {depth = 8 : i64, dtype = f32} : (tensor<4xi32>) -> tensor<4x8xf32>
  %m = tenon.mul %t, %l : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = tenon.reduce_sum %m {axes = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4xf32>
  %n = tenon.neg %s : tensor<4xf32>
  %y = tenon.reduce_mean %n {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// A sum over everything; a soft target.
// CHECK-LABEL: @total
// CHECK: %[[L:.*]] = tenon.softmax_cross_entropy
// CHECK-NEXT: %[[N:.*]] = tenon.neg %[[L]]
// CHECK-NEXT: tenon.reduce_sum %[[N]] {axes = array<i64: 0>}
func.func @total(%x: tensor<4x8xf32>, %t: tensor<4x8xf32>) -> tensor<f32> {
  %l = tenon.log_softmax %x {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %m = tenon.mul %l, %t : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = tenon.reduce_sum %m {axes = array<i64: 0, 1>} : (tensor<4x8xf32>) -> tensor<f32>
  return %s : tensor<f32>
}
