// Sums of one number many times: no random walk, their partial sums round to one side.
// RUN: tenon-run %s --compare=reference --quiet --low=0.0303030312 --high=0.0303030312
// RUN: tenon-run %s --compare=reference --quiet --low=0.333 --high=0.333
// RUN: tenon-run %s --compare=reference --quiet --low=0.333 --high=0.333 --backend=vulkan

func.func @cumsum(%x: tensor<1848xf32>) -> tensor<1848xf32> {
  %y = tenon.cumsum %x {axis = 0 : i64} : (tensor<1848xf32>) -> tensor<1848xf32>
  return %y : tensor<1848xf32>
}
func.func @sum(%x: tensor<1848xf32>) -> tensor<f32> {
  %y = tenon.reduce_sum %x {axes = array<i64: 0>} : (tensor<1848xf32>) -> tensor<f32>
  return %y : tensor<f32>
}
func.func @sumc(%x: tensor<1848x3xf32>) -> tensor<3xf32> {
  %y = tenon.reduce_sum %x {axes = array<i64: 0>} : (tensor<1848x3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}
func.func @mm(%x: tensor<3x1848xf32>, %z: tensor<1848x3xf32>) -> tensor<3x3xf32> {
  %y = tenon.matmul %x, %z : (tensor<3x1848xf32>, tensor<1848x3xf32>) -> tensor<3x3xf32>
  return %y : tensor<3x3xf32>
}
func.func @scatter(%x: tensor<1848xf32>) -> tensor<1xf32> {
  %i = tenon.iota {axis = 0 : i64, dtype = i64, shape = array<i64: 1848>} : () -> tensor<1848xi64>
  %z = tenon.sub %i, %i : (tensor<1848xi64>, tensor<1848xi64>) -> tensor<1848xi64>
  %y = tenon.scatter_add %z, %x {rows = 1 : i64} : (tensor<1848xi64>, tensor<1848xf32>) -> tensor<1xf32>
  return %y : tensor<1xf32>
}
