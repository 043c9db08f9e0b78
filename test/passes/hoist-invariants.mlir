// RUN: tenon-opt %s -tenon-hoist-invariants -split-input-file | FileCheck %s

// CHECK-LABEL: @hoists
// CHECK-SAME: %[[A:.*]]: tensor<4xf32>, %[[W:.*]]: tensor<4xf32>
// CHECK: %[[E:.*]] = tenon.exp %[[W]]
// CHECK: %[[S:.*]] = tenon.mul %[[E]], %{{.*}}
// CHECK: tenon.loop trips 4 carry(%[[A]]) scan() use(%[[W]], %[[S]])
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<i64>, %[[C:.*]]: tensor<4xf32>, %{{.*}}: tensor<4xf32>, %[[H:.*]]: tensor<4xf32>):
// CHECK-NOT: tenon.exp
// CHECK: tenon.add %[[C]], %[[H]]
func.func @hoists(%a: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %r = tenon.loop trips 4 carry(%a) scan() use(%w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%t: tensor<i64>, %c: tensor<4xf32>, %u: tensor<4xf32>):
    %two = tenon.constant dense<2.0> : tensor<4xf32>
    %e = tenon.exp %u : tensor<4xf32>
    %s = tenon.mul %e, %two : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %n = tenon.add %c, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %n : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// Out of two loops.
// CHECK-LABEL: @nested
// CHECK: tenon.exp
// CHECK: tenon.loop
// CHECK: tenon.loop
// CHECK-NOT: tenon.exp
func.func @nested(%a: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %r = tenon.loop trips 4 carry(%a) scan() use(%w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%t: tensor<i64>, %c: tensor<4xf32>, %u: tensor<4xf32>):
    %q = tenon.loop trips 2 carry(%c) scan() use(%u) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%t2: tensor<i64>, %c2: tensor<4xf32>, %u2: tensor<4xf32>):
      %e = tenon.exp %u2 : tensor<4xf32>
      %n = tenon.add %c2, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      tenon.yield %n : tensor<4xf32>
    }
    tenon.yield %q : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// Left inside: what depends on the trip, and views and broadcasts by themselves.
// CHECK-LABEL: @alone
// CHECK-NEXT: tenon.loop trips 4 carry(%{{.*}}) scan() use(%{{.*}})
// CHECK: tenon.broadcast
// CHECK: tenon.mul
func.func @alone(%a: tensor<2x4xf32>, %w: tensor<4xf32>) -> tensor<2x4xf32> {
  %r = tenon.loop trips 4 carry(%a) scan() use(%w) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32> {
  ^bb0(%t: tensor<i64>, %c: tensor<2x4xf32>, %u: tensor<4xf32>):
    %b = tenon.broadcast %u {shape = array<i64: 2, 4>, dims = array<i64: 1>} : (tensor<4xf32>) -> tensor<2x4xf32>
    %n = tenon.mul %c, %b : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    tenon.yield %n : tensor<2x4xf32>
  }
  return %r : tensor<2x4xf32>
}
