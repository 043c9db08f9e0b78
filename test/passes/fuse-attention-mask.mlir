// RUN: tenon-opt %s -tenon-fuse-attention -canonicalize -cse -split-input-file | FileCheck %s

// An added bias, shared by batch and heads.
// CHECK-LABEL: @bias
// CHECK-SAME: %[[M:.*]]: tensor<8x6xf32>
// CHECK: %[[M4:.*]] = tenon.{{reshape|broadcast}} %[[M]] {{.*}} -> tensor<1x1x8x6xf32>
// CHECK: tenon.attention %{{.*}}, %{{.*}}, %{{.*}}, %[[M4]] {scale
func.func @bias(%m: tensor<8x6xf32>, %q: tensor<2x3x8x4xf32>, %k: tensor<2x3x6x4xf32>) -> tensor<2x3x8x4xf32> {
  %s = tenon.matmul %q, %k {transpose_b = true} : (tensor<2x3x8x4xf32>, tensor<2x3x6x4xf32>) -> tensor<2x3x8x6xf32>
  %b = tenon.broadcast %m {shape = array<i64: 2, 3, 8, 6>, dims = array<i64: 2, 3>} : (tensor<8x6xf32>) -> tensor<2x3x8x6xf32>
  %t = tenon.add %b, %s : (tensor<2x3x8x6xf32>, tensor<2x3x8x6xf32>) -> tensor<2x3x8x6xf32>
  %p = tenon.softmax %t {axis = 3 : i64} : (tensor<2x3x8x6xf32>) -> tensor<2x3x8x6xf32>
  %o = tenon.matmul %p, %k : (tensor<2x3x8x6xf32>, tensor<2x3x6x4xf32>) -> tensor<2x3x8x4xf32>
  return %o : tensor<2x3x8x4xf32>
}

// -----

// The scale after the bias scales the bias too.
// CHECK-LABEL: @scaled_bias
// CHECK-SAME: %[[M:.*]]: tensor<1x1x8x8xf32>
// CHECK: %[[S:.*]] = tenon.mul %[[M]], %{{.*}}
// CHECK: tenon.attention %{{.*}}, %{{.*}}, %{{.*}}, %[[S]] {scale = 5.000000e-01
func.func @scaled_bias(%m: tensor<1x1x8x8xf32>, %q: tensor<1x1x8x4xf32>) -> tensor<1x1x8x4xf32> {
  %h = tenon.constant dense<0.5> : tensor<1x1x8x8xf32>
  %s = tenon.matmul %q, %q {transpose_b = true} : (tensor<1x1x8x4xf32>, tensor<1x1x8x4xf32>) -> tensor<1x1x8x8xf32>
  %t = tenon.add %s, %m : (tensor<1x1x8x8xf32>, tensor<1x1x8x8xf32>) -> tensor<1x1x8x8xf32>
  %u = tenon.mul %t, %h : (tensor<1x1x8x8xf32>, tensor<1x1x8x8xf32>) -> tensor<1x1x8x8xf32>
  %p = tenon.softmax %u {axis = 3 : i64} : (tensor<1x1x8x8xf32>) -> tensor<1x1x8x8xf32>
  %o = tenon.matmul %p, %q : (tensor<1x1x8x8xf32>, tensor<1x1x8x4xf32>) -> tensor<1x1x8x4xf32>
  return %o : tensor<1x1x8x4xf32>
}

// -----

// A condition, keys in rows: transposed to queries x keys.
// CHECK-LABEL: @condition
// CHECK-SAME: %[[M:.*]]: tensor<6x8xi1>
// CHECK: %[[T:.*]] = tenon.transpose %[[M]]
// CHECK: %[[M4:.*]] = tenon.reshape %[[T]] {{.*}} -> tensor<1x1x8x6xi1>
// CHECK: tenon.attention %{{.*}}, %{{.*}}, %{{.*}}, %[[M4]] {scale
func.func @condition(%m: tensor<6x8xi1>, %q: tensor<8x4xf32>, %k: tensor<6x4xf32>) -> tensor<8x4xf32> {
  %inf = tenon.constant dense<0xFF800000> : tensor<6x8xf32>
  %s = tenon.matmul %k, %q {transpose_b = true} : (tensor<6x4xf32>, tensor<8x4xf32>) -> tensor<6x8xf32>
  %t = tenon.select %m, %s, %inf : (tensor<6x8xi1>, tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
  %p = tenon.softmax %t {axis = 0 : i64} : (tensor<6x8xf32>) -> tensor<6x8xf32>
  %o = tenon.matmul %p, %k {transpose_a = true} : (tensor<6x8xf32>, tensor<6x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

// Causal from two iotas, in a condition that hides key > query.
// CHECK-LABEL: @causal_iota
// CHECK: tenon.attention %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}} {causal = true
func.func @causal_iota(%q: tensor<8x4xf32>, %k: tensor<6x4xf32>) -> tensor<8x4xf32> {
  %i = tenon.iota {shape = array<i64: 8, 6>, axis = 0 : i64, dtype = i32} : () -> tensor<8x6xi32>
  %j = tenon.iota {shape = array<i64: 8, 6>, axis = 1 : i64, dtype = i32} : () -> tensor<8x6xi32>
  %c = tenon.compare %j, %i {predicate = #tenon.predicate<gt>} : (tensor<8x6xi32>, tensor<8x6xi32>) -> tensor<8x6xi1>
  %inf = tenon.constant dense<-1.0e30> : tensor<8x6xf32>
  %s = tenon.matmul %q, %k {transpose_b = true} : (tensor<8x4xf32>, tensor<6x4xf32>) -> tensor<8x6xf32>
  %t = tenon.select %c, %inf, %s : (tensor<8x6xi1>, tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
  %p = tenon.softmax %t {axis = 1 : i64} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  %o = tenon.matmul %p, %k : (tensor<8x6xf32>, tensor<6x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

// Causal from a constant that is added, keys in rows.
// CHECK-LABEL: @causal_constant
// CHECK: tenon.attention %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}} {causal = true
func.func @causal_constant(%q: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %m = tenon.constant dense<[[0.0, 0.0, 0.0], [0xFF800000, 0.0, 0.0], [0xFF800000, 0xFF800000, 0.0]]> : tensor<3x3xf32>
  %s = tenon.matmul %q, %q {transpose_b = true} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x3xf32>
  %t = tenon.add %s, %m : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %p = tenon.softmax %t {axis = 0 : i64} : (tensor<3x3xf32>) -> tensor<3x3xf32>
  %o = tenon.matmul %p, %q {transpose_a = true} : (tensor<3x3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %o : tensor<3x4xf32>
}

// -----

// A bias that is a select of 0 and -inf is a condition; a causal one and a mask go
// together.
// CHECK-LABEL: @causal_and_bias
// CHECK: tenon.attention %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {causal = true
func.func @causal_and_bias(%m: tensor<8x8xf32>, %q: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %i = tenon.iota {shape = array<i64: 8, 8>, axis = 0 : i64, dtype = i32} : () -> tensor<8x8xi32>
  %j = tenon.iota {shape = array<i64: 8, 8>, axis = 1 : i64, dtype = i32} : () -> tensor<8x8xi32>
  %c = tenon.compare %i, %j {predicate = #tenon.predicate<ge>} : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
  %zero = tenon.constant dense<0.0> : tensor<8x8xf32>
  %inf = tenon.constant dense<0xFF800000> : tensor<8x8xf32>
  %b = tenon.select %c, %zero, %inf : (tensor<8x8xi1>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = tenon.matmul %q, %q {transpose_b = true} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %t = tenon.add %s, %m : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %u = tenon.add %t, %b : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = tenon.softmax %u {axis = 1 : i64} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %o = tenon.matmul %p, %q : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

// query < key visible, or without the diagonal: a mask, but not causal.
// CHECK-LABEL: @not_causal
// CHECK: tenon.attention %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {scale
func.func @not_causal(%q: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %i = tenon.iota {shape = array<i64: 8, 8>, axis = 0 : i64, dtype = i32} : () -> tensor<8x8xi32>
  %j = tenon.iota {shape = array<i64: 8, 8>, axis = 1 : i64, dtype = i32} : () -> tensor<8x8xi32>
  %c = tenon.compare %j, %i {predicate = #tenon.predicate<lt>} : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
  %inf = tenon.constant dense<0xFF800000> : tensor<8x8xf32>
  %s = tenon.matmul %q, %q {transpose_b = true} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %t = tenon.select %c, %s, %inf : (tensor<8x8xi1>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = tenon.softmax %t {axis = 1 : i64} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %o = tenon.matmul %p, %q : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}
