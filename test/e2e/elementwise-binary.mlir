// RUN: tenon-run %s --compare=reference --int-limit=7
// RUN: tenon-run %s --compare=reference --int-limit=7 --backend=vulkan

func.func @a_f64(%a: tensor<3x5x7xf64>, %b: tensor<3x5x7xf64>) -> (tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>) {
  %y0 = tenon.add %a, %b : (tensor<3x5x7xf64>, tensor<3x5x7xf64>) -> tensor<3x5x7xf64>
  %y1 = tenon.sub %a, %b : (tensor<3x5x7xf64>, tensor<3x5x7xf64>) -> tensor<3x5x7xf64>
  %y2 = tenon.mul %a, %b : (tensor<3x5x7xf64>, tensor<3x5x7xf64>) -> tensor<3x5x7xf64>
  %y3 = tenon.max %a, %b : (tensor<3x5x7xf64>, tensor<3x5x7xf64>) -> tensor<3x5x7xf64>
  %y4 = tenon.min %a, %b : (tensor<3x5x7xf64>, tensor<3x5x7xf64>) -> tensor<3x5x7xf64>
  return %y0, %y1, %y2, %y3, %y4 : tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>
}

func.func @a_f32(%a: tensor<129xf32>, %b: tensor<129xf32>) -> (tensor<129xf32>, tensor<129xf32>, tensor<129xf32>, tensor<129xf32>, tensor<129xf32>) {
  %y0 = tenon.add %a, %b : (tensor<129xf32>, tensor<129xf32>) -> tensor<129xf32>
  %y1 = tenon.sub %a, %b : (tensor<129xf32>, tensor<129xf32>) -> tensor<129xf32>
  %y2 = tenon.mul %a, %b : (tensor<129xf32>, tensor<129xf32>) -> tensor<129xf32>
  %y3 = tenon.max %a, %b : (tensor<129xf32>, tensor<129xf32>) -> tensor<129xf32>
  %y4 = tenon.min %a, %b : (tensor<129xf32>, tensor<129xf32>) -> tensor<129xf32>
  return %y0, %y1, %y2, %y3, %y4 : tensor<129xf32>, tensor<129xf32>, tensor<129xf32>, tensor<129xf32>, tensor<129xf32>
}

func.func @a_f16(%a: tensor<33x3xf16>, %b: tensor<33x3xf16>) -> (tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>) {
  %y0 = tenon.add %a, %b : (tensor<33x3xf16>, tensor<33x3xf16>) -> tensor<33x3xf16>
  %y1 = tenon.sub %a, %b : (tensor<33x3xf16>, tensor<33x3xf16>) -> tensor<33x3xf16>
  %y2 = tenon.mul %a, %b : (tensor<33x3xf16>, tensor<33x3xf16>) -> tensor<33x3xf16>
  %y3 = tenon.max %a, %b : (tensor<33x3xf16>, tensor<33x3xf16>) -> tensor<33x3xf16>
  %y4 = tenon.min %a, %b : (tensor<33x3xf16>, tensor<33x3xf16>) -> tensor<33x3xf16>
  return %y0, %y1, %y2, %y3, %y4 : tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>, tensor<33x3xf16>
}

func.func @a_bf16(%a: tensor<2x65xbf16>, %b: tensor<2x65xbf16>) -> (tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>) {
  %y0 = tenon.add %a, %b : (tensor<2x65xbf16>, tensor<2x65xbf16>) -> tensor<2x65xbf16>
  %y1 = tenon.sub %a, %b : (tensor<2x65xbf16>, tensor<2x65xbf16>) -> tensor<2x65xbf16>
  %y2 = tenon.mul %a, %b : (tensor<2x65xbf16>, tensor<2x65xbf16>) -> tensor<2x65xbf16>
  %y3 = tenon.max %a, %b : (tensor<2x65xbf16>, tensor<2x65xbf16>) -> tensor<2x65xbf16>
  %y4 = tenon.min %a, %b : (tensor<2x65xbf16>, tensor<2x65xbf16>) -> tensor<2x65xbf16>
  return %y0, %y1, %y2, %y3, %y4 : tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>, tensor<2x65xbf16>
}

func.func @a_i64(%a: tensor<5x13xi64>, %b: tensor<5x13xi64>) -> (tensor<5x13xi64>, tensor<5x13xi64>, tensor<5x13xi64>, tensor<5x13xi64>, tensor<5x13xi64>) {
  %y0 = tenon.add %a, %b : (tensor<5x13xi64>, tensor<5x13xi64>) -> tensor<5x13xi64>
  %y1 = tenon.sub %a, %b : (tensor<5x13xi64>, tensor<5x13xi64>) -> tensor<5x13xi64>
  %y2 = tenon.mul %a, %b : (tensor<5x13xi64>, tensor<5x13xi64>) -> tensor<5x13xi64>
  %y3 = tenon.max %a, %b : (tensor<5x13xi64>, tensor<5x13xi64>) -> tensor<5x13xi64>
  %y4 = tenon.min %a, %b : (tensor<5x13xi64>, tensor<5x13xi64>) -> tensor<5x13xi64>
  return %y0, %y1, %y2, %y3, %y4 : tensor<5x13xi64>, tensor<5x13xi64>, tensor<5x13xi64>, tensor<5x13xi64>, tensor<5x13xi64>
}

func.func @a_i32(%a: tensor<5x13xi32>, %b: tensor<5x13xi32>) -> (tensor<5x13xi32>, tensor<5x13xi32>, tensor<5x13xi32>, tensor<5x13xi32>, tensor<5x13xi32>) {
  %y0 = tenon.add %a, %b : (tensor<5x13xi32>, tensor<5x13xi32>) -> tensor<5x13xi32>
  %y1 = tenon.sub %a, %b : (tensor<5x13xi32>, tensor<5x13xi32>) -> tensor<5x13xi32>
  %y2 = tenon.mul %a, %b : (tensor<5x13xi32>, tensor<5x13xi32>) -> tensor<5x13xi32>
  %y3 = tenon.max %a, %b : (tensor<5x13xi32>, tensor<5x13xi32>) -> tensor<5x13xi32>
  %y4 = tenon.min %a, %b : (tensor<5x13xi32>, tensor<5x13xi32>) -> tensor<5x13xi32>
  return %y0, %y1, %y2, %y3, %y4 : tensor<5x13xi32>, tensor<5x13xi32>, tensor<5x13xi32>, tensor<5x13xi32>, tensor<5x13xi32>
}

func.func @a_i8(%a: tensor<5x13xi8>, %b: tensor<5x13xi8>) -> (tensor<5x13xi8>, tensor<5x13xi8>, tensor<5x13xi8>, tensor<5x13xi8>, tensor<5x13xi8>) {
  %y0 = tenon.add %a, %b : (tensor<5x13xi8>, tensor<5x13xi8>) -> tensor<5x13xi8>
  %y1 = tenon.sub %a, %b : (tensor<5x13xi8>, tensor<5x13xi8>) -> tensor<5x13xi8>
  %y2 = tenon.mul %a, %b : (tensor<5x13xi8>, tensor<5x13xi8>) -> tensor<5x13xi8>
  %y3 = tenon.max %a, %b : (tensor<5x13xi8>, tensor<5x13xi8>) -> tensor<5x13xi8>
  %y4 = tenon.min %a, %b : (tensor<5x13xi8>, tensor<5x13xi8>) -> tensor<5x13xi8>
  return %y0, %y1, %y2, %y3, %y4 : tensor<5x13xi8>, tensor<5x13xi8>, tensor<5x13xi8>, tensor<5x13xi8>, tensor<5x13xi8>
}

func.func @d_f64(%a: tensor<3x5x7xf64>, %b: tensor<3x5x7xf64>) -> (tensor<3x5x7xf64>, tensor<3x5x7xf64>) {
  %y0 = tenon.div %a, %b : (tensor<3x5x7xf64>, tensor<3x5x7xf64>) -> tensor<3x5x7xf64>
  %y1 = tenon.rem %a, %b : (tensor<3x5x7xf64>, tensor<3x5x7xf64>) -> tensor<3x5x7xf64>
  return %y0, %y1 : tensor<3x5x7xf64>, tensor<3x5x7xf64>
}

func.func @d_f32(%a: tensor<129xf32>, %b: tensor<129xf32>) -> (tensor<129xf32>, tensor<129xf32>) {
  %y0 = tenon.div %a, %b : (tensor<129xf32>, tensor<129xf32>) -> tensor<129xf32>
  %y1 = tenon.rem %a, %b : (tensor<129xf32>, tensor<129xf32>) -> tensor<129xf32>
  return %y0, %y1 : tensor<129xf32>, tensor<129xf32>
}

func.func @d_f16(%a: tensor<33x3xf16>, %b: tensor<33x3xf16>) -> (tensor<33x3xf16>, tensor<33x3xf16>) {
  %y0 = tenon.div %a, %b : (tensor<33x3xf16>, tensor<33x3xf16>) -> tensor<33x3xf16>
  %y1 = tenon.rem %a, %b : (tensor<33x3xf16>, tensor<33x3xf16>) -> tensor<33x3xf16>
  return %y0, %y1 : tensor<33x3xf16>, tensor<33x3xf16>
}

func.func @d_bf16(%a: tensor<2x65xbf16>, %b: tensor<2x65xbf16>) -> (tensor<2x65xbf16>, tensor<2x65xbf16>) {
  %y0 = tenon.div %a, %b : (tensor<2x65xbf16>, tensor<2x65xbf16>) -> tensor<2x65xbf16>
  %y1 = tenon.rem %a, %b : (tensor<2x65xbf16>, tensor<2x65xbf16>) -> tensor<2x65xbf16>
  return %y0, %y1 : tensor<2x65xbf16>, tensor<2x65xbf16>
}

func.func @l_i1(%a: tensor<23xi1>, %b: tensor<23xi1>) -> (tensor<23xi1>, tensor<23xi1>, tensor<23xi1>) {
  %y0 = tenon.and %a, %b : (tensor<23xi1>, tensor<23xi1>) -> tensor<23xi1>
  %y1 = tenon.or %a, %b : (tensor<23xi1>, tensor<23xi1>) -> tensor<23xi1>
  %y2 = tenon.xor %a, %b : (tensor<23xi1>, tensor<23xi1>) -> tensor<23xi1>
  return %y0, %y1, %y2 : tensor<23xi1>, tensor<23xi1>, tensor<23xi1>
}

func.func @l_i32(%a: tensor<23xi32>, %b: tensor<23xi32>) -> (tensor<23xi32>, tensor<23xi32>, tensor<23xi32>) {
  %y0 = tenon.and %a, %b : (tensor<23xi32>, tensor<23xi32>) -> tensor<23xi32>
  %y1 = tenon.or %a, %b : (tensor<23xi32>, tensor<23xi32>) -> tensor<23xi32>
  %y2 = tenon.xor %a, %b : (tensor<23xi32>, tensor<23xi32>) -> tensor<23xi32>
  return %y0, %y1, %y2 : tensor<23xi32>, tensor<23xi32>, tensor<23xi32>
}

func.func @l_i64(%a: tensor<23xi64>, %b: tensor<23xi64>) -> (tensor<23xi64>, tensor<23xi64>, tensor<23xi64>) {
  %y0 = tenon.and %a, %b : (tensor<23xi64>, tensor<23xi64>) -> tensor<23xi64>
  %y1 = tenon.or %a, %b : (tensor<23xi64>, tensor<23xi64>) -> tensor<23xi64>
  %y2 = tenon.xor %a, %b : (tensor<23xi64>, tensor<23xi64>) -> tensor<23xi64>
  return %y0, %y1, %y2 : tensor<23xi64>, tensor<23xi64>, tensor<23xi64>
}

func.func @l_i8(%a: tensor<23xi8>, %b: tensor<23xi8>) -> (tensor<23xi8>, tensor<23xi8>, tensor<23xi8>) {
  %y0 = tenon.and %a, %b : (tensor<23xi8>, tensor<23xi8>) -> tensor<23xi8>
  %y1 = tenon.or %a, %b : (tensor<23xi8>, tensor<23xi8>) -> tensor<23xi8>
  %y2 = tenon.xor %a, %b : (tensor<23xi8>, tensor<23xi8>) -> tensor<23xi8>
  return %y0, %y1, %y2 : tensor<23xi8>, tensor<23xi8>, tensor<23xi8>
}

func.func @select_f64(%a: tensor<11x3xf64>, %b: tensor<11x3xf64>) -> (tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xf64>) {
  %c0 = tenon.compare %a, %b {predicate = #tenon.predicate<eq>} : (tensor<11x3xf64>, tensor<11x3xf64>) -> tensor<11x3xi1>
  %c1 = tenon.compare %a, %b {predicate = #tenon.predicate<ne>} : (tensor<11x3xf64>, tensor<11x3xf64>) -> tensor<11x3xi1>
  %c2 = tenon.compare %a, %b {predicate = #tenon.predicate<lt>} : (tensor<11x3xf64>, tensor<11x3xf64>) -> tensor<11x3xi1>
  %c3 = tenon.compare %a, %b {predicate = #tenon.predicate<le>} : (tensor<11x3xf64>, tensor<11x3xf64>) -> tensor<11x3xi1>
  %c4 = tenon.compare %a, %b {predicate = #tenon.predicate<gt>} : (tensor<11x3xf64>, tensor<11x3xf64>) -> tensor<11x3xi1>
  %c5 = tenon.compare %a, %b {predicate = #tenon.predicate<ge>} : (tensor<11x3xf64>, tensor<11x3xf64>) -> tensor<11x3xi1>
  %s = tenon.select %c2, %a, %b : (tensor<11x3xi1>, tensor<11x3xf64>, tensor<11x3xf64>) -> tensor<11x3xf64>
  return %c0, %c1, %c2, %c3, %c4, %c5, %s : tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xf64>
}

func.func @select_f32(%a: tensor<11x3xf32>, %b: tensor<11x3xf32>) -> (tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xf32>) {
  %c0 = tenon.compare %a, %b {predicate = #tenon.predicate<eq>} : (tensor<11x3xf32>, tensor<11x3xf32>) -> tensor<11x3xi1>
  %c1 = tenon.compare %a, %b {predicate = #tenon.predicate<ne>} : (tensor<11x3xf32>, tensor<11x3xf32>) -> tensor<11x3xi1>
  %c2 = tenon.compare %a, %b {predicate = #tenon.predicate<lt>} : (tensor<11x3xf32>, tensor<11x3xf32>) -> tensor<11x3xi1>
  %c3 = tenon.compare %a, %b {predicate = #tenon.predicate<le>} : (tensor<11x3xf32>, tensor<11x3xf32>) -> tensor<11x3xi1>
  %c4 = tenon.compare %a, %b {predicate = #tenon.predicate<gt>} : (tensor<11x3xf32>, tensor<11x3xf32>) -> tensor<11x3xi1>
  %c5 = tenon.compare %a, %b {predicate = #tenon.predicate<ge>} : (tensor<11x3xf32>, tensor<11x3xf32>) -> tensor<11x3xi1>
  %s = tenon.select %c2, %a, %b : (tensor<11x3xi1>, tensor<11x3xf32>, tensor<11x3xf32>) -> tensor<11x3xf32>
  return %c0, %c1, %c2, %c3, %c4, %c5, %s : tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xf32>
}

func.func @select_bf16(%a: tensor<11x3xbf16>, %b: tensor<11x3xbf16>) -> (tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xbf16>) {
  %c0 = tenon.compare %a, %b {predicate = #tenon.predicate<eq>} : (tensor<11x3xbf16>, tensor<11x3xbf16>) -> tensor<11x3xi1>
  %c1 = tenon.compare %a, %b {predicate = #tenon.predicate<ne>} : (tensor<11x3xbf16>, tensor<11x3xbf16>) -> tensor<11x3xi1>
  %c2 = tenon.compare %a, %b {predicate = #tenon.predicate<lt>} : (tensor<11x3xbf16>, tensor<11x3xbf16>) -> tensor<11x3xi1>
  %c3 = tenon.compare %a, %b {predicate = #tenon.predicate<le>} : (tensor<11x3xbf16>, tensor<11x3xbf16>) -> tensor<11x3xi1>
  %c4 = tenon.compare %a, %b {predicate = #tenon.predicate<gt>} : (tensor<11x3xbf16>, tensor<11x3xbf16>) -> tensor<11x3xi1>
  %c5 = tenon.compare %a, %b {predicate = #tenon.predicate<ge>} : (tensor<11x3xbf16>, tensor<11x3xbf16>) -> tensor<11x3xi1>
  %s = tenon.select %c2, %a, %b : (tensor<11x3xi1>, tensor<11x3xbf16>, tensor<11x3xbf16>) -> tensor<11x3xbf16>
  return %c0, %c1, %c2, %c3, %c4, %c5, %s : tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xbf16>
}

func.func @select_i32(%a: tensor<11x3xi32>, %b: tensor<11x3xi32>) -> (tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xi32>) {
  %c0 = tenon.compare %a, %b {predicate = #tenon.predicate<eq>} : (tensor<11x3xi32>, tensor<11x3xi32>) -> tensor<11x3xi1>
  %c1 = tenon.compare %a, %b {predicate = #tenon.predicate<ne>} : (tensor<11x3xi32>, tensor<11x3xi32>) -> tensor<11x3xi1>
  %c2 = tenon.compare %a, %b {predicate = #tenon.predicate<lt>} : (tensor<11x3xi32>, tensor<11x3xi32>) -> tensor<11x3xi1>
  %c3 = tenon.compare %a, %b {predicate = #tenon.predicate<le>} : (tensor<11x3xi32>, tensor<11x3xi32>) -> tensor<11x3xi1>
  %c4 = tenon.compare %a, %b {predicate = #tenon.predicate<gt>} : (tensor<11x3xi32>, tensor<11x3xi32>) -> tensor<11x3xi1>
  %c5 = tenon.compare %a, %b {predicate = #tenon.predicate<ge>} : (tensor<11x3xi32>, tensor<11x3xi32>) -> tensor<11x3xi1>
  %s = tenon.select %c2, %a, %b : (tensor<11x3xi1>, tensor<11x3xi32>, tensor<11x3xi32>) -> tensor<11x3xi32>
  return %c0, %c1, %c2, %c3, %c4, %c5, %s : tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xi1>, tensor<11x3xi32>
}

func.func @cast_f64_f32(%x: tensor<7x9xf64>) -> tensor<7x9xf32> {
  %y = tenon.cast %x {dtype = f32} : (tensor<7x9xf64>) -> tensor<7x9xf32>
  return %y : tensor<7x9xf32>
}

func.func @cast_f64_f16(%x: tensor<7x9xf64>) -> tensor<7x9xf16> {
  %y = tenon.cast %x {dtype = f16} : (tensor<7x9xf64>) -> tensor<7x9xf16>
  return %y : tensor<7x9xf16>
}

func.func @cast_f64_bf16(%x: tensor<7x9xf64>) -> tensor<7x9xbf16> {
  %y = tenon.cast %x {dtype = bf16} : (tensor<7x9xf64>) -> tensor<7x9xbf16>
  return %y : tensor<7x9xbf16>
}

func.func @cast_f64_i64(%x: tensor<7x9xf64>) -> tensor<7x9xi64> {
  %y = tenon.cast %x {dtype = i64} : (tensor<7x9xf64>) -> tensor<7x9xi64>
  return %y : tensor<7x9xi64>
}

func.func @cast_f64_i32(%x: tensor<7x9xf64>) -> tensor<7x9xi32> {
  %y = tenon.cast %x {dtype = i32} : (tensor<7x9xf64>) -> tensor<7x9xi32>
  return %y : tensor<7x9xi32>
}

func.func @cast_f32_f64(%x: tensor<7x9xf32>) -> tensor<7x9xf64> {
  %y = tenon.cast %x {dtype = f64} : (tensor<7x9xf32>) -> tensor<7x9xf64>
  return %y : tensor<7x9xf64>
}

func.func @cast_f32_f16(%x: tensor<7x9xf32>) -> tensor<7x9xf16> {
  %y = tenon.cast %x {dtype = f16} : (tensor<7x9xf32>) -> tensor<7x9xf16>
  return %y : tensor<7x9xf16>
}

func.func @cast_f32_bf16(%x: tensor<7x9xf32>) -> tensor<7x9xbf16> {
  %y = tenon.cast %x {dtype = bf16} : (tensor<7x9xf32>) -> tensor<7x9xbf16>
  return %y : tensor<7x9xbf16>
}

func.func @cast_f32_i64(%x: tensor<7x9xf32>) -> tensor<7x9xi64> {
  %y = tenon.cast %x {dtype = i64} : (tensor<7x9xf32>) -> tensor<7x9xi64>
  return %y : tensor<7x9xi64>
}

func.func @cast_f32_i32(%x: tensor<7x9xf32>) -> tensor<7x9xi32> {
  %y = tenon.cast %x {dtype = i32} : (tensor<7x9xf32>) -> tensor<7x9xi32>
  return %y : tensor<7x9xi32>
}

func.func @cast_f16_f64(%x: tensor<7x9xf16>) -> tensor<7x9xf64> {
  %y = tenon.cast %x {dtype = f64} : (tensor<7x9xf16>) -> tensor<7x9xf64>
  return %y : tensor<7x9xf64>
}

func.func @cast_f16_f32(%x: tensor<7x9xf16>) -> tensor<7x9xf32> {
  %y = tenon.cast %x {dtype = f32} : (tensor<7x9xf16>) -> tensor<7x9xf32>
  return %y : tensor<7x9xf32>
}

func.func @cast_f16_bf16(%x: tensor<7x9xf16>) -> tensor<7x9xbf16> {
  %y = tenon.cast %x {dtype = bf16} : (tensor<7x9xf16>) -> tensor<7x9xbf16>
  return %y : tensor<7x9xbf16>
}

func.func @cast_f16_i64(%x: tensor<7x9xf16>) -> tensor<7x9xi64> {
  %y = tenon.cast %x {dtype = i64} : (tensor<7x9xf16>) -> tensor<7x9xi64>
  return %y : tensor<7x9xi64>
}

func.func @cast_f16_i32(%x: tensor<7x9xf16>) -> tensor<7x9xi32> {
  %y = tenon.cast %x {dtype = i32} : (tensor<7x9xf16>) -> tensor<7x9xi32>
  return %y : tensor<7x9xi32>
}

func.func @cast_bf16_f64(%x: tensor<7x9xbf16>) -> tensor<7x9xf64> {
  %y = tenon.cast %x {dtype = f64} : (tensor<7x9xbf16>) -> tensor<7x9xf64>
  return %y : tensor<7x9xf64>
}

func.func @cast_bf16_f32(%x: tensor<7x9xbf16>) -> tensor<7x9xf32> {
  %y = tenon.cast %x {dtype = f32} : (tensor<7x9xbf16>) -> tensor<7x9xf32>
  return %y : tensor<7x9xf32>
}

func.func @cast_bf16_f16(%x: tensor<7x9xbf16>) -> tensor<7x9xf16> {
  %y = tenon.cast %x {dtype = f16} : (tensor<7x9xbf16>) -> tensor<7x9xf16>
  return %y : tensor<7x9xf16>
}

func.func @cast_bf16_i64(%x: tensor<7x9xbf16>) -> tensor<7x9xi64> {
  %y = tenon.cast %x {dtype = i64} : (tensor<7x9xbf16>) -> tensor<7x9xi64>
  return %y : tensor<7x9xi64>
}

func.func @cast_bf16_i32(%x: tensor<7x9xbf16>) -> tensor<7x9xi32> {
  %y = tenon.cast %x {dtype = i32} : (tensor<7x9xbf16>) -> tensor<7x9xi32>
  return %y : tensor<7x9xi32>
}

func.func @cast_i64_f64(%x: tensor<7x9xi64>) -> tensor<7x9xf64> {
  %y = tenon.cast %x {dtype = f64} : (tensor<7x9xi64>) -> tensor<7x9xf64>
  return %y : tensor<7x9xf64>
}

func.func @cast_i64_f32(%x: tensor<7x9xi64>) -> tensor<7x9xf32> {
  %y = tenon.cast %x {dtype = f32} : (tensor<7x9xi64>) -> tensor<7x9xf32>
  return %y : tensor<7x9xf32>
}

func.func @cast_i64_f16(%x: tensor<7x9xi64>) -> tensor<7x9xf16> {
  %y = tenon.cast %x {dtype = f16} : (tensor<7x9xi64>) -> tensor<7x9xf16>
  return %y : tensor<7x9xf16>
}

func.func @cast_i64_bf16(%x: tensor<7x9xi64>) -> tensor<7x9xbf16> {
  %y = tenon.cast %x {dtype = bf16} : (tensor<7x9xi64>) -> tensor<7x9xbf16>
  return %y : tensor<7x9xbf16>
}

func.func @cast_i64_i32(%x: tensor<7x9xi64>) -> tensor<7x9xi32> {
  %y = tenon.cast %x {dtype = i32} : (tensor<7x9xi64>) -> tensor<7x9xi32>
  return %y : tensor<7x9xi32>
}

func.func @cast_i32_f64(%x: tensor<7x9xi32>) -> tensor<7x9xf64> {
  %y = tenon.cast %x {dtype = f64} : (tensor<7x9xi32>) -> tensor<7x9xf64>
  return %y : tensor<7x9xf64>
}

func.func @cast_i32_f32(%x: tensor<7x9xi32>) -> tensor<7x9xf32> {
  %y = tenon.cast %x {dtype = f32} : (tensor<7x9xi32>) -> tensor<7x9xf32>
  return %y : tensor<7x9xf32>
}

func.func @cast_i32_f16(%x: tensor<7x9xi32>) -> tensor<7x9xf16> {
  %y = tenon.cast %x {dtype = f16} : (tensor<7x9xi32>) -> tensor<7x9xf16>
  return %y : tensor<7x9xf16>
}

func.func @cast_i32_bf16(%x: tensor<7x9xi32>) -> tensor<7x9xbf16> {
  %y = tenon.cast %x {dtype = bf16} : (tensor<7x9xi32>) -> tensor<7x9xbf16>
  return %y : tensor<7x9xbf16>
}

func.func @cast_i32_i64(%x: tensor<7x9xi32>) -> tensor<7x9xi64> {
  %y = tenon.cast %x {dtype = i64} : (tensor<7x9xi32>) -> tensor<7x9xi64>
  return %y : tensor<7x9xi64>
}

func.func @cast_i8_f64(%x: tensor<7x9xi8>) -> tensor<7x9xf64> {
  %y = tenon.cast %x {dtype = f64} : (tensor<7x9xi8>) -> tensor<7x9xf64>
  return %y : tensor<7x9xf64>
}

func.func @cast_i8_f32(%x: tensor<7x9xi8>) -> tensor<7x9xf32> {
  %y = tenon.cast %x {dtype = f32} : (tensor<7x9xi8>) -> tensor<7x9xf32>
  return %y : tensor<7x9xf32>
}

func.func @cast_i8_f16(%x: tensor<7x9xi8>) -> tensor<7x9xf16> {
  %y = tenon.cast %x {dtype = f16} : (tensor<7x9xi8>) -> tensor<7x9xf16>
  return %y : tensor<7x9xf16>
}

func.func @cast_i8_bf16(%x: tensor<7x9xi8>) -> tensor<7x9xbf16> {
  %y = tenon.cast %x {dtype = bf16} : (tensor<7x9xi8>) -> tensor<7x9xbf16>
  return %y : tensor<7x9xbf16>
}

func.func @cast_i8_i64(%x: tensor<7x9xi8>) -> tensor<7x9xi64> {
  %y = tenon.cast %x {dtype = i64} : (tensor<7x9xi8>) -> tensor<7x9xi64>
  return %y : tensor<7x9xi64>
}

func.func @cast_i8_i32(%x: tensor<7x9xi8>) -> tensor<7x9xi32> {
  %y = tenon.cast %x {dtype = i32} : (tensor<7x9xi8>) -> tensor<7x9xi32>
  return %y : tensor<7x9xi32>
}

func.func @cast_i1_f64(%x: tensor<7x9xi1>) -> tensor<7x9xf64> {
  %y = tenon.cast %x {dtype = f64} : (tensor<7x9xi1>) -> tensor<7x9xf64>
  return %y : tensor<7x9xf64>
}

func.func @cast_i1_f32(%x: tensor<7x9xi1>) -> tensor<7x9xf32> {
  %y = tenon.cast %x {dtype = f32} : (tensor<7x9xi1>) -> tensor<7x9xf32>
  return %y : tensor<7x9xf32>
}

func.func @cast_i1_f16(%x: tensor<7x9xi1>) -> tensor<7x9xf16> {
  %y = tenon.cast %x {dtype = f16} : (tensor<7x9xi1>) -> tensor<7x9xf16>
  return %y : tensor<7x9xf16>
}

func.func @cast_i1_bf16(%x: tensor<7x9xi1>) -> tensor<7x9xbf16> {
  %y = tenon.cast %x {dtype = bf16} : (tensor<7x9xi1>) -> tensor<7x9xbf16>
  return %y : tensor<7x9xbf16>
}

func.func @cast_i1_i64(%x: tensor<7x9xi1>) -> tensor<7x9xi64> {
  %y = tenon.cast %x {dtype = i64} : (tensor<7x9xi1>) -> tensor<7x9xi64>
  return %y : tensor<7x9xi64>
}

func.func @cast_i1_i32(%x: tensor<7x9xi1>) -> tensor<7x9xi32> {
  %y = tenon.cast %x {dtype = i32} : (tensor<7x9xi1>) -> tensor<7x9xi32>
  return %y : tensor<7x9xi32>
}
