// RUN: tenon-opt %s --tenon-input-phase --tenon-fused-phase --tenon-differentiated-phase --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: tenon-opt %s --tenon-differentiated-phase=mixed-precision=f16 --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=MIXED
// RUN: tenon-opt %s --tenon-fused-phase="disable=tenon-fuse-attention" --tenon-differentiated-phase | FileCheck %s --check-prefix=DISABLED
// RUN: tenon-opt %s --tenon-input-phase --tenon-fused-phase --tenon-differentiated-phase | FileCheck %s

// ORDER: canonicalize
// ORDER-SAME: cse
// ORDER-SAME: tenon-fuse-attention
// ORDER-SAME: tenon-fuse-cross-entropy
// ORDER-SAME: tenon-fuse-norms
// ORDER-SAME: tenon-derive-backward
// ORDER-SAME: tenon-simplify
// ORDER-SAME: tenon-fold-transposes
// ORDER-SAME: tenon-hoist-invariants
// ORDER-SAME: tenon-prune-loops

// Gradients are derived of what is narrowed.
// MIXED: tenon-mixed-precision{type=f16}
// MIXED-SAME: tenon-scale-loss
// MIXED-SAME: tenon-derive-backward

// DISABLED: tenon.softmax
// DISABLED-NOT: tenon.gradient

// A step of plain products and softmax: one attention, one gradient of it.
// CHECK-LABEL: @step
// CHECK-COUNT-1: tenon.attention %
// CHECK-COUNT-1: tenon.attention_grad
// CHECK-NOT: tenon.softmax
// CHECK: return
func.func @step(%x: tensor<8x4xf32>, %wq: tensor<4x4xf32>, %wk: tensor<4x4xf32>, %wv: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %q = tenon.matmul %x, %wq : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %k = tenon.matmul %x, %wk : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %v = tenon.matmul %x, %wv : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %s = tenon.matmul %q, %k {transpose_b = true} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %p = tenon.softmax %s {axis = 1 : i64} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %o = tenon.matmul %p, %v : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %l = tenon.mse_loss %o, %x : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<f32>
  %g = tenon.gradient %l, %wk : (tensor<f32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %g : tensor<4x4xf32>
}
