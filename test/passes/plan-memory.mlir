// RUN: tenon-opt %s --tenon-plan-memory | FileCheck %s

// Results go where they are wanted; what is needed in between shares the arena.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: tenon.arena = 128 : i64
func.func @chain(%a: tensor<16xf32>) -> tensor<16xf32> {
  // CHECK: slots = [#tenon.slot<arena 0>]
  %0 = tenon.kernel "rows" (%a) : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%x: tensor<16xf32>):
    %e = tenon.softmax %x {axis = 0 : i64} : (tensor<16xf32>) -> tensor<16xf32>
    tenon.yield %e : tensor<16xf32>
  }
  // A softmax reads all of a row: it must not overwrite its operand.
  // CHECK: slots = [#tenon.slot<arena 64>]
  %1 = tenon.kernel "rows" (%0) : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%x: tensor<16xf32>):
    %e = tenon.softmax %x {axis = 0 : i64} : (tensor<16xf32>) -> tensor<16xf32>
    tenon.yield %e : tensor<16xf32>
  }
  // The first is not needed any more.
  // CHECK: slots = [#tenon.slot<arena 0>]
  %2 = tenon.kernel "rows" (%1) : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%x: tensor<16xf32>):
    %e = tenon.softmax %x {axis = 0 : i64} : (tensor<16xf32>) -> tensor<16xf32>
    tenon.yield %e : tensor<16xf32>
  }
  // CHECK: slots = [#tenon.slot<output 0>]
  %3 = tenon.kernel "rows" (%2) : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%x: tensor<16xf32>):
    %e = tenon.exp %x : tensor<16xf32>
    tenon.yield %e : tensor<16xf32>
  }
  return %3 : tensor<16xf32>
}

// An elementwise kernel overwrites an operand that dies, and only such a one.
// CHECK-LABEL: func.func @in_place
// CHECK-SAME: tenon.arena = 128 : i64
func.func @in_place(%a: tensor<16xf32>) -> (tensor<f32>, tensor<16xf32>) {
  // CHECK: slots = [#tenon.slot<arena 0>]
  %0 = tenon.kernel "rows" (%a) : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%x: tensor<16xf32>):
    %e = tenon.softmax %x {axis = 0 : i64} : (tensor<16xf32>) -> tensor<16xf32>
    tenon.yield %e : tensor<16xf32>
  }
  // CHECK: slots = [#tenon.slot<arena 64>]
  %1 = tenon.kernel "rows" (%0) : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%x: tensor<16xf32>):
    %e = tenon.exp %x : tensor<16xf32>
    tenon.yield %e : tensor<16xf32>
  }
  // CHECK: slots = [#tenon.slot<arena 64>]
  %2 = tenon.kernel "rows" (%0, %1) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%y: tensor<16xf32>, %x: tensor<16xf32>):
    %e = tenon.add %y, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    tenon.yield %e : tensor<16xf32>
  }
  %3:2 = tenon.kernel "rows" (%0, %2) : (tensor<16xf32>, tensor<16xf32>) -> (tensor<f32>, tensor<16xf32>) {
  ^bb0(%y: tensor<16xf32>, %x: tensor<16xf32>):
    %e = tenon.add %y, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %s = tenon.reduce_sum %e {axes = array<i64: 0>} : (tensor<16xf32>) -> tensor<f32>
    tenon.yield %s, %e : tensor<f32>, tensor<16xf32>
  }
  return %3#0, %3#1 : tensor<f32>, tensor<16xf32>
}
