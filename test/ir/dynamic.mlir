// RUN: tenon-opt %s | tenon-opt | FileCheck %s

// CHECK-LABEL: @dynamic
func.func @dynamic(%x: tensor<?x8xf32>, %w: tensor<8x6xf32>, %b: tensor<6xf32>) -> tensor<?x6xf32> {
  // CHECK: tenon.matmul {{.*}} -> tensor<?x6xf32>
  %y = tenon.matmul %x, %w : (tensor<?x8xf32>, tensor<8x6xf32>) -> tensor<?x6xf32>
  // CHECK: tenon.broadcast %{{.*}}, %{{.*}} {{.*}} -> tensor<?x6xf32>
  %c = tenon.broadcast %b, %y {shape = array<i64: -9223372036854775808, 6>, dims = array<i64: 1>}
     : (tensor<6xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
  %z = tenon.add %y, %c : (tensor<?x6xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
  // CHECK: tenon.reshape {{.*}} -> tensor<?xf32>
  %r = tenon.reshape %z {shape = array<i64: -9223372036854775808>} : (tensor<?x6xf32>) -> tensor<?xf32>
  %s = tenon.reshape %r {shape = array<i64: -9223372036854775808, 6>} : (tensor<?xf32>) -> tensor<?x6xf32>
  return %s : tensor<?x6xf32>
}
