// One body or the other, alone, in loops and with loops inside, and gradients through them.
// RUN: tenon-run %s --compare=reference --extent=5
// RUN: tenon-run %s --compare=reference --extent=5 --backend=vulkan
// RUN: tenon-run %s --function=lazy | FileCheck %s

// The gradient of what was not run, infinite times zero, does not show.
// CHECK: output0: f32[2] = [2, 2]
func.func @lazy() -> tensor<2xf32> {
  %zero = tenon.constant dense<0.0> : tensor<2xf32>
  %x = tenon.watch %zero : tensor<2xf32>
  %s = tenon.reduce_sum %x {axes = array<i64: 0>} : (tensor<2xf32>) -> tensor<f32>
  %one = tenon.constant dense<1.0> : tensor<f32>
  %c = tenon.compare %s, %one {predicate = #tenon.predicate<lt>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %y = tenon.if %c use(%x) : (tensor<i1>, tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    %e = tenon.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    tenon.yield %e : tensor<2xf32>
  } else {
  ^bb0(%a: tensor<2xf32>):
    %e = tenon.sqrt %a : tensor<2xf32>
    tenon.yield %e : tensor<2xf32>
  }
  %l = tenon.reduce_sum %y {axes = array<i64: 0>} : (tensor<2xf32>) -> tensor<f32>
  %g = tenon.gradient %l, %x : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  return %g : tensor<2xf32>
}

// Sizes that are known at run time only; one result passes through.
func.func @dynamic(%c: tensor<i1>, %x: tensor<?x3xf32>, %w: tensor<3x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>, tensor<i64>) {
  %k = tenon.constant dense<7> : tensor<i64>
  %y:3 = tenon.if %c use(%x, %w, %k) : (tensor<i1>, tensor<?x3xf32>, tensor<3x3xf32>, tensor<i64>) -> (tensor<?x3xf32>, tensor<?x3xf32>, tensor<i64>) {
  ^bb0(%a: tensor<?x3xf32>, %b: tensor<3x3xf32>, %i: tensor<i64>):
    %m = tenon.matmul %a, %b : (tensor<?x3xf32>, tensor<3x3xf32>) -> tensor<?x3xf32>
    %t = tenon.tanh %m : tensor<?x3xf32>
    tenon.yield %t, %a, %i : tensor<?x3xf32>, tensor<?x3xf32>, tensor<i64>
  } else {
  ^bb0(%a: tensor<?x3xf32>, %b: tensor<3x3xf32>, %i: tensor<i64>):
    %j = tenon.add %i, %i : (tensor<i64>, tensor<i64>) -> tensor<i64>
    tenon.yield %a, %a, %j : tensor<?x3xf32>, tensor<?x3xf32>, tensor<i64>
  }
  return %y#0, %y#1, %y#2 : tensor<?x3xf32>, tensor<?x3xf32>, tensor<i64>
}

// A loop whose trips take different bodies, stacked; an if in an if; gradients of both orders.
func.func @in_loop(%x: tensor<4xf64>, %w: tensor<4xf64>) -> (tensor<4xf64>, tensor<5x4xf64>, tensor<4xf64>, tensor<4xf64>) {
  %r:2 = tenon.loop trips 5 carry(%x) scan() use(%w) : (tensor<4xf64>, tensor<4xf64>) -> (tensor<4xf64>, tensor<5x4xf64>) {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf64>, %u: tensor<4xf64>):
    %two = tenon.constant dense<2> : tensor<i64>
    %three = tenon.constant dense<3> : tensor<i64>
    %c = tenon.compare %t, %two {predicate = #tenon.predicate<lt>} : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %d = tenon.compare %t, %three {predicate = #tenon.predicate<lt>} : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %n:2 = tenon.if %c use(%s, %u, %d) : (tensor<i1>, tensor<4xf64>, tensor<4xf64>, tensor<i1>) -> (tensor<4xf64>, tensor<4xf64>) {
    ^bb0(%a: tensor<4xf64>, %b: tensor<4xf64>, %e: tensor<i1>):
      %m = tenon.mul %a, %b : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
      %h = tenon.tanh %m : tensor<4xf64>
      tenon.yield %h, %m : tensor<4xf64>, tensor<4xf64>
    } else {
    ^bb0(%a: tensor<4xf64>, %b: tensor<4xf64>, %e: tensor<i1>):
      %q = tenon.if %e use(%a, %b) : (tensor<i1>, tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64> {
      ^bb0(%f: tensor<4xf64>, %g: tensor<4xf64>):
        %h = tenon.sin %f : tensor<4xf64>
        %o = tenon.mul %h, %g : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
        tenon.yield %o : tensor<4xf64>
      } else {
      ^bb0(%f: tensor<4xf64>, %g: tensor<4xf64>):
        %z = tenon.loop trips 2 carry(%f) scan() use(%g) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64> {
        ^bb0(%t2: tensor<i64>, %k: tensor<4xf64>, %v: tensor<4xf64>):
          %o = tenon.add %k, %v : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
          %h = tenon.cos %o : tensor<4xf64>
          tenon.yield %h : tensor<4xf64>
        }
        tenon.yield %z : tensor<4xf64>
      }
      tenon.yield %q, %a : tensor<4xf64>, tensor<4xf64>
    }
    tenon.yield %n#0, %n#1 : tensor<4xf64>, tensor<4xf64>
  }
  %l0 = tenon.reduce_sum %r#1 {axes = array<i64: 0, 1>} : (tensor<5x4xf64>) -> tensor<f64>
  %l1 = tenon.reduce_sum %r#0 {axes = array<i64: 0>} : (tensor<4xf64>) -> tensor<f64>
  %l = tenon.add %l0, %l1 : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %g = tenon.gradient %l, %w : (tensor<f64>, tensor<4xf64>) -> tensor<4xf64>
  %sq = tenon.mul %g, %g : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %l2 = tenon.reduce_sum %sq {axes = array<i64: 0>} : (tensor<4xf64>) -> tensor<f64>
  %gg = tenon.gradient %l2, %x : (tensor<f64>, tensor<4xf64>) -> tensor<4xf64>
  return %r#0, %r#1, %g, %gg : tensor<4xf64>, tensor<5x4xf64>, tensor<4xf64>, tensor<4xf64>
}

// State that one body updates and the other keeps, donated.
func.func @state(%p: tensor<4xf32>, %g: tensor<4xf32>, %lr: tensor<f32>) -> (tensor<4xf32> {tenon.donates = 0 : i64}) {
  %s = tenon.reduce_sum %g {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  %c = tenon.compare %s, %lr {predicate = #tenon.predicate<lt>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %n = tenon.if %c use(%p, %g, %lr) : (tensor<i1>, tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32> {
  ^bb0(%q: tensor<4xf32>, %h: tensor<4xf32>, %r: tensor<f32>):
    %e = tenon.sgd %q, %h, %r : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    tenon.yield %e : tensor<4xf32>
  } else {
  ^bb0(%q: tensor<4xf32>, %h: tensor<4xf32>, %r: tensor<f32>):
    tenon.yield %q : tensor<4xf32>
  }
  return %n : tensor<4xf32>
}
