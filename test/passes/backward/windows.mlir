// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// CHECK-LABEL: @windows(
// CHECK-SAME: %[[X:.*]]: tensor<4x9xf32>, %[[D:.*]]: tensor<4x3x4xf32>
// CHECK: %[[G:.*]] = tenon.fold_windows %[[D]] {dilations = array<i64: 1>, extents = array<i64: 9>, strides = array<i64: 2>}
// CHECK: return %[[G]]
func.func @windows(%x: tensor<4x9xf32>, %d: tensor<4x3x4xf32>) -> tensor<4x9xf32> {
  %y = tenon.windows %x {sizes = array<i64: 3>, strides = array<i64: 2>, dilations = array<i64: 1>} : (tensor<4x9xf32>) -> tensor<4x3x4xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4x3x4xf32>, tensor<4x9xf32>, tensor<4x3x4xf32>) -> tensor<4x9xf32>
  return %g : tensor<4x9xf32>
}

// A dynamic extent is that of x.
// CHECK-LABEL: @dynamic(
// CHECK-SAME: %[[X:.*]]: tensor<?x?xf32>, %[[D:.*]]: tensor<?x3x?xf32>
// CHECK: tenon.fold_windows %[[D]], %[[X]] {
func.func @dynamic(%x: tensor<?x?xf32>, %d: tensor<?x3x?xf32>) -> tensor<?x?xf32> {
  %y = tenon.windows %x {sizes = array<i64: 3>, strides = array<i64: 2>, dilations = array<i64: 1>} : (tensor<?x?xf32>) -> tensor<?x3x?xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<?x3x?xf32>, tensor<?x?xf32>, tensor<?x3x?xf32>) -> tensor<?x?xf32>
  return %g : tensor<?x?xf32>
}
