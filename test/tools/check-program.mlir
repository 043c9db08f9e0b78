// What MLIR lets a function hold and the dialect does not compute with.
// RUN: not tenon-compile %s 2>&1 | FileCheck %s
// RUN: not tenon-run %s --function=recursive 2>&1 | FileCheck %s --check-prefix=CALL

// CHECK: :[[#@LINE+1]]:{{[0-9]+}}: error: argument 0: expected a ranked tensor of at most 8 axes of f64, f32, f16, bf16, i64, i32, i8 or i1, got 'tensor<3xcomplex<f32>>'
func.func @complex(%x: tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>> {
  return %x : tensor<3xcomplex<f32>>
}

// CHECK: :[[#@LINE+1]]:{{[0-9]+}}: error: argument 1: {{.*}}, got 'tensor<3xi16>'
func.func @i16(%x: tensor<3xf32>, %y: tensor<3xi16>) -> tensor<3xi16> {
  return %y : tensor<3xi16>
}

// CHECK: :[[#@LINE+1]]:{{[0-9]+}}: error: argument 0: {{.*}}, got 'index'
func.func @index(%x: index) -> index {
  return %x : index
}

// CHECK: :[[#@LINE+3]]:{{[0-9]+}}: error: calls are not supported: expected what 'recursive' computes in place of the call
// CALL:  :[[#@LINE+2]]:{{[0-9]+}}: calls are not supported
func.func @recursive(%x: tensor<f32>) -> tensor<f32> {
  %y = func.call @recursive(%x) : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
