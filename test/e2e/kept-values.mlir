// What a kernel keeps of a row is that row's: read at other places through a view, it is
// computed again.
// RUN: tenon-run %s --compare=reference
// RUN: tenon-run %s --compare=reference --backend=vulkan

func.func @sum(%a: tensor<4x4xf64>) -> (tensor<4xf64>, tensor<4x4xf64>) {
  %e = tenon.tanh %a : tensor<4x4xf64>
  %s = tenon.reduce_sum %e {axes = array<i64: 1>} : (tensor<4x4xf64>) -> tensor<4xf64>
  %t = tenon.transpose %e {permutation = array<i64: 1, 0>} : (tensor<4x4xf64>) -> tensor<4x4xf64>
  %y = tenon.sub %a, %t : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
  return %s, %y : tensor<4xf64>, tensor<4x4xf64>
}
func.func @rows(%a: tensor<4x4xf64>) -> (tensor<4x4xf64>) {
  %e = tenon.exp %a : tensor<4x4xf64>
  %s = tenon.reduce_sum %e {axes = array<i64: 1>, keep = true} : (tensor<4x4xf64>) -> tensor<4x1xf64>
  %b = tenon.broadcast %s {shape = array<i64: 4, 4>, dims = array<i64: 0, 1>} : (tensor<4x1xf64>) -> tensor<4x4xf64>
  %p = tenon.div %e, %b : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
  %t = tenon.transpose %e {permutation = array<i64: 1, 0>} : (tensor<4x4xf64>) -> tensor<4x4xf64>
  %y = tenon.sub %p, %t : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
  return %y : tensor<4x4xf64>
}
func.func @transposed_first(%a: tensor<4x4xf64>) -> (tensor<4xf64>, tensor<4x4xf64>) {
  %e = tenon.tanh %a : tensor<4x4xf64>
  %t = tenon.transpose %e {permutation = array<i64: 1, 0>} : (tensor<4x4xf64>) -> tensor<4x4xf64>
  %m = tenon.mul %t, %a : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
  %s = tenon.reduce_sum %m {axes = array<i64: 1>} : (tensor<4x4xf64>) -> tensor<4xf64>
  %y = tenon.sub %a, %e : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
  return %s, %y : tensor<4xf64>, tensor<4x4xf64>
}
func.func @shift(%a: tensor<4x4xf64>) -> (tensor<4xf64>, tensor<4x4xf64>) {
  %e = tenon.tanh %a : tensor<4x4xf64>
  %s = tenon.reduce_sum %e {axes = array<i64: 1>} : (tensor<4x4xf64>) -> tensor<4xf64>
  %p = tenon.pad %e {low = array<i64: 0, 1>, high = array<i64: 0, 0>, value = 0.0 : f64} : (tensor<4x4xf64>) -> tensor<4x5xf64>
  %t = tenon.slice %p {offsets = array<i64: 0, 0>, sizes = array<i64: 4, 4>, strides = array<i64: 1, 1>} : (tensor<4x5xf64>) -> tensor<4x4xf64>
  %y = tenon.sub %a, %t : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
  return %s, %y : tensor<4xf64>, tensor<4x4xf64>
}
func.func @rowsgather(%a: tensor<4x4xf64>, %i: tensor<4xi64>) -> (tensor<4xf64>, tensor<4x4xf64>) {
  %e = tenon.tanh %a : tensor<4x4xf64>
  %s = tenon.reduce_sum %e {axes = array<i64: 1>} : (tensor<4x4xf64>) -> tensor<4xf64>
  %t = tenon.gather %e, %i : (tensor<4x4xf64>, tensor<4xi64>) -> tensor<4x4xf64>
  %y = tenon.sub %a, %t : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
  return %s, %y : tensor<4xf64>, tensor<4x4xf64>
}
func.func @concat(%a: tensor<4x4xf64>) -> (tensor<4xf64>, tensor<4x4xf64>) {
  %e = tenon.tanh %a : tensor<4x4xf64>
  %s = tenon.reduce_sum %e {axes = array<i64: 1>} : (tensor<4x4xf64>) -> tensor<4xf64>
  %l = tenon.slice %e {offsets = array<i64: 0, 0>, sizes = array<i64: 2, 4>, strides = array<i64: 1, 1>} : (tensor<4x4xf64>) -> tensor<2x4xf64>
  %r = tenon.slice %e {offsets = array<i64: 2, 0>, sizes = array<i64: 2, 4>, strides = array<i64: 1, 1>} : (tensor<4x4xf64>) -> tensor<2x4xf64>
  %t = tenon.concat %r, %l {axis = 0 : i64} : (tensor<2x4xf64>, tensor<2x4xf64>) -> tensor<4x4xf64>
  %y = tenon.sub %a, %t : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
  return %s, %y : tensor<4xf64>, tensor<4x4xf64>
}
func.func @diag(%a: tensor<4x4xf64>) -> (tensor<4x4xf64>) {
  %e = tenon.tanh %a : tensor<4x4xf64>
  %s = tenon.softmax %e {axis = 1 : i64} : (tensor<4x4xf64>) -> tensor<4x4xf64>
  %c = tenon.slice %e {offsets = array<i64: 0, 0>, sizes = array<i64: 1, 4>, strides = array<i64: 1, 1>} : (tensor<4x4xf64>) -> tensor<1x4xf64>
  %b = tenon.broadcast %c {shape = array<i64: 4, 4>, dims = array<i64: 0, 1>} : (tensor<1x4xf64>) -> tensor<4x4xf64>
  %y = tenon.sub %s, %b : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
  return %y : tensor<4x4xf64>
}
