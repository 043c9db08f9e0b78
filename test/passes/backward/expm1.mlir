// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// dx = dy * (y + 1)
// CHECK-LABEL: @expm1(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[D:.*]]: tensor<4xf32>
// CHECK: %[[Y:.*]] = tenon.expm1 %[[X]]
// CHECK: %[[O:.*]] = tenon.add %[[Y]], %{{.*}}
// CHECK: %[[G:.*]] = tenon.mul %[[D]], %[[O]]
// CHECK: return %[[G]] : tensor<4xf32>
func.func @expm1(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %y = tenon.expm1 %x : tensor<4xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}
