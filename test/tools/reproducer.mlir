// A pass that fails leaves a file from which tenon-opt fails again: what the pass was given, and it.
// RUN: not tenon-compile %s --mlir-pass-pipeline-crash-reproducer=%t.mlir -o /dev/null 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=FILE < %t.mlir
// RUN: not tenon-opt --run-reproducer %t.mlir 2>&1 | FileCheck %s --check-prefix=ERROR
//
// CHECK: error: 'tenon.kernel' op has no backward rule
// CHECK: reproducer generated at `{{.*}}.mlir`
// FILE: tenon.gradient
// FILE: mlir_reproducer
// FILE: tenon-derive-backward
// ERROR: error: 'tenon.kernel' op has no backward rule
func.func @f(%x: tensor<5xf64>) -> tensor<5xf64> {
  %y = tenon.kernel "rows" (%x) : (tensor<5xf64>) -> tensor<5xf64> {
  ^bb0(%a: tensor<5xf64>):
    %e = tenon.exp %a : tensor<5xf64>
    tenon.yield %e : tensor<5xf64>
  }
  %l = tenon.reduce_sum %y {axes = array<i64: 0>} : (tensor<5xf64>) -> tensor<f64>
  %g = tenon.gradient %l, %x : (tensor<f64>, tensor<5xf64>) -> tensor<5xf64>
  return %g : tensor<5xf64>
}
