// Tiles are as wide as the processor's vectors.

// RUN: tenon-compile %s --emit=asm --march=x86-64-v4 | FileCheck %s --check-prefix=V4
// RUN: tenon-compile %s --emit=asm --march=x86-64-v3 | FileCheck %s --check-prefix=V3
// RUN: tenon-compile %s --emit=asm --march=x86-64-v2 | FileCheck %s --check-prefix=V2

// V4-NOT: call{{.*}}exp
// V4: vfmadd{{.*}}%zmm
// V3-NOT: %zmm
// V3: vfmadd{{.*}}%ymm
// V2-NOT: vfmadd
// V2: mulps
func.func @attention(%q: tensor<1x4x64x32xf32>, %k: tensor<1x4x64x32xf32>)
    -> (tensor<1x4x64x32xf32>, tensor<1x4x64xf32>) {
  %o, %lse = tenon.attention %q, %k, %k {scale = 0.125 : f64}
     : (tensor<1x4x64x32xf32>, tensor<1x4x64x32xf32>, tensor<1x4x64x32xf32>)
    -> (tensor<1x4x64x32xf32>, tensor<1x4x64xf32>)
  return %o, %lse : tensor<1x4x64x32xf32>, tensor<1x4x64xf32>
}
