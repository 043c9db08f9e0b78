// Rows that registers do not hold: the loss reads its logits once, maximum, sum of powers and the
// target's logit together, eight elements before the first is used. The gradient reads them once
// more: its loads come before its stores.
// RUN: tenon-compile %s --target=vulkan --emit=spirv | FileCheck %s

// CHECK-LABEL: spirv.module
// CHECK: spirv.mlir.loop
// CHECK-COUNT-8: spirv.Load "StorageBuffer" {{.*}} : f32
// CHECK: spirv.mlir.merge
// CHECK-NOT: spirv.mlir.loop
// CHECK: spirv.Store "StorageBuffer" {{.*}} : f32
// CHECK-NOT: spirv.mlir.loop
// CHECK-LABEL: spirv.module
// CHECK: spirv.mlir.loop
// CHECK-COUNT-8: spirv.Load "StorageBuffer" {{.*}} : f32
// CHECK: spirv.mlir.merge
// CHECK: spirv.mlir.loop
// CHECK-COUNT-8: spirv.Load "StorageBuffer" {{.*}} : f32
// CHECK-NOT: spirv.Load "StorageBuffer" {{.*}} : f32
// CHECK-COUNT-8: spirv.Store "StorageBuffer" {{.*}} : f32
// CHECK: spirv.mlir.merge
// CHECK-NOT: spirv.mlir.loop
func.func @loss(%x: tensor<64x32768xf32>, %t: tensor<64xi32>, %d: tensor<64xf32>)
    -> (tensor<64xf32>, tensor<64x32768xf32>) {
  %e = tenon.softmax_cross_entropy %x, %t {floor = 0.0 : f64} : (tensor<64x32768xf32>, tensor<64xi32>) -> tensor<64xf32>
  %p = tenon.mul %e, %d : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %s = tenon.reduce_sum %p {axes = array<i64: 0>} : (tensor<64xf32>) -> tensor<f32>
  %g = tenon.gradient %s, %x : (tensor<f32>, tensor<64x32768xf32>) -> tensor<64x32768xf32>
  return %e, %g : tensor<64xf32>, tensor<64x32768xf32>
}
