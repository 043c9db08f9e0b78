// What each --emit writes, and the report.

// RUN: tenon-compile %s --emit=kernels --march=x86-64-v3 | FileCheck %s --check-prefix=KERNELS
// RUN: tenon-compile %s --emit=llvm --march=x86-64-v3 | FileCheck %s --check-prefix=LLVM
// RUN: tenon-compile %s --emit=asm --march=x86-64-v4 | FileCheck %s --check-prefix=V4
// RUN: tenon-compile %s --emit=asm --march=x86-64-v3 | FileCheck %s --check-prefix=V3
// RUN: tenon-compile %s --emit=asm --march=x86-64-v2 | FileCheck %s --check-prefix=V2
// RUN: tenon-compile %s --emit=asm -O0 --march=x86-64-v3 | FileCheck %s --check-prefix=ASM
// RUN: tenon-compile %s --emit=asm -O3 --march=x86-64-v3 | FileCheck %s --check-prefix=ASM
// RUN: tenon-compile %s --emit=object --prefix=dense -o %t.o --report --march=x86-64-v3 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REPORT
// RUN: llvm-nm %t.o | FileCheck %s --check-prefix=SYMBOLS
// RUN: not tenon-compile %s --emit=object -o %t.none/x.o 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: not tenon-compile %s --emit=tape 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// The same input gives the same bytes.
// RUN: tenon-compile %s --emit=object --prefix=dense -o %t.again.o --march=x86-64-v3
// RUN: cmp %t.o %t.again.o

// KERNELS: func.func @[[NAME:tenon_kernel_[0-9a-f]+]](
// KERNELS: vector.fma {{.*}} : vector<8xf32>
// LLVM:    define void @tenon_kernel_{{[0-9a-f]+}}(ptr %0, ptr %1, ptr %2)
// LLVM:    call {{.*}}<8 x float> @llvm.fmuladd.v8f32
// V4:      vfmadd{{.*}}%zmm
// V3-NOT:  %zmm
// V3:      vfmadd{{.*}}%ymm
// V3-NOT:  %zmm
// V2-NOT:  %ymm
// V2:      mulps {{.*}}%xmm
// V2-NOT:  %ymm
// ASM:     .globl tenon_kernel_
// REPORT:  matmul: matmul broadcast add relu
// REPORT:  tenon_kernel_{{[0-9a-f]+}}
// REPORT:  ms to compile 1 kernels, 1 of them distinct
// Nothing is needed from elsewhere but the runtime; nothing is there for others but
// what the header declares.
// SYMBOLS:      D dense_artifact
// SYMBOLS-NEXT: T dense_dense
// SYMBOLS-NEXT: U tenon_entry_call
// SYMBOLS-NEXT: t tenon_kernel_
// SYMBOLS-NOT:  {{[A-Z] }}
// FOLDER:  tenon-compile: cannot write {{.*}}x.o: No such file or directory
// UNKNOWN: Cannot find option named 'tape'
func.func @dense(%x: tensor<8x64xf32>, %w: tensor<64x32xf32>, %b: tensor<32xf32>) -> tensor<8x32xf32> {
  %p = tenon.matmul %x, %w : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  %s = tenon.broadcast %b {shape = array<i64: 8, 32>, dims = array<i64: 1>} : (tensor<32xf32>) -> tensor<8x32xf32>
  %y = tenon.add %p, %s : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  %r = tenon.relu %y : tensor<8x32xf32>
  return %r : tensor<8x32xf32>
}
