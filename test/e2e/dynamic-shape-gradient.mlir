// Gradients of ops that move elements, where places depend on extents known at run time only.
// RUN: tenon-run %s --compare=reference --extent=3
// RUN: tenon-run %s --compare=reference --extent=3 --backend=vulkan
// RUN: tenon-run %s --compare=reference --extent=17
// RUN: tenon-run %s --compare=reference --function=strided --extent=6,1
// RUN: tenon-run %s --compare=reference --function=concat --extent=4,3,4,4,0
// RUN: tenon-run %s --compare=reference --function=concat --extent=1,0,1,1,5
// RUN: tenon-run %s --compare=reference --function=reshape --extent=5,0
// RUN: tenon-run %s --compare=reference --function=reshape --extent=65,3

func.func @part(%x: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %y = tenon.slice %x {offsets = array<i64: 1, 0>, sizes = array<i64: 2, 1>, strides = array<i64: 1, 1>} : (tensor<?x?xf64>) -> tensor<2x1xf64>
  %e = tenon.exp %y : tensor<2x1xf64>
  %l = tenon.reduce_sum %e {axes = array<i64: 0, 1>} : (tensor<2x1xf64>) -> tensor<f64>
  %g = tenon.gradient %l, %x : (tensor<f64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  return %g : tensor<?x?xf64>
}

func.func @strided(%x: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %y = tenon.slice %x {offsets = array<i64: 1, 0>, sizes = array<i64: -9223372036854775808, -9223372036854775808>, strides = array<i64: 2, 3>} : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %e = tenon.exp %y : tensor<?x?xf64>
  %l = tenon.reduce_sum %e {axes = array<i64: 0, 1>} : (tensor<?x?xf64>) -> tensor<f64>
  %g = tenon.gradient %l, %x : (tensor<f64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  return %g : tensor<?x?xf64>
}

func.func @concat(%x: tensor<?x?xf64>, %y: tensor<?x2xf64>, %z: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?x2xf64>, tensor<?x?xf64>) {
  %c = tenon.concat %y, %x, %z, %y {axis = 1 : i64} : (tensor<?x2xf64>, tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x2xf64>) -> tensor<?x?xf64>
  %i = tenon.iota %c {shape = array<i64: -9223372036854775808, -9223372036854775808>, axis = 1 : i64, dtype = f64} : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %w = tenon.mul %c, %i : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %l = tenon.reduce_sum %w {axes = array<i64: 0, 1>} : (tensor<?x?xf64>) -> tensor<f64>
  %gx = tenon.gradient %l, %x : (tensor<f64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %gy = tenon.gradient %l, %y : (tensor<f64>, tensor<?x2xf64>) -> tensor<?x2xf64>
  %gz = tenon.gradient %l, %z : (tensor<f64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  return %gx, %gy, %gz : tensor<?x?xf64>, tensor<?x2xf64>, tensor<?x?xf64>
}

func.func @pad(%x: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %p = tenon.pad %x {low = array<i64: 2, 0>, high = array<i64: 1, 3>, value = 1.0 : f64} : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %i = tenon.iota %p {shape = array<i64: -9223372036854775808, -9223372036854775808>, axis = 0 : i64, dtype = f64} : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %w = tenon.mul %p, %i : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %l = tenon.reduce_sum %w {axes = array<i64: 0, 1>} : (tensor<?x?xf64>) -> tensor<f64>
  %g = tenon.gradient %l, %x : (tensor<f64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  return %g : tensor<?x?xf64>
}

func.func @reshape(%x: tensor<?x?x3xf64>) -> tensor<?x?x3xf64> {
  %r = tenon.reshape %x {shape = array<i64: 3, -9223372036854775808>} : (tensor<?x?x3xf64>) -> tensor<3x?xf64>
  %e = tenon.exp %r : tensor<3x?xf64>
  %m = tenon.mul %e, %r : (tensor<3x?xf64>, tensor<3x?xf64>) -> tensor<3x?xf64>
  %l = tenon.reduce_sum %m {axes = array<i64: 0, 1>} : (tensor<3x?xf64>) -> tensor<f64>
  %g = tenon.gradient %l, %x : (tensor<f64>, tensor<?x?x3xf64>) -> tensor<?x?x3xf64>
  return %g : tensor<?x?x3xf64>
}
