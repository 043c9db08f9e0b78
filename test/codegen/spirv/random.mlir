// Four elements an invocation take one block of Philox: ten rounds of two products.
// RUN: tenon-compile %s --target=vulkan --emit=spirv | FileCheck %s

// CHECK-NOT: spirv.IMul {{.*}} : i64
// CHECK-COUNT-20: spirv.UMulExtended
// CHECK-NOT: spirv.UMulExtended
// CHECK: spirv.ControlBarrier
// CHECK-COUNT-4: spirv.Load "Workgroup"
// CHECK-COUNT-4: spirv.Load "StorageBuffer" {{.*}} : f32
// CHECK-COUNT-4: spirv.Store "StorageBuffer"
// CHECK-NOT: spirv.UMulExtended
func.func @dropout(%x: tensor<1048576xf32>, %s: tensor<i64>, %t: tensor<i64>) -> tensor<1048576xf32> {
  %y = tenon.dropout %x, %s, %t {rate = 0.1 : f64, stream = 1 : i64} : (tensor<1048576xf32>, tensor<i64>, tensor<i64>) -> tensor<1048576xf32>
  return %y : tensor<1048576xf32>
}
