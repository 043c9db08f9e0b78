// What no cooperative matrix computes.
// RUN: tenon-compile %s --target=vulkan --emit=spirv --gpu-features=cooperative-matrix -o - | FileCheck %s --implicit-check-not=spirv.KHR
// CHECK: spirv.module Logical GLSL450
// CHECK: spirv.module Logical GLSL450

// Neither f32 nor few rows.
func.func @others(%x: tensor<256x512xf32>, %y: tensor<512x384xf32>, %u: tensor<4x512xf16>, %v: tensor<512x384xf16>) -> (tensor<256x384xf32>, tensor<4x384xf16>) {
  %z = tenon.matmul %x, %y : (tensor<256x512xf32>, tensor<512x384xf32>) -> tensor<256x384xf32>
  %w = tenon.matmul %u, %v : (tensor<4x512xf16>, tensor<512x384xf16>) -> tensor<4x384xf16>
  return %z, %w : tensor<256x384xf32>, tensor<4x384xf16>
}
