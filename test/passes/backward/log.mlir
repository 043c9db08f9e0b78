// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// dx = dy / x; the logarithm itself is not needed
// CHECK-LABEL: @log(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[D:.*]]: tensor<4xf32>
// CHECK-NOT: tenon.log
// CHECK: %[[G:.*]] = tenon.div %[[D]], %[[X]]
// CHECK: return %[[G]] : tensor<4xf32>
func.func @log(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %y = tenon.log %x : tensor<4xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}
