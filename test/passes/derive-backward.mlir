// RUN: tenon-opt %s -tenon-derive-backward -canonicalize -cse -split-input-file | FileCheck %s

// Both gradients come from one backward pass.
// CHECK-LABEL: @shared
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8x3xf32>
// CHECK-COUNT-1: tenon.matmul %[[X]], %[[W]]
// CHECK-DAG: %[[GW:.*]] = tenon.matmul %[[X]], %[[DS:.*]] {transpose_a = true}
// CHECK-DAG: %[[GB:.*]] = tenon.reduce_sum %{{.*}} {axes = array<i64: 0>}
// CHECK-NOT: tenon.matmul
// CHECK: return %[[GW]], %[[GB]]
func.func @shared(%x: tensor<4x8xf32>, %w: tensor<8x3xf32>, %b: tensor<3xf32>, %t: tensor<4x3xf32>)
    -> (tensor<8x3xf32>, tensor<3xf32>) {
  %h = tenon.matmul %x, %w : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %bb = tenon.broadcast %b {shape = array<i64: 4, 3>, dims = array<i64: 1>} : (tensor<3xf32>) -> tensor<4x3xf32>
  %s = tenon.add %h, %bb : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %a = tenon.sigmoid %s : tensor<4x3xf32>
  %l = tenon.mse_loss %a, %t : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<f32>
  %gw = tenon.gradient %l, %w : (tensor<f32>, tensor<8x3xf32>) -> tensor<8x3xf32>
  %gb = tenon.gradient %l, %b : (tensor<f32>, tensor<3xf32>) -> tensor<3xf32>
  return %gw, %gb : tensor<8x3xf32>, tensor<3xf32>
}

// -----

// Only what is asked for: the gradient of %b needs no product.
// CHECK-LABEL: @only_asked
// CHECK-COUNT-1: tenon.matmul
// CHECK-NOT: tenon.matmul
// CHECK: return
func.func @only_asked(%x: tensor<4x8xf32>, %w: tensor<8x3xf32>, %b: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %h = tenon.matmul %x, %w : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %s = tenon.mul %h, %b : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %l = tenon.reduce_sum %s {axes = array<i64: 0, 1>} : (tensor<4x3xf32>) -> tensor<f32>
  %g = tenon.gradient %l, %b : (tensor<f32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}

// -----

// By an intermediate value; what lies before it is not derived.
// CHECK-LABEL: @intermediate
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK: %[[Y:.*]] = tenon.exp %[[X]]
// CHECK-NEXT: %[[C:.*]] = tenon.cos %[[Y]]
// CHECK-NEXT: return %[[C]]
func.func @intermediate(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tenon.exp %x : tensor<4xf32>
  %y = tenon.watch %e : tensor<4xf32>
  %z = tenon.sin %y : tensor<4xf32>
  %l = tenon.reduce_sum %z {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  %g = tenon.gradient %l, %y : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

// With a seed, and a gradient of a gradient.
// CHECK-LABEL: @second
// CHECK-SAME: %[[X:.*]]: tensor<4xf64>, %[[V:.*]]: tensor<4xf64>
// CHECK-DAG: %[[S:.*]] = tenon.sin %[[X]]
// CHECK: %[[H:.*]] = tenon.neg
// CHECK: return
// CHECK-NOT: tenon.gradient
func.func @second(%x: tensor<4xf64>, %v: tensor<4xf64>) -> tensor<4xf64> {
  %y = tenon.sin %x : tensor<4xf64>
  %g = tenon.gradient %y, %x, %v : (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %h = tenon.gradient %g, %x, %v : (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  return %h : tensor<4xf64>
}

// -----

// Zero: no path, a path through an op without a derivative, x after y.
// CHECK-LABEL: @zero
// CHECK: %[[Z:.*]] = tenon.constant dense<0.0{{.*}}> : tensor<4xf32>
// CHECK-NEXT: return %[[Z]], %[[Z]], %[[Z]]
func.func @zero(%x: tensor<4xf32>, %u: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %y = tenon.floor %x : tensor<4xf32>
  %l = tenon.reduce_sum %y {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  %a = tenon.gradient %l, %u : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %b = tenon.gradient %l, %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %late = tenon.watch %x : tensor<4xf32>
  %c = tenon.gradient %l, %late : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  return %a, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Dynamic extents come from the operands.
// CHECK-LABEL: @dynamic
// CHECK-SAME: %[[X:.*]]: tensor<?x?xf32>
// CHECK: %[[G:.*]] = tenon.broadcast %{{.*}}, %{{.*}} {dims = array<i64: 0>
// CHECK-NOT: tenon.gradient
func.func @dynamic(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %s = tenon.reduce_sum %x {axes = array<i64: 1>} : (tensor<?x?xf32>) -> tensor<?xf32>
  %e = tenon.exp %s : tensor<?xf32>
  %l = tenon.reduce_mean %e {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>
  %g = tenon.gradient %l, %x : (tensor<f32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %g : tensor<?x?xf32>
}

// -----

// Without gradient ops nothing changes, dead ops included.
// CHECK-LABEL: @no_gradient
// CHECK: tenon.exp
func.func @no_gradient(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = tenon.exp %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Within the body of a loop.
// CHECK-LABEL: @in_loop
// CHECK: tenon.loop
// CHECK: %[[E:.*]] = tenon.exp
// CHECK: tenon.sub %{{.*}}, %[[E]]
// CHECK-NOT: tenon.gradient
func.func @in_loop(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = tenon.loop trips 3 carry(%x) scan() use() : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%t: tensor<i64>, %p: tensor<4xf32>):
    %e = tenon.exp %p : tensor<4xf32>
    %l = tenon.reduce_sum %e {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
    %g = tenon.gradient %l, %p : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
    %n = tenon.sub %p, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %n : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
