// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// dx = dy strictly between the bounds
// CHECK-LABEL: @clamp(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[D:.*]]: tensor<4xf32>
// CHECK: %[[A:.*]] = tenon.compare %[[X]], %{{.*}} {predicate = #tenon.predicate<gt>}
// CHECK: %[[B:.*]] = tenon.compare %[[X]], %{{.*}} {predicate = #tenon.predicate<lt>}
// CHECK: %[[C:.*]] = tenon.and %[[A]], %[[B]]
// CHECK: %[[G:.*]] = tenon.select %[[C]], %[[D]], %{{.*}}
// CHECK: return %[[G]] : tensor<4xf32>
func.func @clamp(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %y = tenon.clamp %x {lo = -1.0 : f64, hi = 1.0 : f64} : tensor<4xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}
