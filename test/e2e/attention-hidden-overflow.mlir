// What a mask hides does not count, also where scores and products of it are too large for a number.

// RUN: tenon-run %s --compare=reference | FileCheck %s
// RUN: tenon-run %s --compare=reference --backend=vulkan
// RUN: tenon-run %s | FileCheck %s --check-prefix=VALUES --implicit-check-not=nan --implicit-check-not=inf
// RUN: tenon-run %s --backend=reference | FileCheck %s --check-prefix=VALUES --implicit-check-not=nan --implicit-check-not=inf

// CHECK-COUNT-16: ok
// VALUES-COUNT-16: output

// The last key, which query 0 does not see, and no query sees in the others, is 1e300.
func.func @causal(%q: tensor<1x1x2x4xf64>, %a: tensor<1x1x3x4xf64>, %do: tensor<1x1x2x4xf64>)
    -> (tensor<1x1x2x4xf64>, tensor<1x1x2x4xf64>, tensor<1x1x3x4xf64>, tensor<1x1x3x4xf64>) {
  %large = tenon.constant dense<1.0e+10> : tensor<1x1x2x4xf64>
  %hidden = tenon.constant dense<[[[[0.0], [0.0], [1.0e+300]]]]> : tensor<1x1x3x1xf64>
  %all = tenon.broadcast %hidden {shape = array<i64: 1, 1, 3, 4>, dims = array<i64: 0, 1, 2, 3>} : (tensor<1x1x3x1xf64>) -> tensor<1x1x3x4xf64>
  %k = tenon.add %a, %all : (tensor<1x1x3x4xf64>, tensor<1x1x3x4xf64>) -> tensor<1x1x3x4xf64>
  %p = tenon.add %q, %large : (tensor<1x1x2x4xf64>, tensor<1x1x2x4xf64>) -> tensor<1x1x2x4xf64>
  %d = tenon.mul %do, %large : (tensor<1x1x2x4xf64>, tensor<1x1x2x4xf64>) -> tensor<1x1x2x4xf64>
  %o, %lse = tenon.attention %p, %k, %k {scale = 0.5 : f64, causal = true} : (tensor<1x1x2x4xf64>, tensor<1x1x3x4xf64>, tensor<1x1x3x4xf64>) -> (tensor<1x1x2x4xf64>, tensor<1x1x2xf64>)
  %dq, %dk, %dv = tenon.attention_grad %p, %k, %k o %o, %lse, %d {scale = 0.5 : f64, causal = true} : (tensor<1x1x2x4xf64>, tensor<1x1x3x4xf64>, tensor<1x1x3x4xf64>, tensor<1x1x2x4xf64>, tensor<1x1x2xf64>, tensor<1x1x2x4xf64>) -> (tensor<1x1x2x4xf64>, tensor<1x1x3x4xf64>, tensor<1x1x3x4xf64>)
  return %o, %dq, %dk, %dv : tensor<1x1x2x4xf64>, tensor<1x1x2x4xf64>, tensor<1x1x3x4xf64>, tensor<1x1x3x4xf64>
}

func.func @masked(%q: tensor<1x1x2x4xf64>, %a: tensor<1x1x3x4xf64>, %do: tensor<1x1x2x4xf64>)
    -> (tensor<1x1x2x4xf64>, tensor<1x1x2x4xf64>, tensor<1x1x3x4xf64>, tensor<1x1x3x4xf64>) {
  %large = tenon.constant dense<1.0e+10> : tensor<1x1x2x4xf64>
  %hidden = tenon.constant dense<[[[[0.0], [0.0], [1.0e+300]]]]> : tensor<1x1x3x1xf64>
  %m = tenon.constant dense<[[[[true, true, false], [true, false, false]]]]> : tensor<1x1x2x3xi1>
  %all = tenon.broadcast %hidden {shape = array<i64: 1, 1, 3, 4>, dims = array<i64: 0, 1, 2, 3>} : (tensor<1x1x3x1xf64>) -> tensor<1x1x3x4xf64>
  %k = tenon.add %a, %all : (tensor<1x1x3x4xf64>, tensor<1x1x3x4xf64>) -> tensor<1x1x3x4xf64>
  %p = tenon.add %q, %large : (tensor<1x1x2x4xf64>, tensor<1x1x2x4xf64>) -> tensor<1x1x2x4xf64>
  %d = tenon.mul %do, %large : (tensor<1x1x2x4xf64>, tensor<1x1x2x4xf64>) -> tensor<1x1x2x4xf64>
  %o, %lse = tenon.attention %p, %k, %k, %m {scale = 0.5 : f64} : (tensor<1x1x2x4xf64>, tensor<1x1x3x4xf64>, tensor<1x1x3x4xf64>, tensor<1x1x2x3xi1>) -> (tensor<1x1x2x4xf64>, tensor<1x1x2xf64>)
  %dq, %dk, %dv = tenon.attention_grad %p, %k, %k mask %m o %o, %lse, %d {scale = 0.5 : f64} : (tensor<1x1x2x4xf64>, tensor<1x1x3x4xf64>, tensor<1x1x3x4xf64>, tensor<1x1x2x3xi1>, tensor<1x1x2x4xf64>, tensor<1x1x2xf64>, tensor<1x1x2x4xf64>) -> (tensor<1x1x2x4xf64>, tensor<1x1x3x4xf64>, tensor<1x1x3x4xf64>)
  return %o, %dq, %dk, %dv : tensor<1x1x2x4xf64>, tensor<1x1x2x4xf64>, tensor<1x1x3x4xf64>, tensor<1x1x3x4xf64>
}

func.func @added(%q: tensor<1x1x2x4xf64>, %a: tensor<1x1x3x4xf64>, %do: tensor<1x1x2x4xf64>)
    -> (tensor<1x1x2x4xf64>, tensor<1x1x2x4xf64>, tensor<1x1x3x4xf64>, tensor<1x1x3x4xf64>) {
  %large = tenon.constant dense<1.0e+10> : tensor<1x1x2x4xf64>
  %hidden = tenon.constant dense<[[[[0.0], [0.0], [1.0e+300]]]]> : tensor<1x1x3x1xf64>
  %m = tenon.constant dense<[[[[0.0, 1.0, 0xFFF0000000000000], [0.0, 0xFFF0000000000000, 0xFFF0000000000000]]]]> : tensor<1x1x2x3xf64>
  %all = tenon.broadcast %hidden {shape = array<i64: 1, 1, 3, 4>, dims = array<i64: 0, 1, 2, 3>} : (tensor<1x1x3x1xf64>) -> tensor<1x1x3x4xf64>
  %k = tenon.add %a, %all : (tensor<1x1x3x4xf64>, tensor<1x1x3x4xf64>) -> tensor<1x1x3x4xf64>
  %p = tenon.add %q, %large : (tensor<1x1x2x4xf64>, tensor<1x1x2x4xf64>) -> tensor<1x1x2x4xf64>
  %d = tenon.mul %do, %large : (tensor<1x1x2x4xf64>, tensor<1x1x2x4xf64>) -> tensor<1x1x2x4xf64>
  %o, %lse = tenon.attention %p, %k, %k, %m {scale = 0.5 : f64} : (tensor<1x1x2x4xf64>, tensor<1x1x3x4xf64>, tensor<1x1x3x4xf64>, tensor<1x1x2x3xf64>) -> (tensor<1x1x2x4xf64>, tensor<1x1x2xf64>)
  %dq, %dk, %dv = tenon.attention_grad %p, %k, %k mask %m o %o, %lse, %d {scale = 0.5 : f64} : (tensor<1x1x2x4xf64>, tensor<1x1x3x4xf64>, tensor<1x1x3x4xf64>, tensor<1x1x2x3xf64>, tensor<1x1x2x4xf64>, tensor<1x1x2xf64>, tensor<1x1x2x4xf64>) -> (tensor<1x1x2x4xf64>, tensor<1x1x3x4xf64>, tensor<1x1x3x4xf64>)
  return %o, %dq, %dk, %dv : tensor<1x1x2x4xf64>, tensor<1x1x2x4xf64>, tensor<1x1x3x4xf64>, tensor<1x1x3x4xf64>
}

// The mask leaves nothing of the last key, without an infinity.
func.func @faint(%q: tensor<1x1x2x4xf64>, %k: tensor<1x1x3x4xf64>, %do: tensor<1x1x2x4xf64>)
    -> (tensor<1x1x2x4xf64>, tensor<1x1x2x4xf64>, tensor<1x1x3x4xf64>, tensor<1x1x3x4xf64>) {
  %large = tenon.constant dense<1.0e+10> : tensor<1x1x2x4xf64>
  %v = tenon.constant dense<[[[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [1.0e+300, 1.0e+300, 1.0e+300, 1.0e+300]]]]> : tensor<1x1x3x4xf64>
  %m = tenon.constant dense<[[[[0.0, 1.0, -1.0e+9], [0.0, 0.0, -1.0e+9]]]]> : tensor<1x1x2x3xf64>
  %d = tenon.mul %do, %large : (tensor<1x1x2x4xf64>, tensor<1x1x2x4xf64>) -> tensor<1x1x2x4xf64>
  %o, %lse = tenon.attention %q, %k, %v, %m {scale = 0.5 : f64} : (tensor<1x1x2x4xf64>, tensor<1x1x3x4xf64>, tensor<1x1x3x4xf64>, tensor<1x1x2x3xf64>) -> (tensor<1x1x2x4xf64>, tensor<1x1x2xf64>)
  %dq, %dk, %dv = tenon.attention_grad %q, %k, %v mask %m o %o, %lse, %d {scale = 0.5 : f64} : (tensor<1x1x2x4xf64>, tensor<1x1x3x4xf64>, tensor<1x1x3x4xf64>, tensor<1x1x2x3xf64>, tensor<1x1x2x4xf64>, tensor<1x1x2xf64>, tensor<1x1x2x4xf64>) -> (tensor<1x1x2x4xf64>, tensor<1x1x3x4xf64>, tensor<1x1x3x4xf64>)
  return %o, %dq, %dk, %dv : tensor<1x1x2x4xf64>, tensor<1x1x2x4xf64>, tensor<1x1x3x4xf64>, tensor<1x1x3x4xf64>
}
