// Convolution and pooling as they are composed, with gradients; also of any batch and extent.
// RUN: tenon-run %s --compare=reference --extent=9
// RUN: tenon-run %s --compare=reference --extent=9 --backend=vulkan

func.func @convolution(%x: tensor<2x3x9x11xf32>, %w: tensor<4x27xf32>) -> (tensor<2x4x5x6xf32>, tensor<2x3x9x11xf32>, tensor<4x27xf32>) {
  %p = tenon.pad %x {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, value = 0.0 : f64} : (tensor<2x3x9x11xf32>) -> tensor<2x3x11x13xf32>
  %u = tenon.windows %p {sizes = array<i64: 3, 3>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>} : (tensor<2x3x11x13xf32>) -> tensor<2x3x3x3x5x6xf32>
  %m = tenon.reshape %u {shape = array<i64: 2, 27, 30>} : (tensor<2x3x3x3x5x6xf32>) -> tensor<2x27x30xf32>
  %k = tenon.broadcast %w {shape = array<i64: 2, 4, 27>, dims = array<i64: 1, 2>} : (tensor<4x27xf32>) -> tensor<2x4x27xf32>
  %z = tenon.matmul %k, %m : (tensor<2x4x27xf32>, tensor<2x27x30xf32>) -> tensor<2x4x30xf32>
  %y = tenon.reshape %z {shape = array<i64: 2, 4, 5, 6>} : (tensor<2x4x30xf32>) -> tensor<2x4x5x6xf32>
  %h = tenon.tanh %y : tensor<2x4x5x6xf32>
  %loss = tenon.reduce_sum %h {axes = array<i64: 0, 1, 2, 3>} : (tensor<2x4x5x6xf32>) -> tensor<f32>
  %gx = tenon.gradient %loss, %x : (tensor<f32>, tensor<2x3x9x11xf32>) -> tensor<2x3x9x11xf32>
  %gw = tenon.gradient %loss, %w : (tensor<f32>, tensor<4x27xf32>) -> tensor<4x27xf32>
  return %y, %gx, %gw : tensor<2x4x5x6xf32>, tensor<2x3x9x11xf32>, tensor<4x27xf32>
}

func.func @max_pool(%x: tensor<2x3x9x17xf64>) -> (tensor<2x3x4x8xf64>, tensor<2x3x9x17xf64>) {
  %u = tenon.windows %x {sizes = array<i64: 2, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>} : (tensor<2x3x9x17xf64>) -> tensor<2x3x2x2x4x8xf64>
  %y = tenon.reduce_max %u {axes = array<i64: 2, 3>} : (tensor<2x3x2x2x4x8xf64>) -> tensor<2x3x4x8xf64>
  %q = tenon.mul %y, %y : (tensor<2x3x4x8xf64>, tensor<2x3x4x8xf64>) -> tensor<2x3x4x8xf64>
  %loss = tenon.reduce_sum %q {axes = array<i64: 0, 1, 2, 3>} : (tensor<2x3x4x8xf64>) -> tensor<f64>
  %g = tenon.gradient %loss, %x : (tensor<f64>, tensor<2x3x9x17xf64>) -> tensor<2x3x9x17xf64>
  return %y, %g : tensor<2x3x4x8xf64>, tensor<2x3x9x17xf64>
}

func.func @any_batch(%x: tensor<?x3x9xf32>) -> (tensor<?x3x4xf32>, tensor<?x3x9xf32>) {
  %u = tenon.windows %x {sizes = array<i64: 3>, strides = array<i64: 2>, dilations = array<i64: 1>} : (tensor<?x3x9xf32>) -> tensor<?x3x3x4xf32>
  %y = tenon.reduce_mean %u {axes = array<i64: 2>} : (tensor<?x3x3x4xf32>) -> tensor<?x3x4xf32>
  %q = tenon.exp %y : tensor<?x3x4xf32>
  %loss = tenon.reduce_sum %q {axes = array<i64: 0, 1, 2>} : (tensor<?x3x4xf32>) -> tensor<f32>
  %g = tenon.gradient %loss, %x : (tensor<f32>, tensor<?x3x9xf32>) -> tensor<?x3x9xf32>
  return %y, %g : tensor<?x3x4xf32>, tensor<?x3x9xf32>
}

func.func @any_extent(%x: tensor<2x?xf64>) -> (tensor<2x?xf64>, tensor<2x?xf64>) {
  %u = tenon.windows %x {sizes = array<i64: 3>, strides = array<i64: 2>, dilations = array<i64: 1>} : (tensor<2x?xf64>) -> tensor<2x3x?xf64>
  %y = tenon.reduce_sum %u {axes = array<i64: 1>} : (tensor<2x3x?xf64>) -> tensor<2x?xf64>
  %q = tenon.exp %y : tensor<2x?xf64>
  %loss = tenon.reduce_sum %q {axes = array<i64: 0, 1>} : (tensor<2x?xf64>) -> tensor<f64>
  %g = tenon.gradient %loss, %x : (tensor<f64>, tensor<2x?xf64>) -> tensor<2x?xf64>
  return %y, %g : tensor<2x?xf64>, tensor<2x?xf64>
}
