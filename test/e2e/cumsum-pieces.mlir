// Running sums in pieces: lines as long as a piece, about so long, of several and of many pieces.
// RUN: tenon-run %s --compare=reference --quiet
// RUN: tenon-run %s --compare=reference --quiet --backend=vulkan

func.func @row_0(%x: tensor<3x0xf32>) -> tensor<3x0xf32> {
  %y = tenon.cumsum %x {axis = 1 : i64, exclusive = false, reverse = true} : (tensor<3x0xf32>) -> tensor<3x0xf32>
  return %y : tensor<3x0xf32>
}

func.func @row_1(%x: tensor<3x1xf32>) -> tensor<3x1xf32> {
  %y = tenon.cumsum %x {axis = 1 : i64, exclusive = true, reverse = false} : (tensor<3x1xf32>) -> tensor<3x1xf32>
  return %y : tensor<3x1xf32>
}

func.func @row_32(%x: tensor<3x32xf32>) -> tensor<3x32xf32> {
  %y = tenon.cumsum %x {axis = 1 : i64, exclusive = false, reverse = false} : (tensor<3x32xf32>) -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

func.func @row_33(%x: tensor<3x33xf32>) -> tensor<3x33xf32> {
  %y = tenon.cumsum %x {axis = 1 : i64, exclusive = true, reverse = true} : (tensor<3x33xf32>) -> tensor<3x33xf32>
  return %y : tensor<3x33xf32>
}

func.func @row_287(%x: tensor<3x287xf32>) -> tensor<3x287xf32> {
  %y = tenon.cumsum %x {axis = 1 : i64, exclusive = true, reverse = false} : (tensor<3x287xf32>) -> tensor<3x287xf32>
  return %y : tensor<3x287xf32>
}

func.func @row_288(%x: tensor<3x288xf32>) -> tensor<3x288xf32> {
  %y = tenon.cumsum %x {axis = 1 : i64, exclusive = false, reverse = true} : (tensor<3x288xf32>) -> tensor<3x288xf32>
  return %y : tensor<3x288xf32>
}

func.func @row_289(%x: tensor<3x289xf32>) -> tensor<3x289xf32> {
  %y = tenon.cumsum %x {axis = 1 : i64, exclusive = true, reverse = false} : (tensor<3x289xf32>) -> tensor<3x289xf32>
  return %y : tensor<3x289xf32>
}

func.func @row_2303(%x: tensor<3x2303xf32>) -> tensor<3x2303xf32> {
  %y = tenon.cumsum %x {axis = 1 : i64, exclusive = true, reverse = false} : (tensor<3x2303xf32>) -> tensor<3x2303xf32>
  return %y : tensor<3x2303xf32>
}

func.func @row_2304(%x: tensor<3x2304xf32>) -> tensor<3x2304xf32> {
  %y = tenon.cumsum %x {axis = 1 : i64, exclusive = false, reverse = true} : (tensor<3x2304xf32>) -> tensor<3x2304xf32>
  return %y : tensor<3x2304xf32>
}

func.func @row_2305(%x: tensor<3x2305xf32>) -> tensor<3x2305xf32> {
  %y = tenon.cumsum %x {axis = 1 : i64, exclusive = true, reverse = false} : (tensor<3x2305xf32>) -> tensor<3x2305xf32>
  return %y : tensor<3x2305xf32>
}

func.func @row_5000(%x: tensor<3x5000xf32>) -> tensor<3x5000xf32> {
  %y = tenon.cumsum %x {axis = 1 : i64, exclusive = false, reverse = false} : (tensor<3x5000xf32>) -> tensor<3x5000xf32>
  return %y : tensor<3x5000xf32>
}

func.func @column_0(%x: tensor<2x0x5xf32>) -> tensor<2x0x5xf32> {
  %y = tenon.cumsum %x {axis = 1 : i64, exclusive = true, reverse = true} : (tensor<2x0x5xf32>) -> tensor<2x0x5xf32>
  return %y : tensor<2x0x5xf32>
}

func.func @column_1(%x: tensor<2x1x5xf32>) -> tensor<2x1x5xf32> {
  %y = tenon.cumsum %x {axis = 1 : i64, exclusive = false, reverse = false} : (tensor<2x1x5xf32>) -> tensor<2x1x5xf32>
  return %y : tensor<2x1x5xf32>
}

func.func @column_63(%x: tensor<2x63x5xf32>) -> tensor<2x63x5xf32> {
  %y = tenon.cumsum %x {axis = 1 : i64, exclusive = false, reverse = true} : (tensor<2x63x5xf32>) -> tensor<2x63x5xf32>
  return %y : tensor<2x63x5xf32>
}

func.func @column_64(%x: tensor<2x64x5xf32>) -> tensor<2x64x5xf32> {
  %y = tenon.cumsum %x {axis = 1 : i64, exclusive = true, reverse = false} : (tensor<2x64x5xf32>) -> tensor<2x64x5xf32>
  return %y : tensor<2x64x5xf32>
}

func.func @column_65(%x: tensor<2x65x5xf32>) -> tensor<2x65x5xf32> {
  %y = tenon.cumsum %x {axis = 1 : i64, exclusive = false, reverse = false} : (tensor<2x65x5xf32>) -> tensor<2x65x5xf32>
  return %y : tensor<2x65x5xf32>
}

func.func @column_300(%x: tensor<2x300x5xf32>) -> tensor<2x300x5xf32> {
  %y = tenon.cumsum %x {axis = 1 : i64, exclusive = true, reverse = true} : (tensor<2x300x5xf32>) -> tensor<2x300x5xf32>
  return %y : tensor<2x300x5xf32>
}

func.func @row_f64(%x: tensor<2x3000xf64>) -> tensor<2x3000xf64> {
  %y = tenon.cumsum %x {axis = 1 : i64, exclusive = true, reverse = true} : (tensor<2x3000xf64>) -> tensor<2x3000xf64>
  return %y : tensor<2x3000xf64>
}

func.func @column_f64(%x: tensor<300x3xf64>) -> tensor<300x3xf64> {
  %y = tenon.cumsum %x {axis = 0 : i64, exclusive = false, reverse = true} : (tensor<300x3xf64>) -> tensor<300x3xf64>
  return %y : tensor<300x3xf64>
}

func.func @row_f16(%x: tensor<2x3000xf16>) -> tensor<2x3000xf16> {
  %y = tenon.cumsum %x {axis = 1 : i64, exclusive = true, reverse = true} : (tensor<2x3000xf16>) -> tensor<2x3000xf16>
  return %y : tensor<2x3000xf16>
}

func.func @column_f16(%x: tensor<300x3xf16>) -> tensor<300x3xf16> {
  %y = tenon.cumsum %x {axis = 0 : i64, exclusive = false, reverse = true} : (tensor<300x3xf16>) -> tensor<300x3xf16>
  return %y : tensor<300x3xf16>
}

func.func @row_bf16(%x: tensor<2x3000xbf16>) -> tensor<2x3000xbf16> {
  %y = tenon.cumsum %x {axis = 1 : i64, exclusive = true, reverse = true} : (tensor<2x3000xbf16>) -> tensor<2x3000xbf16>
  return %y : tensor<2x3000xbf16>
}

func.func @column_bf16(%x: tensor<300x3xbf16>) -> tensor<300x3xbf16> {
  %y = tenon.cumsum %x {axis = 0 : i64, exclusive = false, reverse = true} : (tensor<300x3xbf16>) -> tensor<300x3xbf16>
  return %y : tensor<300x3xbf16>
}

func.func @row_i64(%x: tensor<2x3000xi64>) -> tensor<2x3000xi64> {
  %y = tenon.cumsum %x {axis = 1 : i64, exclusive = true, reverse = true} : (tensor<2x3000xi64>) -> tensor<2x3000xi64>
  return %y : tensor<2x3000xi64>
}

func.func @column_i64(%x: tensor<300x3xi64>) -> tensor<300x3xi64> {
  %y = tenon.cumsum %x {axis = 0 : i64, exclusive = false, reverse = true} : (tensor<300x3xi64>) -> tensor<300x3xi64>
  return %y : tensor<300x3xi64>
}

func.func @row_i32(%x: tensor<2x3000xi32>) -> tensor<2x3000xi32> {
  %y = tenon.cumsum %x {axis = 1 : i64, exclusive = true, reverse = true} : (tensor<2x3000xi32>) -> tensor<2x3000xi32>
  return %y : tensor<2x3000xi32>
}

func.func @column_i32(%x: tensor<300x3xi32>) -> tensor<300x3xi32> {
  %y = tenon.cumsum %x {axis = 0 : i64, exclusive = false, reverse = true} : (tensor<300x3xi32>) -> tensor<300x3xi32>
  return %y : tensor<300x3xi32>
}

func.func @row_i8(%x: tensor<2x3000xi8>) -> tensor<2x3000xi8> {
  %y = tenon.cumsum %x {axis = 1 : i64, exclusive = true, reverse = true} : (tensor<2x3000xi8>) -> tensor<2x3000xi8>
  return %y : tensor<2x3000xi8>
}

func.func @column_i8(%x: tensor<300x3xi8>) -> tensor<300x3xi8> {
  %y = tenon.cumsum %x {axis = 0 : i64, exclusive = false, reverse = true} : (tensor<300x3xi8>) -> tensor<300x3xi8>
  return %y : tensor<300x3xi8>
}

func.func @long_row(%x: tensor<200000xf32>) -> tensor<200000xf32> {
  %y = tenon.cumsum %x {axis = 0 : i64, exclusive = false, reverse = false} : (tensor<200000xf32>) -> tensor<200000xf32>
  return %y : tensor<200000xf32>
}

func.func @long_column(%x: tensor<200000x2xf32>) -> tensor<200000x2xf32> {
  %y = tenon.cumsum %x {axis = 0 : i64, exclusive = true, reverse = true} : (tensor<200000x2xf32>) -> tensor<200000x2xf32>
  return %y : tensor<200000x2xf32>
}

func.func @fused(%x: tensor<3x2500xf32>, %b: tensor<2500xf32>) -> tensor<3x2500xf32> {
  %c = tenon.broadcast %b {dims = array<i64: 1>, shape = array<i64: 3, 2500>} : (tensor<2500xf32>) -> tensor<3x2500xf32>
  %s = tenon.mul %x, %c : (tensor<3x2500xf32>, tensor<3x2500xf32>) -> tensor<3x2500xf32>
  %y = tenon.cumsum %s {axis = 1 : i64} : (tensor<3x2500xf32>) -> tensor<3x2500xf32>
  return %y : tensor<3x2500xf32>
}
