// Bodies of all kinds: kernels, views, what came in, nothing; types, extents of 0 and unknown ones.
// RUN: tenon-run %s --compare=reference --extent=5 --random-inputs=1
// RUN: tenon-run %s --compare=reference --extent=5 --random-inputs=1 --backend=vulkan
// RUN: tenon-run %s --compare=reference --extent=5 --random-inputs=2
// RUN: tenon-run %s --compare=reference --extent=1 --random-inputs=3
// RUN: tenon-run %s --compare=reference --extent=0 --random-inputs=4
// RUN: tenon-run %s --compare=reference --extent=17 -O0
// RUN: tenon-run %s --compare=reference --extent=33 --sanitize

// Views alone: of one body what came in is turned, of the other a part of it.
func.func @views(%c: tensor<i1>, %x: tensor<6x4xf16>) -> (tensor<4x6xf16>, tensor<2x4xf16>) {
  %y:2 = tenon.if %c use(%x) : (tensor<i1>, tensor<6x4xf16>) -> (tensor<4x6xf16>, tensor<2x4xf16>) {
  ^bb0(%a: tensor<6x4xf16>):
    %t = tenon.transpose %a {permutation = array<i64: 1, 0>} : (tensor<6x4xf16>) -> tensor<4x6xf16>
    %s = tenon.slice %a {offsets = array<i64: 0, 0>, sizes = array<i64: 2, 4>, strides = array<i64: 1, 1>} : (tensor<6x4xf16>) -> tensor<2x4xf16>
    tenon.yield %t, %s : tensor<4x6xf16>, tensor<2x4xf16>
  } else {
  ^bb0(%a: tensor<6x4xf16>):
    %t = tenon.reshape %a {shape = array<i64: 4, 6>} : (tensor<6x4xf16>) -> tensor<4x6xf16>
    %s = tenon.slice %a {offsets = array<i64: 1, 0>, sizes = array<i64: 2, 4>, strides = array<i64: 2, 1>} : (tensor<6x4xf16>) -> tensor<2x4xf16>
    tenon.yield %t, %s : tensor<4x6xf16>, tensor<2x4xf16>
  }
  return %y#0, %y#1 : tensor<4x6xf16>, tensor<2x4xf16>
}

// What came in, exchanged; the same value twice; a constant; a logical; the condition itself.
func.func @forwards(%c: tensor<i1>, %x: tensor<?xbf16>, %z: tensor<?xbf16>) -> (tensor<?xbf16>, tensor<?xbf16>, tensor<3xi8>, tensor<i1>) {
  %y:4 = tenon.if %c use(%c, %x, %z) : (tensor<i1>, tensor<i1>, tensor<?xbf16>, tensor<?xbf16>) -> (tensor<?xbf16>, tensor<?xbf16>, tensor<3xi8>, tensor<i1>) {
  ^bb0(%d: tensor<i1>, %a: tensor<?xbf16>, %b: tensor<?xbf16>):
    %k = tenon.constant dense<[1, -2, 3]> : tensor<3xi8>
    tenon.yield %a, %b, %k, %d : tensor<?xbf16>, tensor<?xbf16>, tensor<3xi8>, tensor<i1>
  } else {
  ^bb0(%d: tensor<i1>, %a: tensor<?xbf16>, %b: tensor<?xbf16>):
    %k = tenon.constant dense<7> : tensor<3xi8>
    %e = tenon.add %a, %b : (tensor<?xbf16>, tensor<?xbf16>) -> tensor<?xbf16>
    %n = tenon.not %d : tensor<i1>
    tenon.yield %e, %e, %k, %n : tensor<?xbf16>, tensor<?xbf16>, tensor<3xi8>, tensor<i1>
  }
  return %y#0, %y#1, %y#2, %y#3 : tensor<?xbf16>, tensor<?xbf16>, tensor<3xi8>, tensor<i1>
}

// A result of an if that another one reads, and that is returned as well; kernels on both sides.
func.func @chain(%c: tensor<i1>, %d: tensor<i1>, %x: tensor<?x3xf64>, %w: tensor<3x3xf64>) -> (tensor<?x3xf64>, tensor<?x3xf64>) {
  %h = tenon.exp %x : tensor<?x3xf64>
  %y = tenon.if %c use(%h, %w) : (tensor<i1>, tensor<?x3xf64>, tensor<3x3xf64>) -> tensor<?x3xf64> {
  ^bb0(%a: tensor<?x3xf64>, %b: tensor<3x3xf64>):
    %m = tenon.matmul %a, %b : (tensor<?x3xf64>, tensor<3x3xf64>) -> tensor<?x3xf64>
    tenon.yield %m : tensor<?x3xf64>
  } else {
  ^bb0(%a: tensor<?x3xf64>, %b: tensor<3x3xf64>):
    %m = tenon.softmax %a {axis = 1 : i64} : (tensor<?x3xf64>) -> tensor<?x3xf64>
    tenon.yield %m : tensor<?x3xf64>
  }
  %n = tenon.neg %y : tensor<?x3xf64>
  %z = tenon.if %d use(%n, %y) : (tensor<i1>, tensor<?x3xf64>, tensor<?x3xf64>) -> tensor<?x3xf64> {
  ^bb0(%a: tensor<?x3xf64>, %b: tensor<?x3xf64>):
    %m = tenon.mul %a, %b : (tensor<?x3xf64>, tensor<?x3xf64>) -> tensor<?x3xf64>
    tenon.yield %m : tensor<?x3xf64>
  } else {
  ^bb0(%a: tensor<?x3xf64>, %b: tensor<?x3xf64>):
    tenon.yield %b : tensor<?x3xf64>
  }
  return %y, %z : tensor<?x3xf64>, tensor<?x3xf64>
}

// Rows that are known at run time only: the gradient of what is not read is zeros of so many,
// and the gradient of the gradient.
func.func @gradients(%c: tensor<i1>, %x: tensor<?x3xf64>, %w: tensor<?x3xf64>) -> (tensor<?x3xf64>, tensor<?x3xf64>, tensor<?x3xf64>) {
  %y = tenon.if %c use(%x, %w) : (tensor<i1>, tensor<?x3xf64>, tensor<?x3xf64>) -> tensor<?x3xf64> {
  ^bb0(%a: tensor<?x3xf64>, %b: tensor<?x3xf64>):
    %m = tenon.mul %a, %b : (tensor<?x3xf64>, tensor<?x3xf64>) -> tensor<?x3xf64>
    %t = tenon.tanh %m : tensor<?x3xf64>
    tenon.yield %t : tensor<?x3xf64>
  } else {
  ^bb0(%a: tensor<?x3xf64>, %b: tensor<?x3xf64>):
    %t = tenon.sin %a : tensor<?x3xf64>
    tenon.yield %t : tensor<?x3xf64>
  }
  %l = tenon.reduce_sum %y {axes = array<i64: 0, 1>} : (tensor<?x3xf64>) -> tensor<f64>
  %gx = tenon.gradient %l, %x : (tensor<f64>, tensor<?x3xf64>) -> tensor<?x3xf64>
  %gw = tenon.gradient %l, %w : (tensor<f64>, tensor<?x3xf64>) -> tensor<?x3xf64>
  %s = tenon.mul %gx, %gx : (tensor<?x3xf64>, tensor<?x3xf64>) -> tensor<?x3xf64>
  %k = tenon.reduce_sum %s {axes = array<i64: 0, 1>} : (tensor<?x3xf64>) -> tensor<f64>
  %h = tenon.gradient %k, %w : (tensor<f64>, tensor<?x3xf64>) -> tensor<?x3xf64>
  return %gx, %gw, %h : tensor<?x3xf64>, tensor<?x3xf64>, tensor<?x3xf64>
}

// Nothing is computed, of nothing.
func.func @empty(%c: tensor<i1>, %x: tensor<0x3xf32>) -> tensor<0x3xf32> {
  %y = tenon.if %c use(%x) : (tensor<i1>, tensor<0x3xf32>) -> tensor<0x3xf32> {
  ^bb0(%a: tensor<0x3xf32>):
    %e = tenon.exp %a : tensor<0x3xf32>
    tenon.yield %e : tensor<0x3xf32>
  } else {
  ^bb0(%a: tensor<0x3xf32>):
    tenon.yield %a : tensor<0x3xf32>
  }
  return %y : tensor<0x3xf32>
}
