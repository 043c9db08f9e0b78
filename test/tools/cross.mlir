// Code for another machine than the one that compiles.
// RUN: tenon-compile %s --emit=asm --march=armv8.2-a | FileCheck %s --check-prefix=ASM
// RUN: tenon-compile %s --emit=asm --target=aarch64-linux-gnu --march=cortex-a72 | FileCheck %s --check-prefix=ASM
// RUN: tenon-compile %s --emit=object --target=aarch64-linux-gnu -o %t.o --prefix=model --header=%t.h
// RUN: FileCheck %s --check-prefix=HEADER < %t.h
// RUN: llvm-readelf -h -p .note.tenon %t.o | FileCheck %s --check-prefix=NOTE

// RUN: not tenon-compile %s --emit=asm --target=aarch64-linux-gnu --march=native 2>&1 | FileCheck %s --check-prefix=NATIVE
// RUN: not tenon-compile %s --emit=shared -o %t.so --march=x86-64-v3,armv8-a 2>&1 | FileCheck %s --check-prefix=MIXED
// RUN: not tenon-compile %s --emit=asm --target=aarch64-linux-gnu --march=x86-64-v3 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not tenon-compile %s --emit=asm --target=x86_64-linux-gnu --march=armv8-a 2>&1 | FileCheck %s --check-prefix=ARCH
// RUN: not tenon-compile %s --emit=asm --march=armv99-a 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tenon-compile %s --emit=asm --target=riscv64-linux-gnu 2>&1 | FileCheck %s --check-prefix=RISCV
// RUN: not tenon-compile %s --emit=executable -o %t.exe --march=armv8-a 2>&1 | FileCheck %s --check-prefix=RUNTIME

// ASM:     fmul {{v[0-9]+}}.4s
// HEADER:  Made by tenon-compile for armv8-a (aarch64-unknown-linux-gnu)
// NOTE:    Machine: AArch64
// NOTE:    armv8-a
// NOTE:    neon
// NATIVE:  expected the name of a processor for aarch64-unknown-linux-gnu, got native: this machine is
// MIXED:   expected processors of one target, got 'x86-64-v3' of {{.*}} and 'armv8-a' of aarch64
// OTHER:   unknown processor 'x86-64-v3'; expected native, armv8-a, armv8.2-a, armv9-a or a name
// ARCH:    processor 'armv8-a': expected an architecture of AArch64 and a target that has it
// NONE:    processor 'armv99-a': expected an architecture of AArch64
// RISCV:   expected a target that is x86-64 or AArch64, got riscv64
// RUNTIME: --runtime: expected the folder of the static runtime for aarch64

func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %y = tenon.mul %x, %x : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %y : tensor<64xf32>
}
