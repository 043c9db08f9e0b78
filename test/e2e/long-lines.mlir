// Lines of more elements than the software renderer that tests GPUs ends loops at, 65535.
// RUN: tenon-run %s --compare=reference --quiet
// RUN: tenon-run %s --compare=reference --quiet --backend=vulkan
// RUN: tenon-run %s --compare=reference --quiet --backend=vulkan --int-limit=5

func.func @along(%x: tensor<30000xf32>, %i: tensor<70000xi32>, %u: tensor<70000xf32>) -> (tensor<70000xf32>, tensor<30000xf32>) {
  %y = tenon.gather_along %x, %i {axis = 0 : i64} : (tensor<30000xf32>, tensor<70000xi32>) -> tensor<70000xf32>
  %z = tenon.scatter_along %i, %u {axis = 0 : i64, extent = 30000 : i64} : (tensor<70000xi32>, tensor<70000xf32>) -> tensor<30000xf32>
  return %y, %z : tensor<70000xf32>, tensor<30000xf32>
}

func.func @sort(%x: tensor<70000xf64>) -> (tensor<70000xf64>, tensor<70000xi32>) {
  %v, %i = tenon.sort %x {axis = 0 : i64, count = -1 : i64, descending = false} : (tensor<70000xf64>) -> (tensor<70000xf64>, tensor<70000xi32>)
  return %v, %i : tensor<70000xf64>, tensor<70000xi32>
}

func.func @few(%x: tensor<100000xf32>) -> (tensor<64xf32>, tensor<64xi32>) {
  %v, %i = tenon.sort %x {axis = 0 : i64, count = 64 : i64, descending = true} : (tensor<100000xf32>) -> (tensor<64xf32>, tensor<64xi32>)
  return %v, %i : tensor<64xf32>, tensor<64xi32>
}
