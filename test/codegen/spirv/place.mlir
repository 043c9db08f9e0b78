// What a GPU does not have is placed on the CPU, with its reason; as a program runs on one device, that is the
// error by which R runs it there.
// RUN: tenon-compile %s --target=vulkan --gpu-lacks=f64 --compile-to=planned | FileCheck %s
// RUN: not tenon-compile %s --target=vulkan --gpu-lacks=f64 --emit=spirv 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: tenon-compile %s --target=vulkan --gpu-lacks=i64,i8 --emit=spirv -o %t
// RUN: tenon-compile %s --compile-to=kernels | FileCheck %s --check-prefix=CPU
// RUN: not tenon-compile %s --gpu-lacks=f64 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: --gpu-lacks: expected --target=vulkan

// CHECK: tenon.kernel "transfer"(%{{.*}}) {tenon.device = "cpu", tenon.slots = [#tenon.slot<arena {{[0-9]+}}>]}
// CHECK: tenon.kernel "rows"(%{{.*}}) {tenon.device = "cpu", tenon.reason = "tenon.exp: vulkan has no f64", tenon.slots
// CHECK: tenon.kernel "transfer"(%{{.*}}) {tenon.device = "vulkan", tenon.slots = [#tenon.slot<output 0>]}
// ERROR: [[#@LINE+4]]:{{[0-9]+}}: error: {{.*}}kernel '{{.*}}' is placed on the CPU, and a program runs on one device: tenon.exp: vulkan has no f64
// CPU: tenon.kernel
// CPU-NOT: tenon.device
func.func @f(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = tenon.exp %x : tensor<4xf64>
  return %y : tensor<4xf64>
}
