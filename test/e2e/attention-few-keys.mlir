// Fewer keys than a vector has lanes or a tile rows, on vectors of every width.
// RUN: tenon-run %s --compare=reference
// RUN: tenon-run %s --compare=reference --backend=vulkan
// RUN: tenon-run %s --compare=reference --march=x86-64-v2
// RUN: tenon-run %s --compare=reference --march=x86-64-v3

func.func @f64_1_1(%q: tensor<1x1x1x3xf64>, %k: tensor<1x1x1x3xf64>, %v: tensor<1x1x1x3xf64>) -> (tensor<1x1x1x3xf64>, tensor<1x1x1x3xf64>, tensor<1x1x1x3xf64>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.5 : f64}
    : (tensor<1x1x1x3xf64>, tensor<1x1x1x3xf64>, tensor<1x1x1x3xf64>) -> (tensor<1x1x1x3xf64>, tensor<1x1x1xf64>)
  %w = tenon.mul %o, %o : (tensor<1x1x1x3xf64>, tensor<1x1x1x3xf64>) -> tensor<1x1x1x3xf64>
  %loss = tenon.reduce_sum %w {axes = array<i64: 0, 1, 2, 3>} : (tensor<1x1x1x3xf64>) -> tensor<f64>
  %dq = tenon.gradient %loss, %q : (tensor<f64>, tensor<1x1x1x3xf64>) -> tensor<1x1x1x3xf64>
  %dk = tenon.gradient %loss, %k : (tensor<f64>, tensor<1x1x1x3xf64>) -> tensor<1x1x1x3xf64>
  %dv = tenon.gradient %loss, %v : (tensor<f64>, tensor<1x1x1x3xf64>) -> tensor<1x1x1x3xf64>
  return %dq, %dk, %dv : tensor<1x1x1x3xf64>, tensor<1x1x1x3xf64>, tensor<1x1x1x3xf64>
}

func.func @f64_3_1(%q: tensor<1x1x3x3xf64>, %k: tensor<1x1x1x3xf64>, %v: tensor<1x1x1x3xf64>) -> (tensor<1x1x3x3xf64>, tensor<1x1x1x3xf64>, tensor<1x1x1x3xf64>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.5 : f64}
    : (tensor<1x1x3x3xf64>, tensor<1x1x1x3xf64>, tensor<1x1x1x3xf64>) -> (tensor<1x1x3x3xf64>, tensor<1x1x3xf64>)
  %w = tenon.mul %o, %o : (tensor<1x1x3x3xf64>, tensor<1x1x3x3xf64>) -> tensor<1x1x3x3xf64>
  %loss = tenon.reduce_sum %w {axes = array<i64: 0, 1, 2, 3>} : (tensor<1x1x3x3xf64>) -> tensor<f64>
  %dq = tenon.gradient %loss, %q : (tensor<f64>, tensor<1x1x3x3xf64>) -> tensor<1x1x3x3xf64>
  %dk = tenon.gradient %loss, %k : (tensor<f64>, tensor<1x1x1x3xf64>) -> tensor<1x1x1x3xf64>
  %dv = tenon.gradient %loss, %v : (tensor<f64>, tensor<1x1x1x3xf64>) -> tensor<1x1x1x3xf64>
  return %dq, %dk, %dv : tensor<1x1x3x3xf64>, tensor<1x1x1x3xf64>, tensor<1x1x1x3xf64>
}

func.func @f64_5_2(%q: tensor<1x1x5x3xf64>, %k: tensor<1x1x2x3xf64>, %v: tensor<1x1x2x3xf64>) -> (tensor<1x1x5x3xf64>, tensor<1x1x2x3xf64>, tensor<1x1x2x3xf64>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.5 : f64}
    : (tensor<1x1x5x3xf64>, tensor<1x1x2x3xf64>, tensor<1x1x2x3xf64>) -> (tensor<1x1x5x3xf64>, tensor<1x1x5xf64>)
  %w = tenon.mul %o, %o : (tensor<1x1x5x3xf64>, tensor<1x1x5x3xf64>) -> tensor<1x1x5x3xf64>
  %loss = tenon.reduce_sum %w {axes = array<i64: 0, 1, 2, 3>} : (tensor<1x1x5x3xf64>) -> tensor<f64>
  %dq = tenon.gradient %loss, %q : (tensor<f64>, tensor<1x1x5x3xf64>) -> tensor<1x1x5x3xf64>
  %dk = tenon.gradient %loss, %k : (tensor<f64>, tensor<1x1x2x3xf64>) -> tensor<1x1x2x3xf64>
  %dv = tenon.gradient %loss, %v : (tensor<f64>, tensor<1x1x2x3xf64>) -> tensor<1x1x2x3xf64>
  return %dq, %dk, %dv : tensor<1x1x5x3xf64>, tensor<1x1x2x3xf64>, tensor<1x1x2x3xf64>
}

func.func @f64_9_3(%q: tensor<1x1x9x3xf64>, %k: tensor<1x1x3x3xf64>, %v: tensor<1x1x3x3xf64>) -> (tensor<1x1x9x3xf64>, tensor<1x1x3x3xf64>, tensor<1x1x3x3xf64>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.5 : f64}
    : (tensor<1x1x9x3xf64>, tensor<1x1x3x3xf64>, tensor<1x1x3x3xf64>) -> (tensor<1x1x9x3xf64>, tensor<1x1x9xf64>)
  %w = tenon.mul %o, %o : (tensor<1x1x9x3xf64>, tensor<1x1x9x3xf64>) -> tensor<1x1x9x3xf64>
  %loss = tenon.reduce_sum %w {axes = array<i64: 0, 1, 2, 3>} : (tensor<1x1x9x3xf64>) -> tensor<f64>
  %dq = tenon.gradient %loss, %q : (tensor<f64>, tensor<1x1x9x3xf64>) -> tensor<1x1x9x3xf64>
  %dk = tenon.gradient %loss, %k : (tensor<f64>, tensor<1x1x3x3xf64>) -> tensor<1x1x3x3xf64>
  %dv = tenon.gradient %loss, %v : (tensor<f64>, tensor<1x1x3x3xf64>) -> tensor<1x1x3x3xf64>
  return %dq, %dk, %dv : tensor<1x1x9x3xf64>, tensor<1x1x3x3xf64>, tensor<1x1x3x3xf64>
}

func.func @f64_4_2_causal(%q: tensor<1x1x4x3xf64>, %k: tensor<1x1x2x3xf64>, %v: tensor<1x1x2x3xf64>) -> (tensor<1x1x4x3xf64>, tensor<1x1x2x3xf64>, tensor<1x1x2x3xf64>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.5 : f64, causal = true}
    : (tensor<1x1x4x3xf64>, tensor<1x1x2x3xf64>, tensor<1x1x2x3xf64>) -> (tensor<1x1x4x3xf64>, tensor<1x1x4xf64>)
  %w = tenon.mul %o, %o : (tensor<1x1x4x3xf64>, tensor<1x1x4x3xf64>) -> tensor<1x1x4x3xf64>
  %loss = tenon.reduce_sum %w {axes = array<i64: 0, 1, 2, 3>} : (tensor<1x1x4x3xf64>) -> tensor<f64>
  %dq = tenon.gradient %loss, %q : (tensor<f64>, tensor<1x1x4x3xf64>) -> tensor<1x1x4x3xf64>
  %dk = tenon.gradient %loss, %k : (tensor<f64>, tensor<1x1x2x3xf64>) -> tensor<1x1x2x3xf64>
  %dv = tenon.gradient %loss, %v : (tensor<f64>, tensor<1x1x2x3xf64>) -> tensor<1x1x2x3xf64>
  return %dq, %dk, %dv : tensor<1x1x4x3xf64>, tensor<1x1x2x3xf64>, tensor<1x1x2x3xf64>
}

func.func @f64_9_5_causal(%q: tensor<1x1x9x3xf64>, %k: tensor<1x1x5x3xf64>, %v: tensor<1x1x5x3xf64>) -> (tensor<1x1x9x3xf64>, tensor<1x1x5x3xf64>, tensor<1x1x5x3xf64>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.5 : f64, causal = true}
    : (tensor<1x1x9x3xf64>, tensor<1x1x5x3xf64>, tensor<1x1x5x3xf64>) -> (tensor<1x1x9x3xf64>, tensor<1x1x9xf64>)
  %w = tenon.mul %o, %o : (tensor<1x1x9x3xf64>, tensor<1x1x9x3xf64>) -> tensor<1x1x9x3xf64>
  %loss = tenon.reduce_sum %w {axes = array<i64: 0, 1, 2, 3>} : (tensor<1x1x9x3xf64>) -> tensor<f64>
  %dq = tenon.gradient %loss, %q : (tensor<f64>, tensor<1x1x9x3xf64>) -> tensor<1x1x9x3xf64>
  %dk = tenon.gradient %loss, %k : (tensor<f64>, tensor<1x1x5x3xf64>) -> tensor<1x1x5x3xf64>
  %dv = tenon.gradient %loss, %v : (tensor<f64>, tensor<1x1x5x3xf64>) -> tensor<1x1x5x3xf64>
  return %dq, %dk, %dv : tensor<1x1x9x3xf64>, tensor<1x1x5x3xf64>, tensor<1x1x5x3xf64>
}

func.func @f32_1_1(%q: tensor<1x1x1x3xf32>, %k: tensor<1x1x1x3xf32>, %v: tensor<1x1x1x3xf32>) -> (tensor<1x1x1x3xf32>, tensor<1x1x1x3xf32>, tensor<1x1x1x3xf32>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.5 : f64}
    : (tensor<1x1x1x3xf32>, tensor<1x1x1x3xf32>, tensor<1x1x1x3xf32>) -> (tensor<1x1x1x3xf32>, tensor<1x1x1xf32>)
  %w = tenon.mul %o, %o : (tensor<1x1x1x3xf32>, tensor<1x1x1x3xf32>) -> tensor<1x1x1x3xf32>
  %loss = tenon.reduce_sum %w {axes = array<i64: 0, 1, 2, 3>} : (tensor<1x1x1x3xf32>) -> tensor<f32>
  %dq = tenon.gradient %loss, %q : (tensor<f32>, tensor<1x1x1x3xf32>) -> tensor<1x1x1x3xf32>
  %dk = tenon.gradient %loss, %k : (tensor<f32>, tensor<1x1x1x3xf32>) -> tensor<1x1x1x3xf32>
  %dv = tenon.gradient %loss, %v : (tensor<f32>, tensor<1x1x1x3xf32>) -> tensor<1x1x1x3xf32>
  return %dq, %dk, %dv : tensor<1x1x1x3xf32>, tensor<1x1x1x3xf32>, tensor<1x1x1x3xf32>
}

func.func @f32_3_1(%q: tensor<1x1x3x3xf32>, %k: tensor<1x1x1x3xf32>, %v: tensor<1x1x1x3xf32>) -> (tensor<1x1x3x3xf32>, tensor<1x1x1x3xf32>, tensor<1x1x1x3xf32>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.5 : f64}
    : (tensor<1x1x3x3xf32>, tensor<1x1x1x3xf32>, tensor<1x1x1x3xf32>) -> (tensor<1x1x3x3xf32>, tensor<1x1x3xf32>)
  %w = tenon.mul %o, %o : (tensor<1x1x3x3xf32>, tensor<1x1x3x3xf32>) -> tensor<1x1x3x3xf32>
  %loss = tenon.reduce_sum %w {axes = array<i64: 0, 1, 2, 3>} : (tensor<1x1x3x3xf32>) -> tensor<f32>
  %dq = tenon.gradient %loss, %q : (tensor<f32>, tensor<1x1x3x3xf32>) -> tensor<1x1x3x3xf32>
  %dk = tenon.gradient %loss, %k : (tensor<f32>, tensor<1x1x1x3xf32>) -> tensor<1x1x1x3xf32>
  %dv = tenon.gradient %loss, %v : (tensor<f32>, tensor<1x1x1x3xf32>) -> tensor<1x1x1x3xf32>
  return %dq, %dk, %dv : tensor<1x1x3x3xf32>, tensor<1x1x1x3xf32>, tensor<1x1x1x3xf32>
}

func.func @f32_5_2(%q: tensor<1x1x5x3xf32>, %k: tensor<1x1x2x3xf32>, %v: tensor<1x1x2x3xf32>) -> (tensor<1x1x5x3xf32>, tensor<1x1x2x3xf32>, tensor<1x1x2x3xf32>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.5 : f64}
    : (tensor<1x1x5x3xf32>, tensor<1x1x2x3xf32>, tensor<1x1x2x3xf32>) -> (tensor<1x1x5x3xf32>, tensor<1x1x5xf32>)
  %w = tenon.mul %o, %o : (tensor<1x1x5x3xf32>, tensor<1x1x5x3xf32>) -> tensor<1x1x5x3xf32>
  %loss = tenon.reduce_sum %w {axes = array<i64: 0, 1, 2, 3>} : (tensor<1x1x5x3xf32>) -> tensor<f32>
  %dq = tenon.gradient %loss, %q : (tensor<f32>, tensor<1x1x5x3xf32>) -> tensor<1x1x5x3xf32>
  %dk = tenon.gradient %loss, %k : (tensor<f32>, tensor<1x1x2x3xf32>) -> tensor<1x1x2x3xf32>
  %dv = tenon.gradient %loss, %v : (tensor<f32>, tensor<1x1x2x3xf32>) -> tensor<1x1x2x3xf32>
  return %dq, %dk, %dv : tensor<1x1x5x3xf32>, tensor<1x1x2x3xf32>, tensor<1x1x2x3xf32>
}

func.func @f32_9_3(%q: tensor<1x1x9x3xf32>, %k: tensor<1x1x3x3xf32>, %v: tensor<1x1x3x3xf32>) -> (tensor<1x1x9x3xf32>, tensor<1x1x3x3xf32>, tensor<1x1x3x3xf32>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.5 : f64}
    : (tensor<1x1x9x3xf32>, tensor<1x1x3x3xf32>, tensor<1x1x3x3xf32>) -> (tensor<1x1x9x3xf32>, tensor<1x1x9xf32>)
  %w = tenon.mul %o, %o : (tensor<1x1x9x3xf32>, tensor<1x1x9x3xf32>) -> tensor<1x1x9x3xf32>
  %loss = tenon.reduce_sum %w {axes = array<i64: 0, 1, 2, 3>} : (tensor<1x1x9x3xf32>) -> tensor<f32>
  %dq = tenon.gradient %loss, %q : (tensor<f32>, tensor<1x1x9x3xf32>) -> tensor<1x1x9x3xf32>
  %dk = tenon.gradient %loss, %k : (tensor<f32>, tensor<1x1x3x3xf32>) -> tensor<1x1x3x3xf32>
  %dv = tenon.gradient %loss, %v : (tensor<f32>, tensor<1x1x3x3xf32>) -> tensor<1x1x3x3xf32>
  return %dq, %dk, %dv : tensor<1x1x9x3xf32>, tensor<1x1x3x3xf32>, tensor<1x1x3x3xf32>
}

func.func @f32_4_2_causal(%q: tensor<1x1x4x3xf32>, %k: tensor<1x1x2x3xf32>, %v: tensor<1x1x2x3xf32>) -> (tensor<1x1x4x3xf32>, tensor<1x1x2x3xf32>, tensor<1x1x2x3xf32>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.5 : f64, causal = true}
    : (tensor<1x1x4x3xf32>, tensor<1x1x2x3xf32>, tensor<1x1x2x3xf32>) -> (tensor<1x1x4x3xf32>, tensor<1x1x4xf32>)
  %w = tenon.mul %o, %o : (tensor<1x1x4x3xf32>, tensor<1x1x4x3xf32>) -> tensor<1x1x4x3xf32>
  %loss = tenon.reduce_sum %w {axes = array<i64: 0, 1, 2, 3>} : (tensor<1x1x4x3xf32>) -> tensor<f32>
  %dq = tenon.gradient %loss, %q : (tensor<f32>, tensor<1x1x4x3xf32>) -> tensor<1x1x4x3xf32>
  %dk = tenon.gradient %loss, %k : (tensor<f32>, tensor<1x1x2x3xf32>) -> tensor<1x1x2x3xf32>
  %dv = tenon.gradient %loss, %v : (tensor<f32>, tensor<1x1x2x3xf32>) -> tensor<1x1x2x3xf32>
  return %dq, %dk, %dv : tensor<1x1x4x3xf32>, tensor<1x1x2x3xf32>, tensor<1x1x2x3xf32>
}

func.func @f32_9_5_causal(%q: tensor<1x1x9x3xf32>, %k: tensor<1x1x5x3xf32>, %v: tensor<1x1x5x3xf32>) -> (tensor<1x1x9x3xf32>, tensor<1x1x5x3xf32>, tensor<1x1x5x3xf32>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.5 : f64, causal = true}
    : (tensor<1x1x9x3xf32>, tensor<1x1x5x3xf32>, tensor<1x1x5x3xf32>) -> (tensor<1x1x9x3xf32>, tensor<1x1x9xf32>)
  %w = tenon.mul %o, %o : (tensor<1x1x9x3xf32>, tensor<1x1x9x3xf32>) -> tensor<1x1x9x3xf32>
  %loss = tenon.reduce_sum %w {axes = array<i64: 0, 1, 2, 3>} : (tensor<1x1x9x3xf32>) -> tensor<f32>
  %dq = tenon.gradient %loss, %q : (tensor<f32>, tensor<1x1x9x3xf32>) -> tensor<1x1x9x3xf32>
  %dk = tenon.gradient %loss, %k : (tensor<f32>, tensor<1x1x5x3xf32>) -> tensor<1x1x5x3xf32>
  %dv = tenon.gradient %loss, %v : (tensor<f32>, tensor<1x1x5x3xf32>) -> tensor<1x1x5x3xf32>
  return %dq, %dk, %dv : tensor<1x1x9x3xf32>, tensor<1x1x5x3xf32>, tensor<1x1x5x3xf32>
}
