// RUN: tenon-run %s --compare=reference
// RUN: tenon-run %s --compare=reference --backend=vulkan
// RUN: tenon-run %s --compare=reference --march=x86-64-v2

func.func @attn_f64_2_2_33_33_17_17_g(%q: tensor<1x2x33x17xf64>, %k: tensor<1x2x33x17xf64>, %v: tensor<1x2x33x17xf64>) -> (tensor<1x2x33x17xf64>, tensor<1x2x33xf64>, tensor<1x2x33x17xf64>, tensor<1x2x33x17xf64>, tensor<1x2x33x17xf64>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.24253562503633297 : f64} : (tensor<1x2x33x17xf64>, tensor<1x2x33x17xf64>, tensor<1x2x33x17xf64>) -> (tensor<1x2x33x17xf64>, tensor<1x2x33xf64>)
  %w = tenon.mul %o, %o : (tensor<1x2x33x17xf64>, tensor<1x2x33x17xf64>) -> tensor<1x2x33x17xf64>
  %loss = tenon.reduce_sum %w {axes = array<i64: 0, 1, 2, 3>} : (tensor<1x2x33x17xf64>) -> tensor<f64>
  %dq = tenon.gradient %loss, %q : (tensor<f64>, tensor<1x2x33x17xf64>) -> tensor<1x2x33x17xf64>
  %dk = tenon.gradient %loss, %k : (tensor<f64>, tensor<1x2x33x17xf64>) -> tensor<1x2x33x17xf64>
  %dv = tenon.gradient %loss, %v : (tensor<f64>, tensor<1x2x33x17xf64>) -> tensor<1x2x33x17xf64>
  return %o, %lse, %dq, %dk, %dv : tensor<1x2x33x17xf64>, tensor<1x2x33xf64>, tensor<1x2x33x17xf64>, tensor<1x2x33x17xf64>, tensor<1x2x33x17xf64>
}

func.func @attn_f64_2_2_33_33_17_17_c_g(%q: tensor<1x2x33x17xf64>, %k: tensor<1x2x33x17xf64>, %v: tensor<1x2x33x17xf64>) -> (tensor<1x2x33x17xf64>, tensor<1x2x33xf64>, tensor<1x2x33x17xf64>, tensor<1x2x33x17xf64>, tensor<1x2x33x17xf64>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.24253562503633297 : f64, causal = true} : (tensor<1x2x33x17xf64>, tensor<1x2x33x17xf64>, tensor<1x2x33x17xf64>) -> (tensor<1x2x33x17xf64>, tensor<1x2x33xf64>)
  %w = tenon.mul %o, %o : (tensor<1x2x33x17xf64>, tensor<1x2x33x17xf64>) -> tensor<1x2x33x17xf64>
  %loss = tenon.reduce_sum %w {axes = array<i64: 0, 1, 2, 3>} : (tensor<1x2x33x17xf64>) -> tensor<f64>
  %dq = tenon.gradient %loss, %q : (tensor<f64>, tensor<1x2x33x17xf64>) -> tensor<1x2x33x17xf64>
  %dk = tenon.gradient %loss, %k : (tensor<f64>, tensor<1x2x33x17xf64>) -> tensor<1x2x33x17xf64>
  %dv = tenon.gradient %loss, %v : (tensor<f64>, tensor<1x2x33x17xf64>) -> tensor<1x2x33x17xf64>
  return %o, %lse, %dq, %dk, %dv : tensor<1x2x33x17xf64>, tensor<1x2x33xf64>, tensor<1x2x33x17xf64>, tensor<1x2x33x17xf64>, tensor<1x2x33x17xf64>
}

func.func @attn_f32_2_2_33_33_17_17_g(%q: tensor<1x2x33x17xf32>, %k: tensor<1x2x33x17xf32>, %v: tensor<1x2x33x17xf32>) -> (tensor<1x2x33x17xf32>, tensor<1x2x33xf32>, tensor<1x2x33x17xf32>, tensor<1x2x33x17xf32>, tensor<1x2x33x17xf32>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.24253562503633297 : f64} : (tensor<1x2x33x17xf32>, tensor<1x2x33x17xf32>, tensor<1x2x33x17xf32>) -> (tensor<1x2x33x17xf32>, tensor<1x2x33xf32>)
  %w = tenon.mul %o, %o : (tensor<1x2x33x17xf32>, tensor<1x2x33x17xf32>) -> tensor<1x2x33x17xf32>
  %loss = tenon.reduce_sum %w {axes = array<i64: 0, 1, 2, 3>} : (tensor<1x2x33x17xf32>) -> tensor<f32>
  %dq = tenon.gradient %loss, %q : (tensor<f32>, tensor<1x2x33x17xf32>) -> tensor<1x2x33x17xf32>
  %dk = tenon.gradient %loss, %k : (tensor<f32>, tensor<1x2x33x17xf32>) -> tensor<1x2x33x17xf32>
  %dv = tenon.gradient %loss, %v : (tensor<f32>, tensor<1x2x33x17xf32>) -> tensor<1x2x33x17xf32>
  return %o, %lse, %dq, %dk, %dv : tensor<1x2x33x17xf32>, tensor<1x2x33xf32>, tensor<1x2x33x17xf32>, tensor<1x2x33x17xf32>, tensor<1x2x33x17xf32>
}

func.func @attn_f32_2_2_33_33_17_17_c_g(%q: tensor<1x2x33x17xf32>, %k: tensor<1x2x33x17xf32>, %v: tensor<1x2x33x17xf32>) -> (tensor<1x2x33x17xf32>, tensor<1x2x33xf32>, tensor<1x2x33x17xf32>, tensor<1x2x33x17xf32>, tensor<1x2x33x17xf32>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.24253562503633297 : f64, causal = true} : (tensor<1x2x33x17xf32>, tensor<1x2x33x17xf32>, tensor<1x2x33x17xf32>) -> (tensor<1x2x33x17xf32>, tensor<1x2x33xf32>)
  %w = tenon.mul %o, %o : (tensor<1x2x33x17xf32>, tensor<1x2x33x17xf32>) -> tensor<1x2x33x17xf32>
  %loss = tenon.reduce_sum %w {axes = array<i64: 0, 1, 2, 3>} : (tensor<1x2x33x17xf32>) -> tensor<f32>
  %dq = tenon.gradient %loss, %q : (tensor<f32>, tensor<1x2x33x17xf32>) -> tensor<1x2x33x17xf32>
  %dk = tenon.gradient %loss, %k : (tensor<f32>, tensor<1x2x33x17xf32>) -> tensor<1x2x33x17xf32>
  %dv = tenon.gradient %loss, %v : (tensor<f32>, tensor<1x2x33x17xf32>) -> tensor<1x2x33x17xf32>
  return %o, %lse, %dq, %dk, %dv : tensor<1x2x33x17xf32>, tensor<1x2x33xf32>, tensor<1x2x33x17xf32>, tensor<1x2x33x17xf32>, tensor<1x2x33x17xf32>
}

func.func @attn_f32_4_2_17_65_8_8_g(%q: tensor<2x4x17x8xf32>, %k: tensor<2x2x65x8xf32>, %v: tensor<2x2x65x8xf32>) -> (tensor<2x4x17x8xf32>, tensor<2x4x17xf32>, tensor<2x4x17x8xf32>, tensor<2x2x65x8xf32>, tensor<2x2x65x8xf32>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.3535533905932738 : f64} : (tensor<2x4x17x8xf32>, tensor<2x2x65x8xf32>, tensor<2x2x65x8xf32>) -> (tensor<2x4x17x8xf32>, tensor<2x4x17xf32>)
  %w = tenon.mul %o, %o : (tensor<2x4x17x8xf32>, tensor<2x4x17x8xf32>) -> tensor<2x4x17x8xf32>
  %loss = tenon.reduce_sum %w {axes = array<i64: 0, 1, 2, 3>} : (tensor<2x4x17x8xf32>) -> tensor<f32>
  %dq = tenon.gradient %loss, %q : (tensor<f32>, tensor<2x4x17x8xf32>) -> tensor<2x4x17x8xf32>
  %dk = tenon.gradient %loss, %k : (tensor<f32>, tensor<2x2x65x8xf32>) -> tensor<2x2x65x8xf32>
  %dv = tenon.gradient %loss, %v : (tensor<f32>, tensor<2x2x65x8xf32>) -> tensor<2x2x65x8xf32>
  return %o, %lse, %dq, %dk, %dv : tensor<2x4x17x8xf32>, tensor<2x4x17xf32>, tensor<2x4x17x8xf32>, tensor<2x2x65x8xf32>, tensor<2x2x65x8xf32>
}

func.func @attn_f32_2_1_129_129_64_64_c_g(%q: tensor<1x2x129x64xf32>, %k: tensor<1x1x129x64xf32>, %v: tensor<1x1x129x64xf32>) -> (tensor<1x2x129x64xf32>, tensor<1x2x129xf32>, tensor<1x2x129x64xf32>, tensor<1x1x129x64xf32>, tensor<1x1x129x64xf32>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.125 : f64, causal = true} : (tensor<1x2x129x64xf32>, tensor<1x1x129x64xf32>, tensor<1x1x129x64xf32>) -> (tensor<1x2x129x64xf32>, tensor<1x2x129xf32>)
  %w = tenon.mul %o, %o : (tensor<1x2x129x64xf32>, tensor<1x2x129x64xf32>) -> tensor<1x2x129x64xf32>
  %loss = tenon.reduce_sum %w {axes = array<i64: 0, 1, 2, 3>} : (tensor<1x2x129x64xf32>) -> tensor<f32>
  %dq = tenon.gradient %loss, %q : (tensor<f32>, tensor<1x2x129x64xf32>) -> tensor<1x2x129x64xf32>
  %dk = tenon.gradient %loss, %k : (tensor<f32>, tensor<1x1x129x64xf32>) -> tensor<1x1x129x64xf32>
  %dv = tenon.gradient %loss, %v : (tensor<f32>, tensor<1x1x129x64xf32>) -> tensor<1x1x129x64xf32>
  return %o, %lse, %dq, %dk, %dv : tensor<1x2x129x64xf32>, tensor<1x2x129xf32>, tensor<1x2x129x64xf32>, tensor<1x1x129x64xf32>, tensor<1x1x129x64xf32>
}

func.func @attn_f32_2_2_65_40_33_66_g(%q: tensor<1x2x65x33xf32>, %k: tensor<1x2x40x33xf32>, %v: tensor<1x2x40x66xf32>) -> (tensor<1x2x65x66xf32>, tensor<1x2x65xf32>, tensor<1x2x65x33xf32>, tensor<1x2x40x33xf32>, tensor<1x2x40x66xf32>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.17407765595569785 : f64} : (tensor<1x2x65x33xf32>, tensor<1x2x40x33xf32>, tensor<1x2x40x66xf32>) -> (tensor<1x2x65x66xf32>, tensor<1x2x65xf32>)
  %w = tenon.mul %o, %o : (tensor<1x2x65x66xf32>, tensor<1x2x65x66xf32>) -> tensor<1x2x65x66xf32>
  %loss = tenon.reduce_sum %w {axes = array<i64: 0, 1, 2, 3>} : (tensor<1x2x65x66xf32>) -> tensor<f32>
  %dq = tenon.gradient %loss, %q : (tensor<f32>, tensor<1x2x65x33xf32>) -> tensor<1x2x65x33xf32>
  %dk = tenon.gradient %loss, %k : (tensor<f32>, tensor<1x2x40x33xf32>) -> tensor<1x2x40x33xf32>
  %dv = tenon.gradient %loss, %v : (tensor<f32>, tensor<1x2x40x66xf32>) -> tensor<1x2x40x66xf32>
  return %o, %lse, %dq, %dk, %dv : tensor<1x2x65x66xf32>, tensor<1x2x65xf32>, tensor<1x2x65x33xf32>, tensor<1x2x40x33xf32>, tensor<1x2x40x66xf32>
}

func.func @attn_f32_2_2_17_19_8_8_m_g_i1(%q: tensor<1x2x17x8xf32>, %k: tensor<1x2x19x8xf32>, %v: tensor<1x2x19x8xf32>, %mask: tensor<1x2x17x19xi1>) -> (tensor<1x2x17x8xf32>, tensor<1x2x17xf32>, tensor<1x2x17x8xf32>, tensor<1x2x19x8xf32>, tensor<1x2x19x8xf32>) {
  %o, %lse = tenon.attention %q, %k, %v, %mask {scale = 0.3535533905932738 : f64} : (tensor<1x2x17x8xf32>, tensor<1x2x19x8xf32>, tensor<1x2x19x8xf32>, tensor<1x2x17x19xi1>) -> (tensor<1x2x17x8xf32>, tensor<1x2x17xf32>)
  %w = tenon.mul %o, %o : (tensor<1x2x17x8xf32>, tensor<1x2x17x8xf32>) -> tensor<1x2x17x8xf32>
  %loss = tenon.reduce_sum %w {axes = array<i64: 0, 1, 2, 3>} : (tensor<1x2x17x8xf32>) -> tensor<f32>
  %dq = tenon.gradient %loss, %q : (tensor<f32>, tensor<1x2x17x8xf32>) -> tensor<1x2x17x8xf32>
  %dk = tenon.gradient %loss, %k : (tensor<f32>, tensor<1x2x19x8xf32>) -> tensor<1x2x19x8xf32>
  %dv = tenon.gradient %loss, %v : (tensor<f32>, tensor<1x2x19x8xf32>) -> tensor<1x2x19x8xf32>
  return %o, %lse, %dq, %dk, %dv : tensor<1x2x17x8xf32>, tensor<1x2x17xf32>, tensor<1x2x17x8xf32>, tensor<1x2x19x8xf32>, tensor<1x2x19x8xf32>
}

func.func @attn_f32_1_1_1_3_1_1_g(%q: tensor<1x1x1x1xf32>, %k: tensor<1x1x3x1xf32>, %v: tensor<1x1x3x1xf32>) -> (tensor<1x1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1x1x3x1xf32>, tensor<1x1x3x1xf32>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 1.0 : f64} : (tensor<1x1x1x1xf32>, tensor<1x1x3x1xf32>, tensor<1x1x3x1xf32>) -> (tensor<1x1x1x1xf32>, tensor<1x1x1xf32>)
  %w = tenon.mul %o, %o : (tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x1x1xf32>
  %loss = tenon.reduce_sum %w {axes = array<i64: 0, 1, 2, 3>} : (tensor<1x1x1x1xf32>) -> tensor<f32>
  %dq = tenon.gradient %loss, %q : (tensor<f32>, tensor<1x1x1x1xf32>) -> tensor<1x1x1x1xf32>
  %dk = tenon.gradient %loss, %k : (tensor<f32>, tensor<1x1x3x1xf32>) -> tensor<1x1x3x1xf32>
  %dv = tenon.gradient %loss, %v : (tensor<f32>, tensor<1x1x3x1xf32>) -> tensor<1x1x3x1xf32>
  return %o, %lse, %dq, %dk, %dv : tensor<1x1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1x1x3x1xf32>, tensor<1x1x3x1xf32>
}
