// What loops of no trips stack has the extents that their bodies tell.
// RUN: tenon-run %s --compare=reference --extent=5
// RUN: tenon-run %s --compare=reference --extent=5 --backend=vulkan
// RUN: tenon-run %s --function=through --extent=5 --backend=reference | FileCheck %s
// RUN: tenon-run %s --function=in_loop --compare=reference --extent=4,6

// The size of no element shows in the contraction.
// CHECK: output0: f32[5,5] = {{\[\[}}0, 0, 0, 0, 0], 
func.func @through(%a: tensor<?x3xf32>, %z: tensor<0x?x3xf32>) -> tensor<?x?xf32> {
  %y, %all = tenon.loop trips 0 reverse carry(%a) scan(%z) use(%a) : (tensor<?x3xf32>, tensor<0x?x3xf32>, tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<0x?x3xf32>) {
  ^bb0(%t: tensor<i64>, %c: tensor<?x3xf32>, %s: tensor<?x3xf32>, %u: tensor<?x3xf32>):
    %n = tenon.mul %c, %s : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
    %m = tenon.add %n, %u : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
    tenon.yield %m, %n : tensor<?x3xf32>, tensor<?x3xf32>
  }
  %r = tenon.reduce_sum %all {axes = array<i64: 0>} : (tensor<0x?x3xf32>) -> tensor<?x3xf32>
  %p = tenon.matmul %r, %a {transpose_b = true} : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

func.func @in_loop(%a: tensor<?xf32>, %b: tensor<?xf32>) -> (tensor<?xf32>, tensor<2x0x?xf32>, tensor<2x?xf32>) {
  %y, %all, %sums = tenon.loop trips 2 carry(%a) scan() use(%b) : (tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<2x0x?xf32>, tensor<2x?xf32>) {
  ^bb0(%t: tensor<i64>, %c: tensor<?xf32>, %u: tensor<?xf32>):
    %y2, %none = tenon.loop trips 0 carry(%c) scan() use(%u) : (tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<0x?xf32>) {
    ^bb0(%t2: tensor<i64>, %c2: tensor<?xf32>, %v: tensor<?xf32>):
      %e = tenon.exp %v : tensor<?xf32>
      tenon.yield %c2, %e : tensor<?xf32>, tensor<?xf32>
    }
    %r = tenon.reduce_sum %none {axes = array<i64: 0>} : (tensor<0x?xf32>) -> tensor<?xf32>
    %n = tenon.sin %y2 : tensor<?xf32>
    tenon.yield %n, %none, %r : tensor<?xf32>, tensor<0x?xf32>, tensor<?xf32>
  }
  return %y, %all, %sums : tensor<?xf32>, tensor<2x0x?xf32>, tensor<2x?xf32>
}
