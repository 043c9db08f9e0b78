// What the conversion does of its own, beside upstream's patterns.

// RUN: tenon-opt %s --tenon-cpu-lower-to-llvm=march=x86-64-v4 | FileCheck %s --check-prefixes=CHECK,V4
// RUN: tenon-opt %s --tenon-cpu-lower-to-llvm=march=x86-64-v2 | FileCheck %s --check-prefixes=CHECK,V2

// The bound is clamped before it is narrowed: 2^32 + 1 lanes are all lanes.
// CHECK-LABEL: llvm.func @mask
// CHECK-SAME:    %[[N:.*]]: i64
// CHECK:         %[[MIN:.*]] = llvm.intr.smin(%[[N]], %{{.*}}) : (i64, i64) -> i64
// CHECK:         llvm.trunc %[[MIN]] : i64 to i32
// CHECK:         llvm.icmp "sgt" %{{.*}}, %{{.*}} : vector<8xi32>
func.func @mask(%n: index) -> vector<8xi1> {
  %m = vector.create_mask %n : vector<8xi1>
  return %m : vector<8xi1>
}

// CHECK-LABEL: llvm.func @multiply_add
// V4:            llvm.intr.fma
// V2-NOT:        llvm.intr.fma
// V2:            llvm.fmul
// V2:            llvm.fadd
func.func @multiply_add(%x: vector<4xf32>) -> vector<4xf32> {
  %y = math.fma %x, %x, %x : vector<4xf32>
  return %y : vector<4xf32>
}

// CHECK-LABEL: llvm.func @extend
// V4:            llvm.fpext
// V2-NOT:        llvm.fpext
func.func @extend(%x: vector<4xf16>) -> vector<4xf32> {
  %y = arith.extf %x : vector<4xf16> to vector<4xf32>
  return %y : vector<4xf32>
}

// Always integers: the instruction of some processors flushes denormal numbers.
// CHECK-LABEL: llvm.func @to_bfloat
// CHECK-NOT:     llvm.fptrunc
// CHECK:         llvm.trunc %{{.*}} : vector<4xi32> to vector<4xi16>
func.func @to_bfloat(%x: vector<4xf32>) -> vector<4xbf16> {
  %y = arith.truncf %x : vector<4xf32> to vector<4xbf16>
  return %y : vector<4xbf16>
}

// CHECK-LABEL: llvm.func @subview
// CHECK:         llvm.load
// CHECK-NOT:     memref
func.func @subview(%a: memref<8x8xf32>, %i: index) -> f32 {
  %s = memref.subview %a[%i, 2] [2, 2] [1, 1] : memref<8x8xf32> to memref<2x2xf32, strided<[8, 1], offset: ?>>
  %x = memref.load %s[%i, %i] : memref<2x2xf32, strided<[8, 1], offset: ?>>
  return %x : f32
}

// Halves that are moved one by one are words.
// CHECK-LABEL: llvm.func @masked_halves
// CHECK:         llvm.intr.masked.load %{{.*}} : (!llvm.ptr, vector<4xi1>, vector<4xi16>) -> vector<4xi16>
// CHECK:         llvm.bitcast %{{.*}} : vector<4xi16> to vector<4xf16>
// CHECK:         llvm.intr.masked.store %{{.*}} : vector<4xi16>, vector<4xi1> into !llvm.ptr
func.func @masked_halves(%m: memref<4xf16>, %mask: vector<4xi1>, %x: vector<4xf16>) {
  %zero = arith.constant 0 : index
  %y = vector.maskedload %m[%zero], %mask, %x : memref<4xf16>, vector<4xi1>, vector<4xf16> into vector<4xf16>
  vector.maskedstore %m[%zero], %mask, %y : memref<4xf16>, vector<4xi1>, vector<4xf16>
  return
}

// Others stay as they are.
// CHECK-LABEL: llvm.func @masked_singles
// CHECK:         llvm.intr.masked.load %{{.*}} -> vector<4xf32>
func.func @masked_singles(%m: memref<4xf32>, %mask: vector<4xi1>, %x: vector<4xf32>) -> vector<4xf32> {
  %zero = arith.constant 0 : index
  %y = vector.maskedload %m[%zero], %mask, %x : memref<4xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  return %y : vector<4xf32>
}
