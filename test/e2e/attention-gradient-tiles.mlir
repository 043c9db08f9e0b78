// Gradients around the tiles of attention on GPUs, and of some operands alone.
// RUN: tenon-run %s --compare=reference
// RUN: tenon-run %s --compare=reference --backend=vulkan
// RUN: env TENON_FAULT=work@3000 tenon-run %s --compare=reference --backend=vulkan
// RUN: tenon-run %s --compare=reference --march=x86-64-v2

func.func @f32_63_65_8_8(%q: tensor<1x4x63x8xf32>, %k: tensor<1x2x65x8xf32>, %v: tensor<1x2x65x8xf32>, %do: tensor<1x4x63x8xf32>) -> (tensor<1x4x63x8xf32>, tensor<1x2x65x8xf32>, tensor<1x2x65x8xf32>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.25 : f64, causal = true} : (tensor<1x4x63x8xf32>, tensor<1x2x65x8xf32>, tensor<1x2x65x8xf32>) -> (tensor<1x4x63x8xf32>, tensor<1x4x63xf32>)
  %dq, %dk, %dv = tenon.attention_grad %q, %k, %v o %o, %lse, %do {scale = 0.25 : f64, causal = true} : (tensor<1x4x63x8xf32>, tensor<1x2x65x8xf32>, tensor<1x2x65x8xf32>, tensor<1x4x63x8xf32>, tensor<1x4x63xf32>, tensor<1x4x63x8xf32>) -> (tensor<1x4x63x8xf32>, tensor<1x2x65x8xf32>, tensor<1x2x65x8xf32>)
  return %dq, %dk, %dv : tensor<1x4x63x8xf32>, tensor<1x2x65x8xf32>, tensor<1x2x65x8xf32>
}

func.func @f32_64_64_64_64(%q: tensor<1x2x64x64xf32>, %k: tensor<1x2x64x64xf32>, %v: tensor<1x2x64x64xf32>, %do: tensor<1x2x64x64xf32>) -> (tensor<1x2x64x64xf32>, tensor<1x2x64x64xf32>, tensor<1x2x64x64xf32>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.25 : f64} : (tensor<1x2x64x64xf32>, tensor<1x2x64x64xf32>, tensor<1x2x64x64xf32>) -> (tensor<1x2x64x64xf32>, tensor<1x2x64xf32>)
  %dq, %dk, %dv = tenon.attention_grad %q, %k, %v o %o, %lse, %do {scale = 0.25 : f64} : (tensor<1x2x64x64xf32>, tensor<1x2x64x64xf32>, tensor<1x2x64x64xf32>, tensor<1x2x64x64xf32>, tensor<1x2x64xf32>, tensor<1x2x64x64xf32>) -> (tensor<1x2x64x64xf32>, tensor<1x2x64x64xf32>, tensor<1x2x64x64xf32>)
  return %dq, %dk, %dv : tensor<1x2x64x64xf32>, tensor<1x2x64x64xf32>, tensor<1x2x64x64xf32>
}

func.func @f16_65_63_33_17(%q: tensor<2x4x65x33xf16>, %k: tensor<2x1x63x33xf16>, %v: tensor<2x1x63x17xf16>, %do: tensor<2x4x65x17xf16>) -> (tensor<2x4x65x33xf16>, tensor<2x1x63x33xf16>, tensor<2x1x63x17xf16>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.25 : f64} : (tensor<2x4x65x33xf16>, tensor<2x1x63x33xf16>, tensor<2x1x63x17xf16>) -> (tensor<2x4x65x17xf16>, tensor<2x4x65xf32>)
  %dq, %dk, %dv = tenon.attention_grad %q, %k, %v o %o, %lse, %do {scale = 0.25 : f64} : (tensor<2x4x65x33xf16>, tensor<2x1x63x33xf16>, tensor<2x1x63x17xf16>, tensor<2x4x65x17xf16>, tensor<2x4x65xf32>, tensor<2x4x65x17xf16>) -> (tensor<2x4x65x33xf16>, tensor<2x1x63x33xf16>, tensor<2x1x63x17xf16>)
  return %dq, %dk, %dv : tensor<2x4x65x33xf16>, tensor<2x1x63x33xf16>, tensor<2x1x63x17xf16>
}

func.func @f16_31_32_72_136(%q: tensor<1x2x31x72xf16>, %k: tensor<1x2x32x72xf16>, %v: tensor<1x2x32x136xf16>, %mask: tensor<1x1x31x32xi1>, %do: tensor<1x2x31x136xf16>) -> (tensor<1x2x31x72xf16>, tensor<1x2x32x72xf16>, tensor<1x2x32x136xf16>) {
  %o, %lse = tenon.attention %q, %k, %v, %mask {scale = 0.1 : f64} : (tensor<1x2x31x72xf16>, tensor<1x2x32x72xf16>, tensor<1x2x32x136xf16>, tensor<1x1x31x32xi1>) -> (tensor<1x2x31x136xf16>, tensor<1x2x31xf32>)
  %dq, %dk, %dv = tenon.attention_grad %q, %k, %v mask %mask o %o, %lse, %do {scale = 0.1 : f64} : (tensor<1x2x31x72xf16>, tensor<1x2x32x72xf16>, tensor<1x2x32x136xf16>, tensor<1x1x31x32xi1>, tensor<1x2x31x136xf16>, tensor<1x2x31xf32>, tensor<1x2x31x136xf16>) -> (tensor<1x2x31x72xf16>, tensor<1x2x32x72xf16>, tensor<1x2x32x136xf16>)
  return %dq, %dk, %dv : tensor<1x2x31x72xf16>, tensor<1x2x32x72xf16>, tensor<1x2x32x136xf16>
}

func.func @f16_129_128_16_16(%q: tensor<1x4x129x16xf16>, %k: tensor<1x2x128x16xf16>, %v: tensor<1x2x128x16xf16>, %mask: tensor<1x4x129x128xf16>, %do: tensor<1x4x129x16xf16>) -> (tensor<1x4x129x16xf16>, tensor<1x2x128x16xf16>, tensor<1x2x128x16xf16>, tensor<1x4x129x128xf16>) {
  %o, %lse = tenon.attention %q, %k, %v, %mask {scale = 0.25 : f64, causal = true} : (tensor<1x4x129x16xf16>, tensor<1x2x128x16xf16>, tensor<1x2x128x16xf16>, tensor<1x4x129x128xf16>) -> (tensor<1x4x129x16xf16>, tensor<1x4x129xf32>)
  %dq, %dk, %dv, %dmask = tenon.attention_grad %q, %k, %v mask %mask o %o, %lse, %do {scale = 0.25 : f64, causal = true, mask_grad = true} : (tensor<1x4x129x16xf16>, tensor<1x2x128x16xf16>, tensor<1x2x128x16xf16>, tensor<1x4x129x128xf16>, tensor<1x4x129x16xf16>, tensor<1x4x129xf32>, tensor<1x4x129x16xf16>) -> (tensor<1x4x129x16xf16>, tensor<1x2x128x16xf16>, tensor<1x2x128x16xf16>, tensor<1x4x129x128xf16>)
  return %dq, %dk, %dv, %dmask : tensor<1x4x129x16xf16>, tensor<1x2x128x16xf16>, tensor<1x2x128x16xf16>, tensor<1x4x129x128xf16>
}

func.func @f32_127_129_5_3(%q: tensor<2x4x127x5xf32>, %k: tensor<2x2x129x5xf32>, %v: tensor<2x2x129x3xf32>, %mask: tensor<1x1x127x129xf32>, %do: tensor<2x4x127x3xf32>) -> tensor<1x1x127x129xf32> {
  %o, %lse = tenon.attention %q, %k, %v, %mask {scale = -0.25 : f64} : (tensor<2x4x127x5xf32>, tensor<2x2x129x5xf32>, tensor<2x2x129x3xf32>, tensor<1x1x127x129xf32>) -> (tensor<2x4x127x3xf32>, tensor<2x4x127xf32>)
  %dq, %dk, %dv, %dmask = tenon.attention_grad %q, %k, %v mask %mask o %o, %lse, %do {scale = -0.25 : f64, mask_grad = true} : (tensor<2x4x127x5xf32>, tensor<2x2x129x5xf32>, tensor<2x2x129x3xf32>, tensor<1x1x127x129xf32>, tensor<2x4x127x3xf32>, tensor<2x4x127xf32>, tensor<2x4x127x3xf32>) -> (tensor<2x4x127x5xf32>, tensor<2x2x129x5xf32>, tensor<2x2x129x3xf32>, tensor<1x1x127x129xf32>)
  return %dmask : tensor<1x1x127x129xf32>
}

func.func @bf16_33_65_8_8(%q: tensor<1x2x33x8xbf16>, %k: tensor<1x1x65x8xbf16>, %v: tensor<1x1x65x8xbf16>, %mask: tensor<1x2x33x65xi1>, %do: tensor<1x2x33x8xbf16>) -> (tensor<1x2x33x8xbf16>, tensor<1x1x65x8xbf16>, tensor<1x1x65x8xbf16>) {
  %o, %lse = tenon.attention %q, %k, %v, %mask {scale = 1.0 : f64} : (tensor<1x2x33x8xbf16>, tensor<1x1x65x8xbf16>, tensor<1x1x65x8xbf16>, tensor<1x2x33x65xi1>) -> (tensor<1x2x33x8xbf16>, tensor<1x2x33xf32>)
  %dq, %dk, %dv = tenon.attention_grad %q, %k, %v mask %mask o %o, %lse, %do {scale = 1.0 : f64} : (tensor<1x2x33x8xbf16>, tensor<1x1x65x8xbf16>, tensor<1x1x65x8xbf16>, tensor<1x2x33x65xi1>, tensor<1x2x33x8xbf16>, tensor<1x2x33xf32>, tensor<1x2x33x8xbf16>) -> (tensor<1x2x33x8xbf16>, tensor<1x1x65x8xbf16>, tensor<1x1x65x8xbf16>)
  return %dq, %dk, %dv : tensor<1x2x33x8xbf16>, tensor<1x1x65x8xbf16>, tensor<1x1x65x8xbf16>
}

func.func @f64_33_31_5_3(%q: tensor<1x4x33x5xf64>, %k: tensor<1x2x31x5xf64>, %v: tensor<1x2x31x3xf64>, %do: tensor<1x4x33x3xf64>) -> (tensor<1x4x33x5xf64>, tensor<1x2x31x5xf64>, tensor<1x2x31x3xf64>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.25 : f64, causal = true} : (tensor<1x4x33x5xf64>, tensor<1x2x31x5xf64>, tensor<1x2x31x3xf64>) -> (tensor<1x4x33x3xf64>, tensor<1x4x33xf64>)
  %dq, %dk, %dv = tenon.attention_grad %q, %k, %v o %o, %lse, %do {scale = 0.25 : f64, causal = true} : (tensor<1x4x33x5xf64>, tensor<1x2x31x5xf64>, tensor<1x2x31x3xf64>, tensor<1x4x33x3xf64>, tensor<1x4x33xf64>, tensor<1x4x33x3xf64>) -> (tensor<1x4x33x5xf64>, tensor<1x2x31x5xf64>, tensor<1x2x31x3xf64>)
  return %dq, %dk, %dv : tensor<1x4x33x5xf64>, tensor<1x2x31x5xf64>, tensor<1x2x31x3xf64>
}

func.func @only_q(%q: tensor<1x2x1x256xf32>, %k: tensor<1x2x64x256xf32>, %v: tensor<1x2x64x1xf32>, %do: tensor<1x2x1x1xf32>) -> tensor<1x2x1x256xf32> {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.1 : f64} : (tensor<1x2x1x256xf32>, tensor<1x2x64x256xf32>, tensor<1x2x64x1xf32>) -> (tensor<1x2x1x1xf32>, tensor<1x2x1xf32>)
  %dq, %dk, %dv = tenon.attention_grad %q, %k, %v o %o, %lse, %do {scale = 0.1 : f64} : (tensor<1x2x1x256xf32>, tensor<1x2x64x256xf32>, tensor<1x2x64x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1xf32>, tensor<1x2x1x1xf32>) -> (tensor<1x2x1x256xf32>, tensor<1x2x64x256xf32>, tensor<1x2x64x1xf32>)
  return %dq : tensor<1x2x1x256xf32>
}

func.func @only_k(%q: tensor<1x2x66x1xf32>, %k: tensor<1x1x3x1xf32>, %v: tensor<1x1x3x256xf32>, %do: tensor<1x2x66x256xf32>) -> tensor<1x1x3x1xf32> {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.25 : f64} : (tensor<1x2x66x1xf32>, tensor<1x1x3x1xf32>, tensor<1x1x3x256xf32>) -> (tensor<1x2x66x256xf32>, tensor<1x2x66xf32>)
  %dq, %dk, %dv = tenon.attention_grad %q, %k, %v o %o, %lse, %do {scale = 0.25 : f64} : (tensor<1x2x66x1xf32>, tensor<1x1x3x1xf32>, tensor<1x1x3x256xf32>, tensor<1x2x66x256xf32>, tensor<1x2x66xf32>, tensor<1x2x66x256xf32>) -> (tensor<1x2x66x1xf32>, tensor<1x1x3x1xf32>, tensor<1x1x3x256xf32>)
  return %dk : tensor<1x1x3x1xf32>
}

func.func @only_v(%q: tensor<1x2x3x16xf16>, %k: tensor<1x1x66x16xf16>, %v: tensor<1x1x66x16xf16>, %do: tensor<1x2x3x16xf16>) -> tensor<1x1x66x16xf16> {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.5 : f64} : (tensor<1x2x3x16xf16>, tensor<1x1x66x16xf16>, tensor<1x1x66x16xf16>) -> (tensor<1x2x3x16xf16>, tensor<1x2x3xf32>)
  %dq, %dk, %dv = tenon.attention_grad %q, %k, %v o %o, %lse, %do {scale = 0.5 : f64} : (tensor<1x2x3x16xf16>, tensor<1x1x66x16xf16>, tensor<1x1x66x16xf16>, tensor<1x2x3x16xf16>, tensor<1x2x3xf32>, tensor<1x2x3x16xf16>) -> (tensor<1x2x3x16xf16>, tensor<1x1x66x16xf16>, tensor<1x1x66x16xf16>)
  return %dv : tensor<1x1x66x16xf16>
}

func.func @no_queries(%q: tensor<1x4x0x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>, %mask: tensor<1x1x0x5xf32>, %do: tensor<1x4x0x8xf32>) -> (tensor<1x4x0x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x1x0x5xf32>) {
  %o, %lse = tenon.attention %q, %k, %v, %mask {scale = 0.25 : f64} : (tensor<1x4x0x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x1x0x5xf32>) -> (tensor<1x4x0x8xf32>, tensor<1x4x0xf32>)
  %dq, %dk, %dv, %dmask = tenon.attention_grad %q, %k, %v mask %mask o %o, %lse, %do {scale = 0.25 : f64, mask_grad = true} : (tensor<1x4x0x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x1x0x5xf32>, tensor<1x4x0x8xf32>, tensor<1x4x0xf32>, tensor<1x4x0x8xf32>) -> (tensor<1x4x0x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x1x0x5xf32>)
  return %dq, %dk, %dv, %dmask : tensor<1x4x0x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x1x0x5xf32>
}

func.func @no_keys(%q: tensor<1x4x5x8xf32>, %k: tensor<1x1x0x8xf32>, %v: tensor<1x1x0x8xf32>, %mask: tensor<1x4x5x0xi1>, %do: tensor<1x4x5x8xf32>) -> (tensor<1x4x5x8xf32>, tensor<1x1x0x8xf32>, tensor<1x1x0x8xf32>) {
  %o, %lse = tenon.attention %q, %k, %v, %mask {scale = 0.25 : f64} : (tensor<1x4x5x8xf32>, tensor<1x1x0x8xf32>, tensor<1x1x0x8xf32>, tensor<1x4x5x0xi1>) -> (tensor<1x4x5x8xf32>, tensor<1x4x5xf32>)
  %dq, %dk, %dv = tenon.attention_grad %q, %k, %v mask %mask o %o, %lse, %do {scale = 0.25 : f64} : (tensor<1x4x5x8xf32>, tensor<1x1x0x8xf32>, tensor<1x1x0x8xf32>, tensor<1x4x5x0xi1>, tensor<1x4x5x8xf32>, tensor<1x4x5xf32>, tensor<1x4x5x8xf32>) -> (tensor<1x4x5x8xf32>, tensor<1x1x0x8xf32>, tensor<1x1x0x8xf32>)
  return %dq, %dk, %dv : tensor<1x4x5x8xf32>, tensor<1x1x0x8xf32>, tensor<1x1x0x8xf32>
}
