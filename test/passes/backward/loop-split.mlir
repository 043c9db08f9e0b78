// RUN: tenon-opt %s -tenon-derive-backward -canonicalize -split-input-file | FileCheck %s

// What each of 1000 trips starts from would take 400 MB: 31 loops of 32 trips and one of 8
// keep 31, 32 and 8 of these values.
// CHECK-LABEL: @long(
// CHECK: %[[F:.*]]:2 = tenon.loop trips 31 carry({{.*}} -> (tensor<100000xf32>, tensor<31x100000xf32>)
// CHECK: tenon.loop trips 32
// CHECK: %[[L:.*]]:2 = tenon.loop trips 8 carry(%[[F]]#0){{.*}}, tensor<8x100000xf32>)
// CHECK: %[[B:.*]]:2 = tenon.loop trips 8 reverse
// CHECK: tenon.loop trips 31 reverse carry(%[[B]]#0, {{.*}}) scan(%[[F]]#1)
// CHECK: tenon.loop trips 32 carry({{.*}}, tensor<32x100000xf32>)
// CHECK: tenon.loop trips 32 reverse
// CHECK-NOT: tenon.loop
func.func @long(%x: tensor<100000xf32>, %w: tensor<100000xf32>, %d: tensor<100000xf32>) -> tensor<100000xf32> {
  %y = tenon.loop trips 1000 carry(%x) scan() use(%w) : (tensor<100000xf32>, tensor<100000xf32>) -> tensor<100000xf32> {
  ^bb0(%t: tensor<i64>, %c: tensor<100000xf32>, %u: tensor<100000xf32>):
    %m = tenon.mul %c, %u : (tensor<100000xf32>, tensor<100000xf32>) -> tensor<100000xf32>
    tenon.yield %m : tensor<100000xf32>
  }
  %g = tenon.gradient %y, %w, %d : (tensor<100000xf32>, tensor<100000xf32>, tensor<100000xf32>) -> tensor<100000xf32>
  return %g : tensor<100000xf32>
}

// -----

// Where the gradient needs no carried value, nothing is kept and nothing split.
// CHECK-LABEL: @linear(
// CHECK-COUNT-1: tenon.loop trips 1000 reverse
// CHECK-NOT: tenon.loop
func.func @linear(%x: tensor<100000xf32>, %w: tensor<100000xf32>, %d: tensor<100000xf32>) -> tensor<100000xf32> {
  %y = tenon.loop trips 1000 carry(%x) scan() use(%w) : (tensor<100000xf32>, tensor<100000xf32>) -> tensor<100000xf32> {
  ^bb0(%t: tensor<i64>, %c: tensor<100000xf32>, %u: tensor<100000xf32>):
    %m = tenon.mul %c, %u : (tensor<100000xf32>, tensor<100000xf32>) -> tensor<100000xf32>
    tenon.yield %m : tensor<100000xf32>
  }
  %g = tenon.gradient %y, %x, %d : (tensor<100000xf32>, tensor<100000xf32>, tensor<100000xf32>) -> tensor<100000xf32>
  return %g : tensor<100000xf32>
}
