// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// dx = dy * phi(x), phi(x) = 1 / sqrt(2 pi) * e^(-x^2 / 2)
// CHECK-LABEL: @normal_cdf(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[D:.*]]: tensor<4xf32>
// CHECK-NOT: tenon.normal_cdf
// CHECK: %[[Q:.*]] = tenon.mul %[[X]], %[[X]]
// CHECK: %[[H:.*]] = tenon.mul %[[Q]], %{{.*}}
// CHECK: %[[E:.*]] = tenon.exp %[[H]]
// CHECK: %[[P:.*]] = tenon.mul %[[E]], %{{.*}}
// CHECK: %[[G:.*]] = tenon.mul %[[D]], %[[P]]
// CHECK: return %[[G]] : tensor<4xf32>
func.func @normal_cdf(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %y = tenon.normal_cdf %x : tensor<4xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}
