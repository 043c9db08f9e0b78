// Whole training steps: backward passes, updates in place, loops.
// RUN: tenon-run %s --compare=reference --int-limit=5
// RUN: tenon-run %s --compare=reference --int-limit=5 --backend=vulkan
// RUN: tenon-run %s --compare=reference --int-limit=5 --donate

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

func.func @classify(%x: tensor<17x9xf64>, %ids: tensor<17xi32>, %w: tensor<9x5xf64>)
    -> (tensor<f64>, tensor<9x5xf64>) {
  %y = tenon.matmul %x, %w : (tensor<17x9xf64>, tensor<9x5xf64>) -> tensor<17x5xf64>
  %e = tenon.softmax_cross_entropy %y, %ids {floor = 0.0 : f64} : (tensor<17x5xf64>, tensor<17xi32>) -> tensor<17xf64>
  %l = tenon.reduce_mean %e {axes = array<i64: 0>} : (tensor<17xf64>) -> tensor<f64>
  %g = tenon.gradient %l, %w : (tensor<f64>, tensor<9x5xf64>) -> tensor<9x5xf64>
  return %l, %g : tensor<f64>, tensor<9x5xf64>
}

func.func @loop(%w: tensor<4x3xf32>, %xs: tensor<6x8x4xf32>, %ts: tensor<6x8x3xf32>, %lr: tensor<f32>)
    -> (tensor<4x3xf32> {tenon.donates = 0 : i64}, tensor<6xf32>) {
  %0:2 = tenon.loop trips 6 carry(%w) scan(%xs, %ts) use(%lr)
      : (tensor<4x3xf32>, tensor<6x8x4xf32>, tensor<6x8x3xf32>, tensor<f32>) -> (tensor<4x3xf32>, tensor<6xf32>) {
  ^bb0(%i: tensor<i64>, %v: tensor<4x3xf32>, %x: tensor<8x4xf32>, %t: tensor<8x3xf32>, %r: tensor<f32>):
    %y = tenon.matmul %x, %v : (tensor<8x4xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
    %l = tenon.mse_loss %y, %t : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<f32>
    %g = tenon.gradient %l, %v : (tensor<f32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %k = tenon.constant dense<0.1> : tensor<f32>
    %s = tenon.mul %r, %k : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %n = tenon.sgd %v, %g, %s : (tensor<4x3xf32>, tensor<4x3xf32>, tensor<f32>) -> tensor<4x3xf32>
    tenon.yield %n, %l : tensor<4x3xf32>, tensor<f32>
  }
  return %0#0, %0#1 : tensor<4x3xf32>, tensor<6xf32>
}

// Carried values exchanged, unchanged, and yielded twice; the index; no trips.
func.func @carried(%a: tensor<3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>)
    -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5xi64>) {
  %0:6 = tenon.loop trips 5 carry(%a, %b, %c) scan() use()
      : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
     -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5xi64>) {
  ^bb0(%i: tensor<i64>, %x: tensor<3xf32>, %y: tensor<3xf32>, %z: tensor<3xf32>):
    %s = tenon.add %x, %z : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    tenon.yield %y, %s, %z, %s, %y, %i : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<i64>
  }
  return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5xi64>
}

func.func @reverse(%a: tensor<3xf32>, %xs: tensor<4x3xf32>)
    -> (tensor<3xf32>, tensor<4x3xf32>, tensor<4xi64>) {
  %0:3 = tenon.loop trips 4 reverse carry(%a) scan(%xs) use()
      : (tensor<3xf32>, tensor<4x3xf32>) -> (tensor<3xf32>, tensor<4x3xf32>, tensor<4xi64>) {
  ^bb0(%i: tensor<i64>, %s: tensor<3xf32>, %x: tensor<3xf32>):
    %p = tenon.mul %s, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %n = tenon.add %p, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    tenon.yield %n, %p, %i : tensor<3xf32>, tensor<3xf32>, tensor<i64>
  }
  return %0#0, %0#1, %0#2 : tensor<3xf32>, tensor<4x3xf32>, tensor<4xi64>
}

func.func @no_trips(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = tenon.loop trips 0 carry(%a) scan() use() : (tensor<3xf32>) -> tensor<3xf32> {
  ^bb0(%i: tensor<i64>, %s: tensor<3xf32>):
    %n = tenon.exp %s : tensor<3xf32>
    tenon.yield %n : tensor<3xf32>
  }
  return %0 : tensor<3xf32>
}

func.func @nested(%a: tensor<3xf32>, %xs: tensor<4x2x3xf32>) -> (tensor<3xf32>, tensor<4x3xf32>) {
  %0:2 = tenon.loop trips 4 carry(%a) scan(%xs) use(%a)
      : (tensor<3xf32>, tensor<4x2x3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<4x3xf32>) {
  ^bb0(%i: tensor<i64>, %s: tensor<3xf32>, %x: tensor<2x3xf32>, %d: tensor<3xf32>):
    %1 = tenon.loop trips 2 carry(%s) scan(%x) use(%d)
        : (tensor<3xf32>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<3xf32> {
    ^bb0(%j: tensor<i64>, %u: tensor<3xf32>, %v: tensor<3xf32>, %c: tensor<3xf32>):
      %p = tenon.mul %u, %c : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      %q = tenon.add %p, %v : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      tenon.yield %q : tensor<3xf32>
    }
    tenon.yield %1, %1 : tensor<3xf32>, tensor<3xf32>
  }
  return %0#0, %0#1 : tensor<3xf32>, tensor<4x3xf32>
}

// Results that overwrite what other results still need.
func.func @entangled(%p: tensor<5x5xf32>, %q: tensor<5x5xf32>, %r: tensor<7xf32>)
    -> (tensor<5x5xf32> {tenon.donates = 1 : i64}, tensor<5x5xf32> {tenon.donates = 0 : i64},
        tensor<7xf32> {tenon.donates = 2 : i64}, tensor<7xf32>, tensor<f32>) {
  %a = tenon.matmul %p, %q : (tensor<5x5xf32>, tensor<5x5xf32>) -> tensor<5x5xf32>
  %b = tenon.sub %a, %q : (tensor<5x5xf32>, tensor<5x5xf32>) -> tensor<5x5xf32>
  %c = tenon.transpose %p {permutation = array<i64: 1, 0>} : (tensor<5x5xf32>) -> tensor<5x5xf32>
  %d = tenon.add %c, %q : (tensor<5x5xf32>, tensor<5x5xf32>) -> tensor<5x5xf32>
  %e = tenon.tanh %r : tensor<7xf32>
  %f = tenon.mul %r, %r : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
  %s = tenon.reduce_sum %r {axes = array<i64: 0>} : (tensor<7xf32>) -> tensor<f32>
  return %b, %d, %e, %f, %s : tensor<5x5xf32>, tensor<5x5xf32>, tensor<7xf32>, tensor<7xf32>, tensor<f32>
}
