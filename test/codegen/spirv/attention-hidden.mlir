// What a mask hides does not count, whatever it is: forward and backward.
// RUN: tenon-run %s --backend=vulkan | FileCheck %s --implicit-check-not=nan

// Key 2 is hidden from all; query 1 sees none.
func.func @masked(%q: tensor<1x1x5x4xf32>, %a: tensor<1x1x3x4xf32>, %b: tensor<1x1x3x4xf32>, %do: tensor<1x1x5x4xf32>) -> (tensor<1x1x5x4xf32>, tensor<1x1x5x4xf32>, tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32>) {
  %bad = tenon.constant dense<[[[[0.0], [0.0], [0x7FC00000]]]]> : tensor<1x1x3x1xf32>
  %all = tenon.broadcast %bad {shape = array<i64: 1, 1, 3, 4>, dims = array<i64: 0, 1, 2, 3>} : (tensor<1x1x3x1xf32>) -> tensor<1x1x3x4xf32>
  %k = tenon.add %a, %all : (tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32>) -> tensor<1x1x3x4xf32>
  %v = tenon.add %b, %all : (tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32>) -> tensor<1x1x3x4xf32>
  %m = tenon.constant dense<[[[[true, true, false], [false, false, false], [true, false, false], [true, true, false], [true, true, false]]]]> : tensor<1x1x5x3xi1>
  %o, %lse = tenon.attention %q, %k, %v, %m {scale = 0.5 : f64} : (tensor<1x1x5x4xf32>, tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32>, tensor<1x1x5x3xi1>) -> (tensor<1x1x5x4xf32>, tensor<1x1x5xf32>)
  %dq, %dk, %dv = tenon.attention_grad %q, %k, %v mask %m o %o, %lse, %do {scale = 0.5 : f64} : (tensor<1x1x5x4xf32>, tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32>, tensor<1x1x5x3xi1>, tensor<1x1x5x4xf32>, tensor<1x1x5xf32>, tensor<1x1x5x4xf32>) -> (tensor<1x1x5x4xf32>, tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32>)
  return %o, %dq, %dk, %dv : tensor<1x1x5x4xf32>, tensor<1x1x5x4xf32>, tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32>
}
// CHECK: output0: {{.*}}, [0, 0, 0, 0], {{.*}}
// CHECK: output1: {{.*}}, [0, 0, 0, 0], {{.*}}
// CHECK: output2: {{.*}}, [0, 0, 0, 0]]]]
// CHECK: output3: {{.*}}, [0, 0, 0, 0]]]]

// No query sees the last key; one that sees one key has the gradient 0, exactly.
func.func @causal(%q: tensor<1x1x1x4xf32>, %a: tensor<1x1x2x4xf32>, %b: tensor<1x1x2x4xf32>, %do: tensor<1x1x1x4xf32>) -> (tensor<1x1x1x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>) {
  %bad = tenon.constant dense<[[[[0.0], [0x7F800000]]]]> : tensor<1x1x2x1xf32>
  %all = tenon.broadcast %bad {shape = array<i64: 1, 1, 2, 4>, dims = array<i64: 0, 1, 2, 3>} : (tensor<1x1x2x1xf32>) -> tensor<1x1x2x4xf32>
  %k = tenon.add %a, %all : (tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>) -> tensor<1x1x2x4xf32>
  %v = tenon.add %b, %all : (tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>) -> tensor<1x1x2x4xf32>
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.5 : f64, causal = true} : (tensor<1x1x1x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>) -> (tensor<1x1x1x4xf32>, tensor<1x1x1xf32>)
  %dq, %dk, %dv = tenon.attention_grad %q, %k, %v o %o, %lse, %do {scale = 0.5 : f64, causal = true} : (tensor<1x1x1x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x1x4xf32>, tensor<1x1x1xf32>, tensor<1x1x1x4xf32>) -> (tensor<1x1x1x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>)
  return %dq, %dk, %dv : tensor<1x1x1x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>
}
// CHECK: output0: f32[1,1,1,4] = {{\[\[\[\[}}0, 0, 0, 0]]]]
// CHECK: output1: f32[1,1,2,4] = {{\[\[\[\[}}0, 0, 0, 0], [0, 0, 0, 0]]]]
// CHECK: output2: f32[1,1,2,4] = {{.*}}, [0, 0, 0, 0]]]]

// Of few queries.
func.func @decode(%q: tensor<1x1x2x4xf32>, %a: tensor<1x1x3x4xf32>, %b: tensor<1x1x3x4xf32>) -> tensor<1x1x2x4xf32> {
  %bad = tenon.constant dense<[[[[0.0], [0x7F800000], [0x7FC00000]]]]> : tensor<1x1x3x1xf32>
  %all = tenon.broadcast %bad {shape = array<i64: 1, 1, 3, 4>, dims = array<i64: 0, 1, 2, 3>} : (tensor<1x1x3x1xf32>) -> tensor<1x1x3x4xf32>
  %k = tenon.add %a, %all : (tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32>) -> tensor<1x1x3x4xf32>
  %v = tenon.add %b, %all : (tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32>) -> tensor<1x1x3x4xf32>
  %m = tenon.constant dense<[[[[true, false, false], [false, false, false]]]]> : tensor<1x1x2x3xi1>
  %o, %lse = tenon.attention %q, %k, %v, %m {scale = 0.5 : f64} : (tensor<1x1x2x4xf32>, tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32>, tensor<1x1x2x3xi1>) -> (tensor<1x1x2x4xf32>, tensor<1x1x2xf32>)
  return %o : tensor<1x1x2x4xf32>
}
// CHECK: output0: f32[1,1,2,4] = {{.*}}, [0, 0, 0, 0]]]]
