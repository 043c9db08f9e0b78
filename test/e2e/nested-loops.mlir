// Loops in loops: where the values of an inner loop lie while an outer one moves on.
// RUN: tenon-run %s --compare=reference
// RUN: tenon-run %s --compare=reference --backend=vulkan

// The outer loop stacks what the inner one carries.
func.func @stacked_state(%a: tensor<3xf64>, %z: tensor<4x2x3xf64>) -> (tensor<3xf64>, tensor<4x3xf64>) {
  %y, %all = tenon.loop trips 4 carry(%a) scan(%z) use() : (tensor<3xf64>, tensor<4x2x3xf64>) -> (tensor<3xf64>, tensor<4x3xf64>) {
  ^bb0(%t: tensor<i64>, %c: tensor<3xf64>, %s: tensor<2x3xf64>):
    %y2, %o2 = tenon.loop trips 2 carry(%c) scan(%s) use() : (tensor<3xf64>, tensor<2x3xf64>) -> (tensor<3xf64>, tensor<2x3xf64>) {
    ^bb0(%t2: tensor<i64>, %c2: tensor<3xf64>, %s2: tensor<3xf64>):
      %n = tenon.mul %c2, %s2 : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
      %h = tenon.tanh %n : tensor<3xf64>
      tenon.yield %h, %n : tensor<3xf64>, tensor<3xf64>
    }
    %r = tenon.reduce_sum %o2 {axes = array<i64: 0>} : (tensor<2x3xf64>) -> tensor<3xf64>
    tenon.yield %r, %y2 : tensor<3xf64>, tensor<3xf64>
  }
  return %y, %all : tensor<3xf64>, tensor<4x3xf64>
}


// Two loops deep, with a gradient, and the start is a constant.
func.func @three_deep(%z: tensor<2x3x2x4xf64>) -> (tensor<2x3x2x4xf64>, tensor<2x4xf64>, tensor<2x3x4xf64>) {
  %one = tenon.fill {shape = array<i64: 4>, value = 1.0 : f64, dtype = f64} : () -> tensor<4xf64>
  %y0, %o0, %p0 = tenon.loop trips 2 carry(%one) scan(%z) use() : (tensor<4xf64>, tensor<2x3x2x4xf64>) -> (tensor<4xf64>, tensor<2x4xf64>, tensor<2x3x4xf64>) {
  ^bb0(%t0: tensor<i64>, %c0: tensor<4xf64>, %s0: tensor<3x2x4xf64>):
    %y1, %o1 = tenon.loop trips 3 reverse carry(%c0) scan(%s0) use() : (tensor<4xf64>, tensor<3x2x4xf64>) -> (tensor<4xf64>, tensor<3x4xf64>) {
    ^bb0(%t1: tensor<i64>, %c1: tensor<4xf64>, %s1: tensor<2x4xf64>):
      %y2 = tenon.loop trips 2 carry(%c1) scan(%s1) use() : (tensor<4xf64>, tensor<2x4xf64>) -> tensor<4xf64> {
      ^bb0(%t2: tensor<i64>, %c2: tensor<4xf64>, %s2: tensor<4xf64>):
        %n = tenon.mul %c2, %s2 : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
        %h = tenon.tanh %n : tensor<4xf64>
        tenon.yield %h : tensor<4xf64>
      }
      %e = tenon.exp %y2 : tensor<4xf64>
      tenon.yield %e, %y2 : tensor<4xf64>, tensor<4xf64>
    }
    %d = tenon.neg %y1 : tensor<4xf64>
    tenon.yield %d, %y1, %o1 : tensor<4xf64>, tensor<4xf64>, tensor<3x4xf64>
  }
  %l0 = tenon.reduce_sum %o0 {axes = array<i64: 0, 1>} : (tensor<2x4xf64>) -> tensor<f64>
  %l1 = tenon.reduce_sum %y0 {axes = array<i64: 0>} : (tensor<4xf64>) -> tensor<f64>
  %l = tenon.add %l0, %l1 : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %g = tenon.gradient %l, %z : (tensor<f64>, tensor<2x3x2x4xf64>) -> tensor<2x3x2x4xf64>
  return %g, %o0, %p0 : tensor<2x3x2x4xf64>, tensor<2x4xf64>, tensor<2x3x4xf64>
}

// A loop of no trips stacks what it starts from.
func.func @no_trips(%a: tensor<3xf64>) -> (tensor<3xf64>, tensor<2x3xf64>) {
  %y, %all = tenon.loop trips 2 carry(%a) scan() use() : (tensor<3xf64>) -> (tensor<3xf64>, tensor<2x3xf64>) {
  ^bb0(%t: tensor<i64>, %c: tensor<3xf64>):
    %y2 = tenon.loop trips 0 carry(%c) scan() use() : (tensor<3xf64>) -> tensor<3xf64> {
    ^bb0(%t2: tensor<i64>, %c2: tensor<3xf64>):
      %h = tenon.tanh %c2 : tensor<3xf64>
      tenon.yield %h : tensor<3xf64>
    }
    %n = tenon.sin %c : tensor<3xf64>
    tenon.yield %n, %y2 : tensor<3xf64>, tensor<3xf64>
  }
  return %y, %all : tensor<3xf64>, tensor<2x3xf64>
}

// The second derivative.
func.func @nested(%a: tensor<3x3xf64>, %z: tensor<4x2x3x3xf64>, %w: tensor<3x3xf64>) -> (tensor<f64>, tensor<3x3xf64>, tensor<4x2x3x3xf64>, tensor<3x3xf64>, tensor<3x3xf64>) {
  %y, %all = tenon.loop trips 4 carry(%a) scan(%z) use(%w) : (tensor<3x3xf64>, tensor<4x2x3x3xf64>, tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<4x3x3xf64>) {
  ^bb0(%t: tensor<i64>, %c: tensor<3x3xf64>, %s: tensor<2x3x3xf64>, %u: tensor<3x3xf64>):
    %y2, %o2 = tenon.loop trips 2 reverse carry(%c) scan(%s) use(%u) : (tensor<3x3xf64>, tensor<2x3x3xf64>, tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<2x3x3xf64>) {
    ^bb0(%t2: tensor<i64>, %c2: tensor<3x3xf64>, %s2: tensor<3x3xf64>, %u2: tensor<3x3xf64>):
      %m = tenon.matmul %c2, %u2 : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
      %n = tenon.mul %m, %s2 : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
      %h = tenon.tanh %n : tensor<3x3xf64>
      %q = tenon.add %h, %c2 : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
      tenon.yield %q, %h : tensor<3x3xf64>, tensor<3x3xf64>
    }
    %r = tenon.reduce_sum %o2 {axes = array<i64: 0>} : (tensor<2x3x3xf64>) -> tensor<3x3xf64>
    %tt = tenon.transpose %r {permutation = array<i64: 1, 0>} : (tensor<3x3xf64>) -> tensor<3x3xf64>
    %k = tenon.mul %y2, %tt : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
    tenon.yield %k, %r : tensor<3x3xf64>, tensor<3x3xf64>
  }
  %l0 = tenon.reduce_sum %y {axes = array<i64: 0, 1>} : (tensor<3x3xf64>) -> tensor<f64>
  %l1 = tenon.reduce_sum %all {axes = array<i64: 0, 1, 2>} : (tensor<4x3x3xf64>) -> tensor<f64>
  %l = tenon.add %l0, %l1 : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %ga = tenon.gradient %l, %a : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %gz = tenon.gradient %l, %z : (tensor<f64>, tensor<4x2x3x3xf64>) -> tensor<4x2x3x3xf64>
  %gw = tenon.gradient %l, %w : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %g2 = tenon.mul %gw, %gw : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %l2 = tenon.reduce_sum %g2 {axes = array<i64: 0, 1>} : (tensor<3x3xf64>) -> tensor<f64>
  %gg = tenon.gradient %l2, %a : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  return %l, %ga, %gz, %gw, %gg : tensor<f64>, tensor<3x3xf64>, tensor<4x2x3x3xf64>, tensor<3x3xf64>, tensor<3x3xf64>
}
