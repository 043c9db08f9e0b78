// Sizes are expressions over the extents that arguments have at run time; extents that
// ops require to be equal are one symbol.
// RUN: tenon-opt %s --tenon-plan-memory | FileCheck %s

// CHECK-DAG: #[[BETWEEN:.*]] = affine_map<()[s0] -> (((s0 * 32) ceildiv 64) * 64 + ((s0 * 24) ceildiv 64) * 64)>
// CHECK-DAG: #[[SUM:.*]] = affine_map<()[s0, s1] -> ((((s0 + s1) * 4) ceildiv 64) * 64)>

// CHECK: func.func @between({{.*}} attributes {tenon.arena = #[[BETWEEN]]}
// CHECK: tenon.kernel "elementwise"{{.*}} [#tenon.slot<arena 0>]
// CHECK: tenon.kernel "matmul"{{.*}} [#tenon.slot<arena 0 + ()[s0] -> (((s0 * 32) ceildiv 64) * 64)>]
// CHECK: tenon.kernel "rows"{{.*}} [#tenon.slot<output 0>]
func.func @between(%x: tensor<?x8xf32>, %z: tensor<?x8xf32>, %w: tensor<8x6xf32>) -> tensor<?x6xf32> {
  %a = tenon.kernel "elementwise" (%x, %z) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32> {
  ^bb0(%p: tensor<?x8xf32>, %q: tensor<?x8xf32>):
    %s = tenon.add %p, %q : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    tenon.yield %s : tensor<?x8xf32>
  }
  %b = tenon.kernel "matmul" (%a, %w) : (tensor<?x8xf32>, tensor<8x6xf32>) -> tensor<?x6xf32> {
  ^bb0(%p: tensor<?x8xf32>, %q: tensor<8x6xf32>):
    %s = tenon.matmul %p, %q : (tensor<?x8xf32>, tensor<8x6xf32>) -> tensor<?x6xf32>
    tenon.yield %s : tensor<?x6xf32>
  }
  %c = tenon.kernel "rows" (%b) : (tensor<?x6xf32>) -> tensor<?x6xf32> {
  ^bb0(%p: tensor<?x6xf32>):
    %s = tenon.softmax %p {axis = 0 : i64} : (tensor<?x6xf32>) -> tensor<?x6xf32>
    tenon.yield %s : tensor<?x6xf32>
  }
  return %c : tensor<?x6xf32>
}

// CHECK: func.func @sum({{.*}} attributes {tenon.arena = #[[SUM]]}
// CHECK: tenon.kernel "elementwise"{{.*}} [#tenon.slot<arena 0>]
func.func @sum(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %a = tenon.kernel "elementwise" (%x, %y) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%p: tensor<?xf32>, %q: tensor<?xf32>):
    %s = tenon.concat %p, %q {axis = 0 : i64} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    tenon.yield %s : tensor<?xf32>
  }
  %c = tenon.kernel "rows" (%a) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%p: tensor<?xf32>):
    %s = tenon.softmax %p {axis = 0 : i64} : (tensor<?xf32>) -> tensor<?xf32>
    tenon.yield %s : tensor<?xf32>
  }
  return %c : tensor<?xf32>
}
