// Products along a part of a vector whose operands are computed in the kernel: what the
// lanes beyond the end have, cos(0) or a repeated scalar, is no part of the sum.
// RUN: tenon-run %s --compare=reference | FileCheck %s
// RUN: tenon-run %s --compare=reference --backend=vulkan
// CHECK-COUNT-3: ok

func.func @not_zero_at_zero(%x: tensor<66x1x2xf64>) -> tensor<66x1x1xf64> {
  %0 = tenon.cos %x : tensor<66x1x2xf64>
  %1 = tenon.matmul %0, %0 {transpose_b = true} : (tensor<66x1x2xf64>, tensor<66x1x2xf64>) -> tensor<66x1x1xf64>
  return %1 : tensor<66x1x1xf64>
}

func.func @repeated(%x: tensor<1xf64>) -> tensor<1x1xf64> {
  %0 = tenon.broadcast %x {shape = array<i64: 1, 2>, dims = array<i64: 0>} : (tensor<1xf64>) -> tensor<1x2xf64>
  %1 = tenon.erf %0 : tensor<1x2xf64>
  %2 = tenon.matmul %1, %1 {transpose_b = true} : (tensor<1x2xf64>, tensor<1x2xf64>) -> tensor<1x1xf64>
  return %2 : tensor<1x1xf64>
}

func.func @infinite_at_zero(%x: tensor<1x21xf32>, %y: tensor<21x1xf32>) -> tensor<1x1xf32> {
  %0 = tenon.exp %x : tensor<1x21xf32>
  %1 = tenon.rsqrt %0 : tensor<1x21xf32>
  %2 = tenon.log %0 : tensor<1x21xf32>
  %3 = tenon.mul %1, %2 : (tensor<1x21xf32>, tensor<1x21xf32>) -> tensor<1x21xf32>
  %4 = tenon.matmul %3, %y : (tensor<1x21xf32>, tensor<21x1xf32>) -> tensor<1x1xf32>
  return %4 : tensor<1x1xf32>
}
