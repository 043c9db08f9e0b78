// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// The gradient is cast back.
// CHECK-LABEL: @cast(
// CHECK-SAME: %[[X:.*]]: tensor<4xf64>, %[[D:.*]]: tensor<4xf32>
// CHECK: %[[G:.*]] = tenon.cast %[[D]] {dtype = f64}
// CHECK: return %[[G]]
func.func @cast(%x: tensor<4xf64>, %d: tensor<4xf32>) -> tensor<4xf64> {
  %y = tenon.cast %x {dtype = f32} : (tensor<4xf64>) -> tensor<4xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4xf32>, tensor<4xf64>, tensor<4xf32>) -> tensor<4xf64>
  return %g : tensor<4xf64>
}
