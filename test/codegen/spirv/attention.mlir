// Attention on a GPU is one dispatch, its gradient three; scores stay in a workgroup's memory.
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

// Of do * o first a sum per query, 2 * 4096 numbers; then a dispatch for dk and dv, and one for dq.
func.func @gradient(%q: tensor<1x2x4096x64xf32>, %o: tensor<1x2x4096x64xf32>, %lse: tensor<1x2x4096xf32>) -> (tensor<1x2x4096x64xf32>, tensor<1x2x4096x64xf32>, tensor<1x2x4096x64xf32>) {
  %dq, %dk, %dv = tenon.attention_grad %q, %q, %q o %o, %lse, %o {scale = 0.125 : f64, causal = true} : (tensor<1x2x4096x64xf32>, tensor<1x2x4096x64xf32>, tensor<1x2x4096x64xf32>, tensor<1x2x4096x64xf32>, tensor<1x2x4096xf32>, tensor<1x2x4096x64xf32>) -> (tensor<1x2x4096x64xf32>, tensor<1x2x4096x64xf32>, tensor<1x2x4096x64xf32>)
  return %dq, %dk, %dv : tensor<1x2x4096x64xf32>, tensor<1x2x4096x64xf32>, tensor<1x2x4096x64xf32>
}
// CHECK: spirv.ExecutionMode @dispatch0 "LocalSize", 64, 1, 1
// CHECK: spirv.ExecutionMode @dispatch1 "LocalSize", 128, 1, 1
// CHECK: spirv.ExecutionMode @dispatch2 "LocalSize", 128, 1, 1
// CHECK-NOT: @dispatch3
// KERNELS-LABEL: func.func @gradient
// KERNELS: tenon.kernel "attention_grad"

// dv needs no more than probabilities: no sums of do * o, and nothing of queries is stored.
func.func @values(%q: tensor<1x2x128x64xf32>, %o: tensor<1x2x128x64xf32>, %lse: tensor<1x2x128xf32>) -> tensor<1x2x128x64xf32> {
  %dq, %dk, %dv = tenon.attention_grad %q, %q, %q o %o, %lse, %o {scale = 0.125 : f64} : (tensor<1x2x128x64xf32>, tensor<1x2x128x64xf32>, tensor<1x2x128x64xf32>, tensor<1x2x128x64xf32>, tensor<1x2x128xf32>, tensor<1x2x128x64xf32>) -> (tensor<1x2x128x64xf32>, tensor<1x2x128x64xf32>, tensor<1x2x128x64xf32>)
  return %dv : tensor<1x2x128x64xf32>
}
// CHECK-NOT: @scratch
// CHECK: spirv.ExecutionMode @dispatch0 "LocalSize", 128, 1, 1
// CHECK-NOT: @dispatch1

// One query: a workgroup each 256 keys, which are loaded in vectors, and another dispatch for all
// of them together.
func.func @decode(%q: tensor<1x2x1x64xf16>, %k: tensor<1x2x?x64xf16>) -> tensor<1x2x1x64xf16> {
  %o, %lse = tenon.attention %q, %k, %k {scale = 0.125 : f64} : (tensor<1x2x1x64xf16>, tensor<1x2x?x64xf16>, tensor<1x2x?x64xf16>) -> (tensor<1x2x1x64xf16>, tensor<1x2x1xf32>)
  return %o : tensor<1x2x1x64xf16>
}
// CHECK: rtarray<vector<4xi32>, stride=16>
// CHECK: spirv.ExecutionMode @dispatch0 "LocalSize", 128, 1, 1
// CHECK: spirv.ExecutionMode @dispatch1 "LocalSize", 128, 1, 1
// CHECK-NOT: @dispatch2

// If there are no more, they are done.
func.func @decode_few(%q: tensor<1x2x1x64xf16>, %k: tensor<1x2x256x64xf16>) -> tensor<1x2x1x64xf16> {
  %o, %lse = tenon.attention %q, %k, %k {scale = 0.125 : f64} : (tensor<1x2x1x64xf16>, tensor<1x2x256x64xf16>, tensor<1x2x256x64xf16>) -> (tensor<1x2x1x64xf16>, tensor<1x2x1xf32>)
  return %o : tensor<1x2x1x64xf16>
}
// CHECK-NOT: @scratch
// CHECK: spirv.ExecutionMode @dispatch0 "LocalSize", 128, 1, 1
// CHECK-NOT: @dispatch1

// Heads too wide for an invocation's registers are spelled out.
func.func @wide(%q: tensor<1x1x8x300xf32>, %k: tensor<1x1x8x300xf32>, %v: tensor<1x1x8x300xf32>) -> tensor<1x1x8x300xf32> {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.125 : f64} : (tensor<1x1x8x300xf32>, tensor<1x1x8x300xf32>, tensor<1x1x8x300xf32>) -> (tensor<1x1x8x300xf32>, tensor<1x1x8xf32>)
  return %o : tensor<1x1x8x300xf32>
}
func.func @wide_gradient(%q: tensor<1x1x8x300xf32>, %lse: tensor<1x1x8xf32>) -> tensor<1x1x8x300xf32> {
  %dq, %dk, %dv = tenon.attention_grad %q, %q, %q o %q, %lse, %q {scale = 0.125 : f64} : (tensor<1x1x8x300xf32>, tensor<1x1x8x300xf32>, tensor<1x1x8x300xf32>, tensor<1x1x8x300xf32>, tensor<1x1x8xf32>, tensor<1x1x8x300xf32>) -> (tensor<1x1x8x300xf32>, tensor<1x1x8x300xf32>, tensor<1x1x8x300xf32>)
  return %dq : tensor<1x1x8x300xf32>
}
// KERNELS-LABEL: func.func @wide
// KERNELS-NOT: tenon.kernel "attention"
// KERNELS: tenon.matmul
// KERNELS-LABEL: func.func @wide_gradient
// KERNELS-NOT: tenon.kernel "attention_grad"
// KERNELS: tenon.matmul
