// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// dx = dy / (1 + x)
// CHECK-LABEL: @log1p(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[D:.*]]: tensor<4xf32>
// CHECK: %[[O:.*]] = tenon.add %[[X]], %{{.*}}
// CHECK: %[[G:.*]] = tenon.div %[[D]], %[[O]]
// CHECK: return %[[G]] : tensor<4xf32>
func.func @log1p(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %y = tenon.log1p %x : tensor<4xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}
