// What --report says, as text, as JSON and as a picture.

// RUN: tenon-compile %s --report --march=x86-64-v3 -o /dev/null 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: tenon-compile %s --report=json --report-to=%t.json --march=x86-64-v3 -o /dev/null
// RUN: %python %S/Inputs/report.py %t.json
// RUN: tenon-compile %s --report=json --extent=10 --march=x86-64-v3 -o /dev/null 2>&1 | FileCheck %s --check-prefix=KNOWN
// RUN: tenon-compile %s --report=svg --extent=10 --march=x86-64-v3 -o /dev/null 2>&1 | FileCheck %s --check-prefix=SVG
// RUN: not tenon-compile %s --report=svg --march=x86-64-v3 -o /dev/null 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: not tenon-compile %s --report --extent=1,2 --march=x86-64-v3 -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not tenon-compile %s --report --extent=-1 --march=x86-64-v3 -o /dev/null 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not tenon-compile %s --report --report-to=%t.none/x -o /dev/null 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: not tenon-compile %s --report=table 2>&1 | FileCheck %s --check-prefix=KIND

// Of another machine there is nothing to measure.
// RUN: tenon-compile %s --report=json --march=armv8.2-a -o /dev/null 2>&1 | FileCheck %s --check-prefix=ELSEWHERE

// TEXT:      processor x86-64-v3, {{[0-9]+}} threads, {{.*}}FLOP/s f32, {{.*}}FLOP/s f64, {{.*}}B/s
// TEXT:      program main: 4 kernels in 8 steps
// TEXT:         0     1  s0 * 2048  s0 * 256 + 4096 {{.*}} matmul: matmul ({{.*}}report.mlir:[[#@LINE+23]]:8)
// TEXT-NEXT: tenon_kernel_
// TEXT:         2     5 {{.*}} rows: tanh
// TEXT:      arena of s0 * 256 bytes for 2 values
// TEXT:      0    s0 * 128     0     5  tensor<?x32xf32> of matmul: matmul
// TEXT:      s0 * 128    s0 * 128     5     6  tensor<?x32xf32> of rows: softmax
// TEXT:      ms to compile 4 kernels, 4 of them distinct
// TEXT:      left alone
// TEXT:      report.mlir:{{.*}}: not fused into attention: {{.+}}

// KNOWN: "flops": 20480
// SVG:   <svg xmlns='http://www.w3.org/2000/svg'
// SVG:   main: arena of {{[0-9]+}} bytes by step
// SVG:   <rect {{.*}}<title>tensor&lt;?x32xf32&gt; of matmul: matmul: 1280 bytes at {{[0-9]+}}, steps 0 to 5</title>
// SVG:   </svg>
// OPEN:  tenon-compile: a picture of the memory of 'main': expected values for the extents that are known at run time only
// COUNT: extents: expected a value for each of the 1 that are known at run time only, got 2
// NEGATIVE: tenon-compile: --extent: expected at least 0, got -1
// FOLDER: tenon-compile: cannot open output file {{.*}}x': No such file or directory
// KIND:  Cannot find option named 'table'
// ELSEWHERE: "bytes_per_second": null
// ELSEWHERE: "seconds_at_peak": null
func.func @main(%x: tensor<?x32xf32>, %w: tensor<32x32xf32>, %p: tensor<32xf32>) -> (tensor<?x32xf32>, tensor<f32>) {
  %h = tenon.matmul %x, %w : (tensor<?x32xf32>, tensor<32x32xf32>) -> tensor<?x32xf32>
  %y = tenon.loop trips 5 carry(%h) scan() use() : (tensor<?x32xf32>) -> tensor<?x32xf32> {
  ^bb0(%t: tensor<i64>, %c: tensor<?x32xf32>):
    %n = tenon.tanh %c : tensor<?x32xf32>
    tenon.yield %n : tensor<?x32xf32>
  }
  %s = tenon.softmax %h {axis = 1 : i64} : (tensor<?x32xf32>) -> tensor<?x32xf32>
  %l = tenon.reduce_sum %s {axes = array<i64: 0, 1>} : (tensor<?x32xf32>) -> tensor<f32>
  return %y, %l : tensor<?x32xf32>, tensor<f32>
}
