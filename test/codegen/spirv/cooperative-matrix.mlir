// Products of f16 by cooperative matrices, where the device is said to have them.
// RUN: tenon-compile %s --target=vulkan --emit=spirv --gpu-features=cooperative-matrix -o - | FileCheck %s
// RUN: tenon-compile %s --target=vulkan --emit=spirv -o - | FileCheck %s --check-prefix=WITHOUT
// WITHOUT-NOT: spirv.KHR

func.func @plain(%x: tensor<256x512xf16>, %y: tensor<384x512xf16>) -> tensor<256x384xf16> {
  %t = tenon.transpose %y {permutation = array<i64: 1, 0>} : (tensor<384x512xf16>) -> tensor<512x384xf16>
  %z = tenon.matmul %x, %t : (tensor<256x512xf16>, tensor<512x384xf16>) -> tensor<256x384xf16>
  %s = tenon.tanh %z : tensor<256x384xf16>
  return %s : tensor<256x384xf16>
}
// CHECK-LABEL: spirv.module Logical Vulkan
// CHECK-SAME: v1.6
// CHECK-SAME: CooperativeMatrixKHR
// CHECK-SAME: GroupNonUniform
// Both operands go along their depth, so the second one's matrices are column-major.
// CHECK: spirv.ControlBarrier <Workgroup>, <Workgroup>, <AcquireRelease|WorkgroupMemory|MakeAvailable|MakeVisible>
// CHECK: spirv.KHR.CooperativeMatrixLoad {{.*}}, <RowMajor>, <NonPrivatePointer> {{.*}} MatrixA>
// CHECK: spirv.KHR.CooperativeMatrixLoad {{.*}}, <ColumnMajor>, <NonPrivatePointer> {{.*}} MatrixB>
// CHECK: spirv.KHR.CooperativeMatrixMulAdd
// CHECK: spirv.KHR.CooperativeMatrixStore
// CHECK: spirv.ControlBarrier <Subgroup>, <Subgroup>
// CHECK: spirv.EntryPoint "GLCompute" @dispatch0, {{.*}}@buffer
// CHECK: spirv.ExecutionMode @dispatch0 "LocalSize", 128, 1, 1

// Elements that are found one by one are so by twice the invocations.
func.func @prologue(%x: tensor<512xf16>, %y: tensor<512x384xf16>) -> tensor<256x384xf16> {
  %e = tenon.broadcast %x {shape = array<i64: 256, 512>, dims = array<i64: 1>} : (tensor<512xf16>) -> tensor<256x512xf16>
  %z = tenon.matmul %e, %y : (tensor<256x512xf16>, tensor<512x384xf16>) -> tensor<256x384xf16>
  return %z : tensor<256x384xf16>
}
// CHECK-LABEL: spirv.module Logical Vulkan
// CHECK: spirv.KHR.CooperativeMatrixMulAdd
// CHECK: spirv.ExecutionMode @dispatch0 "LocalSize", 256, 1, 1
