// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// dx = dy, and the op is gone
// CHECK-LABEL: @watch(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[D:.*]]: tensor<4xf32>
// CHECK-NEXT: return %[[D]] : tensor<4xf32>
func.func @watch(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %y = tenon.watch %x : tensor<4xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}
