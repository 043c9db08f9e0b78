// Lanes that read every third element of a reshape cross from one of its rows to the next.
// RUN: tenon-run %s --compare=reference | FileCheck %s
// RUN: tenon-run %s --compare=reference --backend=vulkan
// CHECK-COUNT-2: ok

func.func @slice_of_reshape(%x: tensor<33xf32>) -> tensor<31xf32> {
  %0 = tenon.windows %x {sizes = array<i64: 3>, strides = array<i64: 1>, dilations = array<i64: 1>} : (tensor<33xf32>) -> tensor<3x31xf32>
  %1 = tenon.reshape %0 {shape = array<i64: 93>} : (tensor<3x31xf32>) -> tensor<93xf32>
  %2 = tenon.slice %1 {sizes = array<i64: 31>, strides = array<i64: 3>, offsets = array<i64: 1>} : (tensor<93xf32>) -> tensor<31xf32>
  return %2 : tensor<31xf32>
}

func.func @windows_of_reshape(%x: tensor<33x1xf32>) -> tensor<2x31xf32> {
  %0 = tenon.windows %x {sizes = array<i64: 3, 1>, strides = array<i64: 1, 2>, dilations = array<i64: 1, 1>} : (tensor<33x1xf32>) -> tensor<3x1x31x1xf32>
  %1 = tenon.reshape %0 {shape = array<i64: 93>} : (tensor<3x1x31x1xf32>) -> tensor<93xf32>
  %2 = tenon.windows %1 {sizes = array<i64: 2>, strides = array<i64: 3>, dilations = array<i64: 2>} : (tensor<93xf32>) -> tensor<2x31xf32>
  return %2 : tensor<2x31xf32>
}
