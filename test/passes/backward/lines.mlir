// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// CHECK-LABEL: @cumsum(
// CHECK-SAME: %[[X:.*]]: tensor<4x9xf32>, %[[D:.*]]: tensor<4x9xf32>
// CHECK: %[[G:.*]] = tenon.cumsum %[[D]] {axis = 1 : i64, exclusive = true, reverse = true}
// CHECK: return %[[G]]
func.func @cumsum(%x: tensor<4x9xf32>, %d: tensor<4x9xf32>) -> tensor<4x9xf32> {
  %y = tenon.cumsum %x {axis = 1 : i64, exclusive = true} : (tensor<4x9xf32>) -> tensor<4x9xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4x9xf32>, tensor<4x9xf32>, tensor<4x9xf32>) -> tensor<4x9xf32>
  return %g : tensor<4x9xf32>
}

// A dynamic extent is that of x.
// CHECK-LABEL: @sort(
// CHECK-SAME: %[[X:.*]]: tensor<4x?xf32>, %[[D:.*]]: tensor<4x3xf32>
// CHECK: %[[V:.*]], %[[I:.*]] = tenon.sort %[[X]]
// CHECK: tenon.scatter_along %[[I]], %[[D]], %[[X]] {axis = 1 : i64, extent = -9223372036854775808 : i64}
func.func @sort(%x: tensor<4x?xf32>, %d: tensor<4x3xf32>) -> tensor<4x?xf32> {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = 3 : i64} : (tensor<4x?xf32>) -> (tensor<4x3xf32>, tensor<4x3xi32>)
  %g = tenon.gradient %v, %x, %d : (tensor<4x3xf32>, tensor<4x?xf32>, tensor<4x3xf32>) -> tensor<4x?xf32>
  return %g : tensor<4x?xf32>
}

// CHECK-LABEL: @gather_along(
// CHECK-SAME: %[[X:.*]]: tensor<4x5xf32>, %[[I:.*]]: tensor<4x3xi32>, %[[D:.*]]: tensor<4x3xf32>
// CHECK: tenon.scatter_along %[[I]], %[[D]] {axis = 1 : i64, extent = 5 : i64}
func.func @gather_along(%x: tensor<4x5xf32>, %i: tensor<4x3xi32>, %d: tensor<4x3xf32>) -> tensor<4x5xf32> {
  %y = tenon.gather_along %x, %i {axis = 1 : i64} : (tensor<4x5xf32>, tensor<4x3xi32>) -> tensor<4x3xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<4x3xf32>, tensor<4x5xf32>, tensor<4x3xf32>) -> tensor<4x5xf32>
  return %g : tensor<4x5xf32>
}
