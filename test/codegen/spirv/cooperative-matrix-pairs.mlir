// Where it is known which elements of a matrix a lane holds, results are computed in registers, and
// halves beside each other are loaded and stored together.
// RUN: tenon-compile %s --target=vulkan --emit=spirv --gpu-features=fragments -o - | FileCheck %s

// CHECK-NOT: spirv.KHR.CooperativeMatrixStore
// CHECK: spirv.CompositeExtract {{.*}} : !spirv.coopmatrix<16x16xf32, Subgroup, MatrixAcc>
// CHECK: spirv.Load "StorageBuffer" {{.*}} : i32 loc(
// CHECK: spirv.Bitcast {{.*}} : i32 to vector<2xf16>
// CHECK: spirv.Bitcast {{.*}} : vector<2xf16> to i32
// CHECK: spirv.Store "StorageBuffer" {{.*}} : i32 loc(
// CHECK-NOT: spirv.KHR.CooperativeMatrixStore
// CHECK: spirv.ExecutionMode
func.func @residual(%x: tensor<256x512xf16>, %y: tensor<512x384xf16>, %r: tensor<256x384xf16>) -> tensor<256x384xf16> {
  %z = tenon.matmul %x, %y : (tensor<256x512xf16>, tensor<512x384xf16>) -> tensor<256x384xf16>
  %s = tenon.add %z, %r : (tensor<256x384xf16>, tensor<256x384xf16>) -> tensor<256x384xf16>
  return %s : tensor<256x384xf16>
}

// Of an odd number of columns there are no pairs.
// CHECK: spirv.KHR.CooperativeMatrixStore
// CHECK: spirv.ExecutionMode
func.func @odd(%x: tensor<256x512xf16>, %y: tensor<512x133xf16>) -> tensor<256x133xf16> {
  %z = tenon.matmul %x, %y : (tensor<256x512xf16>, tensor<512x133xf16>) -> tensor<256x133xf16>
  return %z : tensor<256x133xf16>
}
