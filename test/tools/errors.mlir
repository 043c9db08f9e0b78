// An error names the place in the program, with no op printed behind it.
// RUN: not tenon-run %s 2>&1 | FileCheck %s
// RUN: not tenon-run %s --backend=reference 2>&1 | FileCheck %s
// RUN: not tenon-compile %s 2>&1 | FileCheck %s

// CHECK-NOT: see current operation
// CHECK:     :[[#@LINE+4]]:{{[0-9]+}}: {{.*}}'tenon.kernel' op has no backward rule, and a gradient flows through it
// CHECK-NOT: see current operation
// CHECK-NOT: {{^ *"tenon.kernel"}}
func.func @through_kernel(%x: tensor<5xf64>) -> tensor<5xf64> {
  %y = tenon.kernel "rows" (%x) : (tensor<5xf64>) -> tensor<5xf64> {
  ^bb0(%a: tensor<5xf64>):
    %e = tenon.exp %a : tensor<5xf64>
    tenon.yield %e : tensor<5xf64>
  }
  %l = tenon.reduce_sum %y {axes = array<i64: 0>} : (tensor<5xf64>) -> tensor<f64>
  %g = tenon.gradient %l, %x : (tensor<f64>, tensor<5xf64>) -> tensor<5xf64>
  return %g : tensor<5xf64>
}
