// Lines in order by tiles and merges: as long as a tile, about so long, of several tiles, of many.
// RUN: tenon-run %s --compare=reference --quiet
// RUN: tenon-run %s --compare=reference --quiet --backend=vulkan

func.func @row_0(%x: tensor<3x0xf32>) -> (tensor<3x0xf32>, tensor<3x0xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = -1 : i64, descending = false} : (tensor<3x0xf32>) -> (tensor<3x0xf32>, tensor<3x0xi32>)
  return %v, %i : tensor<3x0xf32>, tensor<3x0xi32>
}

func.func @row_1(%x: tensor<3x1xf32>) -> (tensor<3x1xf32>, tensor<3x1xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = -1 : i64, descending = true} : (tensor<3x1xf32>) -> (tensor<3x1xf32>, tensor<3x1xi32>)
  return %v, %i : tensor<3x1xf32>, tensor<3x1xi32>
}

func.func @row_32(%x: tensor<3x32xf32>) -> (tensor<3x32xf32>, tensor<3x32xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = -1 : i64, descending = false} : (tensor<3x32xf32>) -> (tensor<3x32xf32>, tensor<3x32xi32>)
  return %v, %i : tensor<3x32xf32>, tensor<3x32xi32>
}

func.func @row_33(%x: tensor<3x33xf32>) -> (tensor<3x33xf32>, tensor<3x33xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = -1 : i64, descending = true} : (tensor<3x33xf32>) -> (tensor<3x33xf32>, tensor<3x33xi32>)
  return %v, %i : tensor<3x33xf32>, tensor<3x33xi32>
}

func.func @row_63(%x: tensor<3x63xf32>) -> (tensor<3x63xf32>, tensor<3x63xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = -1 : i64, descending = true} : (tensor<3x63xf32>) -> (tensor<3x63xf32>, tensor<3x63xi32>)
  return %v, %i : tensor<3x63xf32>, tensor<3x63xi32>
}

func.func @row_64(%x: tensor<3x64xf32>) -> (tensor<3x64xf32>, tensor<3x64xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = -1 : i64, descending = false} : (tensor<3x64xf32>) -> (tensor<3x64xf32>, tensor<3x64xi32>)
  return %v, %i : tensor<3x64xf32>, tensor<3x64xi32>
}

func.func @row_65(%x: tensor<3x65xf32>) -> (tensor<3x65xf32>, tensor<3x65xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = -1 : i64, descending = true} : (tensor<3x65xf32>) -> (tensor<3x65xf32>, tensor<3x65xi32>)
  return %v, %i : tensor<3x65xf32>, tensor<3x65xi32>
}

func.func @row_2047(%x: tensor<3x2047xf32>) -> (tensor<3x2047xf32>, tensor<3x2047xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = -1 : i64, descending = true} : (tensor<3x2047xf32>) -> (tensor<3x2047xf32>, tensor<3x2047xi32>)
  return %v, %i : tensor<3x2047xf32>, tensor<3x2047xi32>
}

func.func @row_2048(%x: tensor<3x2048xf32>) -> (tensor<3x2048xf32>, tensor<3x2048xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = -1 : i64, descending = false} : (tensor<3x2048xf32>) -> (tensor<3x2048xf32>, tensor<3x2048xi32>)
  return %v, %i : tensor<3x2048xf32>, tensor<3x2048xi32>
}

func.func @row_2049(%x: tensor<3x2049xf32>) -> (tensor<3x2049xf32>, tensor<3x2049xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = -1 : i64, descending = true} : (tensor<3x2049xf32>) -> (tensor<3x2049xf32>, tensor<3x2049xi32>)
  return %v, %i : tensor<3x2049xf32>, tensor<3x2049xi32>
}

func.func @row_5000(%x: tensor<3x5000xf32>) -> (tensor<3x5000xf32>, tensor<3x5000xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = -1 : i64, descending = false} : (tensor<3x5000xf32>) -> (tensor<3x5000xf32>, tensor<3x5000xi32>)
  return %v, %i : tensor<3x5000xf32>, tensor<3x5000xi32>
}

func.func @column_33(%x: tensor<33x3xf32>) -> (tensor<33x3xf32>, tensor<33x3xi32>) {
  %v, %i = tenon.sort %x {axis = 0 : i64, count = -1 : i64, descending = true} : (tensor<33x3xf32>) -> (tensor<33x3xf32>, tensor<33x3xi32>)
  return %v, %i : tensor<33x3xf32>, tensor<33x3xi32>
}

func.func @column_3000(%x: tensor<3000x3xf32>) -> (tensor<3000x3xf32>, tensor<3000x3xi32>) {
  %v, %i = tenon.sort %x {axis = 0 : i64, count = -1 : i64, descending = false} : (tensor<3000x3xf32>) -> (tensor<3000x3xf32>, tensor<3000x3xi32>)
  return %v, %i : tensor<3000x3xf32>, tensor<3000x3xi32>
}

func.func @row_f64(%x: tensor<2x3000xf64>) -> (tensor<2x3000xf64>, tensor<2x3000xi32>) {
  %p = tenon.round %x : tensor<2x3000xf64>
  %v, %i = tenon.sort %p {axis = 1 : i64, count = -1 : i64, descending = false} : (tensor<2x3000xf64>) -> (tensor<2x3000xf64>, tensor<2x3000xi32>)
  return %v, %i : tensor<2x3000xf64>, tensor<2x3000xi32>
}

func.func @some_f64(%x: tensor<2x5000xf64>) -> (tensor<2x100xf64>, tensor<2x100xi32>) {
  %p = tenon.round %x : tensor<2x5000xf64>
  %v, %i = tenon.sort %p {axis = 1 : i64, count = 100 : i64, descending = true} : (tensor<2x5000xf64>) -> (tensor<2x100xf64>, tensor<2x100xi32>)
  return %v, %i : tensor<2x100xf64>, tensor<2x100xi32>
}

func.func @row_f16(%x: tensor<2x3000xf16>) -> (tensor<2x3000xf16>, tensor<2x3000xi32>) {
  %p = tenon.round %x : tensor<2x3000xf16>
  %v, %i = tenon.sort %p {axis = 1 : i64, count = -1 : i64, descending = true} : (tensor<2x3000xf16>) -> (tensor<2x3000xf16>, tensor<2x3000xi32>)
  return %v, %i : tensor<2x3000xf16>, tensor<2x3000xi32>
}

func.func @some_f16(%x: tensor<2x5000xf16>) -> (tensor<2x100xf16>, tensor<2x100xi32>) {
  %p = tenon.round %x : tensor<2x5000xf16>
  %v, %i = tenon.sort %p {axis = 1 : i64, count = 100 : i64, descending = false} : (tensor<2x5000xf16>) -> (tensor<2x100xf16>, tensor<2x100xi32>)
  return %v, %i : tensor<2x100xf16>, tensor<2x100xi32>
}

func.func @row_bf16(%x: tensor<2x3000xbf16>) -> (tensor<2x3000xbf16>, tensor<2x3000xi32>) {
  %p = tenon.round %x : tensor<2x3000xbf16>
  %v, %i = tenon.sort %p {axis = 1 : i64, count = -1 : i64, descending = true} : (tensor<2x3000xbf16>) -> (tensor<2x3000xbf16>, tensor<2x3000xi32>)
  return %v, %i : tensor<2x3000xbf16>, tensor<2x3000xi32>
}

func.func @some_bf16(%x: tensor<2x5000xbf16>) -> (tensor<2x100xbf16>, tensor<2x100xi32>) {
  %p = tenon.round %x : tensor<2x5000xbf16>
  %v, %i = tenon.sort %p {axis = 1 : i64, count = 100 : i64, descending = false} : (tensor<2x5000xbf16>) -> (tensor<2x100xbf16>, tensor<2x100xi32>)
  return %v, %i : tensor<2x100xbf16>, tensor<2x100xi32>
}

func.func @row_i64(%x: tensor<2x3000xi64>) -> (tensor<2x3000xi64>, tensor<2x3000xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = -1 : i64, descending = false} : (tensor<2x3000xi64>) -> (tensor<2x3000xi64>, tensor<2x3000xi32>)
  return %v, %i : tensor<2x3000xi64>, tensor<2x3000xi32>
}

func.func @some_i64(%x: tensor<2x5000xi64>) -> (tensor<2x100xi64>, tensor<2x100xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = 100 : i64, descending = true} : (tensor<2x5000xi64>) -> (tensor<2x100xi64>, tensor<2x100xi32>)
  return %v, %i : tensor<2x100xi64>, tensor<2x100xi32>
}

func.func @row_i32(%x: tensor<2x3000xi32>) -> (tensor<2x3000xi32>, tensor<2x3000xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = -1 : i64, descending = false} : (tensor<2x3000xi32>) -> (tensor<2x3000xi32>, tensor<2x3000xi32>)
  return %v, %i : tensor<2x3000xi32>, tensor<2x3000xi32>
}

func.func @some_i32(%x: tensor<2x5000xi32>) -> (tensor<2x100xi32>, tensor<2x100xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = 100 : i64, descending = true} : (tensor<2x5000xi32>) -> (tensor<2x100xi32>, tensor<2x100xi32>)
  return %v, %i : tensor<2x100xi32>, tensor<2x100xi32>
}

func.func @row_i8(%x: tensor<2x3000xi8>) -> (tensor<2x3000xi8>, tensor<2x3000xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = -1 : i64, descending = false} : (tensor<2x3000xi8>) -> (tensor<2x3000xi8>, tensor<2x3000xi32>)
  return %v, %i : tensor<2x3000xi8>, tensor<2x3000xi32>
}

func.func @some_i8(%x: tensor<2x5000xi8>) -> (tensor<2x100xi8>, tensor<2x100xi32>) {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = 100 : i64, descending = true} : (tensor<2x5000xi8>) -> (tensor<2x100xi8>, tensor<2x100xi32>)
  return %v, %i : tensor<2x100xi8>, tensor<2x100xi32>
}

func.func @most(%x: tensor<20000xf32>) -> (tensor<3000xf32>, tensor<3000xi32>) {
  %p = tenon.round %x : tensor<20000xf32>
  %v, %i = tenon.sort %p {axis = 0 : i64, count = 3000 : i64, descending = true} : (tensor<20000xf32>) -> (tensor<3000xf32>, tensor<3000xi32>)
  return %v, %i : tensor<3000xf32>, tensor<3000xi32>
}

func.func @one(%x: tensor<20000xf32>) -> (tensor<1xf32>, tensor<1xi32>) {
  %p = tenon.round %x : tensor<20000xf32>
  %v, %i = tenon.sort %p {axis = 0 : i64, count = 1 : i64, descending = true} : (tensor<20000xf32>) -> (tensor<1xf32>, tensor<1xi32>)
  return %v, %i : tensor<1xf32>, tensor<1xi32>
}

func.func @long(%x: tensor<200000xf32>) -> (tensor<200000xf32>, tensor<200000xi32>) {
  %v, %i = tenon.sort %x {axis = 0 : i64, count = -1 : i64, descending = false} : (tensor<200000xf32>) -> (tensor<200000xf32>, tensor<200000xi32>)
  return %v, %i : tensor<200000xf32>, tensor<200000xi32>
}

func.func @long_ties(%x: tensor<200000xi8>) -> (tensor<200000xi8>, tensor<200000xi32>) {
  %v, %i = tenon.sort %x {axis = 0 : i64, count = -1 : i64, descending = true} : (tensor<200000xi8>) -> (tensor<200000xi8>, tensor<200000xi32>)
  return %v, %i : tensor<200000xi8>, tensor<200000xi32>
}

func.func @long_few(%x: tensor<200000xf32>) -> (tensor<64xf32>, tensor<64xi32>) {
  %p = tenon.round %x : tensor<200000xf32>
  %v, %i = tenon.sort %p {axis = 0 : i64, count = 64 : i64, descending = true} : (tensor<200000xf32>) -> (tensor<64xf32>, tensor<64xi32>)
  return %v, %i : tensor<64xf32>, tensor<64xi32>
}

func.func @long_f64(%x: tensor<200000xf64>) -> (tensor<200000xf64>, tensor<200000xi32>) {
  %v, %i = tenon.sort %x {axis = 0 : i64, count = -1 : i64, descending = true} : (tensor<200000xf64>) -> (tensor<200000xf64>, tensor<200000xi32>)
  return %v, %i : tensor<200000xf64>, tensor<200000xi32>
}

func.func @nan(%x: tensor<2x5000xf32>) -> (tensor<2x5000xf32>, tensor<2x5000xi32>) {
  %p = tenon.log %x : tensor<2x5000xf32>
  %v, %i = tenon.sort %p {axis = 1 : i64, count = -1 : i64, descending = true} : (tensor<2x5000xf32>) -> (tensor<2x5000xf32>, tensor<2x5000xi32>)
  return %v, %i : tensor<2x5000xf32>, tensor<2x5000xi32>
}
