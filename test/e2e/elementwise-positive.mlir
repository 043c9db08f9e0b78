// RUN: tenon-run %s --compare=reference --low=0.01 --high=30
// RUN: tenon-run %s --compare=reference --low=0.01 --high=30 --backend=vulkan

func.func @a_f64(%x: tensor<3x5x7xf64>) -> (tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>) {
  %y0 = tenon.log %x : tensor<3x5x7xf64>
  %y1 = tenon.log1p %x : tensor<3x5x7xf64>
  %y2 = tenon.sqrt %x : tensor<3x5x7xf64>
  %y3 = tenon.rsqrt %x : tensor<3x5x7xf64>
  return %y0, %y1, %y2, %y3 : tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>
}

func.func @a_f32(%x: tensor<129xf32>) -> (tensor<129xf32>, tensor<129xf32>, tensor<129xf32>, tensor<129xf32>) {
  %y0 = tenon.log %x : tensor<129xf32>
  %y1 = tenon.log1p %x : tensor<129xf32>
  %y2 = tenon.sqrt %x : tensor<129xf32>
  %y3 = tenon.rsqrt %x : tensor<129xf32>
  return %y0, %y1, %y2, %y3 : tensor<129xf32>, tensor<129xf32>, tensor<129xf32>, tensor<129xf32>
}

func.func @a_f16(%x: tensor<33x3xf16>) -> (tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>) {
  %y0 = tenon.log %x : tensor<33x3xf16>
  %y1 = tenon.log1p %x : tensor<33x3xf16>
  %y2 = tenon.sqrt %x : tensor<33x3xf16>
  %y3 = tenon.rsqrt %x : tensor<33x3xf16>
  return %y0, %y1, %y2, %y3 : tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>
}

func.func @a_bf16(%x: tensor<2x65xbf16>) -> (tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>) {
  %y0 = tenon.log %x : tensor<2x65xbf16>
  %y1 = tenon.log1p %x : tensor<2x65xbf16>
  %y2 = tenon.sqrt %x : tensor<2x65xbf16>
  %y3 = tenon.rsqrt %x : tensor<2x65xbf16>
  return %y0, %y1, %y2, %y3 : tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>
}

func.func @log(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %y0 = tenon.log %x : tensor<1000xf32>
  return %y0 : tensor<1000xf32>
}

func.func @log1p(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %y0 = tenon.log1p %x : tensor<1000xf32>
  return %y0 : tensor<1000xf32>
}

func.func @sqrt(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %y0 = tenon.sqrt %x : tensor<1000xf32>
  return %y0 : tensor<1000xf32>
}

func.func @rsqrt(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %y0 = tenon.rsqrt %x : tensor<1000xf32>
  return %y0 : tensor<1000xf32>
}
