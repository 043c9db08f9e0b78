// RUN: tenon-opt %s --split-input-file --verify-diagnostics

func.func @cumsum_axis(%x: tensor<2x4xf32>) {
  // expected-error @+2 {{axis}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.cumsum %x {axis = 2 : i64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @sort_axis(%x: tensor<2x4xf32>) {
  // expected-error @+2 {{axis}}
  // expected-error @+1 {{failed to infer returned types}}
  %v, %i = tenon.sort %x {axis = -1 : i64, count = -1 : i64} : (tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xi32>)
  return
}

// -----

func.func @sort_count(%x: tensor<2x4xf32>) {
  // expected-error @+2 {{count: expected at most 4, the extent of axis 1, got 5}}
  // expected-error @+1 {{failed to infer returned types}}
  %v, %i = tenon.sort %x {axis = 1 : i64, count = 5 : i64} : (tensor<2x4xf32>) -> (tensor<2x5xf32>, tensor<2x5xi32>)
  return
}

// -----

func.func @sort_negative(%x: tensor<2x4xf32>) {
  // expected-error @+2 {{count: expected -1 or 0 to 2^31 - 1, got -2}}
  // expected-error @+1 {{failed to infer returned types}}
  %v, %i = tenon.sort %x {axis = 1 : i64, count = -2 : i64} : (tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xi32>)
  return
}

// -----

func.func @sort_large(%x: tensor<2147483648xi8>) {
  // expected-error @+2 {{axis 0: expected at most 2^31 - 1 elements, got 2147483648}}
  // expected-error @+1 {{failed to infer returned types}}
  %v, %i = tenon.sort %x {axis = 0 : i64, count = 1 : i64} : (tensor<2147483648xi8>) -> (tensor<1xi8>, tensor<1xi32>)
  return
}

// -----

func.func @gather_lines(%x: tensor<2x4xf32>, %i: tensor<3x4xi32>) {
  // expected-error @+2 {{ids: expected the extents of f32[2,4] but for axis 1, got i32[3,4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.gather_along %x, %i {axis = 1 : i64} : (tensor<2x4xf32>, tensor<3x4xi32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @gather_rank(%x: tensor<2x4xf32>, %i: tensor<2xi32>) {
  // expected-error @+2 {{ids: expected the extents of f32[2,4] but for axis 1, got i32[2]}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.gather_along %x, %i {axis = 1 : i64} : (tensor<2x4xf32>, tensor<2xi32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @scatter_updates(%i: tensor<2x3xi32>, %u: tensor<2x4xf32>) {
  // expected-error @+2 {{updates: expected the shape of the ids i32[2,3], got f32[2,4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.scatter_along %i, %u {axis = 1 : i64, extent = 5 : i64} : (tensor<2x3xi32>, tensor<2x4xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @scatter_extent(%i: tensor<2x3xi32>, %u: tensor<2x3xf32>) {
  // expected-error @+2 {{extent: expected at least 0, got -1}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.scatter_along %i, %u {axis = 1 : i64, extent = -1 : i64} : (tensor<2x3xi32>, tensor<2x3xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @scatter_like(%i: tensor<2x3xi32>, %u: tensor<2x3xf32>) {
  // expected-error @+2 {{a dynamic extent needs the operand 'like'}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.scatter_along %i, %u {axis = 1 : i64, extent = -9223372036854775808 : i64} : (tensor<2x3xi32>, tensor<2x3xf32>) -> tensor<2x?xf32>
  return
}

// -----

func.func @scatter_like_lines(%i: tensor<2x3xi32>, %u: tensor<2x3xf32>, %l: tensor<4x?xf32>) {
  // expected-error @+2 {{like: expected the extents of f32[2,3] but for axis 1, got f32[4,?]}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = tenon.scatter_along %i, %u, %l {axis = 1 : i64, extent = -9223372036854775808 : i64} : (tensor<2x3xi32>, tensor<2x3xf32>, tensor<4x?xf32>) -> tensor<2x?xf32>
  return
}

// -----

func.func @bools(%x: tensor<4xi1>) {
  // expected-error @+1 {{operand #0 must be}}
  %y = tenon.cumsum %x {axis = 0 : i64} : (tensor<4xi1>) -> tensor<4xi1>
  return
}

// -----

func.func @real_ids(%x: tensor<4xf32>) {
  // expected-error @+1 {{operand #1 must be}}
  %y = tenon.gather_along %x, %x {axis = 0 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}
