// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// dp = -dl * t / p where p is not clamped; dt = -dl * log of the clamped p.
// CHECK-LABEL: @cross_entropy(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[T:.*]]: tensor<4x8xf32>, %[[D:.*]]: tensor<4xf32>
// CHECK: tenon.compare %[[X]], %{{.*}} {predicate = #tenon.predicate<gt>}
// CHECK: tenon.compare %[[X]], %{{.*}} {predicate = #tenon.predicate<lt>}
// CHECK: %[[Q:.*]] = tenon.div %[[T]], %[[X]]
// CHECK: %[[P:.*]] = tenon.select
// CHECK: %[[L:.*]] = tenon.max %[[X]], %{{.*}}
// CHECK: %[[C:.*]] = tenon.min %[[L]], %{{.*}}
// CHECK: %[[G:.*]] = tenon.log %[[C]]
// CHECK: %[[Z:.*]] = tenon.mul %{{.*}}, %[[G]]
// CHECK: return %[[P]], %[[Z]]
func.func @cross_entropy(%x: tensor<4x8xf32>, %t: tensor<4x8xf32>, %d: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %y = tenon.cross_entropy %x, %t {floor = 1.0e-3 : f64} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4xf32>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  %gt = tenon.gradient %y, %t, %d : (tensor<4xf32>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return %g, %gt : tensor<4x8xf32>, tensor<4x8xf32>
}
