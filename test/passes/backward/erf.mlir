// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// dx = dy * 2 / sqrt(pi) * e^(-x^2)
// CHECK-LABEL: @erf(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[D:.*]]: tensor<4xf32>
// CHECK: %[[Q:.*]] = tenon.mul %[[X]], %[[X]]
// CHECK: %[[N:.*]] = tenon.neg %[[Q]]
// CHECK: %[[E:.*]] = tenon.exp %[[N]]
// CHECK: %[[S:.*]] = tenon.mul %[[E]], %{{.*}}
// CHECK: %[[G:.*]] = tenon.mul %[[D]], %[[S]]
// CHECK: return %[[G]] : tensor<4xf32>
func.func @erf(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %y = tenon.erf %x : tensor<4xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}
