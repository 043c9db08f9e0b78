// Products in f16 and bf16: what follows them, and gradients through both. Programs without
// fusions, since the reference narrows what is written.
// RUN: tenon-run %s --compare=reference --mixed-precision=f16
// RUN: tenon-run %s --compare=reference --mixed-precision=bf16
// RUN: tenon-run %s --compare=reference --mixed-precision=f16 --backend=vulkan

// The narrowed program as it is printed.
// RUN: tenon-compile %s --mixed-precision=f16 --compile-to=differentiated | tenon-run - --compare=reference

func.func @step(%x: tensor<32x10xf32>, %t: tensor<32x3xf32>, %w1: tensor<10x13xf32>,
                %b1: tensor<13xf32>, %w2: tensor<13x3xf32>, %lr: tensor<f32>)
    -> (tensor<10x13xf32> {tenon.donates = 2 : i64}, tensor<13xf32> {tenon.donates = 3 : i64},
        tensor<13x3xf32> {tenon.donates = 4 : i64}, tensor<f32>) {
  %h = tenon.matmul %x, %w1 : (tensor<32x10xf32>, tensor<10x13xf32>) -> tensor<32x13xf32>
  %b = tenon.broadcast %b1 {shape = array<i64: 32, 13>, dims = array<i64: 1>} : (tensor<13xf32>) -> tensor<32x13xf32>
  %s = tenon.add %h, %b : (tensor<32x13xf32>, tensor<32x13xf32>) -> tensor<32x13xf32>
  %r = tenon.tanh %s : tensor<32x13xf32>
  %y = tenon.matmul %r, %w2 : (tensor<32x13xf32>, tensor<13x3xf32>) -> tensor<32x3xf32>
  %l = tenon.mse_loss %y, %t : (tensor<32x3xf32>, tensor<32x3xf32>) -> tensor<f32>
  %g1 = tenon.gradient %l, %w1 : (tensor<f32>, tensor<10x13xf32>) -> tensor<10x13xf32>
  %gb = tenon.gradient %l, %b1 : (tensor<f32>, tensor<13xf32>) -> tensor<13xf32>
  %g2 = tenon.gradient %l, %w2 : (tensor<f32>, tensor<13x3xf32>) -> tensor<13x3xf32>
  %n1 = tenon.sgd %w1, %g1, %lr : (tensor<10x13xf32>, tensor<10x13xf32>, tensor<f32>) -> tensor<10x13xf32>
  %nb = tenon.sgd %b1, %gb, %lr : (tensor<13xf32>, tensor<13xf32>, tensor<f32>) -> tensor<13xf32>
  %n2 = tenon.sgd %w2, %g2, %lr : (tensor<13x3xf32>, tensor<13x3xf32>, tensor<f32>) -> tensor<13x3xf32>
  return %n1, %nb, %n2, %l : tensor<10x13xf32>, tensor<13xf32>, tensor<13x3xf32>, tensor<f32>
}

func.func @attention(%x: tensor<1x2x9x8xf32>, %m: tensor<1x1x9x9xf32>) -> tensor<1x2x9x8xf32> {
  %o, %l = tenon.attention %x, %x, %x, %m {scale = 0.35 : f64} : (tensor<1x2x9x8xf32>, tensor<1x2x9x8xf32>, tensor<1x2x9x8xf32>, tensor<1x1x9x9xf32>) -> (tensor<1x2x9x8xf32>, tensor<1x2x9xf32>)
  return %o : tensor<1x2x9x8xf32>
}

func.func @recurrent(%h: tensor<5x7xf32>, %w: tensor<7x7xf32>, %x: tensor<4x5x7xf32>) -> (tensor<5x7xf32>, tensor<4x5x7xf32>) {
  %r, %all = tenon.loop trips 4 carry(%h) scan(%x) use(%w) : (tensor<5x7xf32>, tensor<4x5x7xf32>, tensor<7x7xf32>) -> (tensor<5x7xf32>, tensor<4x5x7xf32>) {
  ^bb0(%t: tensor<i64>, %c: tensor<5x7xf32>, %xt: tensor<5x7xf32>, %u: tensor<7x7xf32>):
    %y = tenon.matmul %c, %u : (tensor<5x7xf32>, tensor<7x7xf32>) -> tensor<5x7xf32>
    %s = tenon.add %y, %xt : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %n = tenon.tanh %s : tensor<5x7xf32>
    tenon.yield %n, %n : tensor<5x7xf32>, tensor<5x7xf32>
  }
  return %r, %all : tensor<5x7xf32>, tensor<4x5x7xf32>
}
