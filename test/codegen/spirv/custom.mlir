// A shader of the user's is the kernel on a GPU; on the CPU its body is, fused as other ops are.
// RUN: tenon-compile %s --target=vulkan --compile-to=kernels -o - | FileCheck %s --check-prefix=GPU
// RUN: tenon-compile %s --compile-to=kernels -o - | FileCheck %s --check-prefix=CPU
// GPU:     tenon.kernel "custom"
// GPU:     tenon.custom(
// GPU:     tenon.kernel "rows"
// GPU-NOT: tenon.custom
// CPU-NOT: tenon.custom
// CPU:     tenon.kernel "rows"
// CPU-NOT: tenon.kernel

// That shaders run, one that does not compute what its body says tells.
// RUN: tenon-run %s > %t.cpu && FileCheck %s --check-prefix=TWICE < %t.cpu
// RUN: tenon-run %s --backend=vulkan > %t.gpu && FileCheck %s --check-prefix=THRICE < %t.gpu
// TWICE:  = [3, 5, 7]
// THRICE: = [4, 7, 10]

// Ahead of time.
// RUN: mkdir -p %t && tenon-compile %s --target=vulkan,cpu --emit=shared -o %t/libcustom.so
// RUN: env TENON_DRIVER=vulkan tenon-run %t/libcustom.so | FileCheck %s --check-prefix=THRICE
// RUN: env TENON_DRIVER=cpu tenon-run %t/libcustom.so | FileCheck %s --check-prefix=TWICE

// RUN: tenon-compile %s --target=vulkan --emit=spirv --dump-phases-to=%t -o %t/out
// RUN: spirv-val --target-env vulkan1.1 %t/kernel0-dispatch0.spv

func.func @main() -> tensor<3xf32> {
  %x = tenon.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %one = tenon.constant dense<1.0> : tensor<3xf32>
  %y = tenon.custom(%x) glsl [
    "layout(local_size_x = 64) in;",
    "layout(binding = 0) readonly buffer X { float x[]; };",
    "layout(binding = 1) writeonly buffer Y { float y[]; };",
    "void main() {",
    "  uint i = gl_GlobalInvocationID.x;",
    "  if (i < tenon_size(1)) y[i] = 3 * x[i];",
    "}"] : (tensor<3xf32>) -> tensor<3xf32> {
  ^bb0(%a: tensor<3xf32>):
    %s = tenon.add %a, %a : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    tenon.yield %s : tensor<3xf32>
  }
  %z = tenon.add %y, %one : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %z : tensor<3xf32>
}
