// Windows are never in memory where a product reads them; what a border or a function is put around is.
// RUN: tenon-compile %s --target=vulkan --compile-to=kernels | FileCheck %s
// RUN: tenon-compile %s --target=vulkan --emit=spirv -o - | FileCheck %s --check-prefix=CODE

func.func @convolution(%x: tensor<2x8x14x14xf32>, %w: tensor<64x72xf32>) -> tensor<2x64x144xf32> {
  %r = tenon.relu %x : tensor<2x8x14x14xf32>
  %u = tenon.windows %r {sizes = array<i64: 3, 3>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<2x8x14x14xf32>) -> tensor<2x8x3x3x12x12xf32>
  %m = tenon.reshape %u {shape = array<i64: 2, 72, 144>} : (tensor<2x8x3x3x12x12xf32>) -> tensor<2x72x144xf32>
  %k = tenon.broadcast %w {shape = array<i64: 2, 64, 72>, dims = array<i64: 1, 2>} : (tensor<64x72xf32>) -> tensor<2x64x72xf32>
  %z = tenon.matmul %k, %m : (tensor<2x64x72xf32>, tensor<2x72x144xf32>) -> tensor<2x64x144xf32>
  %y = tenon.tanh %z : tensor<2x64x144xf32>
  return %y : tensor<2x64x144xf32>
}
// CHECK-LABEL: func.func @convolution
// CHECK: %[[R:.*]] = tenon.kernel "rows"
// CHECK-NEXT: ^bb0
// CHECK-NEXT: tenon.relu
// CHECK-NEXT: tenon.yield
// CHECK: tenon.kernel "matmul"(%{{.*}}) {tenon.device = "vulkan"} : (
// CHECK-NOT: tenon.kernel
// CHECK: tenon.windows
// CHECK: tenon.matmul
// CHECK-NEXT: tenon.tanh
// A dispatch each.
// CODE-COUNT-2: spirv.EntryPoint

// Weights that are reshaped lie at strides: no quotient by their extents.
func.func @weights(%x: tensor<64x64xf32>, %w: tensor<64x7x7x11xf32>, %v: tensor<539x64xf32>) -> tensor<64x64xf32> {
  %k = tenon.reshape %w {shape = array<i64: 64, 539>} : (tensor<64x7x7x11xf32>) -> tensor<64x539xf32>
  %y = tenon.matmul %k, %v : (tensor<64x539xf32>, tensor<539x64xf32>) -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}
// CODE: spirv.module
// CODE-NOT: spirv.UDiv %{{.*}}, %cst7_i32
// CODE: spirv.EntryPoint

// Few filters: tiles of 16 x 256, of whose rows a quarter of the invocations load some.
func.func @few_filters(%w: tensor<128x12x80xf32>, %v: tensor<128x80x256xf32>) -> tensor<128x12x256xf32> {
  %y = tenon.matmul %w, %v : (tensor<128x12x80xf32>, tensor<128x80x256xf32>) -> tensor<128x12x256xf32>
  return %y : tensor<128x12x256xf32>
}
// CODE: spirv.module
// CODE-DAG: !spirv.array<80 x vector<4xf32>{{.*}}>, Workgroup>
// CODE-DAG: !spirv.array<1040 x vector<4xf32>{{.*}}>, Workgroup>
// CODE: spirv.EntryPoint
