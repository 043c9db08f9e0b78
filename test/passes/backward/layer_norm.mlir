// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// One pass over rows for dx, sums over the leading axis for gamma and beta.
// CHECK-LABEL: @layer_norm(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[A:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>, %[[D:.*]]: tensor<4x8xf32>
// CHECK-NOT: tenon.layer_norm
// CHECK: tenon.reduce_mean %[[X]] {axes = array<i64: 1>, keep = true}
// CHECK: tenon.rsqrt
// CHECK-DAG: %[[P:.*]] = tenon.mul %[[D]], %{{.*}}
// CHECK-DAG: %[[Q:.*]] = tenon.reduce_sum %{{.*}} {axes = array<i64: 0>}
// CHECK-DAG: %[[R:.*]] = tenon.reduce_sum %[[D]] {axes = array<i64: 0>}
// CHECK: return %{{.*}}, %{{.*}}, %[[R]]
func.func @layer_norm(%x: tensor<4x8xf32>, %a: tensor<8xf32>, %b: tensor<8xf32>, %d: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %y = tenon.layer_norm %x, %a bias %b {eps = 1.0e-5 : f64} : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %ga = tenon.gradient %y, %a, %d : (tensor<4x8xf32>, tensor<8xf32>, tensor<4x8xf32>) -> tensor<8xf32>
  %gb = tenon.gradient %y, %b, %d : (tensor<4x8xf32>, tensor<8xf32>, tensor<4x8xf32>) -> tensor<8xf32>
  return %g, %ga, %gb : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>
}
