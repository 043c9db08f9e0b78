// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// dx = (p * sum(t) - t) * dl, with one-hot rows from the ids.
// CHECK-LABEL: @softmax_cross_entropy(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[T:.*]]: tensor<4xi32>, %[[D:.*]]: tensor<4xf32>
// CHECK-NOT: tenon.softmax_cross_entropy
// CHECK-DAG: %[[I:.*]] = tenon.broadcast %[[T]]
// CHECK-DAG: %[[K:.*]] = tenon.iota {axis = 1 : i64, dtype = i32
// CHECK: tenon.compare %[[I]], %[[K]] {predicate = #tenon.predicate<eq>}
// CHECK: tenon.softmax %[[X]] {axis = 1 : i64}
// CHECK: %[[S:.*]] = tenon.sub
// CHECK: %[[G:.*]] = tenon.mul %[[S]], %{{.*}}
// CHECK: return %[[G]]
func.func @softmax_cross_entropy(%x: tensor<4x8xf32>, %t: tensor<4xi32>, %d: tensor<4xf32>) -> tensor<4x8xf32> {
  %y = tenon.softmax_cross_entropy %x, %t {floor = 0.0 : f64} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4xf32>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return %g : tensor<4x8xf32>
}

// dt = -dl * log(softmax(x)), which no floor bounds.
// CHECK-LABEL: @soft(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[T:.*]]: tensor<4x8xf32>, %[[D:.*]]: tensor<4xf32>
// CHECK: %[[L:.*]] = tenon.log_softmax %[[X]] {axis = 1 : i64}
// CHECK-NOT: tenon.max
// CHECK: %[[M:.*]] = tenon.mul %[[L]], %{{.*}}
// CHECK: %[[G:.*]] = tenon.neg %[[M]]
// CHECK: return %[[G]]
func.func @soft(%x: tensor<4x8xf32>, %t: tensor<4x8xf32>, %d: tensor<4xf32>) -> tensor<4x8xf32> {
  %y = tenon.softmax_cross_entropy %x, %t {floor = 0.0 : f64} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4xf32>
  %g = tenon.gradient %y, %t, %d : (tensor<4xf32>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return %g : tensor<4x8xf32>
}

// With a floor it does.
// CHECK-LABEL: @floored(
// CHECK: %[[L:.*]] = tenon.log_softmax
// CHECK: tenon.max %[[L]], %{{.*}}
func.func @floored(%x: tensor<4x8xf32>, %t: tensor<4x8xf32>, %d: tensor<4xf32>) -> tensor<4x8xf32> {
  %y = tenon.softmax_cross_entropy %x, %t {floor = 1.0e-7 : f64} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4xf32>
  %g = tenon.gradient %y, %t, %d : (tensor<4xf32>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return %g : tensor<4x8xf32>
}
