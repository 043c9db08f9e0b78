// RUN: tenon-opt %s --split-input-file --verify-diagnostics

func.func @reshape_count(%x: tensor<4x6xf32>) {
  // expected-error @+2 {{expected a shape of 24 elements for f32[4,6], got f32[5,5]}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.reshape %x {shape = array<i64: 5, 5>} : (tensor<4x6xf32>) -> tensor<5x5xf32>
  return
}

// -----

func.func @transpose_repeated(%x: tensor<4x6xf32>) {
  // expected-error @+2 {{permutation: expected each of 0..1 once, got 0 at 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.transpose %x {permutation = array<i64: 0, 0>} : (tensor<4x6xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @broadcast_extent(%x: tensor<6xf32>) {
  // expected-error @+2 {{axis 0: expected extent 1 or 7, got 6}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.broadcast %x {shape = array<i64: 4, 7>, dims = array<i64: 1>} : (tensor<6xf32>) -> tensor<4x7xf32>
  return
}

// -----

func.func @broadcast_order(%x: tensor<4x4xf32>) {
  // expected-error @+2 {{dims: expected increasing axes below 2, got 0 at 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.broadcast %x {shape = array<i64: 4, 4>, dims = array<i64: 1, 0>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @broadcast_like(%x: tensor<6xf32>) {
  // expected-error @+2 {{a dynamic extent needs the operand 'like'}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.broadcast %x {shape = array<i64: -9223372036854775808, 6>, dims = array<i64: 1>} : (tensor<6xf32>) -> tensor<?x6xf32>
  return
}

// -----

func.func @slice_beyond(%x: tensor<4x6xf32>) {
  // expected-error @+2 {{axis 1: elements 4 to 6 are not within extent 6}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.slice %x {offsets = array<i64: 0, 4>, sizes = array<i64: 4, 3>, strides = array<i64: 1, 1>} : (tensor<4x6xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @concat_extents(%a: tensor<2x6xf32>, %b: tensor<3x5xf32>) {
  // expected-error @+2 {{operand 1: expected f32[2,6] but for axis 0, got f32[3,5]}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.concat %a, %b {axis = 0 : i64} : (tensor<2x6xf32>, tensor<3x5xf32>) -> tensor<5x6xf32>
  return
}

// -----

func.func @pad_negative(%x: tensor<2xf32>) {
  // expected-error @+2 {{axis 0: expected paddings of at least 0, got -1 and 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.pad %x {low = array<i64: -1>, high = array<i64: 0>, value = 0.0 : f64} : (tensor<2xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @gather_table(%t: tensor<f32>, %i: tensor<3xi32>) {
  // expected-error @+2 {{table: expected at least one axis, got a scalar}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.gather %t, %i : (tensor<f32>, tensor<3xi32>) -> tensor<3xf32>
  return
}

// -----

func.func @scatter_add_updates(%i: tensor<4x3xi32>, %u: tensor<4x8xf32>) {
  // expected-error @+2 {{updates: expected the axes of the ids i32[4,3] first, got f32[4,8]}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.scatter_add %i, %u {rows = 5 : i64} : (tensor<4x3xi32>, tensor<4x8xf32>) -> tensor<5x8xf32>
  return
}

// -----

func.func @one_hot_depth(%i: tensor<4xi32>) {
  // expected-error @+2 {{depth: expected at least 0, got -2}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.one_hot %i {depth = -2 : i64, dtype = f32} : (tensor<4xi32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @iota_axis() {
  // expected-error @+2 {{axis: expected 0 to 1, got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.iota {shape = array<i64: 4, 8>, axis = 2 : i64, dtype = i64} : () -> tensor<4x8xi64>
  return
}

// -----

func.func @fill_negative() {
  // expected-error @+2 {{shape: expected extents of at least 0, got -1 on axis 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.fill {shape = array<i64: -1>, value = 0.0 : f64, dtype = f32} : () -> tensor<1xf32>
  return
}

// -----

func.func @fill_fraction() {
  // expected-error @+2 {{value: expected a whole number of at least -128 and below 128, got 0.5}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.fill {shape = array<i64: 1>, value = 0.5 : f64, dtype = i8} : () -> tensor<1xi8>
  return
}

// -----

func.func @fill_range() {
  // expected-error @+2 {{value: expected a whole number of at least 0 and below 2, got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.fill {shape = array<i64: 1>, value = 2.0 : f64, dtype = i1} : () -> tensor<1xi1>
  return
}

// -----

func.func @fill_size() {
  // expected-error @+2 {{f32[4294967296,4294967296] has 2^60 elements or more}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.fill {shape = array<i64: 4294967296, 4294967296>, value = 2.0 : f64, dtype = f32} : () -> tensor<4294967296x4294967296xf32>
  return
}

// -----

func.func @slice_stride(%x: tensor<4xf32>) {
  // expected-error @+2 {{axis 0: the place of the last element exceeds 2^63 - 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.slice %x {offsets = array<i64: 1>, sizes = array<i64: 3>, strides = array<i64: 4611686018427387904>} : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @slice_offset(%x: tensor<4xf32>) {
  // expected-error @+2 {{axis 0: elements 9223372036854775807 to 9223372036854775807 are not within extent 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.slice %x {offsets = array<i64: 9223372036854775807>, sizes = array<i64: 1>, strides = array<i64: 1>} : (tensor<4xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @reshape_size(%x: tensor<1099511627776x1099511627776xf32>) {
  // expected-error @+2 {{f32[1099511627776,1099511627776] has 2^60 elements or more}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.reshape %x {shape = array<i64: 1125899906842624, 1125899906842624>} : (tensor<1099511627776x1099511627776xf32>) -> tensor<1125899906842624x1125899906842624xf32>
  return
}

// -----

func.func @pad_size(%x: tensor<4xf32>) {
  // expected-error @+2 {{axis 0: the padded extent exceeds 2^63 - 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.pad %x {low = array<i64: 9223372036854775807>, high = array<i64: 1>, value = 0.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @constant_resource() {
  // Only dense elements.
  // expected-error @+1 {{invalid kind of attribute specified}}
  %y = tenon.constant dense_resource<some> : tensor<4xf32>
  return
}
