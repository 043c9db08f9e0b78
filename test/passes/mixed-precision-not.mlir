// What keeps its type.
// RUN: tenon-opt %s -tenon-mixed-precision="type=f16" | FileCheck %s

// No product: nothing is rounded.
// CHECK-LABEL: @no_product
// CHECK-NOT: f16
func.func @no_product(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = tenon.tanh %x : tensor<4xf32>
  %z = tenon.mul %y, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}

// Values of f64 are asked for where f32 is not enough.
// CHECK-LABEL: @double
// CHECK-NOT: f16
func.func @double(%x: tensor<4x4xf64>) -> tensor<4x4xf64> {
  %y = tenon.matmul %x, %x : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
  return %y : tensor<4x4xf64>
}

// A residual branch adds up in f32.
// CHECK-LABEL: @residual
// CHECK: %[[Y:.*]] = tenon.cast %{{.*}} {dtype = f32}
// CHECK: tenon.add %{{.*}}, %[[Y]] : (tensor<4x4xf32>
func.func @residual(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %y = tenon.matmul %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %z = tenon.add %x, %y : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %z : tensor<4x4xf32>
}

// 1e-8 is 0 in f16, 1e9 infinite.
// CHECK-LABEL: @numbers
// CHECK: tenon.add {{.*}} : (tensor<4x4xf32>
// CHECK: tenon.mul {{.*}} : (tensor<4x4xf32>
// CHECK: tenon.clamp {{.*}} : tensor<4x4xf32>
func.func @numbers(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %little = tenon.constant dense<1.0e-8> : tensor<4x4xf32>
  %much = tenon.constant dense<1.0e9> : tensor<4x4xf32>
  %y = tenon.matmul %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %a = tenon.add %y, %little : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %b = tenon.mul %y, %much : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %c = tenon.clamp %y {lo = 0.0 : f64, hi = 1.0e9 : f64} : tensor<4x4xf32>
  return %a, %b, %c : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// Sums, exponentials and what statistics become of stay; so do norms and optimizers.
// CHECK-LABEL: @statistics
// CHECK: tenon.exp {{.*}} : tensor<4x4xf32>
// CHECK: tenon.reduce_sum {{.*}} -> tensor<4x1xf32>
// CHECK: tenon.div {{.*}} : (tensor<4x4xf32>
// CHECK: tenon.rms_norm {{.*}} -> tensor<4x4xf32>
// CHECK: tenon.sgd {{.*}} -> tensor<4x4xf32>
func.func @statistics(%x: tensor<4x4xf32>, %lr: tensor<f32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %y = tenon.matmul %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %e = tenon.exp %y : tensor<4x4xf32>
  %s = tenon.reduce_sum %e {axes = array<i64: 1>, keep = true} : (tensor<4x4xf32>) -> tensor<4x1xf32>
  %b = tenon.broadcast %s {shape = array<i64: 4, 4>, dims = array<i64: 0, 1>} : (tensor<4x1xf32>) -> tensor<4x4xf32>
  %d = tenon.div %e, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %n = tenon.rms_norm %y {eps = 1.0e-5 : f64} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %p = tenon.sgd %x, %n, %lr : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  return %d, %p : tensor<4x4xf32>, tensor<4x4xf32>
}

// A slice is less than what it is taken of: that is not rounded whole.
// CHECK-LABEL: @slice
// CHECK: tenon.slice {{.*}} -> tensor<4x4xf32>
func.func @slice(%x: tensor<400x4xf32>) -> tensor<4x4xf32> {
  %s = tenon.slice %x {offsets = array<i64: 0, 0>, sizes = array<i64: 4, 4>, strides = array<i64: 1, 1>} : (tensor<400x4xf32>) -> tensor<4x4xf32>
  %y = tenon.matmul %s, %s : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// Gradients are taken by watched values, which stay as they are.
// CHECK-LABEL: @watched
// CHECK: %[[W:.*]] = tenon.watch %{{.*}} : tensor<4x4xf32>
// CHECK: tenon.gradient %{{.*}}, %[[W]]
func.func @watched(%x: tensor<4x4xf32>, %d: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %y = tenon.matmul %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %w = tenon.watch %y : tensor<4x4xf32>
  %z = tenon.matmul %w, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %g = tenon.gradient %z, %w, %d : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %g : tensor<4x4xf32>
}
