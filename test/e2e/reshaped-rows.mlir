// A row output that comes by a reshape of a reduction that keeps its axes: no other value
// of the kernel says which of its axes may be one.
// RUN: tenon-run %s --compare=reference | FileCheck %s
// RUN: tenon-run %s --compare=reference --backend=vulkan
// CHECK-COUNT-3: ok

func.func @apart(%x: tensor<4x8x8x16xi32>) -> tensor<8x16xi32> {
  %0 = tenon.reduce_max %x {axes = array<i64: 0, 2>, keep = true} : (tensor<4x8x8x16xi32>) -> tensor<1x8x1x16xi32>
  %1 = tenon.reduce_max %0 {axes = array<i64: 0, 2>} : (tensor<1x8x1x16xi32>) -> tensor<8x16xi32>
  return %1 : tensor<8x16xi32>
}

func.func @merged(%x: tensor<3x5x9xf32>) -> tensor<3x5xf32> {
  %0 = tenon.reduce_sum %x {axes = array<i64: 2>, keep = true} : (tensor<3x5x9xf32>) -> tensor<3x5x1xf32>
  %1 = tenon.reshape %0 {shape = array<i64: 3, 5>} : (tensor<3x5x1xf32>) -> tensor<3x5xf32>
  %2 = tenon.exp %1 : tensor<3x5xf32>
  return %2 : tensor<3x5xf32>
}

func.func @both(%x: tensor<4x3x2x6xf32>) -> tensor<4x6xf32> {
  %0 = tenon.reduce_sum %x {axes = array<i64: 1, 2>, keep = true} : (tensor<4x3x2x6xf32>) -> tensor<4x1x1x6xf32>
  %1 = tenon.reshape %0 {shape = array<i64: 4, 6>} : (tensor<4x1x1x6xf32>) -> tensor<4x6xf32>
  %2 = tenon.reduce_sum %x {axes = array<i64: 1, 2>} : (tensor<4x3x2x6xf32>) -> tensor<4x6xf32>
  %3 = tenon.mul %1, %2 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %3 : tensor<4x6xf32>
}
