// Several processes share a cache; one that is killed while it writes harms nobody.
// RUN: rm -rf %t && mkdir %t
// RUN: bash %S/Inputs/disk-cache.sh %s %t/cache cpu 2>&1 | FileCheck %s
// RUN: bash %S/Inputs/disk-cache.sh %s %t/gpu-cache vulkan 2>&1 | FileCheck %s
// CHECK: 8 processes: 1 entry
// CHECK-NEXT: killed: all entries load
// CHECK-NEXT: output0: f32[3] = [4, 4, 4]
// CHECK-NOT: disk cache

// RUN: not tenon-run %s --cache=%s 2>&1 | FileCheck --check-prefix=FILE %s
// FILE: tenon-run: io: disk cache: expected a folder, got {{.*}}disk-cache.mlir

func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %one = tenon.constant dense<4.0> : tensor<3xf32>
  %0 = tenon.mul %x, %one : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %1 = tenon.sub %0, %0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %2 = tenon.add %1, %one : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %2 : tensor<3xf32>
}
