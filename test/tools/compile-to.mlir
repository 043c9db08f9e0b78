// Stopping after a phase, and a file per phase.

// RUN: tenon-compile %s --compile-to=input | FileCheck %s --check-prefix=INPUT
// RUN: tenon-compile %s --compile-to=differentiated | FileCheck %s --check-prefix=DIFF
// RUN: rm -rf %t && tenon-compile %s --compile-to=fused --dump-phases-to=%t > /dev/null
// RUN: FileCheck %s --check-prefix=INPUT < %t/0-input.mlir
// RUN: FileCheck %s --check-prefix=INPUT < %t/1-fused.mlir
// RUN: not ls %t/2-differentiated.mlir
// RUN: not tenon-compile %s --compile-to=finished 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tenon-compile %s --emit=asm --march=z80 2>&1 | FileCheck %s --check-prefix=MARCH
// RUN: tenon-compile %s --disable=derive-backward --compile-to=differentiated \
// RUN:   | FileCheck %s --check-prefix=INPUT

// INPUT-LABEL: func.func @gradient
// INPUT:         tenon.gradient
// DIFF-LABEL:  func.func @gradient
// DIFF-NOT:      tenon.gradient
// DIFF:          tenon.exp
// UNKNOWN:     --compile-to: unknown phase 'finished', expected input, fused, differentiated, {{.*}}bufferized or llvm
// MARCH:       unknown processor 'z80'; expected native, x86-64-v2
func.func @gradient(%x: tensor<f32>) -> tensor<f32> {
  %y = tenon.exp %x : tensor<f32>
  %g = tenon.gradient %y, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}
