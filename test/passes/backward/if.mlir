// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// The gradient is an if of the same condition; the body that does not read %w gives zeros.
// CHECK-LABEL: @branch(
// CHECK-SAME: %[[C:.*]]: tensor<i1>, %[[X:.*]]: tensor<4xf32>, %[[W:.*]]: tensor<4xf32>, %[[D:.*]]: tensor<4xf32>
// CHECK: %[[G:.*]] = tenon.if %[[C]] use(%[[X]], %[[W]], %[[D]])
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<4xf32>, %{{.*}}: tensor<4xf32>, %[[E:.*]]: tensor<4xf32>):
// CHECK: %[[P:.*]] = tenon.mul %[[E]], %[[A]]
// CHECK-NEXT: tenon.yield %[[P]]
// CHECK: else
// CHECK: %[[Z:.*]] = tenon.constant dense<0.0{{.*}}> : tensor<4xf32>
// CHECK-NEXT: tenon.yield %[[Z]]
// CHECK: return %[[G]]
func.func @branch(%c: tensor<i1>, %x: tensor<4xf32>, %w: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %y = tenon.if %c use(%x, %w) : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %n = tenon.mul %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %n : tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %n = tenon.exp %a : tensor<4xf32>
    tenon.yield %n : tensor<4xf32>
  }
  %g = tenon.gradient %y, %w, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}
