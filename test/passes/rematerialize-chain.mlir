// A chain of kernels is run again from its beginning if nothing of it is there any more, through
// reshapes: 24576 bytes were needed.
// RUN: tenon-opt %s --tenon-remat=budget=20480 --tenon-plan-memory=budget=20480 | FileCheck %s

// CHECK: tenon.arena = 20480 : i64
// CHECK:      %[[A:.+]] = tenon.kernel "rows"(%arg0)
// CHECK:      %[[V:.+]] = tenon.reshape %[[A]]
// CHECK:      %[[B:.+]] = tenon.kernel "rows"(%[[V]])
// CHECK:      %[[C:.+]] = tenon.kernel "rows"(%[[B]])
// CHECK:      %[[D:.+]] = tenon.kernel "rows"(%[[C]])
// CHECK:      %[[A2:.+]] = tenon.kernel "rows"(%arg0)
// CHECK:      %[[V2:.+]] = tenon.reshape %[[A2]]
// CHECK:      %[[B2:.+]] = tenon.kernel "rows"(%[[V2]])
// CHECK:      tenon.kernel "rows"(%[[D]], %[[B2]])
func.func @chain(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = tenon.kernel "rows" (%x) : (tensor<1024xf32>) -> tensor<1024xf32> {
  ^bb0(%a: tensor<1024xf32>):
    %e = tenon.softmax %a {axis = 0 : i64} : (tensor<1024xf32>) -> tensor<1024xf32>
    tenon.yield %e : tensor<1024xf32>
  }
  %v = tenon.reshape %0 {shape = array<i64: 1, 1024>} : (tensor<1024xf32>) -> tensor<1x1024xf32>
  %1 = tenon.kernel "rows" (%v) : (tensor<1x1024xf32>) -> tensor<1024xf32> {
  ^bb0(%b: tensor<1x1024xf32>):
    %a = tenon.reshape %b {shape = array<i64: 1024>} : (tensor<1x1024xf32>) -> tensor<1024xf32>
    %e = tenon.softmax %a {axis = 0 : i64} : (tensor<1024xf32>) -> tensor<1024xf32>
    tenon.yield %e : tensor<1024xf32>
  }
  %2 = tenon.kernel "rows" (%1) : (tensor<1024xf32>) -> tensor<4x1024xf32> {
  ^bb0(%a: tensor<1024xf32>):
    %w = tenon.broadcast %a {shape = array<i64: 4, 1024>, dims = array<i64: 1>} : (tensor<1024xf32>) -> tensor<4x1024xf32>
    %e = tenon.exp %w : tensor<4x1024xf32>
    tenon.yield %e : tensor<4x1024xf32>
  }
  %3 = tenon.kernel "rows" (%2) : (tensor<4x1024xf32>) -> tensor<1024xf32> {
  ^bb0(%a: tensor<4x1024xf32>):
    %e = tenon.reduce_sum %a {axes = array<i64: 0>} : (tensor<4x1024xf32>) -> tensor<1024xf32>
    tenon.yield %e : tensor<1024xf32>
  }
  %4 = tenon.kernel "rows" (%3, %1) : (tensor<1024xf32>, tensor<1024xf32>) -> tensor<1024xf32> {
  ^bb0(%a: tensor<1024xf32>, %b: tensor<1024xf32>):
    %e = tenon.add %a, %b : (tensor<1024xf32>, tensor<1024xf32>) -> tensor<1024xf32>
    tenon.yield %e : tensor<1024xf32>
  }
  return %4 : tensor<1024xf32>
}
