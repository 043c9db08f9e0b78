// State without elements: each value is still one of its own.
// RUN: tenon-run %s --compare=reference | FileCheck %s
// RUN: tenon-run %s --compare=reference --backend=vulkan
// CHECK-COUNT-3: ok

func.func @f(%a: tensor<0xf32>, %b: tensor<1x0xf32>) -> (tensor<0xf32>, tensor<0xf32>, tensor<1x0xf32>) {
  %0 = tenon.tanh %a : tensor<0xf32>
  %1 = tenon.exp %a : tensor<0xf32>
  %2:3 = tenon.loop trips 1 carry(%0, %1) scan(%b) use()
      : (tensor<0xf32>, tensor<0xf32>, tensor<1x0xf32>) -> (tensor<0xf32>, tensor<0xf32>, tensor<1x0xf32>) {
  ^bb0(%t: tensor<i64>, %x: tensor<0xf32>, %y: tensor<0xf32>, %z: tensor<0xf32>):
    %3 = tenon.exp %y : tensor<0xf32>
    tenon.yield %z, %3, %x : tensor<0xf32>, tensor<0xf32>, tensor<0xf32>
  }
  %3 = tenon.neg %2#0 : tensor<0xf32>
  %4 = tenon.neg %2#1 : tensor<0xf32>
  return %3, %4, %2#2 : tensor<0xf32>, tensor<0xf32>, tensor<1x0xf32>
}
