// Attention whose head widths are known at run time only is expanded.
// RUN: tenon-run %s --compare=reference --function=causal --extent=3,5,7,5,7,2
// RUN: tenon-run %s --compare=reference --function=causal --extent=3,5,7,5,7,2 --backend=vulkan
// RUN: tenon-run %s --compare=reference --function=causal --extent=1,17,1,17,1,33
// RUN: tenon-run %s --compare=reference --function=masked --extent=5,2,5,2,3
// RUN: tenon-run %s --compare=reference --function=masked --extent=1,4,1,4,0
// RUN: tenon-run %s --compare=reference --function=nothing_seen --extent=2,5,2,5,2,3
// RUN: tenon-run %s --compare=reference --function=nothing_seen --extent=2,5,2,5,2,3 --backend=vulkan
// RUN: tenon-run %s --compare=reference --function=twice --extent=3
// RUN: tenon-run %s --compare=reference --function=no_heads --extent=0

func.func @causal(%q: tensor<1x2x?x?xf32>, %k: tensor<1x2x?x?xf32>, %v: tensor<1x2x?x?xf32>) -> (tensor<1x2x?x?xf32>, tensor<1x2x?xf32>, tensor<1x2x?x?xf32>, tensor<1x2x?x?xf32>, tensor<1x2x?x?xf32>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.5 : f64, causal = true} : (tensor<1x2x?x?xf32>, tensor<1x2x?x?xf32>, tensor<1x2x?x?xf32>) -> (tensor<1x2x?x?xf32>, tensor<1x2x?xf32>)
  %w = tenon.exp %o : tensor<1x2x?x?xf32>
  %l = tenon.reduce_sum %w {axes = array<i64: 0, 1, 2, 3>} : (tensor<1x2x?x?xf32>) -> tensor<f32>
  %dq = tenon.gradient %l, %q : (tensor<f32>, tensor<1x2x?x?xf32>) -> tensor<1x2x?x?xf32>
  %dk = tenon.gradient %l, %k : (tensor<f32>, tensor<1x2x?x?xf32>) -> tensor<1x2x?x?xf32>
  %dv = tenon.gradient %l, %v : (tensor<f32>, tensor<1x2x?x?xf32>) -> tensor<1x2x?x?xf32>
  return %o, %lse, %dq, %dk, %dv : tensor<1x2x?x?xf32>, tensor<1x2x?xf32>, tensor<1x2x?x?xf32>, tensor<1x2x?x?xf32>, tensor<1x2x?x?xf32>
}

// Rows of -inf see no key; key heads are shared.
func.func @masked(%q: tensor<2x4x3x?xbf16>, %k: tensor<2x?x3x?xbf16>, %v: tensor<2x?x3x?xbf16>) -> (tensor<2x4x3x?xbf16>, tensor<2x4x3xf32>) {
  %m = tenon.constant dense<[[[[0.0, 1.0, 0xFF80], [0xFF80, 0xFF80, 0xFF80], [0.5, 0xFF80, 2.0]]]]> : tensor<1x1x3x3xbf16>
  %o, %lse = tenon.attention %q, %k, %v, %m {scale = 0.5 : f64} : (tensor<2x4x3x?xbf16>, tensor<2x?x3x?xbf16>, tensor<2x?x3x?xbf16>, tensor<1x1x3x3xbf16>) -> (tensor<2x4x3x?xbf16>, tensor<2x4x3xf32>)
  return %o, %lse : tensor<2x4x3x?xbf16>, tensor<2x4x3xf32>
}

// The second query sees no key, and no value either, of which none is a number.
func.func @nothing_seen(%q: tensor<?x1x3x?xf32>, %k: tensor<?x1x3x?xf32>, %x: tensor<?x1x3x?xf32>) -> (tensor<?x1x3x?xf32>, tensor<?x1x3xf32>) {
  %m = tenon.constant dense<[[[[true, true, false], [false, false, false], [true, false, true]]]]> : tensor<1x1x3x3xi1>
  %a = tenon.abs %x : tensor<?x1x3x?xf32>
  %n = tenon.neg %a : tensor<?x1x3x?xf32>
  %v = tenon.log %n : tensor<?x1x3x?xf32>
  %o, %lse = tenon.attention %q, %k, %v, %m {scale = 0.5 : f64} : (tensor<?x1x3x?xf32>, tensor<?x1x3x?xf32>, tensor<?x1x3x?xf32>, tensor<1x1x3x3xi1>) -> (tensor<?x1x3x?xf32>, tensor<?x1x3xf32>)
  return %o, %lse : tensor<?x1x3x?xf32>, tensor<?x1x3xf32>
}

// A second derivative, with key heads that are shared.
func.func @twice(%q: tensor<1x?x2x4xf64>, %k: tensor<1x1x2x4xf64>) -> tensor<1x1x2x4xf64> {
  %o, %lse = tenon.attention %q, %k, %k {scale = 0.5 : f64} : (tensor<1x?x2x4xf64>, tensor<1x1x2x4xf64>, tensor<1x1x2x4xf64>) -> (tensor<1x?x2x4xf64>, tensor<1x?x2xf64>)
  %w = tenon.exp %o : tensor<1x?x2x4xf64>
  %l = tenon.reduce_sum %w {axes = array<i64: 0, 1, 2, 3>} : (tensor<1x?x2x4xf64>) -> tensor<f64>
  %dk = tenon.gradient %l, %k : (tensor<f64>, tensor<1x1x2x4xf64>) -> tensor<1x1x2x4xf64>
  %s = tenon.mul %dk, %dk : (tensor<1x1x2x4xf64>, tensor<1x1x2x4xf64>) -> tensor<1x1x2x4xf64>
  %m = tenon.reduce_sum %s {axes = array<i64: 0, 1, 2, 3>} : (tensor<1x1x2x4xf64>) -> tensor<f64>
  %ddk = tenon.gradient %m, %k : (tensor<f64>, tensor<1x1x2x4xf64>) -> tensor<1x1x2x4xf64>
  return %ddk : tensor<1x1x2x4xf64>
}

// The kernel takes what has no heads.
func.func @no_heads(%q: tensor<1x?x4x8xf32>, %o: tensor<1x?x4x8xf32>, %lse: tensor<1x?x4xf32>) -> tensor<1x?x4x8xf32> {
  %dq, %dk, %dv = tenon.attention_grad %q, %q, %q o %o, %lse, %o {scale = 0.125 : f64} : (tensor<1x?x4x8xf32>, tensor<1x?x4x8xf32>, tensor<1x?x4x8xf32>, tensor<1x?x4x8xf32>, tensor<1x?x4xf32>, tensor<1x?x4x8xf32>) -> (tensor<1x?x4x8xf32>, tensor<1x?x4x8xf32>, tensor<1x?x4x8xf32>)
  return %dk : tensor<1x?x4x8xf32>
}
