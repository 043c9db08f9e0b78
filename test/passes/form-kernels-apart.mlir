// RUN: tenon-opt %s --tenon-form-kernels="report=true" --split-input-file --verify-diagnostics | FileCheck %s

// Reductions over different axes stay apart.
// CHECK-LABEL: func.func @axes
// CHECK-COUNT-2: tenon.kernel "rows"
func.func @axes(%x: tensor<400x800xf32>) -> (tensor<400xf32>, tensor<800xf32>) {
  %e = tenon.exp %x : tensor<400x800xf32>
  %0 = tenon.reduce_sum %e {axes = array<i64: 1>} : (tensor<400x800xf32>) -> tensor<400xf32>
  // expected-remark @+1 {{not fused into the kernel of tenon.reduce_sum: two reductions over different axes}}
  %1 = tenon.reduce_sum %e {axes = array<i64: 0>} : (tensor<400x800xf32>) -> tensor<800xf32>
  return %0, %1 : tensor<400xf32>, tensor<800xf32>
}

// -----

// A sum of everything is known only after all of it was read.
// CHECK-LABEL: func.func @all
// CHECK-COUNT-2: tenon.kernel "rows"
func.func @all(%x: tensor<400x800xf32>) -> tensor<400x800xf32> {
  %s = tenon.reduce_sum %x {axes = array<i64: 0, 1>} : (tensor<400x800xf32>) -> tensor<f32>
  // expected-remark @+1 {{a reduction over all rows ends before its result can be used}}
  %b = tenon.broadcast %s {shape = array<i64: 400, 800>, dims = array<i64>} : (tensor<f32>) -> tensor<400x800xf32>
  %d = tenon.div %x, %b : (tensor<400x800xf32>, tensor<400x800xf32>) -> tensor<400x800xf32>
  return %d : tensor<400x800xf32>
}

// -----

// An expensive op is not repeated for each row that its result is broadcast to.
// CHECK-LABEL: func.func @expensive
// CHECK: tenon.kernel "rows"
// CHECK: tenon.exp
// CHECK: tenon.kernel "rows"
// CHECK: tenon.add
func.func @expensive(%x: tensor<40x80xf32>, %b: tensor<80xf32>) -> tensor<40x80xf32> {
  %e = tenon.exp %b : tensor<80xf32>
  %0 = tenon.broadcast %e {shape = array<i64: 40, 80>, dims = array<i64: 1>} : (tensor<80xf32>) -> tensor<40x80xf32>
  // expected-remark @+1 {{not fused into the kernel of tenon.exp: an expensive op would be computed more than once}}
  %1 = tenon.add %x, %0 : (tensor<40x80xf32>, tensor<40x80xf32>) -> tensor<40x80xf32>
  return %1 : tensor<40x80xf32>
}

// -----

// A kernel never waits for itself: the scatter stands between the two products.
// CHECK-LABEL: func.func @cycle
// CHECK: tenon.kernel "rows"
// CHECK: tenon.exp
// CHECK: tenon.kernel "rows"
// CHECK: tenon.scatter_add
// CHECK: tenon.kernel "rows"
// CHECK: tenon.mul
func.func @cycle(%x: tensor<40x80xf32>, %i: tensor<40xi32>) -> tensor<40x80xf32> {
  // expected-remark @+1 {{a result beside that of a scatter}}
  %e = tenon.exp %x : tensor<40x80xf32>
  %s = tenon.scatter_add %i, %e {rows = 40 : i64} : (tensor<40xi32>, tensor<40x80xf32>) -> tensor<40x80xf32>
  // expected-remark @+2 {{a scatter ends before its result can be used}}
  // expected-remark @+1 {{it also needs something that is computed after the kernel}}
  %m = tenon.mul %e, %s : (tensor<40x80xf32>, tensor<40x80xf32>) -> tensor<40x80xf32>
  return %m : tensor<40x80xf32>
}

// -----

func.func @target(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<f32> {
  %0 = tenon.mul %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = tenon.reduce_sum %0 {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  // expected-error @+1 {{no kernel strategy of the target can compute this op}}
  %g = tenon.gradient %1, %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = tenon.reduce_sum %g {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}
