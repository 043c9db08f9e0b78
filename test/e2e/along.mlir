// Elements by number along an axis and their sums; ids may repeat and be out of range.
// RUN: tenon-run %s --compare=reference --int-limit=9
// RUN: tenon-run %s --compare=reference --int-limit=9 --backend=vulkan
// RUN: tenon-run %s --compare=reference --int-limit=200 --random-inputs=2

func.func @rows_f64(%x: tensor<5x37xf64>, %i: tensor<5x11xi8>, %u: tensor<5x11xf64>) -> (tensor<5x11xf64>, tensor<5x37xf64>) {
  %y = tenon.gather_along %x, %i {axis = 1 : i64} : (tensor<5x37xf64>, tensor<5x11xi8>) -> tensor<5x11xf64>
  %z = tenon.scatter_along %i, %u {axis = 1 : i64, extent = 37 : i64} : (tensor<5x11xi8>, tensor<5x11xf64>) -> tensor<5x37xf64>
  return %y, %z : tensor<5x11xf64>, tensor<5x37xf64>
}

func.func @columns_f64(%x: tensor<9x130xf64>, %i: tensor<70x130xi32>, %u: tensor<70x130xf64>) -> (tensor<70x130xf64>, tensor<9x130xf64>) {
  %y = tenon.gather_along %x, %i {axis = 0 : i64} : (tensor<9x130xf64>, tensor<70x130xi32>) -> tensor<70x130xf64>
  %z = tenon.scatter_along %i, %u {axis = 0 : i64, extent = 9 : i64} : (tensor<70x130xi32>, tensor<70x130xf64>) -> tensor<9x130xf64>
  return %y, %z : tensor<70x130xf64>, tensor<9x130xf64>
}

func.func @rows_f32(%x: tensor<5x37xf32>, %i: tensor<5x11xi64>, %u: tensor<5x11xf32>) -> (tensor<5x11xf32>, tensor<5x37xf32>) {
  %y = tenon.gather_along %x, %i {axis = 1 : i64} : (tensor<5x37xf32>, tensor<5x11xi64>) -> tensor<5x11xf32>
  %z = tenon.scatter_along %i, %u {axis = 1 : i64, extent = 37 : i64} : (tensor<5x11xi64>, tensor<5x11xf32>) -> tensor<5x37xf32>
  return %y, %z : tensor<5x11xf32>, tensor<5x37xf32>
}

func.func @columns_f32(%x: tensor<9x130xf32>, %i: tensor<70x130xi32>, %u: tensor<70x130xf32>) -> (tensor<70x130xf32>, tensor<9x130xf32>) {
  %y = tenon.gather_along %x, %i {axis = 0 : i64} : (tensor<9x130xf32>, tensor<70x130xi32>) -> tensor<70x130xf32>
  %z = tenon.scatter_along %i, %u {axis = 0 : i64, extent = 9 : i64} : (tensor<70x130xi32>, tensor<70x130xf32>) -> tensor<9x130xf32>
  return %y, %z : tensor<70x130xf32>, tensor<9x130xf32>
}

func.func @rows_f16(%x: tensor<5x37xf16>, %i: tensor<5x11xi64>, %u: tensor<5x11xf16>) -> (tensor<5x11xf16>, tensor<5x37xf16>) {
  %y = tenon.gather_along %x, %i {axis = 1 : i64} : (tensor<5x37xf16>, tensor<5x11xi64>) -> tensor<5x11xf16>
  %z = tenon.scatter_along %i, %u {axis = 1 : i64, extent = 37 : i64} : (tensor<5x11xi64>, tensor<5x11xf16>) -> tensor<5x37xf16>
  return %y, %z : tensor<5x11xf16>, tensor<5x37xf16>
}

func.func @columns_f16(%x: tensor<9x130xf16>, %i: tensor<70x130xi32>, %u: tensor<70x130xf16>) -> (tensor<70x130xf16>, tensor<9x130xf16>) {
  %y = tenon.gather_along %x, %i {axis = 0 : i64} : (tensor<9x130xf16>, tensor<70x130xi32>) -> tensor<70x130xf16>
  %z = tenon.scatter_along %i, %u {axis = 0 : i64, extent = 9 : i64} : (tensor<70x130xi32>, tensor<70x130xf16>) -> tensor<9x130xf16>
  return %y, %z : tensor<70x130xf16>, tensor<9x130xf16>
}

func.func @rows_bf16(%x: tensor<5x37xbf16>, %i: tensor<5x11xi64>, %u: tensor<5x11xbf16>) -> (tensor<5x11xbf16>, tensor<5x37xbf16>) {
  %y = tenon.gather_along %x, %i {axis = 1 : i64} : (tensor<5x37xbf16>, tensor<5x11xi64>) -> tensor<5x11xbf16>
  %z = tenon.scatter_along %i, %u {axis = 1 : i64, extent = 37 : i64} : (tensor<5x11xi64>, tensor<5x11xbf16>) -> tensor<5x37xbf16>
  return %y, %z : tensor<5x11xbf16>, tensor<5x37xbf16>
}

func.func @columns_bf16(%x: tensor<9x130xbf16>, %i: tensor<70x130xi32>, %u: tensor<70x130xbf16>) -> (tensor<70x130xbf16>, tensor<9x130xbf16>) {
  %y = tenon.gather_along %x, %i {axis = 0 : i64} : (tensor<9x130xbf16>, tensor<70x130xi32>) -> tensor<70x130xbf16>
  %z = tenon.scatter_along %i, %u {axis = 0 : i64, extent = 9 : i64} : (tensor<70x130xi32>, tensor<70x130xbf16>) -> tensor<9x130xbf16>
  return %y, %z : tensor<70x130xbf16>, tensor<9x130xbf16>
}

func.func @rows_i64(%x: tensor<5x37xi64>, %i: tensor<5x11xi64>, %u: tensor<5x11xi64>) -> (tensor<5x11xi64>, tensor<5x37xi64>) {
  %y = tenon.gather_along %x, %i {axis = 1 : i64} : (tensor<5x37xi64>, tensor<5x11xi64>) -> tensor<5x11xi64>
  %z = tenon.scatter_along %i, %u {axis = 1 : i64, extent = 37 : i64} : (tensor<5x11xi64>, tensor<5x11xi64>) -> tensor<5x37xi64>
  return %y, %z : tensor<5x11xi64>, tensor<5x37xi64>
}

func.func @columns_i64(%x: tensor<9x130xi64>, %i: tensor<70x130xi32>, %u: tensor<70x130xi64>) -> (tensor<70x130xi64>, tensor<9x130xi64>) {
  %y = tenon.gather_along %x, %i {axis = 0 : i64} : (tensor<9x130xi64>, tensor<70x130xi32>) -> tensor<70x130xi64>
  %z = tenon.scatter_along %i, %u {axis = 0 : i64, extent = 9 : i64} : (tensor<70x130xi32>, tensor<70x130xi64>) -> tensor<9x130xi64>
  return %y, %z : tensor<70x130xi64>, tensor<9x130xi64>
}

func.func @rows_i32(%x: tensor<5x37xi32>, %i: tensor<5x11xi64>, %u: tensor<5x11xi32>) -> (tensor<5x11xi32>, tensor<5x37xi32>) {
  %y = tenon.gather_along %x, %i {axis = 1 : i64} : (tensor<5x37xi32>, tensor<5x11xi64>) -> tensor<5x11xi32>
  %z = tenon.scatter_along %i, %u {axis = 1 : i64, extent = 37 : i64} : (tensor<5x11xi64>, tensor<5x11xi32>) -> tensor<5x37xi32>
  return %y, %z : tensor<5x11xi32>, tensor<5x37xi32>
}

func.func @columns_i32(%x: tensor<9x130xi32>, %i: tensor<70x130xi32>, %u: tensor<70x130xi32>) -> (tensor<70x130xi32>, tensor<9x130xi32>) {
  %y = tenon.gather_along %x, %i {axis = 0 : i64} : (tensor<9x130xi32>, tensor<70x130xi32>) -> tensor<70x130xi32>
  %z = tenon.scatter_along %i, %u {axis = 0 : i64, extent = 9 : i64} : (tensor<70x130xi32>, tensor<70x130xi32>) -> tensor<9x130xi32>
  return %y, %z : tensor<70x130xi32>, tensor<9x130xi32>
}

func.func @rows_i8(%x: tensor<5x37xi8>, %i: tensor<5x11xi64>, %u: tensor<5x11xi8>) -> (tensor<5x11xi8>, tensor<5x37xi8>) {
  %y = tenon.gather_along %x, %i {axis = 1 : i64} : (tensor<5x37xi8>, tensor<5x11xi64>) -> tensor<5x11xi8>
  %z = tenon.scatter_along %i, %u {axis = 1 : i64, extent = 37 : i64} : (tensor<5x11xi64>, tensor<5x11xi8>) -> tensor<5x37xi8>
  return %y, %z : tensor<5x11xi8>, tensor<5x37xi8>
}

func.func @columns_i8(%x: tensor<9x130xi8>, %i: tensor<70x130xi32>, %u: tensor<70x130xi8>) -> (tensor<70x130xi8>, tensor<9x130xi8>) {
  %y = tenon.gather_along %x, %i {axis = 0 : i64} : (tensor<9x130xi8>, tensor<70x130xi32>) -> tensor<70x130xi8>
  %z = tenon.scatter_along %i, %u {axis = 0 : i64, extent = 9 : i64} : (tensor<70x130xi32>, tensor<70x130xi8>) -> tensor<9x130xi8>
  return %y, %z : tensor<70x130xi8>, tensor<9x130xi8>
}

func.func @one(%x: tensor<1xf64>, %i: tensor<1xi32>, %u: tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>) {
  %y = tenon.gather_along %x, %i {axis = 0 : i64} : (tensor<1xf64>, tensor<1xi32>) -> tensor<1xf64>
  %z = tenon.scatter_along %i, %u {axis = 0 : i64, extent = 1 : i64} : (tensor<1xi32>, tensor<1xf64>) -> tensor<1xf64>
  return %y, %z : tensor<1xf64>, tensor<1xf64>
}

func.func @of_none(%x: tensor<3x0xf64>, %i: tensor<3x4xi32>, %u: tensor<3x4xf64>) -> (tensor<3x4xf64>, tensor<3x0xf64>) {
  %y = tenon.gather_along %x, %i {axis = 1 : i64} : (tensor<3x0xf64>, tensor<3x4xi32>) -> tensor<3x4xf64>
  %z = tenon.scatter_along %i, %u {axis = 1 : i64, extent = 0 : i64} : (tensor<3x4xi32>, tensor<3x4xf64>) -> tensor<3x0xf64>
  return %y, %z : tensor<3x4xf64>, tensor<3x0xf64>
}

func.func @no_ids(%x: tensor<3x4xf32>, %i: tensor<3x0xi32>, %u: tensor<3x0xf32>) -> (tensor<3x0xf32>, tensor<3x4xf32>) {
  %y = tenon.gather_along %x, %i {axis = 1 : i64} : (tensor<3x4xf32>, tensor<3x0xi32>) -> tensor<3x0xf32>
  %z = tenon.scatter_along %i, %u {axis = 1 : i64, extent = 4 : i64} : (tensor<3x0xi32>, tensor<3x0xf32>) -> tensor<3x4xf32>
  return %y, %z : tensor<3x0xf32>, tensor<3x4xf32>
}

func.func @middle(%x: tensor<3x8x5x7xf32>, %i: tensor<3x6x5x7xi32>, %u: tensor<3x6x5x7xf32>) -> (tensor<3x6x5x7xf32>, tensor<3x8x5x7xf32>) {
  %y = tenon.gather_along %x, %i {axis = 1 : i64} : (tensor<3x8x5x7xf32>, tensor<3x6x5x7xi32>) -> tensor<3x6x5x7xf32>
  %z = tenon.scatter_along %i, %u {axis = 1 : i64, extent = 8 : i64} : (tensor<3x6x5x7xi32>, tensor<3x6x5x7xf32>) -> tensor<3x8x5x7xf32>
  return %y, %z : tensor<3x6x5x7xf32>, tensor<3x8x5x7xf32>
}

// What is gathered and what is added up is computed in the same kernel.
func.func @fused(%x: tensor<6x40xf32>, %i: tensor<6x9xi32>) -> (tensor<6x9xf32>, tensor<6x40xf32>) {
  %e = tenon.exp %x : tensor<6x40xf32>
  %y = tenon.gather_along %e, %i {axis = 1 : i64} : (tensor<6x40xf32>, tensor<6x9xi32>) -> tensor<6x9xf32>
  %q = tenon.mul %y, %y : (tensor<6x9xf32>, tensor<6x9xf32>) -> tensor<6x9xf32>
  %z = tenon.scatter_along %i, %q {axis = 1 : i64, extent = 40 : i64} : (tensor<6x9xi32>, tensor<6x9xf32>) -> tensor<6x40xf32>
  return %y, %z : tensor<6x9xf32>, tensor<6x40xf32>
}
