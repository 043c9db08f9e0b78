// Attention in f16 by cooperative matrices, where it is known how they lie in registers. Where keys are
// hidden a second dispatch computes again what is not finite.
// RUN: tenon-compile %s --target=vulkan --emit=spirv --gpu-features=fragments -o - | FileCheck %s
// RUN: tenon-compile %s --target=vulkan --emit=spirv --gpu-features=cooperative-matrix,shuffle -o - | FileCheck %s --check-prefix=NONE
// NONE-NOT: spirv.KHR.CooperativeMatrixMulAdd

// CHECK: spirv.KHR.CooperativeMatrixMulAdd
// CHECK: spirv.ExecutionMode @dispatch0 "LocalSize", 128, 1, 1
// CHECK-NOT: spirv.KHR.CooperativeMatrixMulAdd
// CHECK: spirv.ExecutionMode @dispatch1 "LocalSize", 128, 1, 1
func.func @causal(%q: tensor<1x4x100x64xf16>, %k: tensor<1x2x300x64xf16>, %v: tensor<1x2x300x64xf16>) -> tensor<1x4x100x64xf16> {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.125 : f64, causal = true} : (tensor<1x4x100x64xf16>, tensor<1x2x300x64xf16>, tensor<1x2x300x64xf16>) -> (tensor<1x4x100x64xf16>, tensor<1x4x100xf32>)
  return %o : tensor<1x4x100x64xf16>
}

// A head of 128: eight subgroups, with 16 queries each.
// CHECK: spirv.KHR.CooperativeMatrixMulAdd
// CHECK: spirv.ExecutionMode @dispatch0 "LocalSize", 256, 1, 1
// CHECK-NOT: @dispatch1
func.func @plain(%q: tensor<1x4x100x128xf16>, %k: tensor<1x2x300x128xf16>, %v: tensor<1x2x300x128xf16>) -> tensor<1x4x100x128xf16> {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.125 : f64} : (tensor<1x4x100x128xf16>, tensor<1x2x300x128xf16>, tensor<1x2x300x128xf16>) -> (tensor<1x4x100x128xf16>, tensor<1x4x100xf32>)
  return %o : tensor<1x4x100x128xf16>
}

// Sums are scaled only where a lane's maximum grows much; exponentials are powers of two. Of whole
// tiles no element is missing.
// CHECK: spirv.module
// CHECK-NOT: spirv.Select %{{.*}} : i1, vector<4xi32>
// CHECK: spirv.GroupNonUniformBallot <Subgroup>
// CHECK: spirv.GL.Pow
// CHECK-NOT: spirv.GL.Exp
// CHECK: spirv.EntryPoint
func.func @whole(%q: tensor<1x4x128x64xf16>, %k: tensor<1x2x256x64xf16>, %v: tensor<1x2x256x64xf16>) -> tensor<1x4x128x64xf16> {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.125 : f64} : (tensor<1x4x128x64xf16>, tensor<1x2x256x64xf16>, tensor<1x2x256x64xf16>) -> (tensor<1x4x128x64xf16>, tensor<1x4x128xf32>)
  return %o : tensor<1x4x128x64xf16>
}
// CHECK: spirv.Select %{{.*}} : i1, vector<4xi32>
// CHECK: spirv.EntryPoint
func.func @rest(%q: tensor<1x4x128x64xf16>, %k: tensor<1x2x255x64xf16>, %v: tensor<1x2x255x64xf16>) -> tensor<1x4x128x64xf16> {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.125 : f64} : (tensor<1x4x128x64xf16>, tensor<1x2x255x64xf16>, tensor<1x2x255x64xf16>) -> (tensor<1x4x128x64xf16>, tensor<1x4x128xf32>)
  return %o : tensor<1x4x128x64xf16>
}

// Not in f32, not where rows are no whole vectors, and not where only products are known.
// CHECK: spirv.ExecutionMode
// CHECK-NOT: spirv.KHR.CooperativeMatrixMulAdd
func.func @single(%q: tensor<1x4x100x64xf32>, %k: tensor<1x2x300x64xf32>, %v: tensor<1x2x300x64xf32>) -> tensor<1x4x100x64xf32> {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.125 : f64} : (tensor<1x4x100x64xf32>, tensor<1x2x300x64xf32>, tensor<1x2x300x64xf32>) -> (tensor<1x4x100x64xf32>, tensor<1x4x100xf32>)
  return %o : tensor<1x4x100x64xf32>
}
func.func @narrow(%q: tensor<1x4x100x60xf16>, %k: tensor<1x2x300x60xf16>, %v: tensor<1x2x300x60xf16>) -> tensor<1x4x100x60xf16> {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.125 : f64} : (tensor<1x4x100x60xf16>, tensor<1x2x300x60xf16>, tensor<1x2x300x60xf16>) -> (tensor<1x4x100x60xf16>, tensor<1x4x100xf32>)
  return %o : tensor<1x4x100x60xf16>
}
