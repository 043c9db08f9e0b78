// RUN: tenon-compile --march=x86-64-v4 --emit=asm %s | FileCheck %s
// RUN: tenon-compile --march=x86-64-v4 --emit=kernels %s | FileCheck %s --check-prefix=KERNEL
// RUN: sed 's/1048576/1024/g' %s | tenon-compile --march=x86-64-v4 --emit=kernels - | FileCheck %s --check-prefix=SMALL

// All lanes of a register, and products of 32 bits.
// CHECK-NOT: vpmullq
// CHECK: vpmuludq {{.*}}zmm
// CHECK-NOT: vpmullq

// What does not fit a cache is asked for ahead.
// KERNEL: memref.prefetch
// SMALL-NOT: memref.prefetch
func.func @dropout(%x: tensor<1048576xf32>, %seed: tensor<i64>, %step: tensor<i64>) -> tensor<1048576xf32> {
  %y = tenon.dropout %x, %seed, %step {rate = 0.1 : f64, stream = 5 : i64} : (tensor<1048576xf32>, tensor<i64>, tensor<i64>) -> tensor<1048576xf32>
  return %y : tensor<1048576xf32>
}
