// RUN: tenon-opt %s --canonicalize --split-input-file | FileCheck %s

// The body of a known condition takes the place of the op.
// CHECK-LABEL: @known
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = tenon.neg %[[X]]
// CHECK-NEXT: return %[[Y]], %[[X]]
func.func @known(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c = tenon.constant dense<false> : tensor<i1>
  %y:2 = tenon.if %c use(%x) : (tensor<i1>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %e = tenon.exp %a : tensor<4xf32>
    tenon.yield %e, %e : tensor<4xf32>, tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>):
    %e = tenon.neg %a : tensor<4xf32>
    tenon.yield %e, %a : tensor<4xf32>, tensor<4xf32>
  }
  return %y#0, %y#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// A result that is one value in both bodies, equal results, results and used values that
// serve nothing.
// CHECK-LABEL: @forwards
// CHECK-SAME: %[[C:.*]]: tensor<i1>, %[[X:.*]]: tensor<4xf32>, %[[Z:.*]]: tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = tenon.if %[[C]] use(%[[X]])
// CHECK: tenon.exp
// CHECK-NEXT: tenon.yield %{{[^,]*}} : tensor<4xf32>
// CHECK: return %[[Y]], %[[Z]], %[[Y]]
func.func @forwards(%c: tensor<i1>, %x: tensor<4xf32>, %z: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %y:4 = tenon.if %c use(%x, %z, %x) : (tensor<i1>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>, %d: tensor<4xf32>):
    %e = tenon.exp %d : tensor<4xf32>
    %f = tenon.sin %d : tensor<4xf32>
    tenon.yield %e, %b, %e, %f : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>, %d: tensor<4xf32>):
    tenon.yield %a, %b, %a, %b : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %y#0, %y#1, %y#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// What is read is the second of two that are the same value.
// CHECK-LABEL: @second_is_read
// CHECK-SAME: %[[C:.*]]: tensor<i1>, %[[X:.*]]: tensor<4xf32>
// CHECK: tenon.if %[[C]] use(%[[X]])
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<4xf32>):
// CHECK-NEXT: tenon.exp %[[A]]
func.func @second_is_read(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y = tenon.if %c use(%x, %x) : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %e = tenon.exp %b : tensor<4xf32>
    tenon.yield %e : tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    tenon.yield %b : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

// The condition is known in the bodies.
// CHECK-LABEL: @condition_inside
// CHECK-SAME: %[[C:.*]]: tensor<i1>, %[[D:.*]]: tensor<i1>
// CHECK: tenon.if %[[C]] use(%[[D]])
// CHECK: dense<true>
// CHECK: else
// CHECK: dense<false>
func.func @condition_inside(%c: tensor<i1>, %d: tensor<i1>) -> (tensor<i1>, tensor<i1>) {
  %y:2 = tenon.if %c use(%c, %d) : (tensor<i1>, tensor<i1>, tensor<i1>) -> (tensor<i1>, tensor<i1>) {
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    tenon.yield %a, %b : tensor<i1>, tensor<i1>
  } else {
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    tenon.yield %b, %a : tensor<i1>, tensor<i1>
  }
  return %y#0, %y#1 : tensor<i1>, tensor<i1>
}

// -----

// Left alone: the bodies give different values.
// CHECK-LABEL: @stays
// CHECK: %[[Y:.*]]:2 = tenon.if %{{.*}} use(%{{.*}}, %{{.*}})
// CHECK: return %[[Y]]#0, %[[Y]]#1
func.func @stays(%c: tensor<i1>, %x: tensor<4xf32>, %z: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y:2 = tenon.if %c use(%x, %z) : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    tenon.yield %a, %b : tensor<4xf32>, tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    tenon.yield %b, %a : tensor<4xf32>, tensor<4xf32>
  }
  return %y#0, %y#1 : tensor<4xf32>, tensor<4xf32>
}
