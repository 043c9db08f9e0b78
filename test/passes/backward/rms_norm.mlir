// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// dx from x alone: the statistics are computed again in the same pass over rows.
// CHECK-LABEL: @rms_norm(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[D:.*]]: tensor<4x8xf32>
// CHECK-NOT: tenon.rms_norm
// CHECK: %[[Q:.*]] = tenon.mul %[[X]], %[[X]]
// CHECK: tenon.reduce_mean %[[Q]] {axes = array<i64: 1>, keep = true}
// CHECK: tenon.rsqrt
// CHECK: %[[H:.*]] = tenon.mul %[[X]], %{{.*}}
// CHECK: %[[P:.*]] = tenon.mul %[[D]], %[[H]]
// CHECK: tenon.reduce_mean %[[P]]
// CHECK: %[[C:.*]] = tenon.sub %[[D]], %{{.*}}
// CHECK: %[[G:.*]] = tenon.mul %{{.*}}, %[[C]]
// CHECK: return %[[G]]
func.func @rms_norm(%x: tensor<4x8xf32>, %d: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = tenon.rms_norm %x {eps = 1.0e-5 : f64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %g : tensor<4x8xf32>
}
