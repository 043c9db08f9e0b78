// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// The carried values of each trip are stacked; a loop in reverse sums what is invariant.
// CHECK-LABEL: @loop(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[W:.*]]: tensor<4xf32>, %[[D:.*]]: tensor<4xf32>
// CHECK: %[[F:.*]]:2 = tenon.loop trips 3 carry(%[[X]]) scan() use(%[[W]])
// CHECK: ^bb0(%{{.*}}: tensor<i64>, %[[C:.*]]: tensor<4xf32>, %{{.*}}: tensor<4xf32>):
// CHECK: tenon.yield %{{.*}}, %[[C]]
// CHECK: %[[R:.*]]:2 = tenon.loop trips 3 reverse carry(%[[D]], %{{.*}}) scan(%[[F]]#1) use(%[[W]])
// CHECK: return %[[R]]#1
func.func @loop(%x: tensor<4xf32>, %w: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %y = tenon.loop trips 3 carry(%x) scan() use(%w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%t: tensor<i64>, %c: tensor<4xf32>, %u: tensor<4xf32>):
    %n = tenon.mul %c, %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %n : tensor<4xf32>
  }
  %g = tenon.gradient %y, %w, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}
