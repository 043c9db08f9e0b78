// RUN: tenon-run %s --compare=reference
// RUN: tenon-run %s --compare=reference --backend=vulkan

func.func @sgd_f64(%p: tensor<7x9xf64>, %g: tensor<7x9xf64>, %lr: tensor<f64>) -> tensor<7x9xf64> {
  %a = tenon.sgd %p, %g, %lr : (tensor<7x9xf64>, tensor<7x9xf64>, tensor<f64>) -> tensor<7x9xf64>
  return %a : tensor<7x9xf64>
}

func.func @momentum_f64(%p: tensor<7x9xf64>, %g: tensor<7x9xf64>, %v: tensor<7x9xf64>, %lr: tensor<f64>) -> (tensor<7x9xf64>, tensor<7x9xf64>) {
  %a, %b = tenon.momentum %p, %g, %v, %lr {mu = 0.9 : f64} : (tensor<7x9xf64>, tensor<7x9xf64>, tensor<7x9xf64>, tensor<f64>) -> (tensor<7x9xf64>, tensor<7x9xf64>)
  return %a, %b : tensor<7x9xf64>, tensor<7x9xf64>
}

func.func @sgd_f32(%p: tensor<7x9xf32>, %g: tensor<7x9xf32>, %lr: tensor<f32>) -> tensor<7x9xf32> {
  %a = tenon.sgd %p, %g, %lr : (tensor<7x9xf32>, tensor<7x9xf32>, tensor<f32>) -> tensor<7x9xf32>
  return %a : tensor<7x9xf32>
}

func.func @momentum_f32(%p: tensor<7x9xf32>, %g: tensor<7x9xf32>, %v: tensor<7x9xf32>, %lr: tensor<f32>) -> (tensor<7x9xf32>, tensor<7x9xf32>) {
  %a, %b = tenon.momentum %p, %g, %v, %lr {mu = 0.9 : f64} : (tensor<7x9xf32>, tensor<7x9xf32>, tensor<7x9xf32>, tensor<f32>) -> (tensor<7x9xf32>, tensor<7x9xf32>)
  return %a, %b : tensor<7x9xf32>, tensor<7x9xf32>
}
