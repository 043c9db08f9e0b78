// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// Reshaped back.
// CHECK-LABEL: @reshape(
// CHECK-SAME: %[[X:.*]]: tensor<4x6xf32>, %[[D:.*]]: tensor<2x12xf32>
// CHECK: %[[G:.*]] = tenon.reshape %[[D]] {shape = array<i64: 4, 6>}
// CHECK: return %[[G]]
func.func @reshape(%x: tensor<4x6xf32>, %d: tensor<2x12xf32>) -> tensor<4x6xf32> {
  %y = tenon.reshape %x {shape = array<i64: 2, 12>} : (tensor<4x6xf32>) -> tensor<2x12xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<2x12xf32>, tensor<4x6xf32>, tensor<2x12xf32>) -> tensor<4x6xf32>
  return %g : tensor<4x6xf32>
}
