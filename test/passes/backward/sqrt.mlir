// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// dx = dy / 2 / y
// CHECK-LABEL: @sqrt(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[D:.*]]: tensor<4xf32>
// CHECK: %[[Y:.*]] = tenon.sqrt %[[X]]
// CHECK: %[[H:.*]] = tenon.mul %[[D]], %{{.*}}
// CHECK: %[[G:.*]] = tenon.div %[[H]], %[[Y]]
// CHECK: return %[[G]] : tensor<4xf32>
func.func @sqrt(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %y = tenon.sqrt %x : tensor<4xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}
