// RUN: tenon-opt %s -tenon-derive-backward -canonicalize -split-input-file | FileCheck %s

// What each of 104 trips starts from would take 21 MB: 9 loops of 11 trips and one of 5
// keep 9, 11 and 5 of these values.
// CHECK-LABEL: @long(
// CHECK: %[[F:.*]]:2 = tenon.loop trips 9 carry({{.*}} -> (tensor<50000xf32>, tensor<9x50000xf32>)
// CHECK: tenon.loop trips 11
// CHECK: %[[L:.*]]:2 = tenon.loop trips 5 carry(%[[F]]#0){{.*}}, tensor<5x50000xf32>)
// CHECK: %[[B:.*]]:2 = tenon.loop trips 5 reverse
// CHECK: tenon.loop trips 9 reverse carry(%[[B]]#0, {{.*}}) scan(%[[F]]#1)
// CHECK: tenon.loop trips 11 carry({{.*}}, tensor<11x50000xf32>)
// CHECK: tenon.loop trips 11 reverse
// CHECK-NOT: tenon.loop
func.func @long(%x: tensor<50000xf32>, %w: tensor<50000xf32>, %d: tensor<50000xf32>) -> tensor<50000xf32> {
  %y = tenon.loop trips 104 carry(%x) scan() use(%w) : (tensor<50000xf32>, tensor<50000xf32>) -> tensor<50000xf32> {
  ^bb0(%t: tensor<i64>, %c: tensor<50000xf32>, %u: tensor<50000xf32>):
    %m = tenon.mul %c, %u : (tensor<50000xf32>, tensor<50000xf32>) -> tensor<50000xf32>
    tenon.yield %m : tensor<50000xf32>
  }
  %g = tenon.gradient %y, %w, %d : (tensor<50000xf32>, tensor<50000xf32>, tensor<50000xf32>) -> tensor<50000xf32>
  return %g : tensor<50000xf32>
}

// -----

// Where the gradient needs no carried value, nothing is kept and nothing split.
// CHECK-LABEL: @linear(
// CHECK-COUNT-1: tenon.loop trips 104 reverse
// CHECK-NOT: tenon.loop
func.func @linear(%x: tensor<50000xf32>, %w: tensor<50000xf32>, %d: tensor<50000xf32>) -> tensor<50000xf32> {
  %y = tenon.loop trips 104 carry(%x) scan() use(%w) : (tensor<50000xf32>, tensor<50000xf32>) -> tensor<50000xf32> {
  ^bb0(%t: tensor<i64>, %c: tensor<50000xf32>, %u: tensor<50000xf32>):
    %m = tenon.mul %c, %u : (tensor<50000xf32>, tensor<50000xf32>) -> tensor<50000xf32>
    tenon.yield %m : tensor<50000xf32>
  }
  %g = tenon.gradient %y, %x, %d : (tensor<50000xf32>, tensor<50000xf32>, tensor<50000xf32>) -> tensor<50000xf32>
  return %g : tensor<50000xf32>
}
