// RUN: tenon-opt %s --tenon-remat=budget=8192 | FileCheck %s --check-prefix=SAME
// RUN: not tenon-opt %s --tenon-remat=budget=64 --tenon-plan-memory=budget=64 2>&1 | FileCheck %s

// CHECK: error: a memory budget: expected extents that are known when the program is compiled
func.func @open(%x: tensor<?xf32>) -> tensor<f32> {
  %0 = tenon.kernel "rows" (%x) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: tensor<?xf32>):
    %e = tenon.softmax %a {axis = 0 : i64} : (tensor<?xf32>) -> tensor<?xf32>
    tenon.yield %e : tensor<?xf32>
  }
  %1 = tenon.kernel "rows" (%0) : (tensor<?xf32>) -> tensor<f32> {
  ^bb0(%a: tensor<?xf32>):
    %e = tenon.reduce_max %a {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>
    tenon.yield %e : tensor<f32>
  }
  return %1 : tensor<f32>
}

// A chain of two, while its reader's other operand is there, needs as much as keeping its end.
// SAME-LABEL: func.func @no_help
// SAME-COUNT-5: tenon.kernel
// SAME-NOT:     tenon.kernel
func.func @no_help(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = tenon.kernel "rows" (%x) : (tensor<1024xf32>) -> tensor<1024xf32> {
  ^bb0(%a: tensor<1024xf32>):
    %e = tenon.softmax %a {axis = 0 : i64} : (tensor<1024xf32>) -> tensor<1024xf32>
    tenon.yield %e : tensor<1024xf32>
  }
  %v = tenon.reshape %0 {shape = array<i64: 1024>} : (tensor<1024xf32>) -> tensor<1024xf32>
  %1 = tenon.kernel "rows" (%v) : (tensor<1024xf32>) -> tensor<1024xf32> {
  ^bb0(%a: tensor<1024xf32>):
    %e = tenon.softmax %a {axis = 0 : i64} : (tensor<1024xf32>) -> tensor<1024xf32>
    tenon.yield %e : tensor<1024xf32>
  }
  %2 = tenon.kernel "rows" (%1) : (tensor<1024xf32>) -> tensor<1024xf32> {
  ^bb0(%a: tensor<1024xf32>):
    %e = tenon.softmax %a {axis = 0 : i64} : (tensor<1024xf32>) -> tensor<1024xf32>
    tenon.yield %e : tensor<1024xf32>
  }
  %3 = tenon.kernel "rows" (%2) : (tensor<1024xf32>) -> tensor<1024xf32> {
  ^bb0(%a: tensor<1024xf32>):
    %e = tenon.softmax %a {axis = 0 : i64} : (tensor<1024xf32>) -> tensor<1024xf32>
    tenon.yield %e : tensor<1024xf32>
  }
  %4 = tenon.kernel "rows" (%3, %1) : (tensor<1024xf32>, tensor<1024xf32>) -> tensor<1024xf32> {
  ^bb0(%a: tensor<1024xf32>, %b: tensor<1024xf32>):
    %e = tenon.add %a, %b : (tensor<1024xf32>, tensor<1024xf32>) -> tensor<1024xf32>
    tenon.yield %e : tensor<1024xf32>
  }
  return %4 : tensor<1024xf32>
}
