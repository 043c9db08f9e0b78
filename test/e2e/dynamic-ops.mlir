// Functions with extents that are known at run time only: none, one, odd and large ones.
// RUN: tenon-run %s --compare=reference --extent=0
// RUN: tenon-run %s --compare=reference --extent=0 --backend=vulkan
// RUN: tenon-run %s --compare=reference --extent=1
// RUN: tenon-run %s --compare=reference --extent=7
// RUN: tenon-run %s --compare=reference --extent=133 --low=-1 --high=1

func.func @elementwise(%a: tensor<?x9xf32>, %b: tensor<?x9xf32>) -> tensor<?x9xf32> {
  %m = tenon.mul %a, %b : (tensor<?x9xf32>, tensor<?x9xf32>) -> tensor<?x9xf32>
  %y = tenon.tanh %m : tensor<?x9xf32>
  return %y : tensor<?x9xf32>
}

func.func @two_axes(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %t = tenon.transpose %b {permutation = array<i64: 1, 0>} : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %m = tenon.sub %a, %t : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  return %m : tensor<?x?xf64>
}

func.func @layer(%x: tensor<?x8xf32>, %w: tensor<8x6xf32>, %b: tensor<6xf32>) -> tensor<?x6xf32> {
  %y = tenon.matmul %x, %w : (tensor<?x8xf32>, tensor<8x6xf32>) -> tensor<?x6xf32>
  %c = tenon.broadcast %b, %y {shape = array<i64: -9223372036854775808, 6>, dims = array<i64: 1>}
     : (tensor<6xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
  %z = tenon.add %y, %c : (tensor<?x6xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
  %r = tenon.relu %z : tensor<?x6xf32>
  return %r : tensor<?x6xf32>
}

func.func @products(%a: tensor<?x33xf64>, %b: tensor<?x33xf64>) -> (tensor<?x?xf64>, tensor<33x33xf64>) {
  %y = tenon.matmul %a, %b {transpose_b = true} : (tensor<?x33xf64>, tensor<?x33xf64>) -> tensor<?x?xf64>
  %z = tenon.matmul %a, %b {transpose_a = true} : (tensor<?x33xf64>, tensor<?x33xf64>) -> tensor<33x33xf64>
  return %y, %z : tensor<?x?xf64>, tensor<33x33xf64>
}

func.func @batched(%a: tensor<?x4x?xf32>, %b: tensor<?x?x5xf32>) -> tensor<?x4x5xf32> {
  %y = tenon.matmul %a, %b : (tensor<?x4x?xf32>, tensor<?x?x5xf32>) -> tensor<?x4x5xf32>
  return %y : tensor<?x4x5xf32>
}

func.func @softmax(%x: tensor<?x10xf32>, %y: tensor<10x?xf32>) -> (tensor<?x10xf32>, tensor<10x?xf32>, tensor<10x?xf32>) {
  %a = tenon.softmax %x {axis = 1 : i64} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %b = tenon.softmax %y {axis = 1 : i64} : (tensor<10x?xf32>) -> tensor<10x?xf32>
  %c = tenon.log_softmax %y {axis = 0 : i64} : (tensor<10x?xf32>) -> tensor<10x?xf32>
  return %a, %b, %c : tensor<?x10xf32>, tensor<10x?xf32>, tensor<10x?xf32>
}

func.func @norms(%x: tensor<?x3x?xf64>, %g: tensor<?xf64>, %b: tensor<?xf64>) -> (tensor<?x3x?xf64>, tensor<?x3x?xf64>) {
  %y = tenon.layer_norm %x, %g bias %b {eps = 1.0e-5 : f64} : (tensor<?x3x?xf64>, tensor<?xf64>, tensor<?xf64>) -> tensor<?x3x?xf64>
  %z = tenon.rms_norm %x, %g {eps = 1.0e-5 : f64} : (tensor<?x3x?xf64>, tensor<?xf64>) -> tensor<?x3x?xf64>
  return %y, %z : tensor<?x3x?xf64>, tensor<?x3x?xf64>
}

func.func @reductions(%x: tensor<?x7xf32>) -> (tensor<7xf32>, tensor<?x1xf32>, tensor<f32>, tensor<?xf32>) {
  %a = tenon.reduce_sum %x {axes = array<i64: 0>} : (tensor<?x7xf32>) -> tensor<7xf32>
  %b = tenon.reduce_mean %x {axes = array<i64: 1>, keep = true} : (tensor<?x7xf32>) -> tensor<?x1xf32>
  %c = tenon.reduce_max %x {axes = array<i64: 0, 1>} : (tensor<?x7xf32>) -> tensor<f32>
  %d = tenon.reduce_prod %x {axes = array<i64: 1>} : (tensor<?x7xf32>) -> tensor<?xf32>
  return %a, %b, %c, %d : tensor<7xf32>, tensor<?x1xf32>, tensor<f32>, tensor<?xf32>
}

func.func @arg(%x: tensor<?x7xf32>) -> tensor<?xi64> {
  %a = tenon.argmax %x {axis = 1 : i64} : (tensor<?x7xf32>) -> tensor<?xi64>
  return %a : tensor<?xi64>
}

func.func @shapes(%x: tensor<?x6xf32>, %y: tensor<?x6xf32>) -> (tensor<?xf32>, tensor<?x3x2xf32>, tensor<?x6xf32>, tensor<?x8xf32>) {
  %a = tenon.reshape %x {shape = array<i64: -9223372036854775808>} : (tensor<?x6xf32>) -> tensor<?xf32>
  %b = tenon.reshape %x {shape = array<i64: -9223372036854775808, 3, 2>} : (tensor<?x6xf32>) -> tensor<?x3x2xf32>
  %c = tenon.concat %x, %y, %x {axis = 0 : i64} : (tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
  %d = tenon.pad %x {low = array<i64: 1, 0>, high = array<i64: 2, 2>, value = 3.0 : f64} : (tensor<?x6xf32>) -> tensor<?x8xf32>
  return %a, %b, %c, %d : tensor<?xf32>, tensor<?x3x2xf32>, tensor<?x6xf32>, tensor<?x8xf32>
}

func.func @to_the_end(%x: tensor<?x5xf32>) -> tensor<?x3xf32> {
  %p = tenon.pad %x {low = array<i64: 3, 0>, high = array<i64: 0, 0>, value = 1.0 : f64} : (tensor<?x5xf32>) -> tensor<?x5xf32>
  %y = tenon.slice %p {offsets = array<i64: 2, 0>, sizes = array<i64: -9223372036854775808, 3>, strides = array<i64: 2, 2>} : (tensor<?x5xf32>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

func.func @lookup(%t: tensor<4x6xf32>, %ids: tensor<?xi64>) -> (tensor<?x6xf32>, tensor<?x5xf32>) {
  %y = tenon.gather %t, %ids : (tensor<4x6xf32>, tensor<?xi64>) -> tensor<?x6xf32>
  %h = tenon.one_hot %ids {depth = 5 : i64, dtype = f32} : (tensor<?xi64>) -> tensor<?x5xf32>
  return %y, %h : tensor<?x6xf32>, tensor<?x5xf32>
}

func.func @scatter(%like: tensor<?x6xf32>, %ids: tensor<?xi64>, %u: tensor<?x6xf32>) -> tensor<?x6xf32> {
  %y = tenon.scatter_add %ids, %u, %like {rows = -9223372036854775808 : i64} : (tensor<?xi64>, tensor<?x6xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
  return %y : tensor<?x6xf32>
}

func.func @made(%x: tensor<?x3xf32>, %seed: tensor<i64>, %step: tensor<i64>) -> (tensor<?x3xf32>, tensor<?x3xf32>) {
  %i = tenon.iota %x {shape = array<i64: -9223372036854775808, 3>, axis = 0 : i64, dtype = f32} : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %f = tenon.fill %x {shape = array<i64: -9223372036854775808, 3>, value = 2.0 : f64, dtype = f32} : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %r = tenon.random_uniform %seed, %step, %x {shape = array<i64: -9223372036854775808, 3>, stream = 1 : i64, dtype = f32} : (tensor<i64>, tensor<i64>, tensor<?x3xf32>) -> tensor<?x3xf32>
  %s = tenon.add %i, %f : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  %d = tenon.dropout %r, %seed, %step {rate = 0.5 : f64, stream = 2 : i64} : (tensor<?x3xf32>, tensor<i64>, tensor<i64>) -> tensor<?x3xf32>
  return %s, %d : tensor<?x3xf32>, tensor<?x3xf32>
}

func.func @losses(%x: tensor<?x5xf32>, %ids: tensor<?xi64>, %t: tensor<?x5xf32>) -> (tensor<?xf32>, tensor<f32>) {
  %a = tenon.softmax_cross_entropy %x, %ids {floor = 0.0 : f64} : (tensor<?x5xf32>, tensor<?xi64>) -> tensor<?xf32>
  %b = tenon.mse_loss %x, %t : (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<f32>
  return %a, %b : tensor<?xf32>, tensor<f32>
}

func.func @attention(%q: tensor<?x2x?x16xf32>, %k: tensor<?x2x?x16xf32>, %v: tensor<?x2x?x16xf32>) -> (tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.25 : f64, causal = true} : (tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>) -> (tensor<?x2x?x16xf32>, tensor<?x2x?xf32>)
  %y = tenon.exp %o : tensor<?x2x?x16xf32>
  return %o, %y : tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>
}

func.func @loop(%x: tensor<?x4xf32>, %s: tensor<3x?x4xf32>) -> (tensor<?x4xf32>, tensor<3x?x4xf32>) {
  %y, %all = tenon.loop trips 3 carry(%x) scan(%s) use() : (tensor<?x4xf32>, tensor<3x?x4xf32>) -> (tensor<?x4xf32>, tensor<3x?x4xf32>) {
  ^bb0(%t: tensor<i64>, %c: tensor<?x4xf32>, %z: tensor<?x4xf32>):
    %n = tenon.mul %c, %z : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    tenon.yield %n, %n : tensor<?x4xf32>, tensor<?x4xf32>
  }
  return %y, %all : tensor<?x4xf32>, tensor<3x?x4xf32>
}

func.func @donated(%p: tensor<?x4xf32>, %g: tensor<?x4xf32>, %lr: tensor<f32>) -> (tensor<?x4xf32> {tenon.donates = 0 : i64}) {
  %y = tenon.sgd %p, %g, %lr : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
