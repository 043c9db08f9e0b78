// RUN: tenon-opt %s --split-input-file --verify-diagnostics

func.func @attention_heads(%q: tensor<1x4x5x8xf32>, %k: tensor<1x3x5x8xf32>) {
  // expected-error @+2 {{query heads must be a multiple of key heads, got f32[1,4,5,8] and f32[1,3,5,8]}}
  // expected-error @+1 {{failed to infer returned types}}
  %o, %l = tenon.attention %q, %k, %k {scale = 1.0 : f64} : (tensor<1x4x5x8xf32>, tensor<1x3x5x8xf32>, tensor<1x3x5x8xf32>) -> (tensor<1x4x5x8xf32>, tensor<1x4x5xf32>)
  return
}

// -----

func.func @attention_width(%q: tensor<1x2x5x8xf32>, %k: tensor<1x2x5x7xf32>) {
  // expected-error @+2 {{head widths of q and k differ: f32[1,2,5,8] and f32[1,2,5,7]}}
  // expected-error @+1 {{failed to infer returned types}}
  %o, %l = tenon.attention %q, %k, %k {scale = 1.0 : f64} : (tensor<1x2x5x8xf32>, tensor<1x2x5x7xf32>, tensor<1x2x5x7xf32>) -> (tensor<1x2x5x7xf32>, tensor<1x2x5xf32>)
  return
}

// -----

func.func @attention_mask(%q: tensor<1x2x5x8xf32>, %k: tensor<1x2x6x8xf32>, %m: tensor<1x2x6x5xf32>) {
  // expected-error @+2 {{mask: expected i1 or float [b or 1, h or 1, n, m] for q f32[1,2,5,8] and k f32[1,2,6,8], got f32[1,2,6,5]}}
  // expected-error @+1 {{failed to infer returned types}}
  %o, %l = tenon.attention %q, %k, %k, %m {scale = 1.0 : f64} : (tensor<1x2x5x8xf32>, tensor<1x2x6x8xf32>, tensor<1x2x6x8xf32>, tensor<1x2x6x5xf32>) -> (tensor<1x2x5x8xf32>, tensor<1x2x5xf32>)
  return
}

// -----

func.func @attention_grad_lse(%q: tensor<1x2x5x8xf32>, %l: tensor<1x2x4xf32>) {
  // expected-error @+2 {{operand 5: expected f32[1,2,5], got f32[1,2,4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %dq, %dk, %dv = tenon.attention_grad %q, %q, %q o %q, %l, %q {scale = 1.0 : f64} : (tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x4xf32>, tensor<1x2x5x8xf32>) -> (tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>)
  return
}

// -----

func.func @attention_grad_mask_grad(%q: tensor<1x2x5x8xf32>, %l: tensor<1x2x5xf32>) {
  // expected-error @+2 {{mask_grad needs a float mask}}
  // expected-error @+1 {{failed to infer returned types}}
  %dq, %dk, %dv = tenon.attention_grad %q, %q, %q o %q, %l, %q {scale = 1.0 : f64, mask_grad = true} : (tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5xf32>, tensor<1x2x5x8xf32>) -> (tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>)
  return
}
