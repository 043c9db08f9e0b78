// Reductions of long lines, each shared by many on a GPU: along the last axis, along others, in
// two steps; the first of equal ones.
// RUN: tenon-run %s --compare=reference --quiet
// RUN: tenon-run %s --compare=reference --quiet --backend=vulkan

func.func @argmax(%x: tensor<200000xf32>) -> tensor<i64> {
  %y = tenon.argmax %x {axis = 0 : i64} : (tensor<200000xf32>) -> tensor<i64>
  return %y : tensor<i64>
}

func.func @ties(%x: tensor<3x200000xi8>) -> (tensor<3xi64>, tensor<3xi64>) {
  %y = tenon.argmax %x {axis = 1 : i64} : (tensor<3x200000xi8>) -> tensor<3xi64>
  %z = tenon.argmin %x {axis = 1 : i64} : (tensor<3x200000xi8>) -> tensor<3xi64>
  return %y, %z : tensor<3xi64>, tensor<3xi64>
}

func.func @rows(%x: tensor<40x3000xi8>) -> (tensor<40xi64>, tensor<40xi64>) {
  %y = tenon.argmax %x {axis = 1 : i64} : (tensor<40x3000xi8>) -> tensor<40xi64>
  %z = tenon.argmin %x {axis = 1 : i64} : (tensor<40x3000xi8>) -> tensor<40xi64>
  return %y, %z : tensor<40xi64>, tensor<40xi64>
}

func.func @columns(%x: tensor<3000x21xi8>, %m: tensor<5x70000x3xi8>) -> (tensor<21xi64>, tensor<5x3xi64>) {
  %y = tenon.argmax %x {axis = 0 : i64} : (tensor<3000x21xi8>) -> tensor<21xi64>
  %z = tenon.argmin %m {axis = 1 : i64} : (tensor<5x70000x3xi8>) -> tensor<5x3xi64>
  return %y, %z : tensor<21xi64>, tensor<5x3xi64>
}

func.func @nan(%x: tensor<2x4000xf32>) -> tensor<2xi64> {
  %l = tenon.log %x : tensor<2x4000xf32>
  %y = tenon.argmax %l {axis = 1 : i64} : (tensor<2x4000xf32>) -> tensor<2xi64>
  return %y : tensor<2xi64>
}

func.func @all_nan(%x: tensor<2x4000xf32>) -> tensor<2xi64> {
  %s = tenon.abs %x : tensor<2x4000xf32>
  %n = tenon.neg %s : tensor<2x4000xf32>
  %l = tenon.sqrt %n : tensor<2x4000xf32>
  %y = tenon.argmin %l {axis = 1 : i64} : (tensor<2x4000xf32>) -> tensor<2xi64>
  return %y : tensor<2xi64>
}

func.func @middle(%x: tensor<3x70000x9xf32>) -> (tensor<3x9xf32>, tensor<3x1x9xf32>) {
  %y = tenon.reduce_sum %x {axes = array<i64: 1>} : (tensor<3x70000x9xf32>) -> tensor<3x9xf32>
  %z = tenon.reduce_max %x {axes = array<i64: 1>, keep = true} : (tensor<3x70000x9xf32>) -> tensor<3x1x9xf32>
  return %y, %z : tensor<3x9xf32>, tensor<3x1x9xf32>
}

func.func @softmax_columns(%x: tensor<70000x5xf32>, %w: tensor<2x300x17xf64>) -> (tensor<70000x5xf32>, tensor<2x300x17xf64>) {
  %y = tenon.softmax %x {axis = 0 : i64} : (tensor<70000x5xf32>) -> tensor<70000x5xf32>
  %z = tenon.softmax %w {axis = 1 : i64} : (tensor<2x300x17xf64>) -> tensor<2x300x17xf64>
  return %y, %z : tensor<70000x5xf32>, tensor<2x300x17xf64>
}

func.func @variance(%x: tensor<9x200x33xf32>) -> (tensor<33xf32>, tensor<33xf32>) {
  %m = tenon.reduce_mean %x {axes = array<i64: 0, 1>} : (tensor<9x200x33xf32>) -> tensor<33xf32>
  %b = tenon.broadcast %m {shape = array<i64: 9, 200, 33>, dims = array<i64: 2>} : (tensor<33xf32>) -> tensor<9x200x33xf32>
  %d = tenon.sub %x, %b : (tensor<9x200x33xf32>, tensor<9x200x33xf32>) -> tensor<9x200x33xf32>
  %s = tenon.mul %d, %d : (tensor<9x200x33xf32>, tensor<9x200x33xf32>) -> tensor<9x200x33xf32>
  %v = tenon.reduce_mean %s {axes = array<i64: 0, 1>} : (tensor<9x200x33xf32>) -> tensor<33xf32>
  return %m, %v : tensor<33xf32>, tensor<33xf32>
}
