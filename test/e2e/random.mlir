// RUN: tenon-run %s --compare=reference
// RUN: tenon-run %s --compare=reference --backend=vulkan

func.func @random_f64(%seed: tensor<i64>, %step: tensor<i64>, %x: tensor<33x5xf64>) -> (tensor<33x5xf64>, tensor<33x5xf64>, tensor<33x5xf64>) {
  %u = tenon.random_uniform %seed, %step {shape = array<i64: 33, 5>, stream = 3 : i64, dtype = f64} : (tensor<i64>, tensor<i64>) -> tensor<33x5xf64>
  %n = tenon.random_normal %seed, %step {shape = array<i64: 33, 5>, stream = 4 : i64, dtype = f64} : (tensor<i64>, tensor<i64>) -> tensor<33x5xf64>
  %d = tenon.dropout %x, %seed, %step {rate = 0.3 : f64, stream = 5 : i64} : (tensor<33x5xf64>, tensor<i64>, tensor<i64>) -> tensor<33x5xf64>
  return %u, %n, %d : tensor<33x5xf64>, tensor<33x5xf64>, tensor<33x5xf64>
}

func.func @random_f32(%seed: tensor<i64>, %step: tensor<i64>, %x: tensor<33x5xf32>) -> (tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>) {
  %u = tenon.random_uniform %seed, %step {shape = array<i64: 33, 5>, stream = 3 : i64, dtype = f32} : (tensor<i64>, tensor<i64>) -> tensor<33x5xf32>
  %n = tenon.random_normal %seed, %step {shape = array<i64: 33, 5>, stream = 4 : i64, dtype = f32} : (tensor<i64>, tensor<i64>) -> tensor<33x5xf32>
  %d = tenon.dropout %x, %seed, %step {rate = 0.3 : f64, stream = 5 : i64} : (tensor<33x5xf32>, tensor<i64>, tensor<i64>) -> tensor<33x5xf32>
  return %u, %n, %d : tensor<33x5xf32>, tensor<33x5xf32>, tensor<33x5xf32>
}
