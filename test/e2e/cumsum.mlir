// Running sums, order, and elements by number along an axis.
// RUN: tenon-run %s --compare=reference --int-limit=9
// RUN: tenon-run %s --compare=reference --int-limit=9 --backend=vulkan
// RUN: tenon-run %s --compare=reference --int-limit=3 --random-inputs=2

func.func @cumsum_f64_1_00(%x: tensor<5x37xf64>) -> tensor<5x37xf64> {
  %y = tenon.cumsum %x {axis = 1 : i64, exclusive = false, reverse = false} : (tensor<5x37xf64>) -> tensor<5x37xf64>
  return %y : tensor<5x37xf64>
}

func.func @cumsum_f64_1_11(%x: tensor<5x37xf64>) -> tensor<5x37xf64> {
  %y = tenon.cumsum %x {axis = 1 : i64, exclusive = true, reverse = true} : (tensor<5x37xf64>) -> tensor<5x37xf64>
  return %y : tensor<5x37xf64>
}

func.func @cumsum_f64_0_00(%x: tensor<37x21xf64>) -> tensor<37x21xf64> {
  %y = tenon.cumsum %x {axis = 0 : i64, exclusive = false, reverse = false} : (tensor<37x21xf64>) -> tensor<37x21xf64>
  return %y : tensor<37x21xf64>
}

func.func @cumsum_f64_0_11(%x: tensor<37x21xf64>) -> tensor<37x21xf64> {
  %y = tenon.cumsum %x {axis = 0 : i64, exclusive = true, reverse = true} : (tensor<37x21xf64>) -> tensor<37x21xf64>
  return %y : tensor<37x21xf64>
}

func.func @cumsum_f32_1_10(%x: tensor<5x37xf32>) -> tensor<5x37xf32> {
  %y = tenon.cumsum %x {axis = 1 : i64, exclusive = true, reverse = false} : (tensor<5x37xf32>) -> tensor<5x37xf32>
  return %y : tensor<5x37xf32>
}

func.func @cumsum_f32_0_01(%x: tensor<37x21xf32>) -> tensor<37x21xf32> {
  %y = tenon.cumsum %x {axis = 0 : i64, exclusive = false, reverse = true} : (tensor<37x21xf32>) -> tensor<37x21xf32>
  return %y : tensor<37x21xf32>
}

func.func @cumsum_f16_1_00(%x: tensor<5x37xf16>) -> tensor<5x37xf16> {
  %y = tenon.cumsum %x {axis = 1 : i64, exclusive = false, reverse = false} : (tensor<5x37xf16>) -> tensor<5x37xf16>
  return %y : tensor<5x37xf16>
}

func.func @cumsum_f16_1_11(%x: tensor<5x37xf16>) -> tensor<5x37xf16> {
  %y = tenon.cumsum %x {axis = 1 : i64, exclusive = true, reverse = true} : (tensor<5x37xf16>) -> tensor<5x37xf16>
  return %y : tensor<5x37xf16>
}

func.func @cumsum_f16_0_00(%x: tensor<37x21xf16>) -> tensor<37x21xf16> {
  %y = tenon.cumsum %x {axis = 0 : i64, exclusive = false, reverse = false} : (tensor<37x21xf16>) -> tensor<37x21xf16>
  return %y : tensor<37x21xf16>
}

func.func @cumsum_f16_0_11(%x: tensor<37x21xf16>) -> tensor<37x21xf16> {
  %y = tenon.cumsum %x {axis = 0 : i64, exclusive = true, reverse = true} : (tensor<37x21xf16>) -> tensor<37x21xf16>
  return %y : tensor<37x21xf16>
}

func.func @cumsum_bf16_1_10(%x: tensor<5x37xbf16>) -> tensor<5x37xbf16> {
  %y = tenon.cumsum %x {axis = 1 : i64, exclusive = true, reverse = false} : (tensor<5x37xbf16>) -> tensor<5x37xbf16>
  return %y : tensor<5x37xbf16>
}

func.func @cumsum_bf16_0_01(%x: tensor<37x21xbf16>) -> tensor<37x21xbf16> {
  %y = tenon.cumsum %x {axis = 0 : i64, exclusive = false, reverse = true} : (tensor<37x21xbf16>) -> tensor<37x21xbf16>
  return %y : tensor<37x21xbf16>
}

func.func @cumsum_i64_1_10(%x: tensor<5x37xi64>) -> tensor<5x37xi64> {
  %y = tenon.cumsum %x {axis = 1 : i64, exclusive = true, reverse = false} : (tensor<5x37xi64>) -> tensor<5x37xi64>
  return %y : tensor<5x37xi64>
}

func.func @cumsum_i64_0_01(%x: tensor<37x21xi64>) -> tensor<37x21xi64> {
  %y = tenon.cumsum %x {axis = 0 : i64, exclusive = false, reverse = true} : (tensor<37x21xi64>) -> tensor<37x21xi64>
  return %y : tensor<37x21xi64>
}

func.func @cumsum_i32_1_10(%x: tensor<5x37xi32>) -> tensor<5x37xi32> {
  %y = tenon.cumsum %x {axis = 1 : i64, exclusive = true, reverse = false} : (tensor<5x37xi32>) -> tensor<5x37xi32>
  return %y : tensor<5x37xi32>
}

func.func @cumsum_i32_0_01(%x: tensor<37x21xi32>) -> tensor<37x21xi32> {
  %y = tenon.cumsum %x {axis = 0 : i64, exclusive = false, reverse = true} : (tensor<37x21xi32>) -> tensor<37x21xi32>
  return %y : tensor<37x21xi32>
}

func.func @cumsum_i8_1_00(%x: tensor<5x37xi8>) -> tensor<5x37xi8> {
  %y = tenon.cumsum %x {axis = 1 : i64, exclusive = false, reverse = false} : (tensor<5x37xi8>) -> tensor<5x37xi8>
  return %y : tensor<5x37xi8>
}

func.func @cumsum_i8_1_11(%x: tensor<5x37xi8>) -> tensor<5x37xi8> {
  %y = tenon.cumsum %x {axis = 1 : i64, exclusive = true, reverse = true} : (tensor<5x37xi8>) -> tensor<5x37xi8>
  return %y : tensor<5x37xi8>
}

func.func @cumsum_i8_0_00(%x: tensor<37x21xi8>) -> tensor<37x21xi8> {
  %y = tenon.cumsum %x {axis = 0 : i64, exclusive = false, reverse = false} : (tensor<37x21xi8>) -> tensor<37x21xi8>
  return %y : tensor<37x21xi8>
}

func.func @cumsum_i8_0_11(%x: tensor<37x21xi8>) -> tensor<37x21xi8> {
  %y = tenon.cumsum %x {axis = 0 : i64, exclusive = true, reverse = true} : (tensor<37x21xi8>) -> tensor<37x21xi8>
  return %y : tensor<37x21xi8>
}

func.func @cumsum_one(%x: tensor<1xf64>) -> tensor<1xf64> {
  %y = tenon.cumsum %x {axis = 0 : i64, exclusive = false, reverse = false} : (tensor<1xf64>) -> tensor<1xf64>
  return %y : tensor<1xf64>
}

func.func @cumsum_none(%x: tensor<0x3xf64>) -> tensor<0x3xf64> {
  %y = tenon.cumsum %x {axis = 0 : i64, exclusive = false, reverse = false} : (tensor<0x3xf64>) -> tensor<0x3xf64>
  return %y : tensor<0x3xf64>
}

func.func @cumsum_no_lines(%x: tensor<3x0xf32>) -> tensor<3x0xf32> {
  %y = tenon.cumsum %x {axis = 0 : i64, exclusive = false, reverse = false} : (tensor<3x0xf32>) -> tensor<3x0xf32>
  return %y : tensor<3x0xf32>
}

func.func @cumsum_middle(%x: tensor<3x17x5x9xf32>) -> tensor<3x17x5x9xf32> {
  %y = tenon.cumsum %x {axis = 1 : i64, exclusive = false, reverse = true} : (tensor<3x17x5x9xf32>) -> tensor<3x17x5x9xf32>
  return %y : tensor<3x17x5x9xf32>
}

func.func @cumsum_many(%x: tensor<40x3000xf64>) -> tensor<40x3000xf64> {
  %y = tenon.cumsum %x {axis = 1 : i64, exclusive = true, reverse = false} : (tensor<40x3000xf64>) -> tensor<40x3000xf64>
  return %y : tensor<40x3000xf64>
}

func.func @cumsum_wide(%x: tensor<40x3000xf64>) -> tensor<40x3000xf64> {
  %y = tenon.cumsum %x {axis = 0 : i64, exclusive = false, reverse = false} : (tensor<40x3000xf64>) -> tensor<40x3000xf64>
  return %y : tensor<40x3000xf64>
}

// What comes before is computed in the same kernel.
func.func @cumsum_fused(%x: tensor<6x40xf32>, %b: tensor<40xf32>) -> (tensor<6x40xf32>, tensor<40x6xf32>) {
  %e = tenon.exp %x : tensor<6x40xf32>
  %c = tenon.broadcast %b {shape = array<i64: 6, 40>, dims = array<i64: 1>} : (tensor<40xf32>) -> tensor<6x40xf32>
  %m = tenon.mul %e, %c : (tensor<6x40xf32>, tensor<6x40xf32>) -> tensor<6x40xf32>
  %y = tenon.cumsum %m {axis = 1 : i64} : (tensor<6x40xf32>) -> tensor<6x40xf32>
  %t = tenon.transpose %x {permutation = array<i64: 1, 0>} : (tensor<6x40xf32>) -> tensor<40x6xf32>
  %z = tenon.cumsum %t {axis = 0 : i64} : (tensor<40x6xf32>) -> tensor<40x6xf32>
  return %y, %z : tensor<6x40xf32>, tensor<40x6xf32>
}

func.func @cumsum_long(%x: tensor<70000xf32>) -> tensor<70000xf32> {
  %y = tenon.cumsum %x {axis = 0 : i64, exclusive = false, reverse = false} : (tensor<70000xf32>) -> tensor<70000xf32>
  return %y : tensor<70000xf32>
}

func.func @cumsum_long_columns(%x: tensor<2x1500x3xf64>) -> (tensor<2x1500x3xf64>, tensor<2x1500x3xf64>) {
  %y = tenon.cumsum %x {axis = 1 : i64, exclusive = true, reverse = true} : (tensor<2x1500x3xf64>) -> tensor<2x1500x3xf64>
  %z = tenon.cumsum %x {axis = 1 : i64, exclusive = false, reverse = true} : (tensor<2x1500x3xf64>) -> tensor<2x1500x3xf64>
  return %y, %z : tensor<2x1500x3xf64>, tensor<2x1500x3xf64>
}
