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

// RUN: not tenon-compile %s --mixed-precision=f8 2>&1 | FileCheck %s --check-prefix=MIXED
// MIXED: --mixed-precision: expected f16 or bf16, got 'f8'

// From the file of one phase to that of another, or to code, as in one go.
// RUN: tenon-compile %s --compile-to=fused -o %t.fused.mlir
// RUN: tenon-compile %s --compile-to=planned -o %t.planned.mlir
// RUN: tenon-compile %t.fused.mlir --compile-from=fused --compile-to=planned | diff - %t.planned.mlir
// RUN: tenon-compile %s --emit=asm -o %t.s
// RUN: tenon-compile %t.planned.mlir --compile-from=planned --emit=asm | diff - %t.s
// RUN: not tenon-compile %s --compile-from=llvm 2>&1 | FileCheck %s --check-prefix=FROM
// FROM: --compile-from: unknown phase 'llvm', expected one of --compile-to but

// How long each pass takes.
// RUN: tenon-compile %s --mlir-timing --compile-to=planned -o /dev/null 2>&1 | FileCheck %s --check-prefix=TIMING
// TIMING: Execution time report
// TIMING: differentiated
// TIMING: DeriveBackward

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
