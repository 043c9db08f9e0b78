// Extents that are known at run time only look alike in types and need not be equal: what is
// computed in one row kernel is told by where a shape comes from.
// RUN: tenon-run %s --compare=reference --extent=3,2 | FileCheck %s
// RUN: tenon-run %s --compare=reference --extent=3,2 --backend=vulkan
// CHECK-COUNT-10: ok

func.func @transposed(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = tenon.transpose %x {permutation = array<i64: 1, 0>} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = tenon.windows %0 {sizes = array<i64: 1>, strides = array<i64: 1>, dilations = array<i64: 1>} : (tensor<?x?xf32>) -> tensor<?x1x?xf32>
  %2 = tenon.reduce_mean %1 {axes = array<i64: 1>} : (tensor<?x1x?xf32>) -> tensor<?x?xf32>
  %3 = tenon.reduce_sum %2 {axes = array<i64: 0, 1>} : (tensor<?x?xf32>) -> tensor<f32>
  %4 = tenon.gradient %3, %x : (tensor<f32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %4 : tensor<?x?xf32>
}

func.func @twice_as_long(%x: tensor<?x3xf64>, %y: tensor<3x1xf64>) -> tensor<?x1xf64> {
  %0 = tenon.reduce_mean %x {axes = array<i64: 1>, keep = true} : (tensor<?x3xf64>) -> tensor<?x1xf64>
  %1 = tenon.fill %0 {shape = array<i64: -9223372036854775808, 1>, value = 0.1 : f64, dtype = f64} : (tensor<?x1xf64>) -> tensor<?x1xf64>
  %2 = tenon.add %1, %y : (tensor<?x1xf64>, tensor<3x1xf64>) -> tensor<3x1xf64>
  %3 = tenon.concat %2, %0 {axis = 0 : i64} : (tensor<3x1xf64>, tensor<?x1xf64>) -> tensor<?x1xf64>
  return %3 : tensor<?x1xf64>
}

func.func @as_wide_as_another(%x: tensor<9x?xf64>, %y: tensor<9x?xf32>) -> tensor<9x?xf32> {
  %0 = tenon.reduce_sum %x {axes = array<i64: 1>} : (tensor<9x?xf64>) -> tensor<9xf64>
  %1 = tenon.broadcast %0, %y {shape = array<i64: 9, -9223372036854775808>, dims = array<i64: 0>} : (tensor<9xf64>, tensor<9x?xf32>) -> tensor<9x?xf64>
  %2 = tenon.broadcast %y, %1 {shape = array<i64: 9, -9223372036854775808>, dims = array<i64: 0, 1>} : (tensor<9x?xf32>, tensor<9x?xf64>) -> tensor<9x?xf32>
  return %2 : tensor<9x?xf32>
}

// A view at the end that memory needs has a shape of its own.
func.func @view(%x: tensor<16x?x?xf64>) -> tensor<1x1x16x?xf64> {
  %0 = tenon.reduce_mean %x {axes = array<i64: 2>, keep = true} : (tensor<16x?x?xf64>) -> tensor<16x?x1xf64>
  %1 = tenon.fill %0 {shape = array<i64: 16, -9223372036854775808, 1>, value = 0.1 : f64, dtype = f64} : (tensor<16x?x1xf64>) -> tensor<16x?x1xf64>
  %2 = tenon.reshape %1 {shape = array<i64: 16, 1, -9223372036854775808, 1>} : (tensor<16x?x1xf64>) -> tensor<16x1x?x1xf64>
  %3 = tenon.transpose %2 {permutation = array<i64: 3, 1, 0, 2>} : (tensor<16x1x?x1xf64>) -> tensor<1x1x16x?xf64>
  return %3 : tensor<1x1x16x?xf64>
}

// One operand says what the extents are.
func.func @known(%x: tensor<?x?x17xf32>, %y: tensor<3x2x17xf32>) -> tensor<?x?xf32> {
  %0 = tenon.softmax_cross_entropy %x, %y {floor = 0.0 : f64} : (tensor<?x?x17xf32>, tensor<3x2x17xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func @folded(%x: tensor<?x?x1xf32>) -> (tensor<f32>, tensor<?x?x1xf32>) {
  %0 = tenon.windows %x {sizes = array<i64: 1, 1>, strides = array<i64: 1, 3>, dilations = array<i64: 1, 2>} : (tensor<?x?x1xf32>) -> tensor<?x1x1x?x1xf32>
  %1 = tenon.fold_windows %0, %x {extents = array<i64: -9223372036854775808, 1>, strides = array<i64: 1, 3>, dilations = array<i64: 1, 2>} : (tensor<?x1x1x?x1xf32>, tensor<?x?x1xf32>) -> tensor<?x?x1xf32>
  %2 = tenon.add %1, %1 : (tensor<?x?x1xf32>, tensor<?x?x1xf32>) -> tensor<?x?x1xf32>
  %3 = tenon.reduce_sum %2 {axes = array<i64: 0, 1, 2>} : (tensor<?x?x1xf32>) -> tensor<f32>
  %4 = tenon.gradient %3, %x : (tensor<f32>, tensor<?x?x1xf32>) -> tensor<?x?x1xf32>
  return %3, %4 : tensor<f32>, tensor<?x?x1xf32>
}

// An axis that is kept by a reduction has an extent of 1, the axis itself may have any.
func.func @kept(%x: tensor<3x?x3xf64>) -> tensor<3x1x3xf64> {
  %0 = tenon.reduce_prod %x {axes = array<i64: 1>, keep = true} : (tensor<3x?x3xf64>) -> tensor<3x1x3xf64>
  return %0 : tensor<3x1x3xf64>
}

// Rows become columns.
func.func @turned(%x: tensor<?x1xf32>) -> tensor<1x?xf32> {
  %0 = tenon.softmax %x {axis = 1 : i64} : (tensor<?x1xf32>) -> tensor<?x1xf32>
  %1 = tenon.reshape %0 {shape = array<i64: 1, -9223372036854775808>} : (tensor<?x1xf32>) -> tensor<1x?xf32>
  return %1 : tensor<1x?xf32>
}

// Less is known of what is repeated than of what it is repeated to.
func.func @repeated(%x: tensor<1x?xf32>, %y: tensor<9x4xf32>) -> tensor<4x9xf32> {
  %0 = tenon.broadcast %x {dims = array<i64: 0, 1>, shape = array<i64: 9, 4>} : (tensor<1x?xf32>) -> tensor<9x4xf32>
  %1 = tenon.max %0, %y : (tensor<9x4xf32>, tensor<9x4xf32>) -> tensor<9x4xf32>
  %2 = tenon.transpose %1 {permutation = array<i64: 1, 0>} : (tensor<9x4xf32>) -> tensor<4x9xf32>
  return %2 : tensor<4x9xf32>
}
