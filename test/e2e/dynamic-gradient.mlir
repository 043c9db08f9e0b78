// Gradients where rules need an extent that is known at run time only.
// RUN: tenon-run %s --compare=reference --extent=2
// RUN: tenon-run %s --compare=reference --extent=2 --backend=vulkan
// RUN: tenon-run %s --compare=reference --extent=1 --function=mlp
// RUN: tenon-run %s --compare=reference --extent=9
// RUN: tenon-run %s --compare=reference --extent=70 --low=-1 --high=1

func.func @mlp(%x: tensor<?x8xf32>, %w: tensor<8x6xf32>, %b: tensor<6xf32>, %ids: tensor<?xi64>) -> (tensor<f32>, tensor<8x6xf32>, tensor<6xf32>) {
  %y = tenon.matmul %x, %w : (tensor<?x8xf32>, tensor<8x6xf32>) -> tensor<?x6xf32>
  %c = tenon.broadcast %b, %y {shape = array<i64: -9223372036854775808, 6>, dims = array<i64: 1>}
     : (tensor<6xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
  %z = tenon.add %y, %c : (tensor<?x6xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
  %h = tenon.tanh %z : tensor<?x6xf32>
  %l = tenon.softmax_cross_entropy %h, %ids {floor = 0.0 : f64} : (tensor<?x6xf32>, tensor<?xi64>) -> tensor<?xf32>
  %loss = tenon.reduce_mean %l {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>
  %gw = tenon.gradient %loss, %w : (tensor<f32>, tensor<8x6xf32>) -> tensor<8x6xf32>
  %gb = tenon.gradient %loss, %b : (tensor<f32>, tensor<6xf32>) -> tensor<6xf32>
  return %loss, %gw, %gb : tensor<f32>, tensor<8x6xf32>, tensor<6xf32>
}

func.func @by_input(%x: tensor<?x6xf64>, %y: tensor<?x6xf64>) -> (tensor<?x6xf64>, tensor<?x6xf64>) {
  %a = tenon.reshape %x {shape = array<i64: -9223372036854775808, 3>} : (tensor<?x6xf64>) -> tensor<?x3xf64>
  %e = tenon.exp %a : tensor<?x3xf64>
  %b = tenon.reshape %e {shape = array<i64: -9223372036854775808, 6>} : (tensor<?x3xf64>) -> tensor<?x6xf64>
  %p = tenon.pad %b {low = array<i64: 1, 0>, high = array<i64: 0, 1>, value = 0.0 : f64} : (tensor<?x6xf64>) -> tensor<?x7xf64>
  %s = tenon.slice %p {offsets = array<i64: 1, 1>, sizes = array<i64: -9223372036854775808, 6>, strides = array<i64: 1, 1>} : (tensor<?x7xf64>) -> tensor<?x6xf64>
  %n = tenon.layer_norm %s {eps = 1.0e-3 : f64} : (tensor<?x6xf64>) -> tensor<?x6xf64>
  %m = tenon.mse_loss %n, %y : (tensor<?x6xf64>, tensor<?x6xf64>) -> tensor<f64>
  %gx = tenon.gradient %m, %x : (tensor<f64>, tensor<?x6xf64>) -> tensor<?x6xf64>
  %gy = tenon.gradient %m, %y : (tensor<f64>, tensor<?x6xf64>) -> tensor<?x6xf64>
  return %gx, %gy : tensor<?x6xf64>, tensor<?x6xf64>
}

func.func @attention(%q: tensor<?x2x?x16xf32>, %k: tensor<?x2x?x16xf32>, %v: tensor<?x2x?x16xf32>) -> (tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.25 : f64} : (tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>) -> (tensor<?x2x?x16xf32>, tensor<?x2x?xf32>)
  %w = tenon.mul %o, %o : (tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>) -> tensor<?x2x?x16xf32>
  %loss = tenon.reduce_sum %w {axes = array<i64: 0, 1, 2, 3>} : (tensor<?x2x?x16xf32>) -> tensor<f32>
  %dq = tenon.gradient %loss, %q : (tensor<f32>, tensor<?x2x?x16xf32>) -> tensor<?x2x?x16xf32>
  %dk = tenon.gradient %loss, %k : (tensor<f32>, tensor<?x2x?x16xf32>) -> tensor<?x2x?x16xf32>
  %dv = tenon.gradient %loss, %v : (tensor<f32>, tensor<?x2x?x16xf32>) -> tensor<?x2x?x16xf32>
  return %dq, %dk, %dv : tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>
}

func.func @table(%t: tensor<?x6xf32>, %ids: tensor<?xi64>) -> tensor<?x6xf32> {
  %y = tenon.gather %t, %ids : (tensor<?x6xf32>, tensor<?xi64>) -> tensor<?x6xf32>
  %e = tenon.exp %y : tensor<?x6xf32>
  %m = tenon.reduce_max %e {axes = array<i64: 1>} : (tensor<?x6xf32>) -> tensor<?xf32>
  %s = tenon.reduce_sum %m {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>
  %g = tenon.gradient %s, %t : (tensor<f32>, tensor<?x6xf32>) -> tensor<?x6xf32>
  return %g : tensor<?x6xf32>
}
