// Attention on a GPU is one dispatch, whose workgroups keep scores in their memory.
// RUN: tenon-compile %s --target=vulkan --emit=spirv -o - | FileCheck %s
// RUN: tenon-compile %s --target=vulkan --compile-to=kernels -o - | FileCheck %s --check-prefix=KERNELS

func.func @tiles(%q: tensor<1x2x4096x64xf32>, %k: tensor<1x2x4096x64xf32>, %v: tensor<1x2x4096x64xf32>) -> tensor<1x2x4096x64xf32> {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.125 : f64, causal = true} : (tensor<1x2x4096x64xf32>, tensor<1x2x4096x64xf32>, tensor<1x2x4096x64xf32>) -> (tensor<1x2x4096x64xf32>, tensor<1x2x4096xf32>)
  return %o : tensor<1x2x4096x64xf32>
}
// CHECK-LABEL: spirv.module
// CHECK-NOT: @scratch
// CHECK-DAG: Workgroup>
// CHECK: spirv.ExecutionMode @dispatch0 "LocalSize", 128, 1, 1
// CHECK-NOT: @dispatch1
// KERNELS-LABEL: func.func @tiles
// KERNELS: tenon.kernel "attention"

// Heads too wide for an invocation's registers are spelled out.
func.func @wide(%q: tensor<1x1x8x300xf32>, %k: tensor<1x1x8x300xf32>, %v: tensor<1x1x8x300xf32>) -> tensor<1x1x8x300xf32> {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.125 : f64} : (tensor<1x1x8x300xf32>, tensor<1x1x8x300xf32>, tensor<1x1x8x300xf32>) -> (tensor<1x1x8x300xf32>, tensor<1x1x8xf32>)
  return %o : tensor<1x1x8x300xf32>
}
// KERNELS-LABEL: func.func @wide
// KERNELS-NOT: tenon.kernel "attention"
// KERNELS: tenon.matmul
