// A product that one kernel sums and another reads through a reshape has a shape that looks like
// one of the sum's: [1, ?] is no row of [1, 1, ?].
// RUN: tenon-run %s --compare=reference --extent=6
// RUN: tenon-run %s --compare=reference --extent=6 --backend=vulkan
// RUN: tenon-run %s --compare=reference --extent=1
// RUN: tenon-run %s --compare=reference --extent=70000

func.func @row_or_column(%x: tensor<?xf64>, %w: tensor<?xf64>) -> tensor<?xf64> {
  %a = tenon.reshape %x {shape = array<i64: 1, 1, -9223372036854775808>} : (tensor<?xf64>) -> tensor<1x1x?xf64>
  %s = tenon.reduce_sum %a {axes = array<i64: 2>, keep = true} : (tensor<1x1x?xf64>) -> tensor<1x1x1xf64>
  %sb = tenon.broadcast %s, %a {dims = array<i64: 0, 1, 2>, shape = array<i64: 1, 1, -9223372036854775808>} : (tensor<1x1x1xf64>, tensor<1x1x?xf64>) -> tensor<1x1x?xf64>
  %p = tenon.mul %a, %sb : (tensor<1x1x?xf64>, tensor<1x1x?xf64>) -> tensor<1x1x?xf64>
  %r = tenon.reshape %p {shape = array<i64: 1, -9223372036854775808>} : (tensor<1x1x?xf64>) -> tensor<1x?xf64>
  %b = tenon.broadcast %w, %r {dims = array<i64: 1>, shape = array<i64: 1, -9223372036854775808>} : (tensor<?xf64>, tensor<1x?xf64>) -> tensor<1x?xf64>
  %m = tenon.mul %r, %b : (tensor<1x?xf64>, tensor<1x?xf64>) -> tensor<1x?xf64>
  %l = tenon.reduce_sum %m {axes = array<i64: 0, 1>} : (tensor<1x?xf64>) -> tensor<f64>
  %g = tenon.gradient %l, %x : (tensor<f64>, tensor<?xf64>) -> tensor<?xf64>
  return %g : tensor<?xf64>
}
