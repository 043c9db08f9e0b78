// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// The inside of dy.
// CHECK-LABEL: @pad(
// CHECK-SAME: %[[X:.*]]: tensor<2x6xf32>, %[[D:.*]]: tensor<3x8xf32>
// CHECK: %[[G:.*]] = tenon.slice %[[D]] {offsets = array<i64: 1, 0>, sizes = array<i64: 2, 6>
// CHECK: return %[[G]]
func.func @pad(%x: tensor<2x6xf32>, %d: tensor<3x8xf32>) -> tensor<2x6xf32> {
  %y = tenon.pad %x {low = array<i64: 1, 0>, high = array<i64: 0, 2>, value = 1.0 : f64} : (tensor<2x6xf32>) -> tensor<3x8xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<3x8xf32>, tensor<2x6xf32>, tensor<3x8xf32>) -> tensor<2x6xf32>
  return %g : tensor<2x6xf32>
}
