// RUN: tenon-run %s --compare=reference
// RUN: tenon-run %s --compare=reference --backend=vulkan

func.func @a_f64(%x: tensor<3x5x7xf64>) -> (tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>) {
  %y0 = tenon.neg %x : tensor<3x5x7xf64>
  %y1 = tenon.abs %x : tensor<3x5x7xf64>
  %y2 = tenon.sign %x : tensor<3x5x7xf64>
  %y3 = tenon.exp %x : tensor<3x5x7xf64>
  %y4 = tenon.expm1 %x : tensor<3x5x7xf64>
  %y5 = tenon.sin %x : tensor<3x5x7xf64>
  %y6 = tenon.cos %x : tensor<3x5x7xf64>
  %y7 = tenon.tanh %x : tensor<3x5x7xf64>
  %y8 = tenon.erf %x : tensor<3x5x7xf64>
  return %y0, %y1, %y2, %y3, %y4, %y5, %y6, %y7, %y8 : tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>
}

func.func @a_f32(%x: tensor<129xf32>) -> (tensor<129xf32>, tensor<129xf32>, tensor<129xf32>, tensor<129xf32>, tensor<129xf32>, tensor<129xf32>, tensor<129xf32>, tensor<129xf32>, tensor<129xf32>) {
  %y0 = tenon.neg %x : tensor<129xf32>
  %y1 = tenon.abs %x : tensor<129xf32>
  %y2 = tenon.sign %x : tensor<129xf32>
  %y3 = tenon.exp %x : tensor<129xf32>
  %y4 = tenon.expm1 %x : tensor<129xf32>
  %y5 = tenon.sin %x : tensor<129xf32>
  %y6 = tenon.cos %x : tensor<129xf32>
  %y7 = tenon.tanh %x : tensor<129xf32>
  %y8 = tenon.erf %x : tensor<129xf32>
  return %y0, %y1, %y2, %y3, %y4, %y5, %y6, %y7, %y8 : tensor<129xf32>, tensor<129xf32>, tensor<129xf32>, tensor<129xf32>, tensor<129xf32>, tensor<129xf32>, tensor<129xf32>, tensor<129xf32>, tensor<129xf32>
}

func.func @a_f16(%x: tensor<33x3xf16>) -> (tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>) {
  %y0 = tenon.neg %x : tensor<33x3xf16>
  %y1 = tenon.abs %x : tensor<33x3xf16>
  %y2 = tenon.sign %x : tensor<33x3xf16>
  %y3 = tenon.exp %x : tensor<33x3xf16>
  %y4 = tenon.expm1 %x : tensor<33x3xf16>
  %y5 = tenon.sin %x : tensor<33x3xf16>
  %y6 = tenon.cos %x : tensor<33x3xf16>
  %y7 = tenon.tanh %x : tensor<33x3xf16>
  %y8 = tenon.erf %x : tensor<33x3xf16>
  return %y0, %y1, %y2, %y3, %y4, %y5, %y6, %y7, %y8 : tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>
}

func.func @a_bf16(%x: tensor<2x65xbf16>) -> (tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>) {
  %y0 = tenon.neg %x : tensor<2x65xbf16>
  %y1 = tenon.abs %x : tensor<2x65xbf16>
  %y2 = tenon.sign %x : tensor<2x65xbf16>
  %y3 = tenon.exp %x : tensor<2x65xbf16>
  %y4 = tenon.expm1 %x : tensor<2x65xbf16>
  %y5 = tenon.sin %x : tensor<2x65xbf16>
  %y6 = tenon.cos %x : tensor<2x65xbf16>
  %y7 = tenon.tanh %x : tensor<2x65xbf16>
  %y8 = tenon.erf %x : tensor<2x65xbf16>
  return %y0, %y1, %y2, %y3, %y4, %y5, %y6, %y7, %y8 : tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>
}

func.func @b_f64(%x: tensor<3x5x7xf64>) -> (tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>) {
  %y0 = tenon.sigmoid %x : tensor<3x5x7xf64>
  %y1 = tenon.relu %x : tensor<3x5x7xf64>
  %y2 = tenon.silu %x : tensor<3x5x7xf64>
  %y3 = tenon.softplus %x : tensor<3x5x7xf64>
  %y4 = tenon.gelu %x : tensor<3x5x7xf64>
  %y5 = tenon.floor %x : tensor<3x5x7xf64>
  %y6 = tenon.ceil %x : tensor<3x5x7xf64>
  %y7 = tenon.round %x : tensor<3x5x7xf64>
  %y8 = tenon.clamp %x {lo = -1.0 : f64, hi = 1.5 : f64} : tensor<3x5x7xf64>
  return %y0, %y1, %y2, %y3, %y4, %y5, %y6, %y7, %y8 : tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>
}

func.func @b_f32(%x: tensor<129xf32>) -> (tensor<129xf32>, tensor<129xf32>, tensor<129xf32>, tensor<129xf32>, tensor<129xf32>, tensor<129xf32>, tensor<129xf32>, tensor<129xf32>, tensor<129xf32>) {
  %y0 = tenon.sigmoid %x : tensor<129xf32>
  %y1 = tenon.relu %x : tensor<129xf32>
  %y2 = tenon.silu %x : tensor<129xf32>
  %y3 = tenon.softplus %x : tensor<129xf32>
  %y4 = tenon.gelu %x : tensor<129xf32>
  %y5 = tenon.floor %x : tensor<129xf32>
  %y6 = tenon.ceil %x : tensor<129xf32>
  %y7 = tenon.round %x : tensor<129xf32>
  %y8 = tenon.clamp %x {lo = -1.0 : f64, hi = 1.5 : f64} : tensor<129xf32>
  return %y0, %y1, %y2, %y3, %y4, %y5, %y6, %y7, %y8 : tensor<129xf32>, tensor<129xf32>, tensor<129xf32>, tensor<129xf32>, tensor<129xf32>, tensor<129xf32>, tensor<129xf32>, tensor<129xf32>, tensor<129xf32>
}

func.func @b_f16(%x: tensor<33x3xf16>) -> (tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>) {
  %y0 = tenon.sigmoid %x : tensor<33x3xf16>
  %y1 = tenon.relu %x : tensor<33x3xf16>
  %y2 = tenon.silu %x : tensor<33x3xf16>
  %y3 = tenon.softplus %x : tensor<33x3xf16>
  %y4 = tenon.gelu %x : tensor<33x3xf16>
  %y5 = tenon.floor %x : tensor<33x3xf16>
  %y6 = tenon.ceil %x : tensor<33x3xf16>
  %y7 = tenon.round %x : tensor<33x3xf16>
  %y8 = tenon.clamp %x {lo = -1.0 : f64, hi = 1.5 : f64} : tensor<33x3xf16>
  return %y0, %y1, %y2, %y3, %y4, %y5, %y6, %y7, %y8 : tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>
}

func.func @b_bf16(%x: tensor<2x65xbf16>) -> (tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>) {
  %y0 = tenon.sigmoid %x : tensor<2x65xbf16>
  %y1 = tenon.relu %x : tensor<2x65xbf16>
  %y2 = tenon.silu %x : tensor<2x65xbf16>
  %y3 = tenon.softplus %x : tensor<2x65xbf16>
  %y4 = tenon.gelu %x : tensor<2x65xbf16>
  %y5 = tenon.floor %x : tensor<2x65xbf16>
  %y6 = tenon.ceil %x : tensor<2x65xbf16>
  %y7 = tenon.round %x : tensor<2x65xbf16>
  %y8 = tenon.clamp %x {lo = -1.0 : f64, hi = 1.5 : f64} : tensor<2x65xbf16>
  return %y0, %y1, %y2, %y3, %y4, %y5, %y6, %y7, %y8 : tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>
}

func.func @neg(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %y0 = tenon.neg %x : tensor<1000xf32>
  return %y0 : tensor<1000xf32>
}

func.func @abs(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %y0 = tenon.abs %x : tensor<1000xf32>
  return %y0 : tensor<1000xf32>
}

func.func @sign(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %y0 = tenon.sign %x : tensor<1000xf32>
  return %y0 : tensor<1000xf32>
}

func.func @exp(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %y0 = tenon.exp %x : tensor<1000xf32>
  return %y0 : tensor<1000xf32>
}

func.func @expm1(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %y0 = tenon.expm1 %x : tensor<1000xf32>
  return %y0 : tensor<1000xf32>
}

func.func @sin(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %y0 = tenon.sin %x : tensor<1000xf32>
  return %y0 : tensor<1000xf32>
}

func.func @cos(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %y0 = tenon.cos %x : tensor<1000xf32>
  return %y0 : tensor<1000xf32>
}

func.func @tanh(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %y0 = tenon.tanh %x : tensor<1000xf32>
  return %y0 : tensor<1000xf32>
}

func.func @erf(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %y0 = tenon.erf %x : tensor<1000xf32>
  return %y0 : tensor<1000xf32>
}

func.func @sigmoid(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %y0 = tenon.sigmoid %x : tensor<1000xf32>
  return %y0 : tensor<1000xf32>
}

func.func @relu(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %y0 = tenon.relu %x : tensor<1000xf32>
  return %y0 : tensor<1000xf32>
}

func.func @silu(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %y0 = tenon.silu %x : tensor<1000xf32>
  return %y0 : tensor<1000xf32>
}

func.func @softplus(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %y0 = tenon.softplus %x : tensor<1000xf32>
  return %y0 : tensor<1000xf32>
}

func.func @gelu(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %y0 = tenon.gelu %x : tensor<1000xf32>
  return %y0 : tensor<1000xf32>
}

func.func @floor(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %y0 = tenon.floor %x : tensor<1000xf32>
  return %y0 : tensor<1000xf32>
}

func.func @ceil(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %y0 = tenon.ceil %x : tensor<1000xf32>
  return %y0 : tensor<1000xf32>
}

func.func @round(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %y0 = tenon.round %x : tensor<1000xf32>
  return %y0 : tensor<1000xf32>
}

func.func @clamp(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %y0 = tenon.clamp %x {lo = -1.0 : f64, hi = 1.5 : f64} : tensor<1000xf32>
  return %y0 : tensor<1000xf32>
}

func.func @c_i64(%x: tensor<17x3xi64>) -> (tensor<17x3xi64>, tensor<17x3xi64>, tensor<17x3xi64>, tensor<17x3xi64>) {
  %y0 = tenon.neg %x : tensor<17x3xi64>
  %y1 = tenon.abs %x : tensor<17x3xi64>
  %y2 = tenon.sign %x : tensor<17x3xi64>
  %y3 = tenon.relu %x : tensor<17x3xi64>
  return %y0, %y1, %y2, %y3 : tensor<17x3xi64>, tensor<17x3xi64>, tensor<17x3xi64>, tensor<17x3xi64>
}

func.func @c_i32(%x: tensor<17x3xi32>) -> (tensor<17x3xi32>, tensor<17x3xi32>, tensor<17x3xi32>, tensor<17x3xi32>) {
  %y0 = tenon.neg %x : tensor<17x3xi32>
  %y1 = tenon.abs %x : tensor<17x3xi32>
  %y2 = tenon.sign %x : tensor<17x3xi32>
  %y3 = tenon.relu %x : tensor<17x3xi32>
  return %y0, %y1, %y2, %y3 : tensor<17x3xi32>, tensor<17x3xi32>, tensor<17x3xi32>, tensor<17x3xi32>
}

func.func @c_i8(%x: tensor<17x3xi8>) -> (tensor<17x3xi8>, tensor<17x3xi8>, tensor<17x3xi8>, tensor<17x3xi8>) {
  %y0 = tenon.neg %x : tensor<17x3xi8>
  %y1 = tenon.abs %x : tensor<17x3xi8>
  %y2 = tenon.sign %x : tensor<17x3xi8>
  %y3 = tenon.relu %x : tensor<17x3xi8>
  return %y0, %y1, %y2, %y3 : tensor<17x3xi8>, tensor<17x3xi8>, tensor<17x3xi8>, tensor<17x3xi8>
}

func.func @not_i1(%x: tensor<19xi1>) -> tensor<19xi1> {
  %y0 = tenon.not %x : tensor<19xi1>
  return %y0 : tensor<19xi1>
}

func.func @not_i32(%x: tensor<19xi32>) -> tensor<19xi32> {
  %y0 = tenon.not %x : tensor<19xi32>
  return %y0 : tensor<19xi32>
}

func.func @stop_gradient_f32(%x: tensor<3x17xf32>) -> (tensor<3x17xf32>, tensor<3x17xf32>) {
  %s = tenon.stop_gradient %x : tensor<3x17xf32>
  %y = tenon.mul %x, %s : (tensor<3x17xf32>, tensor<3x17xf32>) -> tensor<3x17xf32>
  %g = tenon.gradient %y, %x, %y : (tensor<3x17xf32>, tensor<3x17xf32>, tensor<3x17xf32>) -> tensor<3x17xf32>
  return %y, %g : tensor<3x17xf32>, tensor<3x17xf32>
}
