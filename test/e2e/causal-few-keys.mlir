// Many queries, of which most see all of the few keys.
// RUN: tenon-run %s --compare=reference --quiet
// RUN: tenon-run %s --compare=reference --quiet --backend=vulkan
// RUN: tenon-run %s --compare=reference --march=x86-64-v2 --quiet

func.func @f32_1(%q: tensor<1x2x256x16xf32>, %k: tensor<1x2x1x16xf32>, %v: tensor<1x2x1x16xf32>, %d: tensor<1x2x256x16xf32>) -> (tensor<1x2x256x16xf32>, tensor<1x2x256x16xf32>, tensor<1x2x1x16xf32>, tensor<1x2x1x16xf32>) {
  %o, %lse = tenon.attention %q, %k, %v {causal = true, scale = 0.25 : f64} : (tensor<1x2x256x16xf32>, tensor<1x2x1x16xf32>, tensor<1x2x1x16xf32>) -> (tensor<1x2x256x16xf32>, tensor<1x2x256xf32>)
  %dq = tenon.gradient %o, %q, %d : (tensor<1x2x256x16xf32>, tensor<1x2x256x16xf32>, tensor<1x2x256x16xf32>) -> tensor<1x2x256x16xf32>
  %dk = tenon.gradient %o, %k, %d : (tensor<1x2x256x16xf32>, tensor<1x2x1x16xf32>, tensor<1x2x256x16xf32>) -> tensor<1x2x1x16xf32>
  %dv = tenon.gradient %o, %v, %d : (tensor<1x2x256x16xf32>, tensor<1x2x1x16xf32>, tensor<1x2x256x16xf32>) -> tensor<1x2x1x16xf32>
  return %o, %dq, %dk, %dv : tensor<1x2x256x16xf32>, tensor<1x2x256x16xf32>, tensor<1x2x1x16xf32>, tensor<1x2x1x16xf32>
}

func.func @f32_2(%q: tensor<1x2x256x16xf32>, %k: tensor<1x2x2x16xf32>, %v: tensor<1x2x2x16xf32>, %d: tensor<1x2x256x16xf32>) -> (tensor<1x2x256x16xf32>, tensor<1x2x256x16xf32>, tensor<1x2x2x16xf32>, tensor<1x2x2x16xf32>) {
  %o, %lse = tenon.attention %q, %k, %v {causal = true, scale = 0.25 : f64} : (tensor<1x2x256x16xf32>, tensor<1x2x2x16xf32>, tensor<1x2x2x16xf32>) -> (tensor<1x2x256x16xf32>, tensor<1x2x256xf32>)
  %dq = tenon.gradient %o, %q, %d : (tensor<1x2x256x16xf32>, tensor<1x2x256x16xf32>, tensor<1x2x256x16xf32>) -> tensor<1x2x256x16xf32>
  %dk = tenon.gradient %o, %k, %d : (tensor<1x2x256x16xf32>, tensor<1x2x2x16xf32>, tensor<1x2x256x16xf32>) -> tensor<1x2x2x16xf32>
  %dv = tenon.gradient %o, %v, %d : (tensor<1x2x256x16xf32>, tensor<1x2x2x16xf32>, tensor<1x2x256x16xf32>) -> tensor<1x2x2x16xf32>
  return %o, %dq, %dk, %dv : tensor<1x2x256x16xf32>, tensor<1x2x256x16xf32>, tensor<1x2x2x16xf32>, tensor<1x2x2x16xf32>
}

func.func @f32_3(%q: tensor<1x2x256x16xf32>, %k: tensor<1x2x3x16xf32>, %v: tensor<1x2x3x16xf32>, %d: tensor<1x2x256x16xf32>) -> (tensor<1x2x256x16xf32>, tensor<1x2x256x16xf32>, tensor<1x2x3x16xf32>, tensor<1x2x3x16xf32>) {
  %o, %lse = tenon.attention %q, %k, %v {causal = true, scale = 0.25 : f64} : (tensor<1x2x256x16xf32>, tensor<1x2x3x16xf32>, tensor<1x2x3x16xf32>) -> (tensor<1x2x256x16xf32>, tensor<1x2x256xf32>)
  %dq = tenon.gradient %o, %q, %d : (tensor<1x2x256x16xf32>, tensor<1x2x256x16xf32>, tensor<1x2x256x16xf32>) -> tensor<1x2x256x16xf32>
  %dk = tenon.gradient %o, %k, %d : (tensor<1x2x256x16xf32>, tensor<1x2x3x16xf32>, tensor<1x2x256x16xf32>) -> tensor<1x2x3x16xf32>
  %dv = tenon.gradient %o, %v, %d : (tensor<1x2x256x16xf32>, tensor<1x2x3x16xf32>, tensor<1x2x256x16xf32>) -> tensor<1x2x3x16xf32>
  return %o, %dq, %dk, %dv : tensor<1x2x256x16xf32>, tensor<1x2x256x16xf32>, tensor<1x2x3x16xf32>, tensor<1x2x3x16xf32>
}

func.func @f64_1(%q: tensor<1x2x256x16xf64>, %k: tensor<1x2x1x16xf64>, %v: tensor<1x2x1x16xf64>, %d: tensor<1x2x256x16xf64>) -> (tensor<1x2x256x16xf64>, tensor<1x2x256x16xf64>, tensor<1x2x1x16xf64>, tensor<1x2x1x16xf64>) {
  %o, %lse = tenon.attention %q, %k, %v {causal = true, scale = 0.25 : f64} : (tensor<1x2x256x16xf64>, tensor<1x2x1x16xf64>, tensor<1x2x1x16xf64>) -> (tensor<1x2x256x16xf64>, tensor<1x2x256xf64>)
  %dq = tenon.gradient %o, %q, %d : (tensor<1x2x256x16xf64>, tensor<1x2x256x16xf64>, tensor<1x2x256x16xf64>) -> tensor<1x2x256x16xf64>
  %dk = tenon.gradient %o, %k, %d : (tensor<1x2x256x16xf64>, tensor<1x2x1x16xf64>, tensor<1x2x256x16xf64>) -> tensor<1x2x1x16xf64>
  %dv = tenon.gradient %o, %v, %d : (tensor<1x2x256x16xf64>, tensor<1x2x1x16xf64>, tensor<1x2x256x16xf64>) -> tensor<1x2x1x16xf64>
  return %o, %dq, %dk, %dv : tensor<1x2x256x16xf64>, tensor<1x2x256x16xf64>, tensor<1x2x1x16xf64>, tensor<1x2x1x16xf64>
}

func.func @f64_2(%q: tensor<1x2x256x16xf64>, %k: tensor<1x2x2x16xf64>, %v: tensor<1x2x2x16xf64>, %d: tensor<1x2x256x16xf64>) -> (tensor<1x2x256x16xf64>, tensor<1x2x256x16xf64>, tensor<1x2x2x16xf64>, tensor<1x2x2x16xf64>) {
  %o, %lse = tenon.attention %q, %k, %v {causal = true, scale = 0.25 : f64} : (tensor<1x2x256x16xf64>, tensor<1x2x2x16xf64>, tensor<1x2x2x16xf64>) -> (tensor<1x2x256x16xf64>, tensor<1x2x256xf64>)
  %dq = tenon.gradient %o, %q, %d : (tensor<1x2x256x16xf64>, tensor<1x2x256x16xf64>, tensor<1x2x256x16xf64>) -> tensor<1x2x256x16xf64>
  %dk = tenon.gradient %o, %k, %d : (tensor<1x2x256x16xf64>, tensor<1x2x2x16xf64>, tensor<1x2x256x16xf64>) -> tensor<1x2x2x16xf64>
  %dv = tenon.gradient %o, %v, %d : (tensor<1x2x256x16xf64>, tensor<1x2x2x16xf64>, tensor<1x2x256x16xf64>) -> tensor<1x2x2x16xf64>
  return %o, %dq, %dk, %dv : tensor<1x2x256x16xf64>, tensor<1x2x256x16xf64>, tensor<1x2x2x16xf64>, tensor<1x2x2x16xf64>
}

func.func @f64_3(%q: tensor<1x2x256x16xf64>, %k: tensor<1x2x3x16xf64>, %v: tensor<1x2x3x16xf64>, %d: tensor<1x2x256x16xf64>) -> (tensor<1x2x256x16xf64>, tensor<1x2x256x16xf64>, tensor<1x2x3x16xf64>, tensor<1x2x3x16xf64>) {
  %o, %lse = tenon.attention %q, %k, %v {causal = true, scale = 0.25 : f64} : (tensor<1x2x256x16xf64>, tensor<1x2x3x16xf64>, tensor<1x2x3x16xf64>) -> (tensor<1x2x256x16xf64>, tensor<1x2x256xf64>)
  %dq = tenon.gradient %o, %q, %d : (tensor<1x2x256x16xf64>, tensor<1x2x256x16xf64>, tensor<1x2x256x16xf64>) -> tensor<1x2x256x16xf64>
  %dk = tenon.gradient %o, %k, %d : (tensor<1x2x256x16xf64>, tensor<1x2x3x16xf64>, tensor<1x2x256x16xf64>) -> tensor<1x2x3x16xf64>
  %dv = tenon.gradient %o, %v, %d : (tensor<1x2x256x16xf64>, tensor<1x2x3x16xf64>, tensor<1x2x256x16xf64>) -> tensor<1x2x3x16xf64>
  return %o, %dq, %dk, %dv : tensor<1x2x256x16xf64>, tensor<1x2x256x16xf64>, tensor<1x2x3x16xf64>, tensor<1x2x3x16xf64>
}
