// What --gpu-features lets code use.
// RUN: tenon-compile %s --target=vulkan --emit=spirv -o - | FileCheck %s --check-prefix=NONE
// RUN: tenon-compile %s --target=vulkan --emit=spirv --gpu-features=shuffle,preserve -o - | FileCheck %s

func.func @f(%x: tensor<64x4096xf32>) -> tensor<64x4096xf32> {
  %y = tenon.softmax %x {axis = 1 : i64} : (tensor<64x4096xf32>) -> tensor<64x4096xf32>
  return %y : tensor<64x4096xf32>
}
// Each element is loaded once and stays in a register.
// NONE-COUNT-16: spirv.Load "StorageBuffer"
// NONE-NOT: spirv.Load "StorageBuffer"
// NONE-NOT: GroupNonUniformShuffleXor
// NONE-NOT: spirv.ExecutionMode {{.*}}Preserve

// CHECK: requires #spirv.vce<{{.*}}GroupNonUniformShuffle{{.*}}SPV_KHR_float_controls
// CHECK: spirv.GroupNonUniformShuffleXor
// CHECK: spirv.ExecutionMode @dispatch0 "SignedZeroInfNanPreserve", 16
// CHECK: spirv.ExecutionMode @dispatch0 "SignedZeroInfNanPreserve", 32
// CHECK: spirv.ExecutionMode @dispatch0 "SignedZeroInfNanPreserve", 64
