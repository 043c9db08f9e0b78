// RUN: tenon-run %s --compare=reference
// RUN: tenon-run %s --compare=reference --backend=vulkan

func.func @views_f64(%x: tensor<4x6xf64>) -> (tensor<3x8xf64>, tensor<6x4xf64>, tensor<4x5x6xf64>, tensor<3x3xf64>, tensor<4x12xf64>, tensor<5x9xf64>) {
  %a = tenon.reshape %x {shape = array<i64: 3, 8>} : (tensor<4x6xf64>) -> tensor<3x8xf64>
  %b = tenon.transpose %x {permutation = array<i64: 1, 0>} : (tensor<4x6xf64>) -> tensor<6x4xf64>
  %c = tenon.broadcast %x {shape = array<i64: 4, 5, 6>, dims = array<i64: 0, 2>} : (tensor<4x6xf64>) -> tensor<4x5x6xf64>
  %d = tenon.slice %x {offsets = array<i64: 1, 0>, sizes = array<i64: 3, 3>, strides = array<i64: 1, 2>} : (tensor<4x6xf64>) -> tensor<3x3xf64>
  %e = tenon.concat %x, %x {axis = 1 : i64} : (tensor<4x6xf64>, tensor<4x6xf64>) -> tensor<4x12xf64>
  %f = tenon.pad %x {low = array<i64: 1, 0>, high = array<i64: 0, 3>, value = 1.0 : f64} : (tensor<4x6xf64>) -> tensor<5x9xf64>
  return %a, %b, %c, %d, %e, %f : tensor<3x8xf64>, tensor<6x4xf64>, tensor<4x5x6xf64>, tensor<3x3xf64>, tensor<4x12xf64>, tensor<5x9xf64>
}

func.func @views_f32(%x: tensor<4x6xf32>) -> (tensor<3x8xf32>, tensor<6x4xf32>, tensor<4x5x6xf32>, tensor<3x3xf32>, tensor<4x12xf32>, tensor<5x9xf32>) {
  %a = tenon.reshape %x {shape = array<i64: 3, 8>} : (tensor<4x6xf32>) -> tensor<3x8xf32>
  %b = tenon.transpose %x {permutation = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %c = tenon.broadcast %x {shape = array<i64: 4, 5, 6>, dims = array<i64: 0, 2>} : (tensor<4x6xf32>) -> tensor<4x5x6xf32>
  %d = tenon.slice %x {offsets = array<i64: 1, 0>, sizes = array<i64: 3, 3>, strides = array<i64: 1, 2>} : (tensor<4x6xf32>) -> tensor<3x3xf32>
  %e = tenon.concat %x, %x {axis = 1 : i64} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x12xf32>
  %f = tenon.pad %x {low = array<i64: 1, 0>, high = array<i64: 0, 3>, value = 1.0 : f64} : (tensor<4x6xf32>) -> tensor<5x9xf32>
  return %a, %b, %c, %d, %e, %f : tensor<3x8xf32>, tensor<6x4xf32>, tensor<4x5x6xf32>, tensor<3x3xf32>, tensor<4x12xf32>, tensor<5x9xf32>
}

func.func @views_f16(%x: tensor<4x6xf16>) -> (tensor<3x8xf16>, tensor<6x4xf16>, tensor<4x5x6xf16>, tensor<3x3xf16>, tensor<4x12xf16>, tensor<5x9xf16>) {
  %a = tenon.reshape %x {shape = array<i64: 3, 8>} : (tensor<4x6xf16>) -> tensor<3x8xf16>
  %b = tenon.transpose %x {permutation = array<i64: 1, 0>} : (tensor<4x6xf16>) -> tensor<6x4xf16>
  %c = tenon.broadcast %x {shape = array<i64: 4, 5, 6>, dims = array<i64: 0, 2>} : (tensor<4x6xf16>) -> tensor<4x5x6xf16>
  %d = tenon.slice %x {offsets = array<i64: 1, 0>, sizes = array<i64: 3, 3>, strides = array<i64: 1, 2>} : (tensor<4x6xf16>) -> tensor<3x3xf16>
  %e = tenon.concat %x, %x {axis = 1 : i64} : (tensor<4x6xf16>, tensor<4x6xf16>) -> tensor<4x12xf16>
  %f = tenon.pad %x {low = array<i64: 1, 0>, high = array<i64: 0, 3>, value = 1.0 : f64} : (tensor<4x6xf16>) -> tensor<5x9xf16>
  return %a, %b, %c, %d, %e, %f : tensor<3x8xf16>, tensor<6x4xf16>, tensor<4x5x6xf16>, tensor<3x3xf16>, tensor<4x12xf16>, tensor<5x9xf16>
}

func.func @views_bf16(%x: tensor<4x6xbf16>) -> (tensor<3x8xbf16>, tensor<6x4xbf16>, tensor<4x5x6xbf16>, tensor<3x3xbf16>, tensor<4x12xbf16>, tensor<5x9xbf16>) {
  %a = tenon.reshape %x {shape = array<i64: 3, 8>} : (tensor<4x6xbf16>) -> tensor<3x8xbf16>
  %b = tenon.transpose %x {permutation = array<i64: 1, 0>} : (tensor<4x6xbf16>) -> tensor<6x4xbf16>
  %c = tenon.broadcast %x {shape = array<i64: 4, 5, 6>, dims = array<i64: 0, 2>} : (tensor<4x6xbf16>) -> tensor<4x5x6xbf16>
  %d = tenon.slice %x {offsets = array<i64: 1, 0>, sizes = array<i64: 3, 3>, strides = array<i64: 1, 2>} : (tensor<4x6xbf16>) -> tensor<3x3xbf16>
  %e = tenon.concat %x, %x {axis = 1 : i64} : (tensor<4x6xbf16>, tensor<4x6xbf16>) -> tensor<4x12xbf16>
  %f = tenon.pad %x {low = array<i64: 1, 0>, high = array<i64: 0, 3>, value = 1.0 : f64} : (tensor<4x6xbf16>) -> tensor<5x9xbf16>
  return %a, %b, %c, %d, %e, %f : tensor<3x8xbf16>, tensor<6x4xbf16>, tensor<4x5x6xbf16>, tensor<3x3xbf16>, tensor<4x12xbf16>, tensor<5x9xbf16>
}

func.func @views_i64(%x: tensor<4x6xi64>) -> (tensor<3x8xi64>, tensor<6x4xi64>, tensor<4x5x6xi64>, tensor<3x3xi64>, tensor<4x12xi64>, tensor<5x9xi64>) {
  %a = tenon.reshape %x {shape = array<i64: 3, 8>} : (tensor<4x6xi64>) -> tensor<3x8xi64>
  %b = tenon.transpose %x {permutation = array<i64: 1, 0>} : (tensor<4x6xi64>) -> tensor<6x4xi64>
  %c = tenon.broadcast %x {shape = array<i64: 4, 5, 6>, dims = array<i64: 0, 2>} : (tensor<4x6xi64>) -> tensor<4x5x6xi64>
  %d = tenon.slice %x {offsets = array<i64: 1, 0>, sizes = array<i64: 3, 3>, strides = array<i64: 1, 2>} : (tensor<4x6xi64>) -> tensor<3x3xi64>
  %e = tenon.concat %x, %x {axis = 1 : i64} : (tensor<4x6xi64>, tensor<4x6xi64>) -> tensor<4x12xi64>
  %f = tenon.pad %x {low = array<i64: 1, 0>, high = array<i64: 0, 3>, value = 1.0 : f64} : (tensor<4x6xi64>) -> tensor<5x9xi64>
  return %a, %b, %c, %d, %e, %f : tensor<3x8xi64>, tensor<6x4xi64>, tensor<4x5x6xi64>, tensor<3x3xi64>, tensor<4x12xi64>, tensor<5x9xi64>
}

func.func @views_i32(%x: tensor<4x6xi32>) -> (tensor<3x8xi32>, tensor<6x4xi32>, tensor<4x5x6xi32>, tensor<3x3xi32>, tensor<4x12xi32>, tensor<5x9xi32>) {
  %a = tenon.reshape %x {shape = array<i64: 3, 8>} : (tensor<4x6xi32>) -> tensor<3x8xi32>
  %b = tenon.transpose %x {permutation = array<i64: 1, 0>} : (tensor<4x6xi32>) -> tensor<6x4xi32>
  %c = tenon.broadcast %x {shape = array<i64: 4, 5, 6>, dims = array<i64: 0, 2>} : (tensor<4x6xi32>) -> tensor<4x5x6xi32>
  %d = tenon.slice %x {offsets = array<i64: 1, 0>, sizes = array<i64: 3, 3>, strides = array<i64: 1, 2>} : (tensor<4x6xi32>) -> tensor<3x3xi32>
  %e = tenon.concat %x, %x {axis = 1 : i64} : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x12xi32>
  %f = tenon.pad %x {low = array<i64: 1, 0>, high = array<i64: 0, 3>, value = 1.0 : f64} : (tensor<4x6xi32>) -> tensor<5x9xi32>
  return %a, %b, %c, %d, %e, %f : tensor<3x8xi32>, tensor<6x4xi32>, tensor<4x5x6xi32>, tensor<3x3xi32>, tensor<4x12xi32>, tensor<5x9xi32>
}

func.func @views_i8(%x: tensor<4x6xi8>) -> (tensor<3x8xi8>, tensor<6x4xi8>, tensor<4x5x6xi8>, tensor<3x3xi8>, tensor<4x12xi8>, tensor<5x9xi8>) {
  %a = tenon.reshape %x {shape = array<i64: 3, 8>} : (tensor<4x6xi8>) -> tensor<3x8xi8>
  %b = tenon.transpose %x {permutation = array<i64: 1, 0>} : (tensor<4x6xi8>) -> tensor<6x4xi8>
  %c = tenon.broadcast %x {shape = array<i64: 4, 5, 6>, dims = array<i64: 0, 2>} : (tensor<4x6xi8>) -> tensor<4x5x6xi8>
  %d = tenon.slice %x {offsets = array<i64: 1, 0>, sizes = array<i64: 3, 3>, strides = array<i64: 1, 2>} : (tensor<4x6xi8>) -> tensor<3x3xi8>
  %e = tenon.concat %x, %x {axis = 1 : i64} : (tensor<4x6xi8>, tensor<4x6xi8>) -> tensor<4x12xi8>
  %f = tenon.pad %x {low = array<i64: 1, 0>, high = array<i64: 0, 3>, value = 1.0 : f64} : (tensor<4x6xi8>) -> tensor<5x9xi8>
  return %a, %b, %c, %d, %e, %f : tensor<3x8xi8>, tensor<6x4xi8>, tensor<4x5x6xi8>, tensor<3x3xi8>, tensor<4x12xi8>, tensor<5x9xi8>
}

func.func @views_i1(%x: tensor<4x6xi1>) -> (tensor<3x8xi1>, tensor<6x4xi1>, tensor<4x5x6xi1>, tensor<3x3xi1>, tensor<4x12xi1>, tensor<5x9xi1>) {
  %a = tenon.reshape %x {shape = array<i64: 3, 8>} : (tensor<4x6xi1>) -> tensor<3x8xi1>
  %b = tenon.transpose %x {permutation = array<i64: 1, 0>} : (tensor<4x6xi1>) -> tensor<6x4xi1>
  %c = tenon.broadcast %x {shape = array<i64: 4, 5, 6>, dims = array<i64: 0, 2>} : (tensor<4x6xi1>) -> tensor<4x5x6xi1>
  %d = tenon.slice %x {offsets = array<i64: 1, 0>, sizes = array<i64: 3, 3>, strides = array<i64: 1, 2>} : (tensor<4x6xi1>) -> tensor<3x3xi1>
  %e = tenon.concat %x, %x {axis = 1 : i64} : (tensor<4x6xi1>, tensor<4x6xi1>) -> tensor<4x12xi1>
  %f = tenon.pad %x {low = array<i64: 1, 0>, high = array<i64: 0, 3>, value = 1.0 : f64} : (tensor<4x6xi1>) -> tensor<5x9xi1>
  return %a, %b, %c, %d, %e, %f : tensor<3x8xi1>, tensor<6x4xi1>, tensor<4x5x6xi1>, tensor<3x3xi1>, tensor<4x12xi1>, tensor<5x9xi1>
}

func.func @transpose_3d(%x: tensor<3x5x7xf32>) -> (tensor<7x3x5xf32>, tensor<5x3x7xf32>) {
  %a = tenon.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<3x5x7xf32>) -> tensor<7x3x5xf32>
  %b = tenon.transpose %x {permutation = array<i64: 1, 0, 2>} : (tensor<3x5x7xf32>) -> tensor<5x3x7xf32>
  return %a, %b : tensor<7x3x5xf32>, tensor<5x3x7xf32>
}

func.func @chain(%x: tensor<3x5x7xf32>) -> (tensor<9x4xf32>, tensor<21x5xf32>) {
  %a = tenon.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<3x5x7xf32>) -> tensor<7x3x5xf32>
  %b = tenon.reshape %a {shape = array<i64: 21, 5>} : (tensor<7x3x5xf32>) -> tensor<21x5xf32>
  %c = tenon.slice %b {offsets = array<i64: 2, 1>, sizes = array<i64: 9, 4>, strides = array<i64: 2, 1>} : (tensor<21x5xf32>) -> tensor<9x4xf32>
  %d = tenon.exp %c : tensor<9x4xf32>
  return %d, %b : tensor<9x4xf32>, tensor<21x5xf32>
}

func.func @made() -> (tensor<3x5xf32>, tensor<3x5xi64>, tensor<3xf32>, tensor<3xi1>) {
  %a = tenon.fill {shape = array<i64: 3, 5>, value = 2.5 : f64, dtype = f32} : () -> tensor<3x5xf32>
  %b = tenon.iota {shape = array<i64: 3, 5>, axis = 1 : i64, dtype = i64} : () -> tensor<3x5xi64>
  %c = tenon.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %d = tenon.constant dense<[true, false, true]> : tensor<3xi1>
  return %a, %b, %c, %d : tensor<3x5xf32>, tensor<3x5xi64>, tensor<3xf32>, tensor<3xi1>
}

func.func @constant_operand(%x: tensor<3xf32>) -> tensor<3xf32> {
  %c = tenon.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %y = tenon.mul %x, %c : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

func.func @rows_f64(%t: tensor<5x9xf64>, %ids: tensor<4x3xi32>, %u: tensor<4x3x9xf64>) -> (tensor<4x3x9xf64>, tensor<5x9xf64>, tensor<4x3x4xf64>) {
  %a = tenon.gather %t, %ids : (tensor<5x9xf64>, tensor<4x3xi32>) -> tensor<4x3x9xf64>
  %b = tenon.scatter_add %ids, %u {rows = 5 : i64} : (tensor<4x3xi32>, tensor<4x3x9xf64>) -> tensor<5x9xf64>
  %c = tenon.one_hot %ids {depth = 4 : i64, dtype = f64} : (tensor<4x3xi32>) -> tensor<4x3x4xf64>
  return %a, %b, %c : tensor<4x3x9xf64>, tensor<5x9xf64>, tensor<4x3x4xf64>
}

func.func @rows_f32(%t: tensor<5x9xf32>, %ids: tensor<4x3xi32>, %u: tensor<4x3x9xf32>) -> (tensor<4x3x9xf32>, tensor<5x9xf32>, tensor<4x3x4xf32>) {
  %a = tenon.gather %t, %ids : (tensor<5x9xf32>, tensor<4x3xi32>) -> tensor<4x3x9xf32>
  %b = tenon.scatter_add %ids, %u {rows = 5 : i64} : (tensor<4x3xi32>, tensor<4x3x9xf32>) -> tensor<5x9xf32>
  %c = tenon.one_hot %ids {depth = 4 : i64, dtype = f32} : (tensor<4x3xi32>) -> tensor<4x3x4xf32>
  return %a, %b, %c : tensor<4x3x9xf32>, tensor<5x9xf32>, tensor<4x3x4xf32>
}

func.func @rows_f16(%t: tensor<5x9xf16>, %ids: tensor<4x3xi32>, %u: tensor<4x3x9xf16>) -> (tensor<4x3x9xf16>, tensor<5x9xf16>, tensor<4x3x4xf16>) {
  %a = tenon.gather %t, %ids : (tensor<5x9xf16>, tensor<4x3xi32>) -> tensor<4x3x9xf16>
  %b = tenon.scatter_add %ids, %u {rows = 5 : i64} : (tensor<4x3xi32>, tensor<4x3x9xf16>) -> tensor<5x9xf16>
  %c = tenon.one_hot %ids {depth = 4 : i64, dtype = f16} : (tensor<4x3xi32>) -> tensor<4x3x4xf16>
  return %a, %b, %c : tensor<4x3x9xf16>, tensor<5x9xf16>, tensor<4x3x4xf16>
}

func.func @rows_bf16(%t: tensor<5x9xbf16>, %ids: tensor<4x3xi32>, %u: tensor<4x3x9xbf16>) -> (tensor<4x3x9xbf16>, tensor<5x9xbf16>, tensor<4x3x4xbf16>) {
  %a = tenon.gather %t, %ids : (tensor<5x9xbf16>, tensor<4x3xi32>) -> tensor<4x3x9xbf16>
  %b = tenon.scatter_add %ids, %u {rows = 5 : i64} : (tensor<4x3xi32>, tensor<4x3x9xbf16>) -> tensor<5x9xbf16>
  %c = tenon.one_hot %ids {depth = 4 : i64, dtype = bf16} : (tensor<4x3xi32>) -> tensor<4x3x4xbf16>
  return %a, %b, %c : tensor<4x3x9xbf16>, tensor<5x9xbf16>, tensor<4x3x4xbf16>
}
