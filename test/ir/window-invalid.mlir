// RUN: tenon-opt %s --split-input-file --verify-diagnostics

func.func @too_wide(%x: tensor<2x4xf32>) {
  // expected-error @+2 {{axis 1: a window of 5 elements does not fit into extent 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.windows %x {sizes = array<i64: 3>, strides = array<i64: 1>, dilations = array<i64: 2>} : (tensor<2x4xf32>) -> tensor<2x3x0xf32>
  return
}

// -----

func.func @no_stride(%x: tensor<2x4xf32>) {
  // expected-error @+2 {{strides: expected at least 1, got 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.windows %x {sizes = array<i64: 3>, strides = array<i64: 0>, dilations = array<i64: 1>} : (tensor<2x4xf32>) -> tensor<2x3x2xf32>
  return
}

// -----

func.func @lists(%x: tensor<2x4xf32>) {
  // expected-error @+2 {{dilations: expected 1, one for each size, got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.windows %x {sizes = array<i64: 3>, strides = array<i64: 1>, dilations = array<i64: 1, 1>} : (tensor<2x4xf32>) -> tensor<2x3x2xf32>
  return
}

// -----

func.func @many_axes(%x: tensor<4xf32>) {
  // expected-error @+2 {{sizes: expected at most 1, the axes of x, got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.windows %x {sizes = array<i64: 1, 1>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @overflow(%x: tensor<4xf32>) {
  // expected-error @+2 {{axis 0: the extent of the window exceeds 2^63 - 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.windows %x {sizes = array<i64: 4611686018427387904>, strides = array<i64: 1>, dilations = array<i64: 4>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @fold_count(%x: tensor<2x3x4xf32>) {
  // expected-error @+2 {{axis 2: 5 windows fit into extent 7, got 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.fold_windows %x {extents = array<i64: 7>, strides = array<i64: 1>, dilations = array<i64: 1>} : (tensor<2x3x4xf32>) -> tensor<2x7xf32>
  return
}

// -----

func.func @fold_axes(%x: tensor<3xf32>) {
  // expected-error @+2 {{x: expected at least 2 axes, two for each extent, got 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.fold_windows %x {extents = array<i64: 7>, strides = array<i64: 1>, dilations = array<i64: 1>} : (tensor<3xf32>) -> tensor<7xf32>
  return
}

// -----

func.func @fold_dynamic(%x: tensor<2x3x?xf32>) {
  // expected-error @+2 {{a dynamic extent needs the operand 'like'}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.fold_windows %x {extents = array<i64: -9223372036854775808>, strides = array<i64: 1>, dilations = array<i64: 1>} : (tensor<2x3x?xf32>) -> tensor<2x?xf32>
  return
}
