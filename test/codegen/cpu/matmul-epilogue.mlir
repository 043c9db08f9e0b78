// Long code after a product stands in a function of its own: its constants would push
// the sums out of the registers.
// RUN: tenon-compile %s --emit=kernels --march=x86-64-v4 | FileCheck %s
// RUN: tenon-compile %s --emit=asm --march=x86-64-v4 | FileCheck %s --check-prefix=ASM

// CHECK: call @[[FINISH:.*_finish[0-9]+]](
// CHECK: func.func private @[[FINISH]](

// No sum lies on the stack.
// ASM-NOT: {{%zmm.*\(%rsp\)|\(%rsp\).*%zmm}}
// ASM:     callq {{.*}}_finish
// ASM-NOT: {{%zmm.*\(%rsp\)|\(%rsp\).*%zmm}}
func.func @gelu(%x: tensor<96x64xf32>, %w: tensor<64x96xf32>) -> tensor<96x96xf32> {
  %p = tenon.matmul %x, %w : (tensor<96x64xf32>, tensor<64x96xf32>) -> tensor<96x96xf32>
  %y = tenon.gelu %p : tensor<96x96xf32>
  return %y : tensor<96x96xf32>
}
