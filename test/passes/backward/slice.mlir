// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// Padded with zeros; a stride puts zeros between first.
// CHECK-LABEL: @slice(
// CHECK-SAME: %[[X:.*]]: tensor<6x8xf32>, %[[D:.*]]: tensor<2x3xf32>
// CHECK: %[[R:.*]] = tenon.reshape %[[D]] {shape = array<i64: 2, 3, 1>}
// CHECK: %[[P:.*]] = tenon.pad %[[R]] {high = array<i64: 0, 0, 2>
// CHECK: %[[J:.*]] = tenon.reshape %[[P]] {shape = array<i64: 2, 9>}
// CHECK: %[[S:.*]] = tenon.slice %[[J]] {{.*}} -> tensor<2x7xf32>
// CHECK: %[[G:.*]] = tenon.pad %[[S]] {high = array<i64: 3, 1>, low = array<i64: 1, 0>
// CHECK: return %[[G]]
func.func @slice(%x: tensor<6x8xf32>, %d: tensor<2x3xf32>) -> tensor<6x8xf32> {
  %y = tenon.slice %x {offsets = array<i64: 1, 0>, sizes = array<i64: 2, 3>, strides = array<i64: 1, 3>} : (tensor<6x8xf32>) -> tensor<2x3xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<2x3xf32>, tensor<6x8xf32>, tensor<2x3xf32>) -> tensor<6x8xf32>
  return %g : tensor<6x8xf32>
}

// Nothing is taken: an extent of 0, beside one that is known at run time only.
// CHECK-LABEL: @nothing(
// CHECK-NOT: tenon.reshape
// CHECK: return {{.*}} : tensor<?x2x15x3xf64>
func.func @nothing(%x: tensor<?x2x15x3xf64>, %d: tensor<4x0x2x3xf64>) -> tensor<?x2x15x3xf64> {
  %y = tenon.slice %x {offsets = array<i64: 17, 2, 11, 0>, sizes = array<i64: 4, 0, 2, 3>, strides = array<i64: 3, 2, 2, 1>} : (tensor<?x2x15x3xf64>) -> tensor<4x0x2x3xf64>
  %g = tenon.gradient %y, %x, %d : (tensor<4x0x2x3xf64>, tensor<?x2x15x3xf64>, tensor<4x0x2x3xf64>) -> tensor<?x2x15x3xf64>
  return %g : tensor<?x2x15x3xf64>
}

// One element along an axis needs no zeros between.
// CHECK-LABEL: @one(
// CHECK-NOT: tenon.reshape
// CHECK: tenon.pad {{.*}}high = array<i64: 2, 0, 0>, low = array<i64: 5, 0, 0>
func.func @one(%x: tensor<8x?x?xf32>, %d: tensor<1x?x?xf32>) -> tensor<8x?x?xf32> {
  %y = tenon.slice %x {offsets = array<i64: 5, 0, 0>, sizes = array<i64: 1, -9223372036854775808, -9223372036854775808>, strides = array<i64: 2, 1, 1>} : (tensor<8x?x?xf32>) -> tensor<1x?x?xf32>
  %g = tenon.gradient %y, %x, %d : (tensor<1x?x?xf32>, tensor<8x?x?xf32>, tensor<1x?x?xf32>) -> tensor<8x?x?xf32>
  return %g : tensor<8x?x?xf32>
}
