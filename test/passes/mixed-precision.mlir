// RUN: tenon-opt %s -tenon-mixed-precision="type=f16" -split-input-file | FileCheck %s
// RUN: tenon-opt %s -tenon-mixed-precision -split-input-file | FileCheck %s --check-prefix=BF16
// RUN: not tenon-opt %s -tenon-mixed-precision="type=f8" -split-input-file 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: tenon-mixed-precision: type: expected f16 or bf16, got 'f8'

// A product is in the low type; what follows it is as well, with its bias; softmax is in f32.
// CHECK-LABEL: @layer(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8x6xf32>, %[[B:.*]]: tensor<6xf32>
// CHECK-DAG: %[[XL:.*]] = tenon.cast %[[X]] {dtype = f16}
// CHECK-DAG: %[[WL:.*]] = tenon.cast %[[W]] {dtype = f16}
// CHECK: %[[Y:.*]] = tenon.matmul %[[XL]], %[[WL]] {{.*}} -> tensor<4x6xf16>
// CHECK: %[[R:.*]] = tenon.broadcast %[[B]] {{.*}} -> tensor<4x6xf32>
// CHECK: %[[RL:.*]] = tenon.cast %[[R]] {dtype = f16}
// CHECK: %[[Z:.*]] = tenon.add %[[Y]], %[[RL]] : (tensor<4x6xf16>
// CHECK: %[[T:.*]] = tenon.gelu %[[Z]] {{.*}}: tensor<4x6xf16>
// CHECK: %[[WIDE:.*]] = tenon.cast %[[T]] {dtype = f32}
// CHECK: %[[P:.*]] = tenon.softmax %[[WIDE]] {{.*}} -> tensor<4x6xf32>
// CHECK: return %[[P]]
// BF16-LABEL: @layer(
// BF16: tenon.matmul {{.*}} -> tensor<4x6xbf16>
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %bias: tensor<6xf32>) -> tensor<4x6xf32> {
  %y = tenon.matmul %x, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %b = tenon.broadcast %bias {shape = array<i64: 4, 6>, dims = array<i64: 1>} : (tensor<6xf32>) -> tensor<4x6xf32>
  %z = tenon.add %y, %b : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %t = tenon.gelu %z {approximate = true} : tensor<4x6xf32>
  %p = tenon.softmax %t {axis = 1 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %p : tensor<4x6xf32>
}

// -----

// One cast of w, whose transpose is a view of it; what comes from a product is not cast again.
// CHECK-LABEL: @shared(
// CHECK-SAME: %[[X:.*]]: tensor<4x4xf32>, %[[W:.*]]: tensor<4x4xf32>
// CHECK-COUNT-2: tenon.cast %{{.*}} {dtype = f16}
// CHECK-NOT: tenon.cast %{{.*}} {dtype = f16}
// CHECK: tenon.matmul
// CHECK-NOT: tenon.cast
// CHECK: %[[Z:.*]] = tenon.matmul {{.*}} -> tensor<4x4xf16>
// CHECK-NEXT: %[[R:.*]] = tenon.cast %[[Z]] {dtype = f32}
// CHECK-NEXT: return %[[R]]
func.func @shared(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %t = tenon.transpose %w {permutation = array<i64: 1, 0>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = tenon.matmul %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %z = tenon.matmul %y, %t : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %z : tensor<4x4xf32>
}

// -----

// Attention's sums of exponentials are f32, and its mask is not rounded.
// CHECK-LABEL: @attention(
// CHECK: tenon.attention {{.*}} : (tensor<1x2x4x8xf16>, tensor<1x2x4x8xf16>, tensor<1x2x4x8xf16>, tensor<1x1x4x4xf32>) -> (tensor<1x2x4x8xf16>, tensor<1x2x4xf32>)
func.func @attention(%q: tensor<1x2x4x8xf32>, %m: tensor<1x1x4x4xf32>) -> (tensor<1x2x4x8xf32>, tensor<1x2x4xf32>) {
  %o, %l = tenon.attention %q, %q, %q, %m {scale = 1.0 : f64} : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x1x4x4xf32>) -> (tensor<1x2x4x8xf32>, tensor<1x2x4xf32>)
  return %o, %l : tensor<1x2x4x8xf32>, tensor<1x2x4xf32>
}

// -----

// A convolution: its windows are taken of the rounded input.
// CHECK-LABEL: @convolution(
// CHECK: %[[XL:.*]] = tenon.cast %{{.*}} {dtype = f16} : (tensor<3x9xf32>)
// CHECK: tenon.windows %[[XL]] {{.*}} -> tensor<3x3x7xf16>
// CHECK: tenon.matmul {{.*}} -> tensor<5x7xf16>
func.func @convolution(%x: tensor<3x9xf32>, %k: tensor<5x9xf32>) -> tensor<5x7xf32> {
  %w = tenon.windows %x {sizes = array<i64: 3>, strides = array<i64: 1>, dilations = array<i64: 1>} : (tensor<3x9xf32>) -> tensor<3x3x7xf32>
  %r = tenon.reshape %w {shape = array<i64: 9, 7>} : (tensor<3x3x7xf32>) -> tensor<9x7xf32>
  %y = tenon.matmul %k, %r : (tensor<5x9xf32>, tensor<9x7xf32>) -> tensor<5x7xf32>
  return %y : tensor<5x7xf32>
}

// -----

// Loops carry f32; their bodies cast.
// CHECK-LABEL: @loop(
// CHECK: tenon.loop {{.*}} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
// CHECK: tenon.matmul {{.*}} -> tensor<4x4xf16>
// CHECK: %[[H:.*]] = tenon.tanh %{{.*}} : tensor<4x4xf16>
// CHECK: %[[C:.*]] = tenon.cast %[[H]] {dtype = f32}
// CHECK: tenon.yield %[[C]]
func.func @loop(%h: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = tenon.loop trips 3 carry(%h) scan() use(%w) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%t: tensor<i64>, %c: tensor<4x4xf32>, %u: tensor<4x4xf32>):
    %y = tenon.matmul %c, %u : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %n = tenon.tanh %y : tensor<4x4xf32>
    tenon.yield %n : tensor<4x4xf32>
  }
  return %r : tensor<4x4xf32>
}

// -----

// Extents that are known at run time only. What gives an extent may be of any type.
// CHECK-LABEL: @dynamic(
// CHECK: %[[Y:.*]] = tenon.matmul {{.*}} -> tensor<?x6xf16>
// CHECK: %[[Z:.*]] = tenon.add %[[Y]], %{{.*}} : (tensor<?x6xf16>, tensor<?x6xf16>)
// CHECK: tenon.relu %[[Z]] : tensor<?x6xf16>
func.func @dynamic(%x: tensor<?x8xf32>, %w: tensor<8x6xf32>, %bias: tensor<6xf32>) -> tensor<?x6xf32> {
  %y = tenon.matmul %x, %w : (tensor<?x8xf32>, tensor<8x6xf32>) -> tensor<?x6xf32>
  %b = tenon.broadcast %bias, %y {shape = array<i64: -9223372036854775808, 6>, dims = array<i64: 1>} : (tensor<6xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
  %z = tenon.add %y, %b : (tensor<?x6xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
  %r = tenon.relu %z : tensor<?x6xf32>
  return %r : tensor<?x6xf32>
}

// -----

// Gradients of parameters are cast back; the parameter stays what the gradient is taken by.
// CHECK-LABEL: @gradient(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8x6xf32>
// CHECK: tenon.mse_loss {{.*}} -> tensor<f32>
// CHECK: tenon.gradient %{{.*}}, %[[W]] : (tensor<f32>, tensor<8x6xf32>)
func.func @gradient(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %t: tensor<4x6xf32>) -> tensor<8x6xf32> {
  %y = tenon.matmul %x, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %l = tenon.mse_loss %y, %t : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<f32>
  %g = tenon.gradient %l, %w : (tensor<f32>, tensor<8x6xf32>) -> tensor<8x6xf32>
  return %g : tensor<8x6xf32>
}
