// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// There may be more classes than i8 counts: class 256 is not class 0.
// CHECK-LABEL: @f(
// CHECK: %[[IDS:.*]] = tenon.cast %{{.*}} : (tensor<2xi8>) -> tensor<2xi32>
// CHECK: %[[SPREAD:.*]] = tenon.broadcast %[[IDS]]
// CHECK: %[[CLASSES:.*]] = tenon.iota {{.*}} tensor<2x300xi32>
// CHECK: tenon.compare %[[SPREAD]], %[[CLASSES]]
func.func @f(%x: tensor<2x300xf32>, %t: tensor<2xi8>, %d: tensor<2xf32>) -> tensor<2x300xf32> {
  %l = tenon.softmax_cross_entropy %x, %t {floor = 0.0 : f64} : (tensor<2x300xf32>, tensor<2xi8>) -> tensor<2xf32>
  %g = tenon.gradient %l, %x, %d : (tensor<2xf32>, tensor<2x300xf32>, tensor<2xf32>) -> tensor<2x300xf32>
  return %g : tensor<2x300xf32>
}
