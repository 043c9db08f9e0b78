// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// dx = dy where x > 0, 0 at 0
// CHECK-LABEL: @relu(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[D:.*]]: tensor<4xf32>
// CHECK: %[[C:.*]] = tenon.compare %[[X]], %{{.*}} {predicate = #tenon.predicate<gt>}
// CHECK: %[[G:.*]] = tenon.select %[[C]], %[[D]], %{{.*}}
// CHECK: return %[[G]] : tensor<4xf32>
func.func @relu(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %y = tenon.relu %x : tensor<4xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}
