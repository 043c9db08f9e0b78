// RUN: tenon-opt %s -tenon-fuse-norms -canonicalize -cse -split-input-file | FileCheck %s

// CHECK-LABEL: @layer_norm
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[G:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>
// CHECK-NEXT: %[[Y:.*]] = tenon.layer_norm %[[X]], %[[G]] bias %[[B]] {eps = 9.9999997{{.*}}E-6 : f64}
// CHECK-NEXT: return %[[Y]]
func.func @layer_norm(%x: tensor<4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %eps = tenon.constant dense<1.0e-5> : tensor<4x1xf32>
  %m = tenon.reduce_mean %x {axes = array<i64: 1>, keep = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %mb = tenon.broadcast %m {shape = array<i64: 4, 8>, dims = array<i64: 0, 1>} : (tensor<4x1xf32>) -> tensor<4x8xf32>
  %c = tenon.sub %x, %mb : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = tenon.mul %c, %c : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %v = tenon.reduce_mean %s {axes = array<i64: 1>, keep = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %ve = tenon.add %v, %eps : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
  %r = tenon.rsqrt %ve : tensor<4x1xf32>
  %rb = tenon.broadcast %r {shape = array<i64: 4, 8>, dims = array<i64: 0, 1>} : (tensor<4x1xf32>) -> tensor<4x8xf32>
  %n = tenon.mul %c, %rb : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %gb = tenon.broadcast %g {shape = array<i64: 4, 8>, dims = array<i64: 1>} : (tensor<8xf32>) -> tensor<4x8xf32>
  %ng = tenon.mul %gb, %n : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %bb = tenon.broadcast %b {shape = array<i64: 4, 8>, dims = array<i64: 1>} : (tensor<8xf32>) -> tensor<4x8xf32>
  %y = tenon.add %ng, %bb : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// Division by the root, power instead of product, sums times 1 / n, axis dropped.
// CHECK-LABEL: @layer_norm_spelled_otherwise
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf64>
// CHECK-NEXT: tenon.layer_norm %[[X]] {eps = 1.000000e-03 : f64}
// CHECK-NEXT: return
func.func @layer_norm_spelled_otherwise(%x: tensor<4x8xf64>) -> tensor<4x8xf64> {
  %eps = tenon.constant dense<1.0e-3> : tensor<4x8xf64>
  %two = tenon.constant dense<2.0> : tensor<4x8xf64>
  %eighth = tenon.constant dense<0.125> : tensor<4xf64>
  %eight = tenon.constant dense<8.0> : tensor<4x8xf64>
  %m = tenon.reduce_sum %x {axes = array<i64: 1>} : (tensor<4x8xf64>) -> tensor<4xf64>
  %m8 = tenon.mul %m, %eighth : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %mb = tenon.broadcast %m8 {shape = array<i64: 4, 8>, dims = array<i64: 0>} : (tensor<4xf64>) -> tensor<4x8xf64>
  %c = tenon.sub %x, %mb : (tensor<4x8xf64>, tensor<4x8xf64>) -> tensor<4x8xf64>
  %s = tenon.pow %c, %two : (tensor<4x8xf64>, tensor<4x8xf64>) -> tensor<4x8xf64>
  %v = tenon.reduce_sum %s {axes = array<i64: 1>} : (tensor<4x8xf64>) -> tensor<4xf64>
  %vb = tenon.broadcast %v {shape = array<i64: 4, 8>, dims = array<i64: 0>} : (tensor<4xf64>) -> tensor<4x8xf64>
  %v8 = tenon.div %vb, %eight : (tensor<4x8xf64>, tensor<4x8xf64>) -> tensor<4x8xf64>
  %ve = tenon.add %v8, %eps : (tensor<4x8xf64>, tensor<4x8xf64>) -> tensor<4x8xf64>
  %r = tenon.sqrt %ve : tensor<4x8xf64>
  %y = tenon.div %c, %r : (tensor<4x8xf64>, tensor<4x8xf64>) -> tensor<4x8xf64>
  return %y : tensor<4x8xf64>
}

// -----

// CHECK-LABEL: @rms_norm
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf64>, %[[G:.*]]: tensor<8xf64>
// CHECK-NEXT: tenon.rms_norm %[[X]], %[[G]] {eps = 1.000000e-03 : f64}
// CHECK-NEXT: return
func.func @rms_norm(%x: tensor<4x8xf64>, %g: tensor<8xf64>) -> tensor<4x8xf64> {
  %eps = tenon.constant dense<1.0e-3> : tensor<4xf64>
  %s = tenon.mul %x, %x : (tensor<4x8xf64>, tensor<4x8xf64>) -> tensor<4x8xf64>
  %v = tenon.reduce_mean %s {axes = array<i64: 1>} : (tensor<4x8xf64>) -> tensor<4xf64>
  %ve = tenon.add %eps, %v : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %r = tenon.rsqrt %ve : tensor<4xf64>
  %rb = tenon.broadcast %r {shape = array<i64: 4, 8>, dims = array<i64: 0>} : (tensor<4xf64>) -> tensor<4x8xf64>
  %n = tenon.mul %rb, %x : (tensor<4x8xf64>, tensor<4x8xf64>) -> tensor<4x8xf64>
  %gb = tenon.broadcast %g {shape = array<i64: 4, 8>, dims = array<i64: 1>} : (tensor<8xf64>) -> tensor<4x8xf64>
  %y = tenon.mul %n, %gb : (tensor<4x8xf64>, tensor<4x8xf64>) -> tensor<4x8xf64>
  return %y : tensor<4x8xf64>
}
