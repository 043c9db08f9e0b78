// Each value takes 4096 bytes.
// RUN: tenon-opt %s --tenon-remat=budget=8192 | FileCheck %s
// RUN: tenon-opt %s --tenon-remat | FileCheck %s --check-prefix=NONE
// RUN: tenon-opt %s --tenon-remat=budget=8192 --tenon-plan-memory=budget=8192 | FileCheck %s --check-prefix=PLAN
// RUN: not tenon-opt %s --tenon-remat=budget=4000 --tenon-plan-memory=budget=4000 2>&1 | FileCheck %s --check-prefix=LESS

// PLAN-COUNT-3: tenon.arena = 8192 : i64
// LESS: error: a memory budget of 4000 bytes: intermediate values take {{[0-9]+}}, although they are computed again where that helps
// NONE-COUNT-5: tenon.kernel
// NONE-NOT:     tenon.kernel
// NONE:         return

// What is made early and read late is made again, of the argument, right before it is read.
// CHECK-LABEL: func.func @late
// CHECK:      %[[A:.+]] = tenon.kernel "rows"(%arg0)
// CHECK:      %[[B:.+]] = tenon.kernel "rows"(%[[A]])
// CHECK:      %[[C:.+]] = tenon.kernel "rows"(%[[B]])
// CHECK:      %[[D:.+]] = tenon.kernel "rows"(%[[C]])
// CHECK:      %[[A2:.+]] = tenon.kernel "rows"(%arg0)
// CHECK:      tenon.kernel "rows"(%[[D]], %[[A2]])
// CHECK-NOT:  tenon.kernel
func.func @late(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = tenon.kernel "rows" (%x) : (tensor<1024xf32>) -> tensor<1024xf32> {
  ^bb0(%a: tensor<1024xf32>):
    %e = tenon.softmax %a {axis = 0 : i64} : (tensor<1024xf32>) -> tensor<1024xf32>
    tenon.yield %e : tensor<1024xf32>
  }
  %1 = tenon.kernel "rows" (%0) : (tensor<1024xf32>) -> tensor<1024xf32> {
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
  %4 = tenon.kernel "rows" (%3, %0) : (tensor<1024xf32>, tensor<1024xf32>) -> tensor<1024xf32> {
  ^bb0(%a: tensor<1024xf32>, %b: tensor<1024xf32>):
    %e = tenon.add %a, %b : (tensor<1024xf32>, tensor<1024xf32>) -> tensor<1024xf32>
    tenon.yield %e : tensor<1024xf32>
  }
  return %4 : tensor<1024xf32>
}

// What is returned lies in an output, and is there anyway.
// CHECK-LABEL: func.func @returned
// CHECK-COUNT-5: tenon.kernel
// CHECK-NOT:     tenon.kernel
// CHECK:         return
func.func @returned(%x: tensor<1024xf32>) -> (tensor<1024xf32>, tensor<1024xf32>) {
  %0 = tenon.kernel "rows" (%x) : (tensor<1024xf32>) -> tensor<1024xf32> {
  ^bb0(%a: tensor<1024xf32>):
    %e = tenon.softmax %a {axis = 0 : i64} : (tensor<1024xf32>) -> tensor<1024xf32>
    tenon.yield %e : tensor<1024xf32>
  }
  %1 = tenon.kernel "rows" (%0) : (tensor<1024xf32>) -> tensor<1024xf32> {
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
  %4 = tenon.kernel "rows" (%3, %0) : (tensor<1024xf32>, tensor<1024xf32>) -> tensor<1024xf32> {
  ^bb0(%a: tensor<1024xf32>, %b: tensor<1024xf32>):
    %e = tenon.add %a, %b : (tensor<1024xf32>, tensor<1024xf32>) -> tensor<1024xf32>
    tenon.yield %e : tensor<1024xf32>
  }
  return %0, %4 : tensor<1024xf32>, tensor<1024xf32>
}

// In the body of a loop, whose carried value lies elsewhere.
// CHECK-LABEL: func.func @body
// CHECK:      tenon.loop
// CHECK:      ^bb0(%{{.+}}: tensor<i64>, %[[X:.+]]: tensor<1024xf32>):
// CHECK:      %[[A:.+]] = tenon.kernel "rows"(%[[X]])
// CHECK:      %[[D:.+]] = tenon.kernel
// CHECK:      %[[D:.+]] = tenon.kernel
// CHECK:      %[[D:.+]] = tenon.kernel
// CHECK:      %[[A2:.+]] = tenon.kernel "rows"(%[[X]])
// CHECK:      tenon.kernel "rows"(%[[D]], %[[A2]])
func.func @body(%s: tensor<1024xf32>) -> tensor<1024xf32> {
  %y = tenon.loop trips 5 carry(%s) scan() use() : (tensor<1024xf32>) -> tensor<1024xf32> {
  ^bb0(%t: tensor<i64>, %x: tensor<1024xf32>):
  %0 = tenon.kernel "rows" (%x) : (tensor<1024xf32>) -> tensor<1024xf32> {
  ^bb0(%a: tensor<1024xf32>):
    %e = tenon.softmax %a {axis = 0 : i64} : (tensor<1024xf32>) -> tensor<1024xf32>
    tenon.yield %e : tensor<1024xf32>
  }
  %1 = tenon.kernel "rows" (%0) : (tensor<1024xf32>) -> tensor<1024xf32> {
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
  %4 = tenon.kernel "rows" (%3, %0) : (tensor<1024xf32>, tensor<1024xf32>) -> tensor<1024xf32> {
  ^bb0(%a: tensor<1024xf32>, %b: tensor<1024xf32>):
    %e = tenon.add %a, %b : (tensor<1024xf32>, tensor<1024xf32>) -> tensor<1024xf32>
    tenon.yield %e : tensor<1024xf32>
  }
  tenon.yield %4 : tensor<1024xf32>
  }
  return %y : tensor<1024xf32>
}

// RUN: not tenon-compile %s --compile-to=kernels --memory-budget=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: tenon-compile: --memory-budget: expected at least 0 bytes, got -1
