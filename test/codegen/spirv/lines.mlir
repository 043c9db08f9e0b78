// How lines are cut on a GPU.
// RUN: tenon-compile %s --target=vulkan --emit=spirv -o - | FileCheck %s

// A running sum of one piece: a workgroup, whose memory it goes through.
func.func @one_piece(%x: tensor<5x200xf32>) -> tensor<5x200xf32> {
  %y = tenon.cumsum %x {axis = 1 : i64} : (tensor<5x200xf32>) -> tensor<5x200xf32>
  return %y : tensor<5x200xf32>
}
// CHECK-LABEL: spirv.module
// CHECK-NOT: @scratch
// CHECK-DAG: !spirv.array<32 x f32>, Workgroup>
// CHECK-DAG: !spirv.array<288 x f32>, Workgroup>
// CHECK: spirv.ExecutionMode @dispatch0 "LocalSize", 32, 1, 1

// Of many pieces: the sum of each, running sums of these, then the pieces from there on.
func.func @pieces(%x: tensor<200000xf32>) -> tensor<200000xf32> {
  %y = tenon.cumsum %x {axis = 0 : i64} : (tensor<200000xf32>) -> tensor<200000xf32>
  return %y : tensor<200000xf32>
}
// CHECK-LABEL: spirv.module
// CHECK: @scratch
// CHECK: spirv.ExecutionMode @dispatch0 "LocalSize", 256, 1, 1
// CHECK-LABEL: spirv.module
// CHECK: spirv.ExecutionMode @dispatch1 "LocalSize", 32, 1, 1
// CHECK-LABEL: spirv.module
// CHECK: !spirv.array<2304 x f32>, Workgroup>
// CHECK: spirv.ExecutionMode @dispatch2 "LocalSize", 256, 1, 1

// Lines side by side: an invocation a piece.
func.func @columns(%x: tensor<1000x7xf32>) -> tensor<1000x7xf32> {
  %y = tenon.cumsum %x {axis = 0 : i64} : (tensor<1000x7xf32>) -> tensor<1000x7xf32>
  return %y : tensor<1000x7xf32>
}
// CHECK-LABEL: spirv.module
// CHECK: spirv.ExecutionMode @dispatch0 "LocalSize", 64, 1, 1
// CHECK-LABEL: spirv.module
// CHECK: spirv.ExecutionMode @dispatch1
// CHECK-LABEL: spirv.module
// CHECK: spirv.ExecutionMode @dispatch2 "LocalSize", 64, 1, 1

// Order of one tile: in the memory of a workgroup, keys and numbers.
func.func @sort_tile(%x: tensor<5x200xf16>) -> tensor<5x200xi32> {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = -1 : i64} : (tensor<5x200xf16>) -> (tensor<5x200xf16>, tensor<5x200xi32>)
  return %i : tensor<5x200xi32>
}
// CHECK-LABEL: spirv.module
// CHECK-NOT: @scratch
// CHECK-DAG: !spirv.array<256 x i32>, Workgroup>
// CHECK-DAG: !spirv.array<256 x i32>, Workgroup>
// CHECK: spirv.ControlBarrier
// CHECK: spirv.ExecutionMode @dispatch0 "LocalSize", 128, 1, 1

// Of several: runs that become one, up to eight at a time.
func.func @sort_merge(%x: tensor<20000xf32>) -> tensor<20000xi32> {
  %v, %i = tenon.sort %x {axis = 0 : i64, count = -1 : i64} : (tensor<20000xf32>) -> (tensor<20000xf32>, tensor<20000xi32>)
  return %i : tensor<20000xi32>
}
// CHECK-LABEL: spirv.module
// CHECK: !spirv.array<2048 x i32>, Workgroup>
// CHECK: spirv.ExecutionMode @dispatch0 "LocalSize", 256, 1, 1
// CHECK-LABEL: spirv.module
// CHECK-NOT: Workgroup>
// CHECK: spirv.ExecutionMode @dispatch1 "LocalSize", 64, 1, 1
// CHECK-LABEL: spirv.module
// CHECK: spirv.ExecutionMode @dispatch2 "LocalSize", 64, 1, 1

// Short lines: an invocation each.
func.func @sort_short(%x: tensor<500x8xf32>) -> tensor<500x8xi32> {
  %v, %i = tenon.sort %x {axis = 1 : i64, count = -1 : i64} : (tensor<500x8xf32>) -> (tensor<500x8xf32>, tensor<500x8xi32>)
  return %i : tensor<500x8xi32>
}
// CHECK-LABEL: spirv.module
// CHECK-NOT: Workgroup>
// CHECK: spirv.ExecutionMode @dispatch0 "LocalSize", 64, 1, 1

// Of equal elements the first: members compare places, too.
func.func @argmax(%x: tensor<5x2000xf32>) -> tensor<5xi64> {
  %y = tenon.argmax %x {axis = 1 : i64} : (tensor<5x2000xf32>) -> tensor<5xi64>
  return %y : tensor<5xi64>
}
// CHECK-LABEL: spirv.module
// CHECK-DAG: !spirv.array<128 x i64>, Workgroup>
// CHECK-DAG: !spirv.array<128 x f32>, Workgroup>
// CHECK: spirv.SLessThan %{{.*}} : i64
// CHECK: spirv.ExecutionMode @dispatch0 "LocalSize", 128, 1, 1

// Columns: eight side by side, shared by 32 each.
func.func @softmax_columns(%x: tensor<700x50xf32>) -> tensor<700x50xf32> {
  %y = tenon.softmax %x {axis = 0 : i64} : (tensor<700x50xf32>) -> tensor<700x50xf32>
  return %y : tensor<700x50xf32>
}
// CHECK-LABEL: spirv.module
// CHECK: !spirv.array<256 x f32>, Workgroup>
// CHECK: spirv.ExecutionMode @dispatch0 "LocalSize", 256, 1, 1

// Sums by number: order, where rows begin, sums of pieces, sums; no atomics.
func.func @scatter(%i: tensor<1000xi32>, %u: tensor<1000x8xf32>) -> tensor<50x8xf32> {
  %y = tenon.scatter_add %i, %u {rows = 50 : i64} : (tensor<1000xi32>, tensor<1000x8xf32>) -> tensor<50x8xf32>
  return %y : tensor<50x8xf32>
}
// CHECK-LABEL: spirv.module
// CHECK: !spirv.array<1024 x i32>, Workgroup>
// CHECK-LABEL: spirv.module
// CHECK-LABEL: spirv.module
// CHECK-NOT: Atomic
// CHECK: spirv.FAdd
// CHECK-LABEL: spirv.module
// CHECK-NOT: Atomic
// CHECK: spirv.ExecutionMode @dispatch3 "LocalSize", 64, 1, 1

// Of few updates every element looks at all.
func.func @scatter_few(%i: tensor<20xi32>, %u: tensor<20x8xf32>) -> tensor<50x8xf32> {
  %y = tenon.scatter_add %i, %u {rows = 50 : i64} : (tensor<20xi32>, tensor<20x8xf32>) -> tensor<50x8xf32>
  return %y : tensor<50x8xf32>
}
// CHECK-LABEL: spirv.module
// CHECK-NOT: @scratch
// CHECK: spirv.ExecutionMode @dispatch0 "LocalSize", 64, 1, 1
