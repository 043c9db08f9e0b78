// RUN: tenon-opt %s -tenon-mixed-precision="type=f16" -tenon-scale-loss -split-input-file | FileCheck %s
// RUN: tenon-opt %s -tenon-scale-loss -split-input-file | FileCheck %s --check-prefix=NOT
// RUN: tenon-opt %s -tenon-derive-backward -split-input-file | FileCheck %s --check-prefix=DROPPED

// The gradient is taken of the scaled loss and unscaled in f32; the parameter stays where it is not finite.
// CHECK-LABEL: @step(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8x6xf32>, %[[LR:.*]]: tensor<f32>, %[[S:.*]]: tensor<2xf32>
// CHECK: %[[SLICE:.*]] = tenon.slice %[[S]] {offsets = array<i64: 0>
// CHECK: %[[SCALE:.*]] = tenon.reshape %[[SLICE]]
// CHECK: %[[INVERSE:.*]] = tenon.div %{{.*}}, %[[SCALE]]
// CHECK: %[[G:.*]] = tenon.gradient %{{.*}}, %[[W]], %[[SCALE]]
// CHECK: %[[SIZE:.*]] = tenon.abs %[[G]]
// CHECK: %[[MOST:.*]] = tenon.reduce_max %[[SIZE]]
// CHECK: %[[FINITE:.*]] = tenon.compare %[[MOST]], %{{.*}} {predicate = #tenon.predicate<lt>}
// CHECK: %[[B:.*]] = tenon.broadcast %[[INVERSE]]
// CHECK: %[[UNSCALED:.*]] = tenon.mul %[[G]], %[[B]]
// CHECK: %[[NEW:.*]] = tenon.sgd %[[W]], %[[UNSCALED]], %[[LR]]
// CHECK: %[[WHERE:.*]] = tenon.broadcast %[[FINITE]]
// CHECK: %[[KEPT:.*]] = tenon.select %[[WHERE]], %[[NEW]], %[[W]]
// CHECK: %[[NEXT:.*]] = tenon.concat
// CHECK: return %[[KEPT]], %[[NEXT]]
// NOT-LABEL: @step(
// NOT: tenon.loss_scale
// NOT-NOT: tenon.select
// DROPPED-LABEL: @step(
// DROPPED-SAME: %[[S:[a-z0-9]*]]: tensor<2xf32>)
// DROPPED: return %{{.*}}, %[[S]]
func.func @step(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %lr: tensor<f32>, %s: tensor<2xf32>) -> (tensor<8x6xf32>, tensor<2xf32>) {
  %y = tenon.matmul %x, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %l = tenon.reduce_sum %y {axes = array<i64: 0, 1>} : (tensor<4x6xf32>) -> tensor<f32>
  %g = tenon.gradient %l, %w : (tensor<f32>, tensor<8x6xf32>) -> tensor<8x6xf32>
  %p = tenon.sgd %w, %g, %lr : (tensor<8x6xf32>, tensor<8x6xf32>, tensor<f32>) -> tensor<8x6xf32>
  %n = tenon.loss_scale %s {interval = 2000 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return %p, %n : tensor<8x6xf32>, tensor<2xf32>
}

// -----

// Moments stay as well; a gradient of something is scaled through what makes the update of it.
// CHECK-LABEL: @momentum(
// CHECK-SAME: %[[W:[a-z0-9]*]]: tensor<4x4xf32>, %[[V:[a-z0-9]*]]: tensor<4x4xf32>
// CHECK: %[[NW:.*]], %[[NV:.*]] = tenon.momentum
// CHECK: %[[KW:.*]] = tenon.select %{{.*}}, %[[NW]], %[[W]]
// CHECK: %[[KV:.*]] = tenon.select %{{.*}}, %[[NV]], %[[V]]
// CHECK: return %[[KW]], %[[KV]]
func.func @momentum(%w: tensor<4x4xf32>, %v: tensor<4x4xf32>, %lr: tensor<f32>, %s: tensor<2xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<2xf32>) {
  %y = tenon.matmul %w, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %l = tenon.reduce_sum %y {axes = array<i64: 0, 1>} : (tensor<4x4xf32>) -> tensor<f32>
  %g = tenon.gradient %l, %w : (tensor<f32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %c = tenon.clamp %g {lo = -1.0 : f64, hi = 1.0 : f64} : tensor<4x4xf32>
  %p, %m = tenon.momentum %w, %c, %v, %lr {mu = 0.9 : f64} : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
  %n = tenon.loss_scale %s {interval = 2000 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return %p, %m, %n : tensor<4x4xf32>, tensor<4x4xf32>, tensor<2xf32>
}

// -----

// No update takes a gradient: nothing is scaled, as nothing would be skipped.
// CHECK-LABEL: @no_update(
// CHECK: tenon.gradient %{{.*}}, %{{.*}} : (tensor<f32>, tensor<4x4xf32>)
// CHECK: tenon.loss_scale
func.func @no_update(%w: tensor<4x4xf32>, %s: tensor<2xf32>) -> (tensor<4x4xf32>, tensor<2xf32>) {
  %y = tenon.matmul %w, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %l = tenon.reduce_sum %y {axes = array<i64: 0, 1>} : (tensor<4x4xf32>) -> tensor<f32>
  %g = tenon.gradient %l, %w : (tensor<f32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %n = tenon.loss_scale %s {interval = 2000 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return %g, %n : tensor<4x4xf32>, tensor<2xf32>
}

// -----

// Two states are none too many where nothing is scaled.
// CHECK-LABEL: @two(
// CHECK-COUNT-2: tenon.loss_scale
func.func @two(%w: tensor<4x4xf32>, %s: tensor<2xf32>) -> (tensor<4x4xf32>, tensor<2xf32>) {
  %y = tenon.matmul %w, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %n = tenon.loss_scale %s {interval = 2000 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  %m = tenon.loss_scale %n {interval = 2000 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return %y, %m : tensor<4x4xf32>, tensor<2xf32>
}

// -----

// A loop carries the state on.
// CHECK-LABEL: @loop(
// CHECK: ^bb0(%{{.*}}: tensor<i64>, %[[W:.*]]: tensor<4x4xf32>, %[[S:.*]]: tensor<2xf32>
// CHECK: tenon.slice %[[S]]
// CHECK: %[[K:.*]] = tenon.select %{{.*}}, %{{.*}}, %[[W]]
// CHECK: %[[N:.*]] = tenon.concat
// CHECK: tenon.yield %[[K]], %[[N]]
func.func @loop(%w0: tensor<4x4xf32>, %s0: tensor<2xf32>, %lr: tensor<f32>) -> (tensor<4x4xf32>, tensor<2xf32>) {
  %r:2 = tenon.loop trips 3 carry(%w0, %s0) scan() use(%lr) : (tensor<4x4xf32>, tensor<2xf32>, tensor<f32>) -> (tensor<4x4xf32>, tensor<2xf32>) {
  ^bb0(%t: tensor<i64>, %w: tensor<4x4xf32>, %s: tensor<2xf32>, %rate: tensor<f32>):
    %y = tenon.matmul %w, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %l = tenon.reduce_sum %y {axes = array<i64: 0, 1>} : (tensor<4x4xf32>) -> tensor<f32>
    %g = tenon.gradient %l, %w : (tensor<f32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %p = tenon.sgd %w, %g, %rate : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
    %n = tenon.loss_scale %s {interval = 2000 : i64} : (tensor<2xf32>) -> tensor<2xf32>
    tenon.yield %p, %n : tensor<4x4xf32>, tensor<2xf32>
  }
  return %r#0, %r#1 : tensor<4x4xf32>, tensor<2xf32>
}
