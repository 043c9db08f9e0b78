// RUN: tenon-run %s --compare=reference --low=0.01 --high=2
// RUN: tenon-run %s --compare=reference --low=0.01 --high=2 --backend=vulkan

func.func @adam_f64(%p: tensor<7x9xf64>, %g: tensor<7x9xf64>, %m: tensor<7x9xf64>, %v: tensor<7x9xf64>, %lr: tensor<f64>, %t: tensor<i64>) -> (tensor<7x9xf64>, tensor<7x9xf64>, tensor<7x9xf64>) {
  %one = tenon.constant dense<1> : tensor<i64>
  %n = tenon.add %t, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %a, %b, %c = tenon.adam %p, %g, %m, %v, %lr, %n {beta1 = 0.9 : f64, beta2 = 0.999 : f64, eps = 1.0e-8 : f64, weight_decay = 0.01 : f64} : (tensor<7x9xf64>, tensor<7x9xf64>, tensor<7x9xf64>, tensor<7x9xf64>, tensor<f64>, tensor<i64>) -> (tensor<7x9xf64>, tensor<7x9xf64>, tensor<7x9xf64>)
  return %a, %b, %c : tensor<7x9xf64>, tensor<7x9xf64>, tensor<7x9xf64>
}

func.func @adam_f32(%p: tensor<7x9xf32>, %g: tensor<7x9xf32>, %m: tensor<7x9xf32>, %v: tensor<7x9xf32>, %lr: tensor<f32>, %t: tensor<i64>) -> (tensor<7x9xf32>, tensor<7x9xf32>, tensor<7x9xf32>) {
  %one = tenon.constant dense<1> : tensor<i64>
  %n = tenon.add %t, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %a, %b, %c = tenon.adam %p, %g, %m, %v, %lr, %n {beta1 = 0.9 : f64, beta2 = 0.999 : f64, eps = 1.0e-8 : f64, weight_decay = 0.01 : f64} : (tensor<7x9xf32>, tensor<7x9xf32>, tensor<7x9xf32>, tensor<7x9xf32>, tensor<f32>, tensor<i64>) -> (tensor<7x9xf32>, tensor<7x9xf32>, tensor<7x9xf32>)
  return %a, %b, %c : tensor<7x9xf32>, tensor<7x9xf32>, tensor<7x9xf32>
}
