// RUN: tenon-opt %s --tenon-plan-memory | FileCheck %s

// A parameter is updated in the output's storage; the loss is stacked.
// CHECK-LABEL: func.func @train
// CHECK: tenon.loop
// CHECK-SAME: tenon.body_slots = [unit, #tenon.slot<output 0>, #tenon.slot<view 0>]
// CHECK-SAME: tenon.slots = [#tenon.slot<output 0>, #tenon.slot<output 1>]
// CHECK: tenon.kernel "rows"{{.*}}tenon.slots = [#tenon.slot<view 1>]
// CHECK: tenon.reduce_sum
// CHECK: tenon.kernel "rows"{{.*}}tenon.slots = [#tenon.slot<output 0>]
// CHECK: tenon.sgd
func.func @train(%p: tensor<4xf32>, %xs: tensor<8x4xf32>, %lr: tensor<f32>)
    -> (tensor<4xf32> {tenon.donates = 0 : i64}, tensor<8xf32>) {
  %0:2 = tenon.loop trips 8 carry(%p) scan(%xs) use(%lr)
      : (tensor<4xf32>, tensor<8x4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<8xf32>) {
  ^bb0(%t: tensor<i64>, %q: tensor<4xf32>, %x: tensor<4xf32>, %r: tensor<f32>):
    %new = tenon.kernel "rows" (%q, %x, %r) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<f32>):
      %e = tenon.sgd %a, %b, %c : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
      tenon.yield %e : tensor<4xf32>
    }
    %loss = tenon.kernel "rows" (%q) : (tensor<4xf32>) -> tensor<f32> {
    ^bb0(%a: tensor<4xf32>):
      %e = tenon.reduce_sum %a {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
      tenon.yield %e : tensor<f32>
    }
    tenon.yield %new, %loss : tensor<4xf32>, tensor<f32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<8xf32>
}

// What is not elementwise alternates between two places.
// CHECK-LABEL: func.func @power
// CHECK: tenon.loop
// CHECK-SAME: tenon.body_slots = [#tenon.slot<arena [[INDEX:[0-9]+]]>, #tenon.slot<output 0>]
// CHECK: tenon.kernel "matmul"
// CHECK-SAME: tenon.slots = [#tenon.slot<arena [[NEXT:[0-9]+]]>]
func.func @power(%p: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = tenon.loop trips 8 carry(%p) scan() use()
      : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%t: tensor<i64>, %q: tensor<4x4xf32>):
    %new = tenon.kernel "matmul" (%q, %t) : (tensor<4x4xf32>, tensor<i64>) -> tensor<4x4xf32> {
    ^bb0(%a: tensor<4x4xf32>, %i: tensor<i64>):
      %e = tenon.matmul %a, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      tenon.yield %e : tensor<4x4xf32>
    }
    tenon.yield %new : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// The start is read in later trips, too: it must outlive the loop.
// CHECK-LABEL: func.func @start_is_used
// CHECK: tenon.loop
// CHECK-SAME: tenon.slots = [#tenon.slot<arena
// CHECK: tenon.kernel "copy"
// CHECK-SAME: tenon.slots = [#tenon.slot<output 0>]
func.func @start_is_used(%p: tensor<4xf32>) -> (tensor<4xf32> {tenon.donates = 0 : i64}) {
  %0 = tenon.loop trips 8 carry(%p) scan() use(%p)
      : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%t: tensor<i64>, %q: tensor<4xf32>, %start: tensor<4xf32>):
    %new = tenon.kernel "rows" (%q, %start) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
      %e = tenon.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      tenon.yield %e : tensor<4xf32>
    }
    tenon.yield %new : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// What an inner loop carries cannot live in the slice that the outer one stacks: it
// moves there at the end of the inner loop.
// CHECK-LABEL: func.func @stacked_state
// CHECK: tenon.loop trips 4
// CHECK: tenon.loop trips 2
// CHECK-SAME: tenon.body_slots = [unit, #tenon.slot<arena {{[0-9]+}}>]
// CHECK-SAME: tenon.slots = [#tenon.slot<view 0>]
func.func @stacked_state(%a: tensor<3xf32>) -> tensor<4x3xf32> {
  %0:2 = tenon.loop trips 4 carry(%a) scan() use() : (tensor<3xf32>) -> (tensor<3xf32>, tensor<4x3xf32>) {
  ^bb0(%t: tensor<i64>, %c: tensor<3xf32>):
    %1 = tenon.loop trips 2 carry(%c) scan() use() : (tensor<3xf32>) -> tensor<3xf32> {
    ^bb0(%t2: tensor<i64>, %d: tensor<3xf32>):
      %e = tenon.kernel "rows" (%d) : (tensor<3xf32>) -> tensor<3xf32> {
      ^bb0(%x: tensor<3xf32>):
        %y = tenon.tanh %x : tensor<3xf32>
        tenon.yield %y : tensor<3xf32>
      }
      tenon.yield %e : tensor<3xf32>
    }
    tenon.yield %c, %1 : tensor<3xf32>, tensor<3xf32>
  }
  return %0#1 : tensor<4x3xf32>
}
