// RUN: tenon-opt %s --split-input-file --verify-diagnostics

func.func @gradient_scalar(%y: tensor<4xf32>) {
  // expected-error @+2 {{expected a scalar to differentiate, got f32[4]; give a seed of its shape for a vector-Jacobian product}}
  // expected-error @+1 {{failed to infer returned types}}
  %g = tenon.gradient %y, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @gradient_seed(%y: tensor<4xf32>, %s: tensor<5xf32>) {
  // expected-error @+2 {{seed: expected f32[4], got f32[5]}}
  // expected-error @+1 {{failed to infer returned types}}
  %g = tenon.gradient %y, %y, %s : (tensor<4xf32>, tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @gradient_by_computed(%w: tensor<f32>) {
  %x = tenon.exp %w : tensor<f32>
  %y = tenon.exp %x : tensor<f32>
  // expected-error @+1 {{expected x to be an argument or the result of tenon.watch, got one of tenon.exp}}
  %g = tenon.gradient %y, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @loop_scan(%x: tensor<5xf32>) {
  // expected-error @+1 {{scanned values need a leading axis of 4 slices, got 'tensor<5xf32>'}}
  tenon.loop trips 4 carry() scan(%x) use() : (tensor<5xf32>) -> () {
  ^bb0(%t: tensor<i64>, %s: tensor<f32>):
    tenon.yield
  }
  return
}

// -----

func.func @loop_carry(%x: tensor<f32>) {
  // expected-error @+1 {{yielded carried values 0: expected 'tensor<f32>', got 'tensor<i64>'}}
  %y = tenon.loop trips 4 carry(%x) scan() use() : (tensor<f32>) -> tensor<f32> {
  ^bb0(%t: tensor<i64>, %c: tensor<f32>):
    tenon.yield %t : tensor<i64>
  }
  return
}

// -----

func.func @kernel_result(%x: tensor<4xf32>) {
  // expected-error @+1 {{results 0: expected 'tensor<4xf32>', got 'tensor<5xf32>'}}
  %y = tenon.kernel "rows" (%x) : (tensor<4xf32>) -> tensor<5xf32> {
  ^bb0(%a: tensor<4xf32>):
    tenon.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @if_condition(%c: tensor<2xi1>) {
  // expected-error @+1 {{expected a condition that is a scalar, got 'tensor<2xi1>'}}
  tenon.if %c use() : (tensor<2xi1>) -> () {
    tenon.yield
  } else {
    tenon.yield
  }
  return
}

// -----

func.func @if_argument(%c: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{expected 1 block arguments of the second body, got 0}}
  tenon.if %c use(%x) : (tensor<i1>, tensor<4xf32>) -> () {
  ^bb0(%a: tensor<4xf32>):
    tenon.yield
  } else {
    tenon.yield
  }
  return
}

// -----

func.func @if_result(%c: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{yielded values of the second body 0: expected 'tensor<4xf32>', got 'tensor<i1>'}}
  %y = tenon.if %c use(%x, %c) : (tensor<i1>, tensor<4xf32>, tensor<i1>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<i1>):
    tenon.yield %a : tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>, %b: tensor<i1>):
    tenon.yield %b : tensor<i1>
  }
  return
}
