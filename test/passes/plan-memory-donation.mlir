// RUN: tenon-opt %s --tenon-plan-memory | FileCheck %s

// Who reads the donated argument comes before who overwrites it.
// CHECK-LABEL: func.func @reader_first
// CHECK: tenon.slots = [#tenon.slot<output 1>]
// CHECK: tenon.reduce_sum
// CHECK: tenon.slots = [#tenon.slot<output 0>]
// CHECK: tenon.sgd
// CHECK-NOT: "copy"
func.func @reader_first(%p: tensor<4xf32>, %g: tensor<4xf32>, %lr: tensor<f32>)
    -> (tensor<4xf32> {tenon.donates = 0 : i64}, tensor<f32>) {
  %0 = tenon.kernel "rows" (%p, %g, %lr) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<f32>):
    %e = tenon.sgd %a, %b, %c : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    tenon.yield %e : tensor<4xf32>
  }
  %1 = tenon.kernel "rows" (%p) : (tensor<4xf32>) -> tensor<f32> {
  ^bb0(%a: tensor<4xf32>):
    %e = tenon.reduce_sum %a {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
    tenon.yield %e : tensor<f32>
  }
  return %0, %1 : tensor<4xf32>, tensor<f32>
}

// The old and the new value are needed together: the new one is copied at the end.
// CHECK-LABEL: func.func @both_needed
// CHECK: %[[NEW:.*]] = tenon.kernel "rows"{{.*}}tenon.slots = [#tenon.slot<arena 0>]
// CHECK: tenon.kernel "rows"
// CHECK-SAME: tenon.slots = [#tenon.slot<output 1>]
// CHECK: %[[COPY:.*]] = tenon.kernel "copy"(%[[NEW]]) {tenon.slots = [#tenon.slot<output 0>]}
// CHECK: return %[[COPY]]
func.func @both_needed(%p: tensor<4xf32>)
    -> (tensor<4xf32> {tenon.donates = 0 : i64}, tensor<4xf32>) {
  %0 = tenon.kernel "rows" (%p) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %e = tenon.exp %a : tensor<4xf32>
    tenon.yield %e : tensor<4xf32>
  }
  %1 = tenon.kernel "rows" (%0, %p) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %e = tenon.sub %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %e : tensor<4xf32>
  }
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// A product reads its operands all over.
// CHECK-LABEL: func.func @not_elementwise
// CHECK: tenon.kernel "matmul"
// CHECK-SAME: tenon.slots = [#tenon.slot<arena 0>]
// CHECK: tenon.kernel "copy"
// CHECK-SAME: tenon.slots = [#tenon.slot<output 0>]
func.func @not_elementwise(%p: tensor<4x4xf32>)
    -> (tensor<4x4xf32> {tenon.donates = 0 : i64}) {
  %0 = tenon.kernel "matmul" (%p) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>):
    %e = tenon.matmul %a, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    tenon.yield %e : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// Exchanged arguments: one goes by way of the arena.
// CHECK-LABEL: func.func @swap
// CHECK-SAME: (%[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>)
// CHECK: %[[SAVED:.*]] = tenon.kernel "copy"(%[[A]]) {tenon.slots = [#tenon.slot<arena 0>]}
// CHECK: tenon.kernel "copy"(%[[B]]) {tenon.slots = [#tenon.slot<output 0>]}
// CHECK: tenon.kernel "copy"(%[[SAVED]]) {tenon.slots = [#tenon.slot<output 1>]}
func.func @swap(%a: tensor<4xf32>, %b: tensor<4xf32>)
    -> (tensor<4xf32> {tenon.donates = 0 : i64}, tensor<4xf32> {tenon.donates = 1 : i64}) {
  return %b, %a : tensor<4xf32>, tensor<4xf32>
}

// One value for two outputs, a constant and an argument: copies.
// CHECK-LABEL: func.func @plain_copies
// CHECK-COUNT-3: tenon.kernel "copy"
// CHECK-NOT: tenon.kernel "copy"
func.func @plain_copies(%a: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c = tenon.constant dense<1.0> : tensor<4xf32>
  %0 = tenon.kernel "rows" (%a) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%x: tensor<4xf32>):
    %e = tenon.exp %x : tensor<4xf32>
    tenon.yield %e : tensor<4xf32>
  }
  return %0, %0, %c, %a : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
