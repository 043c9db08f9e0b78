// RUN: tenon-compile --march=x86-64-v4 --emit=kernels %s | FileCheck %s
// RUN: sed 's/96/4/g' %s | tenon-compile --march=x86-64-v4 --emit=kernels - | FileCheck %s --check-prefix=NARROW

// Square blocks of registers, and no gather; but not for a few columns.
// CHECK-NOT: vector.gather
// CHECK: vector.shuffle
// CHECK-NOT: vector.gather
// CHECK: return

// NARROW-NOT: vector.shuffle
// NARROW: vector.gather
// NARROW-NOT: vector.shuffle
func.func @tiles(%x: tensor<128x96xf32>) -> tensor<96x128xf32> {
  %t = tenon.transpose %x {permutation = array<i64: 1, 0>} : (tensor<128x96xf32>) -> tensor<96x128xf32>
  %y = tenon.neg %t : tensor<96x128xf32>
  return %y : tensor<96x128xf32>
}
