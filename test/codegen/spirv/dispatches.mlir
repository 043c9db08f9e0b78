// What a kernel is on a GPU: dispatches of a module each, with buffers and parameters.
// RUN: tenon-compile %s --target=vulkan --emit=spirv -o - | FileCheck %s

// Elementwise: one dispatch; its parameters say where each buffer begins, then the extents.
func.func @elementwise(%x: tensor<?x1000xf32>) -> tensor<?x1000xf32> {
  %y = tenon.neg %x : tensor<?x1000xf32>
  return %y : tensor<?x1000xf32>
}
// CHECK-LABEL: spirv.module
// CHECK-SAME: #spirv.vce<v1.0, [Shader], [SPV_KHR_storage_buffer_storage_class]>
// CHECK-DAG: @[[OUT:buffer1_[0-9]+]] bind(0, 1) {aliased} : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0])>, StorageBuffer>
// CHECK-DAG: @[[IN:buffer0_[0-9]+]] bind(0, 0) {aliased}
// CHECK-DAG: @parameters : !spirv.ptr<!spirv.struct<(!spirv.array<4 x i32, stride=4> [0])>, PushConstant>
// CHECK: spirv.mlir.addressof @[[IN]]
// CHECK: %[[X:.*]] = spirv.Load "StorageBuffer" %{{.*}} : f32
// Four elements an invocation, as there may be many; at the end one by one.
// CHECK-COUNT-4: spirv.FNegate
// CHECK: spirv.mlir.loop
// CHECK: spirv.ExecutionMode @dispatch0 "LocalSize", 256, 1, 1

// Few elements: one an invocation.
func.func @few(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %y = tenon.neg %x : tensor<1000xf32>
  return %y : tensor<1000xf32>
}
// CHECK-LABEL: spirv.module
// CHECK: spirv.FNegate
// CHECK-NOT: spirv.FNegate
// CHECK: spirv.ExecutionMode @dispatch0 "LocalSize", 64, 1, 1

// A sum of everything: pieces into scratch, then one invocation adds them.
func.func @sum(%x: tensor<300x1000xf32>) -> tensor<f32> {
  %s = tenon.reduce_sum %x {axes = array<i64: 0, 1>} : (tensor<300x1000xf32>) -> tensor<f32>
  return %s : tensor<f32>
}
// CHECK-LABEL: spirv.module
// CHECK: @scratch
// CHECK: spirv.func @dispatch0
// CHECK: spirv.FAdd %{{.*}} {no_contraction} : f32
// CHECK-LABEL: spirv.module
// CHECK: @scratch
// CHECK: spirv.func @dispatch1
// CHECK: spirv.FAdd

// 16 bits in memory, 32 in registers; bf16 is converted by its bits.
func.func @halves(%x: tensor<7xf16>, %y: tensor<7xbf16>) -> tensor<7xbf16> {
  %a = tenon.cast %x {dtype = bf16} : (tensor<7xf16>) -> tensor<7xbf16>
  %z = tenon.mul %a, %y : (tensor<7xbf16>, tensor<7xbf16>) -> tensor<7xbf16>
  return %z : tensor<7xbf16>
}
// CHECK-LABEL: spirv.module
// CHECK-SAME: StorageBuffer16BitAccess
// CHECK: spirv.FConvert %{{.*}} : f16 to f32
// CHECK: spirv.FMul %{{.*}} {no_contraction} : f32
// CHECK: spirv.Store "StorageBuffer" %{{.*}} : i16

// More than 32 words of parameters lie in a buffer behind the others.
func.func @parameters(%x: tensor<?x?x?x?x?x?x?xf32>, %y: tensor<?x?x?x?x?x?x?xf32>, %z: tensor<?x?x?x?x?x?x?xf32>, %u: tensor<?x?x?x?x?x?x?xf32>) -> tensor<?x?x?x?x?x?x?xf32> {
  %a = tenon.add %x, %y : (tensor<?x?x?x?x?x?x?xf32>, tensor<?x?x?x?x?x?x?xf32>) -> tensor<?x?x?x?x?x?x?xf32>
  %b = tenon.add %a, %z : (tensor<?x?x?x?x?x?x?xf32>, tensor<?x?x?x?x?x?x?xf32>) -> tensor<?x?x?x?x?x?x?xf32>
  %c = tenon.add %b, %u : (tensor<?x?x?x?x?x?x?xf32>, tensor<?x?x?x?x?x?x?xf32>) -> tensor<?x?x?x?x?x?x?xf32>
  return %c : tensor<?x?x?x?x?x?x?xf32>
}
// CHECK-LABEL: spirv.module
// CHECK: @parameters bind(0, 5) : !spirv.ptr<!spirv.struct<(!spirv.array<40 x i32, stride=4> [0])>, StorageBuffer>
