// Right programs run with every access checked, whatever the level; what checks do is in
// test/unit/codegen/BoundsChecksTest.cpp.
// RUN: tenon-run %s --sanitize --compare=reference --quiet --function=layer | FileCheck %s
// RUN: tenon-run %s --sanitize --compare=reference --quiet --function=layer -O0 | FileCheck %s
// RUN: tenon-run %s --sanitize --compare=reference --quiet --function=attend | FileCheck %s
// RUN: tenon-run %s --sanitize --compare=reference --quiet --function=open --extent=37 | FileCheck %s
// RUN: tenon-compile %s --sanitize --emit=llvm --march=x86-64-v2 | FileCheck %s --check-prefix=CODE

// CHECK: ok
// CODE: = call ptr %{{[0-9]+}}(ptr %0, ptr %{{[0-9]+}}, i64 {{[0-9]+}}, i64 0, i64 0)

func.func @layer(%x: tensor<33x65xf32>, %w: tensor<65x17xf32>) -> (tensor<33x17xf32>, tensor<17x33xf32>) {
  %0 = tenon.matmul %x, %w : (tensor<33x65xf32>, tensor<65x17xf32>) -> tensor<33x17xf32>
  %1 = tenon.softmax %0 {axis = 1 : i64} : (tensor<33x17xf32>) -> tensor<33x17xf32>
  %2 = tenon.transpose %1 {permutation = array<i64: 1, 0>} : (tensor<33x17xf32>) -> tensor<17x33xf32>
  return %1, %2 : tensor<33x17xf32>, tensor<17x33xf32>
}

func.func @attend(%q: tensor<1x2x65x32xf32>, %k: tensor<1x2x33x32xf32>, %v: tensor<1x2x33x32xf32>)
    -> (tensor<1x2x65x32xf32>, tensor<1x2x65xf32>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.125 : f64}
    : (tensor<1x2x65x32xf32>, tensor<1x2x33x32xf32>, tensor<1x2x33x32xf32>)
    -> (tensor<1x2x65x32xf32>, tensor<1x2x65xf32>)
  return %o, %lse : tensor<1x2x65x32xf32>, tensor<1x2x65xf32>
}

func.func @open(%x: tensor<?x5xf32>) -> tensor<?x5xf32> {
  %0 = tenon.exp %x : tensor<?x5xf32>
  %1 = tenon.log_softmax %0 {axis = 1 : i64} : (tensor<?x5xf32>) -> tensor<?x5xf32>
  return %1 : tensor<?x5xf32>
}
