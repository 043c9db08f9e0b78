// A file with code for several processors takes what each of them runs, and says why it cannot.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: %python %S/Inputs/tensors.py x.npy f4 4 0 1 2 3
// RUN: tenon-compile %s --emit=executable --march=x86-64-v2,x86-64-v3,x86-64-v4 -o many
// RUN: ./many x.npy --output=here- && %python %S/Inputs/tensors.py here-y.npy | FileCheck %s
// RUN: qemu-x86_64 -cpu Nehalem ./many x.npy --output=v2- && %python %S/Inputs/tensors.py v2-y.npy | FileCheck %s
// RUN: qemu-x86_64 -cpu Haswell ./many x.npy --output=v3- && %python %S/Inputs/tensors.py v3-y.npy | FileCheck %s
// CHECK: <f4 (4,) 1.0 2.71828{{[0-9]*}} 7.3890{{[0-9]*}} 20.0855

// RUN: tenon-compile %s --emit=executable --march=x86-64-v3,x86-64-v4 -o wide
// RUN: not qemu-x86_64 -cpu Nehalem ./wide x.npy 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: tenon-compile %s --emit=executable --march=x86-64-v4 -o newest
// RUN: not qemu-x86_64 -cpu Haswell ./newest x.npy 2>&1 | FileCheck %s --check-prefix=WIDE
// OLD:  'wide' is compiled for x86-64-v3: this processor has not {{.*}}avx2
// WIDE: 'newest' is compiled for x86-64-v4: this processor has not {{.*}}avx512f

func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32> {tenon.name = "y"}) {
  %y = tenon.exp %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
