// What the tools say of an if, of whose bodies one is run.

// The memory plan: results of bodies lie where the if's do, and the bodies share the rest. What
// may not be run counts for nothing in the least time.
// RUN: tenon-compile %s --report --march=x86-64-v3 -o /dev/null 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: tenon-compile %s --report=json --march=x86-64-v3 -o /dev/null 2>&1 | FileCheck %s --check-prefix=JSON
// RUN: tenon-compile %s --report=svg --march=x86-64-v3 -o /dev/null 2>&1 | FileCheck %s --check-prefix=SVG
// TEXT:      program main: 5 kernels in 10 steps
// TEXT:         0     1 {{.*}} matmul: matmul
// TEXT:         2   0-1 {{.*}} matmul: matmul tanh
// TEXT:         3   0-1 {{.*}} matmul: matmul
// TEXT:         5   0-1 {{.*}} rows: softmax
// TEXT:         8     1 {{.*}} rows: reduce_sum
// TEXT:      at least {{.*}} us; {{.*}}; without the bodies of ifs
// TEXT:      arena of 1536 bytes for 3 values
// TEXT:      0         512     0     7  tensor<8x16xf32> of matmul: matmul
// TEXT-NEXT: 512         512     1     8  tensor<8x16xf32> of if
// TEXT-NEXT: 1024         512     2     3  tensor<8x16xf32> of matmul: matmul tanh
// JSON:      "conditional": true
// SVG-COUNT-3: <title>
// SVG-NOT:   <title>

// A profile has the kernels that were run.
// RUN: tenon-run %s --profile=%t.json --quiet && FileCheck %s --check-prefix=PROFILE < %t.json
// PROFILE:     matmul: matmul
// PROFILE-NOT: tanh
// PROFILE:     rows: reduce_sum

// Ahead of time: a program that measures itself, kernels alone, and the results of the same
// program in the process.
// RUN: rm -rf %t && mkdir %t && tenon-compile %s --emit=executable -o %t/program
// RUN: tenon-compile %s -o /dev/null --emit-kernel-benchmarks=%t/kernels
// RUN: %t/program --benchmark | FileCheck %s --check-prefix=RATE
// RUN: ls %t/kernels | FileCheck %s --check-prefix=FILES
// RUN: tenon-compile %S/../e2e/if.mlir --emit=shared -o %t/libif.so
// RUN: tenon-run %S/../e2e/if.mlir --extent=5 --random-inputs=2 > %t/expected
// RUN: tenon-run %t/libif.so --extent=5 --random-inputs=2 > %t/got
// RUN: diff %t/expected %t/got
// RATE: main: {{.*}} us, at most {{.*}} GFLOP/s, {{.*}} GB/s (
// FILES-COUNT-4: .mlir
func.func @main(%c: tensor<i1>, %x: tensor<8x16xf32>, %w: tensor<16x16xf32>) -> tensor<8xf32> {
  %h = tenon.matmul %x, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %y = tenon.if %c use(%h, %w) : (tensor<i1>, tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32> {
  ^bb0(%a: tensor<8x16xf32>, %b: tensor<16x16xf32>):
    %m = tenon.matmul %a, %b : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    %e = tenon.tanh %m : tensor<8x16xf32>
    %n = tenon.matmul %e, %b : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    tenon.yield %n : tensor<8x16xf32>
  } else {
  ^bb0(%a: tensor<8x16xf32>, %b: tensor<16x16xf32>):
    %e = tenon.softmax %a {axis = 1 : i64} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    tenon.yield %e : tensor<8x16xf32>
  }
  %s = tenon.reduce_sum %y {axes = array<i64: 1>} : (tensor<8x16xf32>) -> tensor<8xf32>
  return %s : tensor<8xf32>
}
