// Sums by number: few updates, about as many as a piece, many, all to one place, none.
// RUN: tenon-run %s --compare=reference --quiet --int-limit=9
// RUN: tenon-run %s --compare=reference --quiet --int-limit=9 --backend=vulkan
// RUN: tenon-run %s --compare=reference --quiet --int-limit=1 --backend=vulkan
// RUN: tenon-run %s --compare=reference --quiet --int-limit=2000000000 --backend=vulkan

func.func @along_0(%i: tensor<3x0xi32>, %u: tensor<3x0xf32>) -> tensor<3x5xf32> {
  %y = tenon.scatter_along %i, %u {axis = 1 : i64, extent = 5 : i64} : (tensor<3x0xi32>, tensor<3x0xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}

func.func @along_no_rows(%i: tensor<3x70xi32>, %u: tensor<3x70xf32>) -> tensor<3x0xf32> {
  %y = tenon.scatter_along %i, %u {axis = 1 : i64, extent = 0 : i64} : (tensor<3x70xi32>, tensor<3x70xf32>) -> tensor<3x0xf32>
  return %y : tensor<3x0xf32>
}

func.func @along_1(%i: tensor<3x1xi32>, %u: tensor<3x1xf32>) -> tensor<3x7xf32> {
  %y = tenon.scatter_along %i, %u {axis = 1 : i64, extent = 7 : i64} : (tensor<3x1xi32>, tensor<3x1xf32>) -> tensor<3x7xf32>
  return %y : tensor<3x7xf32>
}

func.func @along_63(%i: tensor<3x63xi32>, %u: tensor<3x63xf32>) -> tensor<3x7xf32> {
  %y = tenon.scatter_along %i, %u {axis = 1 : i64, extent = 7 : i64} : (tensor<3x63xi32>, tensor<3x63xf32>) -> tensor<3x7xf32>
  return %y : tensor<3x7xf32>
}

func.func @along_64(%i: tensor<3x64xi32>, %u: tensor<3x64xf32>) -> tensor<3x7xf32> {
  %y = tenon.scatter_along %i, %u {axis = 1 : i64, extent = 7 : i64} : (tensor<3x64xi32>, tensor<3x64xf32>) -> tensor<3x7xf32>
  return %y : tensor<3x7xf32>
}

func.func @along_65(%i: tensor<3x65xi32>, %u: tensor<3x65xf32>) -> tensor<3x7xf32> {
  %y = tenon.scatter_along %i, %u {axis = 1 : i64, extent = 7 : i64} : (tensor<3x65xi32>, tensor<3x65xf32>) -> tensor<3x7xf32>
  return %y : tensor<3x7xf32>
}

func.func @along_127(%i: tensor<3x127xi32>, %u: tensor<3x127xf32>) -> tensor<3x7xf32> {
  %y = tenon.scatter_along %i, %u {axis = 1 : i64, extent = 7 : i64} : (tensor<3x127xi32>, tensor<3x127xf32>) -> tensor<3x7xf32>
  return %y : tensor<3x7xf32>
}

func.func @along_128(%i: tensor<3x128xi32>, %u: tensor<3x128xf32>) -> tensor<3x7xf32> {
  %y = tenon.scatter_along %i, %u {axis = 1 : i64, extent = 7 : i64} : (tensor<3x128xi32>, tensor<3x128xf32>) -> tensor<3x7xf32>
  return %y : tensor<3x7xf32>
}

func.func @along_129(%i: tensor<3x129xi32>, %u: tensor<3x129xf32>) -> tensor<3x7xf32> {
  %y = tenon.scatter_along %i, %u {axis = 1 : i64, extent = 7 : i64} : (tensor<3x129xi32>, tensor<3x129xf32>) -> tensor<3x7xf32>
  return %y : tensor<3x7xf32>
}

func.func @columns_64(%i: tensor<64x3xi32>, %u: tensor<64x3xf32>) -> tensor<9x3xf32> {
  %y = tenon.scatter_along %i, %u {axis = 0 : i64, extent = 9 : i64} : (tensor<64x3xi32>, tensor<64x3xf32>) -> tensor<9x3xf32>
  return %y : tensor<9x3xf32>
}

func.func @columns_65(%i: tensor<65x3xi32>, %u: tensor<65x3xf32>) -> tensor<9x3xf32> {
  %y = tenon.scatter_along %i, %u {axis = 0 : i64, extent = 9 : i64} : (tensor<65x3xi32>, tensor<65x3xf32>) -> tensor<9x3xf32>
  return %y : tensor<9x3xf32>
}

func.func @columns_2049(%i: tensor<2049x3xi32>, %u: tensor<2049x3xf32>) -> tensor<9x3xf32> {
  %y = tenon.scatter_along %i, %u {axis = 0 : i64, extent = 9 : i64} : (tensor<2049x3xi32>, tensor<2049x3xf32>) -> tensor<9x3xf32>
  return %y : tensor<9x3xf32>
}

func.func @along_f64(%i: tensor<2x300xi64>, %u: tensor<2x300xf64>) -> tensor<2x8xf64> {
  %y = tenon.scatter_along %i, %u {axis = 1 : i64, extent = 8 : i64} : (tensor<2x300xi64>, tensor<2x300xf64>) -> tensor<2x8xf64>
  return %y : tensor<2x8xf64>
}

func.func @along_f16(%i: tensor<2x300xi64>, %u: tensor<2x300xf16>) -> tensor<2x8xf16> {
  %y = tenon.scatter_along %i, %u {axis = 1 : i64, extent = 8 : i64} : (tensor<2x300xi64>, tensor<2x300xf16>) -> tensor<2x8xf16>
  return %y : tensor<2x8xf16>
}

func.func @along_bf16(%i: tensor<2x300xi64>, %u: tensor<2x300xbf16>) -> tensor<2x8xbf16> {
  %y = tenon.scatter_along %i, %u {axis = 1 : i64, extent = 8 : i64} : (tensor<2x300xi64>, tensor<2x300xbf16>) -> tensor<2x8xbf16>
  return %y : tensor<2x8xbf16>
}

func.func @along_i64(%i: tensor<2x300xi64>, %u: tensor<2x300xi64>) -> tensor<2x8xi64> {
  %y = tenon.scatter_along %i, %u {axis = 1 : i64, extent = 8 : i64} : (tensor<2x300xi64>, tensor<2x300xi64>) -> tensor<2x8xi64>
  return %y : tensor<2x8xi64>
}

func.func @along_i32(%i: tensor<2x300xi64>, %u: tensor<2x300xi32>) -> tensor<2x8xi32> {
  %y = tenon.scatter_along %i, %u {axis = 1 : i64, extent = 8 : i64} : (tensor<2x300xi64>, tensor<2x300xi32>) -> tensor<2x8xi32>
  return %y : tensor<2x8xi32>
}

func.func @along_i8(%i: tensor<2x300xi64>, %u: tensor<2x300xi8>) -> tensor<2x8xi8> {
  %y = tenon.scatter_along %i, %u {axis = 1 : i64, extent = 8 : i64} : (tensor<2x300xi64>, tensor<2x300xi8>) -> tensor<2x8xi8>
  return %y : tensor<2x8xi8>
}

func.func @along_i8_ids(%i: tensor<2x300xi8>, %u: tensor<2x300xf32>) -> tensor<2x200xf32> {
  %y = tenon.scatter_along %i, %u {axis = 1 : i64, extent = 200 : i64} : (tensor<2x300xi8>, tensor<2x300xf32>) -> tensor<2x200xf32>
  return %y : tensor<2x200xf32>
}

func.func @middle(%i: tensor<2x300x3xi32>, %u: tensor<2x300x3xf32>) -> tensor<2x8x3xf32> {
  %y = tenon.scatter_along %i, %u {axis = 1 : i64, extent = 8 : i64} : (tensor<2x300x3xi32>, tensor<2x300x3xf32>) -> tensor<2x8x3xf32>
  return %y : tensor<2x8x3xf32>
}

func.func @long(%i: tensor<200000xi32>, %u: tensor<200000xf32>) -> tensor<1000xf32> {
  %y = tenon.scatter_along %i, %u {axis = 0 : i64, extent = 1000 : i64} : (tensor<200000xi32>, tensor<200000xf32>) -> tensor<1000xf32>
  return %y : tensor<1000xf32>
}

func.func @add_0(%i: tensor<0xi32>, %u: tensor<0x5xf32>) -> tensor<7x5xf32> {
  %y = tenon.scatter_add %i, %u {rows = 7 : i64} : (tensor<0xi32>, tensor<0x5xf32>) -> tensor<7x5xf32>
  return %y : tensor<7x5xf32>
}

func.func @add_1(%i: tensor<1xi32>, %u: tensor<1x5xf32>) -> tensor<7x5xf32> {
  %y = tenon.scatter_add %i, %u {rows = 7 : i64} : (tensor<1xi32>, tensor<1x5xf32>) -> tensor<7x5xf32>
  return %y : tensor<7x5xf32>
}

func.func @add_64(%i: tensor<64xi32>, %u: tensor<64x5xf32>) -> tensor<7x5xf32> {
  %y = tenon.scatter_add %i, %u {rows = 7 : i64} : (tensor<64xi32>, tensor<64x5xf32>) -> tensor<7x5xf32>
  return %y : tensor<7x5xf32>
}

func.func @add_65(%i: tensor<65xi32>, %u: tensor<65x5xf32>) -> tensor<7x5xf32> {
  %y = tenon.scatter_add %i, %u {rows = 7 : i64} : (tensor<65xi32>, tensor<65x5xf32>) -> tensor<7x5xf32>
  return %y : tensor<7x5xf32>
}

func.func @add_3000(%i: tensor<3000xi32>, %u: tensor<3000x5xf32>) -> tensor<7x5xf32> {
  %y = tenon.scatter_add %i, %u {rows = 7 : i64} : (tensor<3000xi32>, tensor<3000x5xf32>) -> tensor<7x5xf32>
  return %y : tensor<7x5xf32>
}

func.func @add_f64(%i: tensor<20x15xi64>, %u: tensor<20x15x3xf64>) -> tensor<8x3xf64> {
  %y = tenon.scatter_add %i, %u {rows = 8 : i64} : (tensor<20x15xi64>, tensor<20x15x3xf64>) -> tensor<8x3xf64>
  return %y : tensor<8x3xf64>
}

func.func @add_f16(%i: tensor<20x15xi64>, %u: tensor<20x15x3xf16>) -> tensor<8x3xf16> {
  %y = tenon.scatter_add %i, %u {rows = 8 : i64} : (tensor<20x15xi64>, tensor<20x15x3xf16>) -> tensor<8x3xf16>
  return %y : tensor<8x3xf16>
}

func.func @add_bf16(%i: tensor<20x15xi64>, %u: tensor<20x15x3xbf16>) -> tensor<8x3xbf16> {
  %y = tenon.scatter_add %i, %u {rows = 8 : i64} : (tensor<20x15xi64>, tensor<20x15x3xbf16>) -> tensor<8x3xbf16>
  return %y : tensor<8x3xbf16>
}

func.func @add_i64(%i: tensor<20x15xi64>, %u: tensor<20x15x3xi64>) -> tensor<8x3xi64> {
  %y = tenon.scatter_add %i, %u {rows = 8 : i64} : (tensor<20x15xi64>, tensor<20x15x3xi64>) -> tensor<8x3xi64>
  return %y : tensor<8x3xi64>
}

func.func @add_i32(%i: tensor<20x15xi64>, %u: tensor<20x15x3xi32>) -> tensor<8x3xi32> {
  %y = tenon.scatter_add %i, %u {rows = 8 : i64} : (tensor<20x15xi64>, tensor<20x15x3xi32>) -> tensor<8x3xi32>
  return %y : tensor<8x3xi32>
}

func.func @add_i8(%i: tensor<20x15xi64>, %u: tensor<20x15x3xi8>) -> tensor<8x3xi8> {
  %y = tenon.scatter_add %i, %u {rows = 8 : i64} : (tensor<20x15xi64>, tensor<20x15x3xi8>) -> tensor<8x3xi8>
  return %y : tensor<8x3xi8>
}

func.func @add_scalars(%i: tensor<300xi32>, %u: tensor<300xf32>) -> tensor<8xf32> {
  %y = tenon.scatter_add %i, %u {rows = 8 : i64} : (tensor<300xi32>, tensor<300xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

func.func @add_matrices(%i: tensor<300xi32>, %u: tensor<300x2x3xf32>) -> tensor<8x2x3xf32> {
  %y = tenon.scatter_add %i, %u {rows = 8 : i64} : (tensor<300xi32>, tensor<300x2x3xf32>) -> tensor<8x2x3xf32>
  return %y : tensor<8x2x3xf32>
}

func.func @add_long(%i: tensor<200000xi32>, %u: tensor<200000x2xf32>) -> tensor<9x2xf32> {
  %y = tenon.scatter_add %i, %u {rows = 9 : i64} : (tensor<200000xi32>, tensor<200000x2xf32>) -> tensor<9x2xf32>
  return %y : tensor<9x2xf32>
}

func.func @one_update(%i: tensor<i32>, %u: tensor<4xf32>) -> tensor<9x4xf32> {
  %y = tenon.scatter_add %i, %u {rows = 9 : i64} : (tensor<i32>, tensor<4xf32>) -> tensor<9x4xf32>
  return %y : tensor<9x4xf32>
}

func.func @embedding(%t: tensor<40x6xf32>, %i: tensor<10x20xi32>, %d: tensor<10x20x6xf32>) -> tensor<40x6xf32> {
  %y = tenon.gather %t, %i : (tensor<40x6xf32>, tensor<10x20xi32>) -> tensor<10x20x6xf32>
  %e = tenon.tanh %y : tensor<10x20x6xf32>
  %g = tenon.gradient %e, %t, %d : (tensor<10x20x6xf32>, tensor<40x6xf32>, tensor<10x20x6xf32>) -> tensor<40x6xf32>
  return %g : tensor<40x6xf32>
}
