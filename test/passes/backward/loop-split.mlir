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

// -----

// A `?` counts as 256: 100 states of 256 x 256 are 26 MB. Scanned and stacked values, with one `?` in
// a slice, are cut as well.
// CHECK-LABEL: @open(
// CHECK: tenon.reshape {{.*}} {shape = array<i64: 10, 10, -9223372036854775808>}
// CHECK: tenon.loop trips 10 carry({{.*}} -> (tensor<?x256xf32>, {{.*}}tensor<10x?x256xf32>)
// CHECK: tenon.loop trips 10
// CHECK: tenon.loop trips 10 reverse
// CHECK: tenon.loop trips 10 carry({{.*}}, tensor<10x?x256xf32>)
// CHECK: tenon.loop trips 10 reverse
// CHECK-NOT: tenon.loop
func.func @open(%x: tensor<?x256xf32>, %z: tensor<100x?xf32>, %d: tensor<?x256xf32>) -> (tensor<100x?xf32>, tensor<100x?xf32>) {
  %y, %s = tenon.loop trips 100 carry(%x) scan(%z) use() : (tensor<?x256xf32>, tensor<100x?xf32>) -> (tensor<?x256xf32>, tensor<100x?xf32>) {
  ^bb0(%t: tensor<i64>, %c: tensor<?x256xf32>, %v: tensor<?xf32>):
    %b = tenon.broadcast %v, %c {shape = array<i64: -9223372036854775808, 256>, dims = array<i64: 0>} : (tensor<?xf32>, tensor<?x256xf32>) -> tensor<?x256xf32>
    %m = tenon.mul %c, %b : (tensor<?x256xf32>, tensor<?x256xf32>) -> tensor<?x256xf32>
    %r = tenon.reduce_sum %m {axes = array<i64: 1>} : (tensor<?x256xf32>) -> tensor<?xf32>
    tenon.yield %m, %r : tensor<?x256xf32>, tensor<?xf32>
  }
  %g = tenon.gradient %y, %z, %d : (tensor<?x256xf32>, tensor<100x?xf32>, tensor<?x256xf32>) -> tensor<100x?xf32>
  return %g, %s : tensor<100x?xf32>, tensor<100x?xf32>
}

// -----

// 100 states of 256 x 8 are small.
// CHECK-LABEL: @open_small(
// CHECK: tenon.loop trips 100
// CHECK: tenon.loop trips 100 reverse
func.func @open_small(%x: tensor<?x8xf32>, %w: tensor<?x8xf32>, %d: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = tenon.loop trips 100 carry(%x) scan() use(%w) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32> {
  ^bb0(%t: tensor<i64>, %c: tensor<?x8xf32>, %u: tensor<?x8xf32>):
    %m = tenon.mul %c, %u : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    tenon.yield %m : tensor<?x8xf32>
  }
  %g = tenon.gradient %y, %w, %d : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %g : tensor<?x8xf32>
}

// -----

// A reshape that cuts slices of two `?` cannot be written.
// CHECK-LABEL: @open_twice(
// CHECK: tenon.loop trips 100
// CHECK: tenon.loop trips 100 reverse
func.func @open_twice(%x: tensor<?x?xf32>, %z: tensor<100x?x?xf32>, %d: tensor<?x?xf32>) -> tensor<100x?x?xf32> {
  %y = tenon.loop trips 100 carry(%x) scan(%z) use() : (tensor<?x?xf32>, tensor<100x?x?xf32>) -> tensor<?x?xf32> {
  ^bb0(%t: tensor<i64>, %c: tensor<?x?xf32>, %u: tensor<?x?xf32>):
    %m = tenon.mul %c, %u : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    tenon.yield %m : tensor<?x?xf32>
  }
  %g = tenon.gradient %y, %z, %d : (tensor<?x?xf32>, tensor<100x?x?xf32>, tensor<?x?xf32>) -> tensor<100x?x?xf32>
  return %g : tensor<100x?x?xf32>
}
