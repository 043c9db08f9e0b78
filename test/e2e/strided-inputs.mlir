// What is no contiguous part of its buffer goes into kernels of each kind, forward and backward.
// RUN: tenon-run %s --compare=reference --quiet
// RUN: tenon-run %s --compare=reference --quiet --backend=vulkan
// RUN: tenon-run %s --compare=reference --disable=plan-layouts --quiet

func.func @matmul(%x: tensor<37x50xf32>, %y: tensor<48x41xf32>) -> (tensor<18x20xf32>, tensor<37x50xf32>, tensor<48x41xf32>) {
  %a = tenon.slice %x {offsets = array<i64: 1, 2>, sizes = array<i64: 18, 24>, strides = array<i64: 2, 2>} : (tensor<37x50xf32>) -> tensor<18x24xf32>
  %b = tenon.slice %y {offsets = array<i64: 0, 1>, sizes = array<i64: 24, 20>, strides = array<i64: 2, 2>} : (tensor<48x41xf32>) -> tensor<24x20xf32>
  %c = tenon.matmul %a, %b : (tensor<18x24xf32>, tensor<24x20xf32>) -> tensor<18x20xf32>
  %dx = tenon.gradient %c, %x, %c : (tensor<18x20xf32>, tensor<37x50xf32>, tensor<18x20xf32>) -> tensor<37x50xf32>
  %dy = tenon.gradient %c, %y, %c : (tensor<18x20xf32>, tensor<48x41xf32>, tensor<18x20xf32>) -> tensor<48x41xf32>
  return %c, %dx, %dy : tensor<18x20xf32>, tensor<37x50xf32>, tensor<48x41xf32>
}

func.func @rows(%x: tensor<9x70xf64>) -> (tensor<9x33xf64>, tensor<9xf64>, tensor<33xf64>, tensor<9x70xf64>) {
  %a = tenon.slice %x {offsets = array<i64: 0, 3>, sizes = array<i64: 9, 33>, strides = array<i64: 1, 2>} : (tensor<9x70xf64>) -> tensor<9x33xf64>
  %s = tenon.softmax %a {axis = 1 : i64} : (tensor<9x33xf64>) -> tensor<9x33xf64>
  %m = tenon.reduce_max %a {axes = array<i64: 1>} : (tensor<9x33xf64>) -> tensor<9xf64>
  %c = tenon.reduce_sum %a {axes = array<i64: 0>} : (tensor<9x33xf64>) -> tensor<33xf64>
  %g = tenon.gradient %s, %x, %a : (tensor<9x33xf64>, tensor<9x70xf64>, tensor<9x33xf64>) -> tensor<9x70xf64>
  return %s, %m, %c, %g : tensor<9x33xf64>, tensor<9xf64>, tensor<33xf64>, tensor<9x70xf64>
}

func.func @attention(%x: tensor<1x2x33x24xf32>) -> (tensor<1x2x33x8xf32>, tensor<1x2x33x24xf32>) {
  %q = tenon.slice %x {offsets = array<i64: 0, 0, 0, 0>, sizes = array<i64: 1, 2, 33, 8>, strides = array<i64: 1, 1, 1, 3>} : (tensor<1x2x33x24xf32>) -> tensor<1x2x33x8xf32>
  %k = tenon.slice %x {offsets = array<i64: 0, 0, 0, 1>, sizes = array<i64: 1, 2, 33, 8>, strides = array<i64: 1, 1, 1, 3>} : (tensor<1x2x33x24xf32>) -> tensor<1x2x33x8xf32>
  %v = tenon.slice %x {offsets = array<i64: 0, 0, 0, 2>, sizes = array<i64: 1, 2, 33, 8>, strides = array<i64: 1, 1, 1, 3>} : (tensor<1x2x33x24xf32>) -> tensor<1x2x33x8xf32>
  %o, %lse = tenon.attention %q, %k, %v {causal = true, scale = 0.35 : f64} : (tensor<1x2x33x8xf32>, tensor<1x2x33x8xf32>, tensor<1x2x33x8xf32>) -> (tensor<1x2x33x8xf32>, tensor<1x2x33xf32>)
  %g = tenon.gradient %o, %x, %o : (tensor<1x2x33x8xf32>, tensor<1x2x33x24xf32>, tensor<1x2x33x8xf32>) -> tensor<1x2x33x24xf32>
  return %o, %g : tensor<1x2x33x8xf32>, tensor<1x2x33x24xf32>
}

func.func @sort(%x: tensor<40x7xf32>) -> (tensor<13x7xf32>, tensor<13x7xi32>, tensor<13x7xf32>) {
  %a = tenon.slice %x {offsets = array<i64: 1, 0>, sizes = array<i64: 13, 7>, strides = array<i64: 3, 1>} : (tensor<40x7xf32>) -> tensor<13x7xf32>
  %s, %i = tenon.sort %a {axis = 0 : i64, count = -1 : i64} : (tensor<13x7xf32>) -> (tensor<13x7xf32>, tensor<13x7xi32>)
  %c = tenon.cumsum %a {axis = 0 : i64} : (tensor<13x7xf32>) -> tensor<13x7xf32>
  return %s, %i, %c : tensor<13x7xf32>, tensor<13x7xi32>, tensor<13x7xf32>
}
