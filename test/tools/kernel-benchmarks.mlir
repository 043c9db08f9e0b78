// Each kernel as a program that measures itself.

// RUN: rm -rf %t && tenon-compile %tenon_src/examples/mlir/attention.mlir --emit-kernel-benchmarks=%t/all -o /dev/null
// RUN: ls %t/all | FileCheck %s --check-prefix=FILES
// RUN: sh -c 'for file in %t/all/*.mlir; do tenon-run $file --compare=reference || exit 1; done' | FileCheck %s --check-prefix=SAME
// RUN: sh -c 'for file in %t/all/*.mlir; do ${file%%.mlir} --benchmark; done' | FileCheck %s --check-prefix=RATE

// Any program measures itself; extents that are known at run time only are said.
// RUN: tenon-compile %s --emit=executable -o %t/program
// RUN: %t/program --entry=main --benchmark | FileCheck %s --check-prefix=MAIN
// RUN: %t/program --entry=open --benchmark --extent=1000 | FileCheck %s --check-prefix=WIDE
// RUN: not %t/program --entry=open --benchmark 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not %t/program --entry=open --benchmark --extent=3,x 2>&1 | FileCheck %s --check-prefix=NUMBERS
// RUN: not %t/program --entry=open --extent=3 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: not %t/program --entry=open --benchmark x.npy 2>&1 | FileCheck %s --check-prefix=INPUT
// RUN: not tenon-compile %s --emit=object -o %t/x.o --emit-kernel-benchmarks=%t 2>&1 | FileCheck %s --check-prefix=EMIT

// FILES-COUNT-3: tenon_kernel_{{[0-9a-f]+}}.mlir
// FILES-NOT:     .mlir
// SAME-COUNT-3:  ok
// RATE-COUNT-3:  tenon_kernel_{{[0-9a-f]+}}: {{[0-9.]+}} us, {{[0-9.]+}} GFLOP/s, {{[0-9.]+}} GB/s
// A run of the loop counts its trips: a product of 2*8*64*32 once, 256 for each of 5.
// MAIN:    main: {{[0-9.]+}} us, {{.*}} (34048 flops,
// WIDE:    open: {{[0-9.]+}} us, {{.*}} (1000 flops, 8000 bytes
// MISSING: --extent: expected 1 numbers, the values of n0, n1, ... in --help, got 0
// NUMBERS: --extent: expected numbers from 0, separated by commas, got '3,x'
// ALONE:   --extent: expected with --benchmark only
// INPUT:   --benchmark takes no inputs and no --output: its inputs are random
// EMIT:    --emit-kernel-benchmarks: expected without --compile-to
func.func @main(%x: tensor<8x64xf32>, %w: tensor<64x32xf32>) -> tensor<8x32xf32> {
  %h = tenon.matmul %x, %w : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  %y = tenon.loop trips 5 carry(%h) scan() use() : (tensor<8x32xf32>) -> tensor<8x32xf32> {
  ^bb0(%t: tensor<i64>, %c: tensor<8x32xf32>):
    %n = tenon.tanh %c : tensor<8x32xf32>
    tenon.yield %n : tensor<8x32xf32>
  }
  return %y : tensor<8x32xf32>
}
func.func @open(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = tenon.exp %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
