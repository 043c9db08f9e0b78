// Ops along an axis whose extents are known at run time only, and their gradients.
// RUN: tenon-run %s --compare=reference --extent=0
// RUN: tenon-run %s --compare=reference --extent=0 --backend=vulkan
// RUN: tenon-run %s --compare=reference --extent=1
// RUN: tenon-run %s --compare=reference --extent=7
// RUN: tenon-run %s --compare=reference --extent=133
// RUN: tenon-run %s --compare=reference --extent=133 --backend=vulkan

func.func @cumsum(%x: tensor<?x9xf32>, %y: tensor<5x?xf64>, %z: tensor<?x?xf64>) -> (tensor<?x9xf32>, tensor<5x?xf64>, tensor<?x?xf64>) {
  %a = tenon.cumsum %x {axis = 0 : i64} : (tensor<?x9xf32>) -> tensor<?x9xf32>
  %b = tenon.cumsum %y {axis = 1 : i64, reverse = true} : (tensor<5x?xf64>) -> tensor<5x?xf64>
  %c = tenon.cumsum %z {axis = 0 : i64, exclusive = true} : (tensor<?x?xf64>) -> tensor<?x?xf64>
  return %a, %b, %c : tensor<?x9xf32>, tensor<5x?xf64>, tensor<?x?xf64>
}

func.func @sort(%x: tensor<4x?xf32>, %y: tensor<?x3xf64>, %z: tensor<?x40xf64>) -> (tensor<4x?xf32>, tensor<4x?xi32>, tensor<?x3xf64>, tensor<?x6xf64>, tensor<?x6xi32>) {
  %a, %i = tenon.sort %x {axis = 1 : i64, count = -1 : i64} : (tensor<4x?xf32>) -> (tensor<4x?xf32>, tensor<4x?xi32>)
  %b, %j = tenon.sort %y {axis = 0 : i64, count = -1 : i64, descending = true} : (tensor<?x3xf64>) -> (tensor<?x3xf64>, tensor<?x3xi32>)
  %c, %k = tenon.sort %z {axis = 1 : i64, count = 6 : i64, descending = true} : (tensor<?x40xf64>) -> (tensor<?x6xf64>, tensor<?x6xi32>)
  return %a, %i, %b, %c, %k : tensor<4x?xf32>, tensor<4x?xi32>, tensor<?x3xf64>, tensor<?x6xf64>, tensor<?x6xi32>
}

func.func @gradient(%x: tensor<3x?xf64>, %w: tensor<3x?xf64>, %d: tensor<3x?xf64>) -> tensor<3x?xf64> {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = -1 : i64} : (tensor<3x?xf64>) -> (tensor<3x?xf64>, tensor<3x?xi32>)
  %s = tenon.cumsum %v {axis = 1 : i64} : (tensor<3x?xf64>) -> tensor<3x?xf64>
  %m = tenon.mul %s, %w : (tensor<3x?xf64>, tensor<3x?xf64>) -> tensor<3x?xf64>
  %g = tenon.gradient %m, %x, %d : (tensor<3x?xf64>, tensor<3x?xf64>, tensor<3x?xf64>) -> tensor<3x?xf64>
  return %g : tensor<3x?xf64>
}

// A gather of scatters, which needs their extent.
func.func @along(%x: tensor<?x6xf32>, %i: tensor<?x6xi32>, %d: tensor<?x6xf32>) -> (tensor<?x6xf32>, tensor<?x6xf32>) {
  %y = tenon.gather_along %x, %i {axis = 0 : i64} : (tensor<?x6xf32>, tensor<?x6xi32>) -> tensor<?x6xf32>
  %z = tenon.scatter_along %i, %y, %x {axis = 0 : i64, extent = -9223372036854775808 : i64} : (tensor<?x6xi32>, tensor<?x6xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
  %g = tenon.gradient %z, %x, %d : (tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
  return %z, %g : tensor<?x6xf32>, tensor<?x6xf32>
}
