// RUN: tenon-opt %s -tenon-prune-loops -split-input-file | FileCheck %s

// The second carried value, a stacked and a scanned one serve nothing; %w enters twice.
// CHECK-LABEL: @drops
// CHECK-SAME: %[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>, %[[X:.*]]: tensor<3x4xf32>, %[[W:.*]]: tensor<4xf32>
// CHECK-NEXT: %[[R:.*]]:2 = tenon.loop trips 3 carry(%[[A]]) scan() use(%[[W]])
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<i64>, %[[C:.*]]: tensor<4xf32>, %[[U:.*]]: tensor<4xf32>):
// CHECK-NEXT: %[[S:.*]] = tenon.add %[[C]], %[[U]]
// CHECK-NEXT: %[[T:.*]] = tenon.mul %[[S]], %[[U]]
// CHECK-NEXT: tenon.yield %[[T]], %[[S]]
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @drops(%a: tensor<4xf32>, %b: tensor<4xf32>, %x: tensor<3x4xf32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>) {
  %r, %d, %s0, %s1 = tenon.loop trips 3 carry(%a, %b) scan(%x) use(%w, %w)
      : (tensor<4xf32>, tensor<4xf32>, tensor<3x4xf32>, tensor<4xf32>, tensor<4xf32>)
     -> (tensor<4xf32>, tensor<4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) {
  ^bb0(%t: tensor<i64>, %c: tensor<4xf32>, %e: tensor<4xf32>, %xt: tensor<4xf32>, %u: tensor<4xf32>, %v: tensor<4xf32>):
    %s = tenon.add %c, %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %n = tenon.mul %s, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %f = tenon.mul %e, %xt : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %n, %f, %f, %s : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %r, %s1 : tensor<4xf32>, tensor<3x4xf32>
}

// -----

// Carried values that need each other stay, though only one result is read.
// CHECK-LABEL: @alone
// CHECK: tenon.loop trips 3 carry(%{{.*}}, %{{.*}}) scan(%{{.*}}) use()
func.func @alone(%a: tensor<4xf32>, %b: tensor<4xf32>, %x: tensor<3x4xf32>) -> tensor<4xf32> {
  %r, %d = tenon.loop trips 3 carry(%a, %b) scan(%x) use()
      : (tensor<4xf32>, tensor<4xf32>, tensor<3x4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%t: tensor<i64>, %c: tensor<4xf32>, %e: tensor<4xf32>, %xt: tensor<4xf32>):
    %n = tenon.add %c, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %f = tenon.mul %e, %xt : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tenon.yield %n, %f : tensor<4xf32>, tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
