// RUN: tenon-opt %s -tenon-gather-windows=target=vulkan | FileCheck %s
// RUN: tenon-opt %s -tenon-gather-windows | FileCheck %s --check-prefix=CPU
// CPU-NOT: tenon.windows
// CPU-NOT: tenon.gather

// The gradient of a convolution with padding: that of the padding is not asked for.
// CHECK-LABEL: @gradient
// CHECK: %[[P:.*]] = tenon.pad {{.*}} {high = array<i64: 0, 0, 1, 1>, low = array<i64: 0, 0, 1, 1>, {{.*}} -> tensor<2x16x10x10xf32>
// CHECK: %[[W:.*]] = tenon.windows %[[P]] {{.*}} -> tensor<2x16x3x3x8x8xf32>
// CHECK: %[[C:.*]] = tenon.reshape %[[W]] {{.*}} -> tensor<2x144x64xf32>
// CHECK: %[[K:.*]] = tenon.gather
// CHECK: %[[B:.*]] = tenon.broadcast {{.*}} -> tensor<2x144x32xf32>
// CHECK: tenon.matmul %[[B]], %[[C]] {transpose_a = true} {{.*}} -> tensor<2x32x64xf32>
// CHECK-NOT: tenon.fold_windows
// CHECK-NOT: tenon.slice
// CHECK: return
func.func @gradient(%w: tensor<16x288xf32>, %dy: tensor<2x16x64xf32>) -> tensor<2x32x8x8xf32> {
  %k = tenon.broadcast %w {shape = array<i64: 2, 16, 288>, dims = array<i64: 1, 2>} : (tensor<16x288xf32>) -> tensor<2x16x288xf32>
  %z = tenon.matmul %k, %dy {transpose_a = true} : (tensor<2x16x288xf32>, tensor<2x16x64xf32>) -> tensor<2x288x64xf32>
  %u = tenon.reshape %z {shape = array<i64: 2, 32, 3, 3, 8, 8>} : (tensor<2x288x64xf32>) -> tensor<2x32x3x3x8x8xf32>
  %f = tenon.fold_windows %u {extents = array<i64: 10, 10>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<2x32x3x3x8x8xf32>) -> tensor<2x32x10x10xf32>
  %x = tenon.slice %f {offsets = array<i64: 0, 0, 1, 1>, sizes = array<i64: 2, 32, 8, 8>, strides = array<i64: 1, 1, 1, 1>} : (tensor<2x32x10x10xf32>) -> tensor<2x32x8x8xf32>
  return %x : tensor<2x32x8x8xf32>
}

// A transposed convolution; no padding is left out.
// CHECK-LABEL: @transposed
// CHECK: tenon.pad {{.*}} -> tensor<16x44xf32>
// CHECK: tenon.windows {{.*}} -> tensor<16x3x42xf32>
// CHECK: tenon.matmul {{.*}} -> tensor<32x42xf32>
func.func @transposed(%w: tensor<96x16xf32>, %x: tensor<16x40xf32>) -> tensor<32x42xf32> {
  %z = tenon.matmul %w, %x : (tensor<96x16xf32>, tensor<16x40xf32>) -> tensor<96x40xf32>
  %u = tenon.reshape %z {shape = array<i64: 32, 3, 40>} : (tensor<96x40xf32>) -> tensor<32x3x40xf32>
  %f = tenon.fold_windows %u {extents = array<i64: 42>, strides = array<i64: 1>, dilations = array<i64: 1>} : (tensor<32x3x40xf32>) -> tensor<32x42xf32>
  return %f : tensor<32x42xf32>
}

// CHECK-LABEL: @strided
// CHECK: tenon.fold_windows
func.func @strided(%w: tensor<96x16xf32>, %x: tensor<16x40xf32>) -> tensor<32x81xf32> {
  %z = tenon.matmul %w, %x : (tensor<96x16xf32>, tensor<16x40xf32>) -> tensor<96x40xf32>
  %u = tenon.reshape %z {shape = array<i64: 32, 3, 40>} : (tensor<96x40xf32>) -> tensor<32x3x40xf32>
  %f = tenon.fold_windows %u {extents = array<i64: 81>, strides = array<i64: 2>, dilations = array<i64: 1>} : (tensor<32x3x40xf32>) -> tensor<32x81xf32>
  return %f : tensor<32x81xf32>
}

// CHECK-LABEL: @few_channels
// CHECK: tenon.fold_windows
func.func @few_channels(%w: tensor<9x16xf32>, %x: tensor<16x40xf32>) -> tensor<3x42xf32> {
  %z = tenon.matmul %w, %x : (tensor<9x16xf32>, tensor<16x40xf32>) -> tensor<9x40xf32>
  %u = tenon.reshape %z {shape = array<i64: 3, 3, 40>} : (tensor<9x40xf32>) -> tensor<3x3x40xf32>
  %f = tenon.fold_windows %u {extents = array<i64: 42>, strides = array<i64: 1>, dilations = array<i64: 1>} : (tensor<3x3x40xf32>) -> tensor<3x42xf32>
  return %f : tensor<3x42xf32>
}

// As many terms for each of 7 places as there were for one.
// CHECK-LABEL: @one_place
// CHECK: tenon.fold_windows
func.func @one_place(%w: tensor<224x16xf32>, %x: tensor<16x1xf32>) -> tensor<32x7xf32> {
  %z = tenon.matmul %w, %x : (tensor<224x16xf32>, tensor<16x1xf32>) -> tensor<224x1xf32>
  %u = tenon.reshape %z {shape = array<i64: 32, 7, 1>} : (tensor<224x1xf32>) -> tensor<32x7x1xf32>
  %f = tenon.fold_windows %u {extents = array<i64: 7>, strides = array<i64: 1>, dilations = array<i64: 1>} : (tensor<32x7x1xf32>) -> tensor<32x7xf32>
  return %f : tensor<32x7xf32>
}
