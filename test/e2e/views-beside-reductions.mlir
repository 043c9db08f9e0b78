// Results of other shapes beside a reduction, and kept axes of extent 1.
// RUN: tenon-run %s --compare=reference
// RUN: tenon-run %s --compare=reference --backend=vulkan

func.func @parts_of_what_is_summed(%a: tensor<4x3xf64>, %b: tensor<4x2xf64>)
    -> (tensor<1x1xf64>, tensor<4x3xf64>, tensor<4x2xf64>) {
  %1 = tenon.concat %a, %b {axis = 1 : i64} : (tensor<4x3xf64>, tensor<4x2xf64>) -> tensor<4x5xf64>
  %m = tenon.mul %1, %1 : (tensor<4x5xf64>, tensor<4x5xf64>) -> tensor<4x5xf64>
  %s = tenon.reduce_sum %m {axes = array<i64: 0, 1>, keep = true} : (tensor<4x5xf64>) -> tensor<1x1xf64>
  %2 = tenon.add %1, %1 : (tensor<4x5xf64>, tensor<4x5xf64>) -> tensor<4x5xf64>
  %3 = tenon.slice %2 {offsets = array<i64: 0, 0>, sizes = array<i64: 4, 3>, strides = array<i64: 1, 1>} : (tensor<4x5xf64>) -> tensor<4x3xf64>
  %4 = tenon.slice %2 {offsets = array<i64: 0, 3>, sizes = array<i64: 4, 2>, strides = array<i64: 1, 1>} : (tensor<4x5xf64>) -> tensor<4x2xf64>
  return %s, %3, %4 : tensor<1x1xf64>, tensor<4x3xf64>, tensor<4x2xf64>
}

func.func @sums_as_one_row(%a: tensor<4x3xf64>, %b: tensor<4x3xf64>)
    -> (tensor<1x3xf64>, tensor<1x3xf64>) {
  %0 = tenon.reduce_sum %a {axes = array<i64: 0>} : (tensor<4x3xf64>) -> tensor<3xf64>
  %1 = tenon.reduce_sum %b {axes = array<i64: 0>} : (tensor<4x3xf64>) -> tensor<3xf64>
  %2 = tenon.reshape %1 {shape = array<i64: 1, 3>} : (tensor<3xf64>) -> tensor<1x3xf64>
  %3 = tenon.reshape %0 {shape = array<i64: 1, 3>} : (tensor<3xf64>) -> tensor<1x3xf64>
  return %2, %3 : tensor<1x3xf64>, tensor<1x3xf64>
}

func.func @sum_of_all_as_one_by_one(%a: tensor<1x8xf64>, %b: tensor<6x8xf64>, %c: tensor<6x8xf64>)
    -> (tensor<1x1xf64>, tensor<6x8xf64>) {
  %0 = tenon.broadcast %a {dims = array<i64: 0, 1>, shape = array<i64: 6, 8>} : (tensor<1x8xf64>) -> tensor<6x8xf64>
  %1 = tenon.add %b, %0 : (tensor<6x8xf64>, tensor<6x8xf64>) -> tensor<6x8xf64>
  %2 = tenon.mse_loss %1, %c : (tensor<6x8xf64>, tensor<6x8xf64>) -> tensor<f64>
  %3 = tenon.reshape %2 {shape = array<i64: 1, 1>} : (tensor<f64>) -> tensor<1x1xf64>
  %4 = tenon.sub %1, %c : (tensor<6x8xf64>, tensor<6x8xf64>) -> tensor<6x8xf64>
  return %3, %4 : tensor<1x1xf64>, tensor<6x8xf64>
}

func.func @view_of_a_sum(%x: tensor<5x5xf64>) -> (tensor<5x5xf64>, tensor<5x5xf64>) {
  %s = tenon.reduce_sum %x {axes = array<i64: 1>, keep = true} : (tensor<5x5xf64>) -> tensor<5x1xf64>
  %b = tenon.broadcast %s {dims = array<i64: 0, 1>, shape = array<i64: 5, 5>} : (tensor<5x1xf64>) -> tensor<5x5xf64>
  %t = tenon.transpose %b {permutation = array<i64: 1, 0>} : (tensor<5x5xf64>) -> tensor<5x5xf64>
  return %b, %t : tensor<5x5xf64>, tensor<5x5xf64>
}
