// RUN: tenon-opt %s -tenon-expand-attention=report=true -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: @open_width
// CHECK-NOT: tenon.attention
// CHECK: tenon.matmul
// CHECK: tenon.exp
// CHECK: tenon.matmul
// CHECK: return
func.func @open_width(%q: tensor<1x2x8x?xf32>) -> tensor<1x2x8x?xf32> {
  // expected-remark@+1 {{no kernel of the target computes it: it is expanded, its scores take memory}}
  %o, %lse = tenon.attention %q, %q, %q {scale = 0.5 : f64} : (tensor<1x2x8x?xf32>, tensor<1x2x8x?xf32>, tensor<1x2x8x?xf32>) -> (tensor<1x2x8x?xf32>, tensor<1x2x8xf32>)
  return %o : tensor<1x2x8x?xf32>
}

// -----

// CHECK-LABEL: @gradient
// CHECK-NOT: tenon.attention_grad
// CHECK: return
func.func @gradient(%q: tensor<1x2x8x?xf32>, %lse: tensor<1x2x8xf32>) -> tensor<1x2x8x?xf32> {
  // expected-remark@+1 {{no kernel of the target computes it}}
  %dq, %dk, %dv = tenon.attention_grad %q, %q, %q o %q, %lse, %q {scale = 0.5 : f64} : (tensor<1x2x8x?xf32>, tensor<1x2x8x?xf32>, tensor<1x2x8x?xf32>, tensor<1x2x8x?xf32>, tensor<1x2x8xf32>, tensor<1x2x8x?xf32>) -> (tensor<1x2x8x?xf32>, tensor<1x2x8x?xf32>, tensor<1x2x8x?xf32>)
  return %dk : tensor<1x2x8x?xf32>
}

// -----

// Lengths may be open: the kernel takes them.
// CHECK-LABEL: @open_length
// CHECK: tenon.attention
// CHECK-NOT: tenon.matmul
func.func @open_length(%q: tensor<1x2x?x8xf32>) -> tensor<1x2x?x8xf32> {
  %o, %lse = tenon.attention %q, %q, %q {scale = 0.5 : f64} : (tensor<1x2x?x8xf32>, tensor<1x2x?x8xf32>, tensor<1x2x?x8xf32>) -> (tensor<1x2x?x8xf32>, tensor<1x2x?xf32>)
  return %o : tensor<1x2x?x8xf32>
}

// -----

// Results keep their types, though the keys tell the batch.
// CHECK-LABEL: @less_known
// CHECK: return {{.*}} : tensor<?x2x5x?xf32>, tensor<?x2x?x?xf32>
func.func @less_known(%q: tensor<?x2x5x?xf32>, %p: tensor<?x2x?x?xf32>, %k: tensor<3x2x7x?xf32>, %lse: tensor<?x2x?xf32>) -> (tensor<?x2x5x?xf32>, tensor<?x2x?x?xf32>) {
  // expected-remark@+1 {{no kernel of the target computes it}}
  %o, %l = tenon.attention %q, %k, %k {scale = 0.5 : f64} : (tensor<?x2x5x?xf32>, tensor<3x2x7x?xf32>, tensor<3x2x7x?xf32>) -> (tensor<?x2x5x?xf32>, tensor<?x2x5xf32>)
  // expected-remark@+1 {{no kernel of the target computes it}}
  %dq, %dk, %dv = tenon.attention_grad %p, %k, %k o %p, %lse, %p {scale = 0.5 : f64} : (tensor<?x2x?x?xf32>, tensor<3x2x7x?xf32>, tensor<3x2x7x?xf32>, tensor<?x2x?x?xf32>, tensor<?x2x?xf32>, tensor<?x2x?x?xf32>) -> (tensor<?x2x?x?xf32>, tensor<3x2x7x?xf32>, tensor<3x2x7x?xf32>)
  return %o, %dq : tensor<?x2x5x?xf32>, tensor<?x2x?x?xf32>
}

// -----

// What nobody reads of the parts is no kernel.
// RUN: tenon-opt %s -tenon-expand-attention -tenon-form-kernels -split-input-file | FileCheck --check-prefix=KERNELS %s
// KERNELS-LABEL: @gradient
// KERNELS-NOT: -> ()
// KERNELS: return
