// More random numbers than a few on a GPU: each invocation draws a block of four, for it and its
// neighbours.
// RUN: tenon-run %s --compare=reference --quiet --extent=601
// RUN: tenon-run %s --compare=reference --quiet --extent=601 --backend=vulkan
// RUN: env TENON_FAULT=work@3000 tenon-run %s --compare=reference --quiet --extent=601 --backend=vulkan

func.func @dropout(%x: tensor<1000x777xf32>, %s: tensor<i64>, %t: tensor<i64>) -> (tensor<1000x777xf32>, tensor<262144xf16>, tensor<7x40961xf64>) {
  %y = tenon.dropout %x, %s, %t {rate = 0.3 : f64, stream = 5 : i64} : (tensor<1000x777xf32>, tensor<i64>, tensor<i64>) -> tensor<1000x777xf32>
  %a = tenon.random_uniform %s, %t {shape = array<i64: 262144>, stream = 2 : i64, dtype = f16} : (tensor<i64>, tensor<i64>) -> tensor<262144xf16>
  %b = tenon.random_uniform %s, %t {shape = array<i64: 7, 40961>, stream = 3 : i64, dtype = f64} : (tensor<i64>, tensor<i64>) -> tensor<7x40961xf64>
  return %y, %a, %b : tensor<1000x777xf32>, tensor<262144xf16>, tensor<7x40961xf64>
}
func.func @many(%x: tensor<600x500xf32>, %c: tensor<500xf32>, %s: tensor<i64>, %t: tensor<i64>) -> tensor<600x500xf32> {
  %a = tenon.dropout %x, %s, %t {rate = 0.3 : f64, stream = 5 : i64} : (tensor<600x500xf32>, tensor<i64>, tensor<i64>) -> tensor<600x500xf32>
  %w = tenon.broadcast %c {shape = array<i64: 600, 500>, dims = array<i64: 1>} : (tensor<500xf32>) -> tensor<600x500xf32>
  %b = tenon.dropout %w, %s, %t {rate = 0.6 : f64, stream = 6 : i64} : (tensor<600x500xf32>, tensor<i64>, tensor<i64>) -> tensor<600x500xf32>
  %y = tenon.add %a, %b : (tensor<600x500xf32>, tensor<600x500xf32>) -> tensor<600x500xf32>
  %u = tenon.random_uniform %s, %t {shape = array<i64: 600, 500>, stream = 2 : i64, dtype = f32} : (tensor<i64>, tensor<i64>) -> tensor<600x500xf32>
  %z = tenon.mul %y, %u : (tensor<600x500xf32>, tensor<600x500xf32>) -> tensor<600x500xf32>
  %n = tenon.random_normal %s, %t {shape = array<i64: 600, 500>, stream = 4 : i64, dtype = f32} : (tensor<i64>, tensor<i64>) -> tensor<600x500xf32>
  %m = tenon.add %z, %n : (tensor<600x500xf32>, tensor<600x500xf32>) -> tensor<600x500xf32>
  return %m : tensor<600x500xf32>
}
func.func @dynamic(%x: tensor<?x?xf32>, %s: tensor<i64>, %t: tensor<i64>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %y = tenon.dropout %x, %s, %t {rate = 0.3 : f64, stream = 5 : i64} : (tensor<?x?xf32>, tensor<i64>, tensor<i64>) -> tensor<?x?xf32>
  %a = tenon.neg %y : tensor<?x?xf32>
  return %y, %a : tensor<?x?xf32>, tensor<?x?xf32>
}
