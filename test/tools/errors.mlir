// An error names the place in the program, with no op printed behind it.
// RUN: not tenon-run %s --extent=5 2>&1 | FileCheck %s
// RUN: not tenon-run %s --extent=5 --backend=reference 2>&1 | FileCheck %s
// RUN: not tenon-compile %s 2>&1 | FileCheck %s

// CHECK-NOT: see current operation
// CHECK:     :[[#@LINE+4]]:{{[0-9]+}}: {{.*}}'tenon.slice' op has no backward rule when it takes a part of a dynamic axis
// CHECK-NOT: see current operation
// CHECK-NOT: {{^ *"tenon.slice"}}
func.func @part(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = tenon.slice %x {offsets = array<i64: 1>, sizes = array<i64: 2>, strides = array<i64: 1>} : (tensor<?xf64>) -> tensor<2xf64>
  %l = tenon.reduce_sum %y {axes = array<i64: 0>} : (tensor<2xf64>) -> tensor<f64>
  %g = tenon.gradient %l, %x : (tensor<f64>, tensor<?xf64>) -> tensor<?xf64>
  return %g : tensor<?xf64>
}
