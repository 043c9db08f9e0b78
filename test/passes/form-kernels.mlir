// RUN: tenon-opt %s --tenon-form-kernels --split-input-file | FileCheck %s

// A chain of elementwise ops is one kernel; a splat constant and a broadcast are in it.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>, %[[B:.*]]: tensor<8xf32>)
// CHECK-NEXT: %[[K:.*]] = tenon.kernel "rows"(%[[B]], %[[X]])
// CHECK: tenon.constant
// CHECK: tenon.broadcast
// CHECK: tenon.add
// CHECK: tenon.exp
// CHECK: tenon.mul
// CHECK: return %[[K]]
func.func @chain(%x: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %two = tenon.constant dense<2.0> : tensor<4x8xf32>
  %0 = tenon.broadcast %b {shape = array<i64: 4, 8>, dims = array<i64: 1>} : (tensor<8xf32>) -> tensor<4x8xf32>
  %1 = tenon.add %x, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = tenon.exp %1 : tensor<4x8xf32>
  %3 = tenon.mul %2, %two : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}

// -----

// A sum that is needed later is a second result of the kernel that normalises it.
// CHECK-LABEL: func.func @residual_norm
// CHECK: %[[K:.*]]:2 = tenon.kernel "rows"
// CHECK: %[[H:.*]] = tenon.add
// CHECK: %[[N:.*]] = tenon.layer_norm %[[H]]
// CHECK: tenon.yield %[[H]], %[[N]]
// CHECK-NOT: tenon.kernel
// CHECK: return %[[K]]#0, %[[K]]#1
func.func @residual_norm(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %h = tenon.add %x, %y : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %n = tenon.layer_norm %h {eps = 1.0e-5 : f64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %h, %n : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Results that are arguments or constants, or leave twice, are no concern of kernels:
// tenon-plan-memory copies them.
// CHECK-LABEL: func.func @plain
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK: %[[C:.*]] = tenon.constant
// CHECK: %[[N:.*]] = tenon.kernel "rows"(%[[X]])
// CHECK: tenon.neg
// CHECK-NOT: tenon.kernel
// CHECK: return %[[X]], %[[N]], %[[N]], %[[C]]
func.func @plain(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf32>) {
  %c = tenon.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %n = tenon.neg %x : tensor<4xf32>
  return %x, %n, %n, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf32>
}

// -----

// Small kernels that do not wait for one another are launched together.
// CHECK-LABEL: func.func @updates
// CHECK: tenon.kernel "rows"
// CHECK: tenon.sgd
// CHECK: tenon.sgd
// CHECK-NOT: tenon.kernel
// CHECK: return
func.func @updates(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %q: tensor<5xf32>, %h: tensor<5xf32>,
                   %lr: tensor<f32>) -> (tensor<4x8xf32>, tensor<5xf32>) {
  %0 = tenon.sgd %p, %g, %lr : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %1 = tenon.sgd %q, %h, %lr : (tensor<5xf32>, tensor<5xf32>, tensor<f32>) -> tensor<5xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<5xf32>
}

// -----

// The body of a loop has kernels of its own; its operands are values in memory.
// CHECK-LABEL: func.func @loop
// CHECK: %[[Z:.*]] = tenon.kernel "rows"()
// CHECK: tenon.fill
// CHECK: tenon.loop trips 3 carry(%[[Z]])
// CHECK: tenon.kernel "rows"
// CHECK: tenon.add
// CHECK: tenon.yield
func.func @loop(%x: tensor<3x4xf32>) -> tensor<4xf32> {
  %z = tenon.fill {shape = array<i64: 4>, value = 0.0 : f64, dtype = f32} : () -> tensor<4xf32>
  %s = tenon.loop trips 3 carry(%z) scan(%x) use() : (tensor<4xf32>, tensor<3x4xf32>) -> tensor<4xf32> {
  ^bb0(%t: tensor<i64>, %c: tensor<4xf32>, %r: tensor<4xf32>):
    %n = tenon.add %c, %r : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %n : tensor<4xf32>
  }
  return %s : tensor<4xf32>
}
