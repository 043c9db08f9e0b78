// Masks of one query, whose row is a constant; memory of which an inner extent is 0 and others are open.
// RUN: tenon-run %s --compare=reference --extent=3 --quiet
// RUN: tenon-run %s --compare=reference --extent=3 --backend=vulkan --quiet

func.func @lse(%k: tensor<1x1x3x17xf16>, %q: tensor<1x1x1x17xf16>) -> tensor<1x1x1xf32> {
  %o, %lse = tenon.attention %q, %k, %k {causal = true, scale = 0.5 : f64} : (tensor<1x1x1x17xf16>, tensor<1x1x3x17xf16>, tensor<1x1x3x17xf16>) -> (tensor<1x1x1x17xf16>, tensor<1x1x1xf32>)
  return %lse : tensor<1x1x1xf32>
}

func.func @gradient(%q: tensor<1x4x1x3xf16>, %k: tensor<1x4x7x3xf16>, %o: tensor<1x4x1x3xf16>, %lse: tensor<1x4x1xf32>) -> tensor<1x4x7x3xf16> {
  %dq, %dk, %dv = tenon.attention_grad %q, %k, %k o %o, %lse, %o {causal = true, scale = 1.0 : f64} : (tensor<1x4x1x3xf16>, tensor<1x4x7x3xf16>, tensor<1x4x7x3xf16>, tensor<1x4x1x3xf16>, tensor<1x4x1xf32>, tensor<1x4x1x3xf16>) -> (tensor<1x4x1x3xf16>, tensor<1x4x7x3xf16>, tensor<1x4x7x3xf16>)
  return %dv : tensor<1x4x7x3xf16>
}

func.func @nothing(%x: tensor<?x33x0x?xf32>) -> tensor<?x33x0x?xf32> {
  %s = tenon.softmax %x {axis = 3 : i64} : (tensor<?x33x0x?xf32>) -> tensor<?x33x0x?xf32>
  %y = tenon.mul %s, %x : (tensor<?x33x0x?xf32>, tensor<?x33x0x?xf32>) -> tensor<?x33x0x?xf32>
  return %y : tensor<?x33x0x?xf32>
}

func.func @no_rows(%x: tensor<4x0x?xf32>) -> (tensor<4x0xf32>, tensor<?xf32>) {
  %a = tenon.reduce_sum %x {axes = array<i64: 2>} : (tensor<4x0x?xf32>) -> tensor<4x0xf32>
  %b = tenon.reduce_sum %x {axes = array<i64: 0, 1>} : (tensor<4x0x?xf32>) -> tensor<?xf32>
  return %a, %b : tensor<4x0xf32>, tensor<?xf32>
}

func.func @none(%x: tensor<?x0xf32>) -> tensor<f32> {
  %a = tenon.reduce_sum %x {axes = array<i64: 0, 1>} : (tensor<?x0xf32>) -> tensor<f32>
  return %a : tensor<f32>
}
