// RUN: tenon-opt %s --tenon-plan-memory | FileCheck %s

// Both bodies write the output; a value used as it is is copied there. What the two need
// besides lies at the same place.
// CHECK-LABEL: func.func @branch
// CHECK-SAME: tenon.arena = 64
// CHECK: tenon.if
// CHECK-SAME: tenon.slots = [#tenon.slot<output 0>, #tenon.slot<output 1>]
// CHECK: tenon.kernel "rows"{{.*}}tenon.slots = [#tenon.slot<arena 0>]
// CHECK: tenon.kernel "matmul"{{.*}}tenon.slots = [#tenon.slot<output 0>]
// CHECK: tenon.kernel "copy"{{.*}}tenon.slots = [#tenon.slot<output 1>]
// CHECK: else
// CHECK: tenon.kernel "rows"{{.*}}tenon.slots = [#tenon.slot<arena 0>]
// CHECK: tenon.kernel "matmul"{{.*}}tenon.slots = [#tenon.slot<output 0>]
// CHECK: tenon.kernel "rows"{{.*}}tenon.slots = [#tenon.slot<output 1>]
func.func @branch(%c: tensor<i1>, %x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0:2 = tenon.if %c use(%x) : (tensor<i1>, tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  ^bb0(%p: tensor<4x4xf32>):
    %e = tenon.kernel "rows" (%p) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
    ^bb0(%a: tensor<4x4xf32>):
      %y = tenon.exp %a : tensor<4x4xf32>
      tenon.yield %y : tensor<4x4xf32>
    }
    %m = tenon.kernel "matmul" (%e) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
    ^bb0(%a: tensor<4x4xf32>):
      %y = tenon.matmul %a, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      tenon.yield %y : tensor<4x4xf32>
    }
    tenon.yield %m, %p : tensor<4x4xf32>, tensor<4x4xf32>
  } else {
  ^bb0(%p: tensor<4x4xf32>):
    %e = tenon.kernel "rows" (%p) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
    ^bb0(%a: tensor<4x4xf32>):
      %y = tenon.sin %a : tensor<4x4xf32>
      tenon.yield %y : tensor<4x4xf32>
    }
    %m = tenon.kernel "matmul" (%e) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
    ^bb0(%a: tensor<4x4xf32>):
      %y = tenon.matmul %a, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      tenon.yield %y : tensor<4x4xf32>
    }
    %n = tenon.kernel "rows" (%p) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
    ^bb0(%a: tensor<4x4xf32>):
      %y = tenon.neg %a : tensor<4x4xf32>
      tenon.yield %y : tensor<4x4xf32>
    }
    tenon.yield %m, %n : tensor<4x4xf32>, tensor<4x4xf32>
  }
  return %0#0, %0#1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// A body may read the state behind the kernel that writes the new one: it is not updated in place.
// CHECK-LABEL: func.func @state
// CHECK: tenon.if
// CHECK-SAME: tenon.slots = [#tenon.slot<arena 0>]
// CHECK: else
// CHECK: tenon.kernel "copy"{{.*}}tenon.slots = [#tenon.slot<arena 0>]
// CHECK: tenon.kernel "copy"{{.*}}tenon.slots = [#tenon.slot<output 0>]
func.func @state(%c: tensor<i1>, %x: tensor<4xf32>) -> (tensor<4xf32> {tenon.donates = 1 : i64}) {
  %0 = tenon.if %c use(%x) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>):
    %e = tenon.kernel "rows" (%p) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>):
      %y = tenon.exp %a : tensor<4xf32>
      tenon.yield %y : tensor<4xf32>
    }
    tenon.yield %e : tensor<4xf32>
  } else {
  ^bb0(%p: tensor<4xf32>):
    tenon.yield %p : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
