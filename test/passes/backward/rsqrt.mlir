// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// dx = -dy / 2 * y^3
// CHECK-LABEL: @rsqrt(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[D:.*]]: tensor<4xf32>
// CHECK: %[[Y:.*]] = tenon.rsqrt %[[X]]
// CHECK-DAG: %[[H:.*]] = tenon.mul %[[D]], %{{.*}}
// CHECK-DAG: %[[Y2:.*]] = tenon.mul %[[Y]], %[[Y]]
// CHECK: %[[Y3:.*]] = tenon.mul %[[Y]], %[[Y2]]
// CHECK: %[[G:.*]] = tenon.mul %{{.*}}, %[[Y3]]
// CHECK: return %[[G]] : tensor<4xf32>
func.func @rsqrt(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %y = tenon.rsqrt %x : tensor<4xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}
