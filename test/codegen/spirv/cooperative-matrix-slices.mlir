// Operands begin at vectors wherever memory planning puts them: one piece of code, for slices, too.
// RUN: tenon-compile %s --target=vulkan --emit=spirv --gpu-features=cooperative-matrix -o - | FileCheck %s

func.func @slices(%x: tensor<3x256x520xf16>, %y: tensor<520x384xf16>) -> tensor<3x256x384xf16> {
  %z = tenon.loop trips 3 carry() scan(%x) use(%y) : (tensor<3x256x520xf16>, tensor<520x384xf16>) -> tensor<3x256x384xf16> {
  ^bb0(%t: tensor<i64>, %s: tensor<256x520xf16>, %w: tensor<520x384xf16>):
    %p = tenon.matmul %s, %w : (tensor<256x520xf16>, tensor<520x384xf16>) -> tensor<256x384xf16>
    tenon.yield %p : tensor<256x384xf16>
  }
  return %z : tensor<3x256x384xf16>
}
// In the loop over the depth, and after it.
// CHECK-COUNT-64: spirv.KHR.CooperativeMatrixMulAdd
// CHECK-NOT: spirv.KHR.CooperativeMatrixMulAdd
