// RUN: tenon-run %s --compare=reference
// RUN: tenon-run %s --compare=reference --backend=vulkan

// Tiles of transposes: whole, cut, of every element type, fused before and after.

func.func @plain_1_f32(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = tenon.transpose %x {permutation = array<i64: 1, 0>} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

func.func @plain_2_f32(%x: tensor<130x77xf32>) -> tensor<77x130xf32> {
  %y = tenon.transpose %x {permutation = array<i64: 1, 0>} : (tensor<130x77xf32>) -> tensor<77x130xf32>
  return %y : tensor<77x130xf32>
}

func.func @plain_3_f32(%x: tensor<8x9xf32>) -> tensor<9x8xf32> {
  %y = tenon.transpose %x {permutation = array<i64: 1, 0>} : (tensor<8x9xf32>) -> tensor<9x8xf32>
  return %y : tensor<9x8xf32>
}

func.func @plain_4_f32(%x: tensor<33x512xf32>) -> tensor<512x33xf32> {
  %y = tenon.transpose %x {permutation = array<i64: 1, 0>} : (tensor<33x512xf32>) -> tensor<512x33xf32>
  return %y : tensor<512x33xf32>
}

func.func @plain_5_f32(%x: tensor<7x300xf32>) -> tensor<300x7xf32> {
  %y = tenon.transpose %x {permutation = array<i64: 1, 0>} : (tensor<7x300xf32>) -> tensor<300x7xf32>
  return %y : tensor<300x7xf32>
}

func.func @plain_6_f32(%x: tensor<0x64xf32>) -> tensor<64x0xf32> {
  %y = tenon.transpose %x {permutation = array<i64: 1, 0>} : (tensor<0x64xf32>) -> tensor<64x0xf32>
  return %y : tensor<64x0xf32>
}

func.func @plain_7_f32(%x: tensor<64x0xf32>) -> tensor<0x64xf32> {
  %y = tenon.transpose %x {permutation = array<i64: 1, 0>} : (tensor<64x0xf32>) -> tensor<0x64xf32>
  return %y : tensor<0x64xf32>
}

func.func @plain_8_f64(%x: tensor<66x41xf64>) -> tensor<41x66xf64> {
  %y = tenon.transpose %x {permutation = array<i64: 1, 0>} : (tensor<66x41xf64>) -> tensor<41x66xf64>
  return %y : tensor<41x66xf64>
}

func.func @plain_9_f16(%x: tensor<66x41xf16>) -> tensor<41x66xf16> {
  %y = tenon.transpose %x {permutation = array<i64: 1, 0>} : (tensor<66x41xf16>) -> tensor<41x66xf16>
  return %y : tensor<41x66xf16>
}

func.func @plain_10_bf16(%x: tensor<66x41xbf16>) -> tensor<41x66xbf16> {
  %y = tenon.transpose %x {permutation = array<i64: 1, 0>} : (tensor<66x41xbf16>) -> tensor<41x66xbf16>
  return %y : tensor<41x66xbf16>
}

func.func @plain_11_i64(%x: tensor<66x41xi64>) -> tensor<41x66xi64> {
  %y = tenon.transpose %x {permutation = array<i64: 1, 0>} : (tensor<66x41xi64>) -> tensor<41x66xi64>
  return %y : tensor<41x66xi64>
}

func.func @plain_12_i32(%x: tensor<66x41xi32>) -> tensor<41x66xi32> {
  %y = tenon.transpose %x {permutation = array<i64: 1, 0>} : (tensor<66x41xi32>) -> tensor<41x66xi32>
  return %y : tensor<41x66xi32>
}

func.func @plain_13_i8(%x: tensor<66x41xi8>) -> tensor<41x66xi8> {
  %y = tenon.transpose %x {permutation = array<i64: 1, 0>} : (tensor<66x41xi8>) -> tensor<41x66xi8>
  return %y : tensor<41x66xi8>
}

func.func @plain_14_i1(%x: tensor<66x41xi1>) -> tensor<41x66xi1> {
  %y = tenon.transpose %x {permutation = array<i64: 1, 0>} : (tensor<66x41xi1>) -> tensor<41x66xi1>
  return %y : tensor<41x66xi1>
}

func.func @plain_15_f32(%x: tensor<3x70x33xf32>) -> tensor<3x33x70xf32> {
  %y = tenon.transpose %x {permutation = array<i64: 0, 2, 1>} : (tensor<3x70x33xf32>) -> tensor<3x33x70xf32>
  return %y : tensor<3x33x70xf32>
}

func.func @plain_16_f32(%x: tensor<3x70x33xf32>) -> tensor<33x3x70xf32> {
  %y = tenon.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<3x70x33xf32>) -> tensor<33x3x70xf32>
  return %y : tensor<33x3x70xf32>
}

func.func @plain_17_f64(%x: tensor<20x9x33xf64>) -> tensor<33x9x20xf64> {
  %y = tenon.transpose %x {permutation = array<i64: 2, 1, 0>} : (tensor<20x9x33xf64>) -> tensor<33x9x20xf64>
  return %y : tensor<33x9x20xf64>
}

func.func @plain_18_f32(%x: tensor<9x20x33xf32>) -> tensor<20x33x9xf32> {
  %y = tenon.transpose %x {permutation = array<i64: 1, 2, 0>} : (tensor<9x20x33xf32>) -> tensor<20x33x9xf32>
  return %y : tensor<20x33x9xf32>
}

func.func @between(%x: tensor<67x90xf32>, %z: tensor<90x67xf32>, %b: tensor<67xf32>) -> (tensor<90x67xf32>, tensor<90x67xf32>) {
  %e = tenon.exp %x : tensor<67x90xf32>
  %t = tenon.transpose %e {permutation = array<i64: 1, 0>} : (tensor<67x90xf32>) -> tensor<90x67xf32>
  %w = tenon.broadcast %b {shape = array<i64: 90, 67>, dims = array<i64: 1>} : (tensor<67xf32>) -> tensor<90x67xf32>
  %s = tenon.add %t, %z : (tensor<90x67xf32>, tensor<90x67xf32>) -> tensor<90x67xf32>
  %r = tenon.add %s, %w : (tensor<90x67xf32>, tensor<90x67xf32>) -> tensor<90x67xf32>
  %g = tenon.gelu %r : tensor<90x67xf32>
  return %s, %g : tensor<90x67xf32>, tensor<90x67xf32>
}

func.func @with_itself(%x: tensor<70x70xf32>) -> tensor<70x70xf32> {
  %t = tenon.transpose %x {permutation = array<i64: 1, 0>} : (tensor<70x70xf32>) -> tensor<70x70xf32>
  %s = tenon.add %t, %x : (tensor<70x70xf32>, tensor<70x70xf32>) -> tensor<70x70xf32>
  %n = tenon.neg %s : tensor<70x70xf32>
  return %n : tensor<70x70xf32>
}

// The slice reads the transpose at other places than the sum.
func.func @also_elsewhere(%x: tensor<70x70xf32>) -> tensor<70x70xf32> {
  %t = tenon.transpose %x {permutation = array<i64: 1, 0>} : (tensor<70x70xf32>) -> tensor<70x70xf32>
  %a = tenon.slice %t {offsets = array<i64: 1, 0>, sizes = array<i64: 69, 70>, strides = array<i64: 1, 1>} : (tensor<70x70xf32>) -> tensor<69x70xf32>
  %b = tenon.pad %a {low = array<i64: 0, 0>, high = array<i64: 1, 0>, value = 2.0 : f64} : (tensor<69x70xf32>) -> tensor<70x70xf32>
  %s = tenon.sub %t, %b : (tensor<70x70xf32>, tensor<70x70xf32>) -> tensor<70x70xf32>
  return %s : tensor<70x70xf32>
}

func.func @two(%x: tensor<67x90xf32>, %z: tensor<67x90xf32>) -> tensor<90x67xf32> {
  %t = tenon.transpose %x {permutation = array<i64: 1, 0>} : (tensor<67x90xf32>) -> tensor<90x67xf32>
  %u = tenon.transpose %z {permutation = array<i64: 1, 0>} : (tensor<67x90xf32>) -> tensor<90x67xf32>
  %s = tenon.mul %t, %u : (tensor<90x67xf32>, tensor<90x67xf32>) -> tensor<90x67xf32>
  return %s : tensor<90x67xf32>
}

// Both move the last axis, each to another place.
func.func @two_ways(%x: tensor<28x24x20xf32>, %z: tensor<20x28x24xf32>) -> tensor<20x24x28xf32> {
  %t = tenon.transpose %x {permutation = array<i64: 2, 1, 0>} : (tensor<28x24x20xf32>) -> tensor<20x24x28xf32>
  %u = tenon.transpose %z {permutation = array<i64: 0, 2, 1>} : (tensor<20x28x24xf32>) -> tensor<20x24x28xf32>
  %s = tenon.sub %t, %u : (tensor<20x24x28xf32>, tensor<20x24x28xf32>) -> tensor<20x24x28xf32>
  return %s : tensor<20x24x28xf32>
}
