// Rows that are longer than what the members of a team keep in registers: maxima and sums of
// powers in one pass, with rows that are masked, partly or wholly, and NaN.
// RUN: tenon-run %s --compare=reference --quiet --extent=5000 --int-limit=6000
// RUN: tenon-run %s --compare=reference --quiet --extent=5000 --int-limit=6000 --backend=vulkan

func.func @softmax(%x: tensor<3x5000xf32>, %y: tensor<2x32768xf32>) -> (tensor<3x5000xf32>, tensor<2x32768xf32>) {
  %a = tenon.softmax %x {axis = 1 : i64} : (tensor<3x5000xf32>) -> tensor<3x5000xf32>
  %b = tenon.softmax %y {axis = 1 : i64} : (tensor<2x32768xf32>) -> tensor<2x32768xf32>
  return %a, %b : tensor<3x5000xf32>, tensor<2x32768xf32>
}

func.func @kinds(%x: tensor<2x5000xf16>, %y: tensor<2x4100xf64>, %z: tensor<5x37xf32>) -> (tensor<2x5000xf16>, tensor<2x4100xf64>, tensor<5x37xf32>) {
  %a = tenon.log_softmax %x {axis = 1 : i64} : (tensor<2x5000xf16>) -> tensor<2x5000xf16>
  %b = tenon.softmax %y {axis = 1 : i64} : (tensor<2x4100xf64>) -> tensor<2x4100xf64>
  %c = tenon.log_softmax %z {axis = 1 : i64} : (tensor<5x37xf32>) -> tensor<5x37xf32>
  return %a, %b, %c : tensor<2x5000xf16>, tensor<2x4100xf64>, tensor<5x37xf32>
}

// The first row has numbers from -inf on, the second one is -inf alone, the third one grows.
func.func @masked() -> (tensor<3x9000xf32>, tensor<3x9000xf32>) {
  %row = tenon.iota {shape = array<i64: 3, 9000>, axis = 0 : i64, dtype = f32} : () -> tensor<3x9000xf32>
  %place = tenon.iota {shape = array<i64: 3, 9000>, axis = 1 : i64, dtype = f32} : () -> tensor<3x9000xf32>
  %least = tenon.fill {shape = array<i64: 3, 9000>, value = 0xFFF0000000000000 : f64, dtype = f32} : () -> tensor<3x9000xf32>
  %one = tenon.fill {shape = array<i64: 3, 9000>, value = 1.0 : f64, dtype = f32} : () -> tensor<3x9000xf32>
  %few = tenon.fill {shape = array<i64: 3, 9000>, value = 8000.0 : f64, dtype = f32} : () -> tensor<3x9000xf32>
  %isGrowing = tenon.compare %row, %one {predicate = #tenon.predicate<gt>} : (tensor<3x9000xf32>, tensor<3x9000xf32>) -> tensor<3x9000xi1>
  %isLess = tenon.compare %row, %one {predicate = #tenon.predicate<lt>} : (tensor<3x9000xf32>, tensor<3x9000xf32>) -> tensor<3x9000xi1>
  %isLate = tenon.compare %place, %few {predicate = #tenon.predicate<gt>} : (tensor<3x9000xf32>, tensor<3x9000xf32>) -> tensor<3x9000xi1>
  %isSeen = tenon.and %isLess, %isLate : (tensor<3x9000xi1>, tensor<3x9000xi1>) -> tensor<3x9000xi1>
  %any = tenon.or %isGrowing, %isSeen : (tensor<3x9000xi1>, tensor<3x9000xi1>) -> tensor<3x9000xi1>
  %x = tenon.select %any, %place, %least : (tensor<3x9000xi1>, tensor<3x9000xf32>, tensor<3x9000xf32>) -> tensor<3x9000xf32>
  %a = tenon.softmax %x {axis = 1 : i64} : (tensor<3x9000xf32>) -> tensor<3x9000xf32>
  %b = tenon.log_softmax %x {axis = 1 : i64} : (tensor<3x9000xf32>) -> tensor<3x9000xf32>
  return %a, %b : tensor<3x9000xf32>, tensor<3x9000xf32>
}

// About half of the logarithms are NaN.
func.func @nan(%x: tensor<2x5000xf32>) -> tensor<2x5000xf32> {
  %l = tenon.log %x : tensor<2x5000xf32>
  %a = tenon.softmax %l {axis = 1 : i64} : (tensor<2x5000xf32>) -> tensor<2x5000xf32>
  return %a : tensor<2x5000xf32>
}

// Some classes do not exist: these rows have no loss.
func.func @loss(%x: tensor<4x5000xf32>, %t: tensor<4xi32>, %m: tensor<4xi64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4x5000xf32>) {
  %e = tenon.softmax_cross_entropy %x, %t {floor = 0.0 : f64} : (tensor<4x5000xf32>, tensor<4xi32>) -> tensor<4xf32>
  %f = tenon.softmax_cross_entropy %x, %m {floor = 1.0e-4 : f64} : (tensor<4x5000xf32>, tensor<4xi64>) -> tensor<4xf32>
  %s = tenon.reduce_sum %e {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  %g = tenon.gradient %s, %x : (tensor<f32>, tensor<4x5000xf32>) -> tensor<4x5000xf32>
  return %e, %f, %g : tensor<4xf32>, tensor<4xf32>, tensor<4x5000xf32>
}

func.func @dynamic(%x: tensor<2x?xf32>, %t: tensor<2xi32>) -> (tensor<2x?xf32>, tensor<2xf32>) {
  %a = tenon.softmax %x {axis = 1 : i64} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %e = tenon.softmax_cross_entropy %x, %t {floor = 0.0 : f64} : (tensor<2x?xf32>, tensor<2xi32>) -> tensor<2xf32>
  return %a, %e : tensor<2x?xf32>, tensor<2xf32>
}

// Norms and gradients with more than one operand, loads before stores.
func.func @norm(%x: tensor<3x5000xf32>, %g: tensor<5000xf32>, %b: tensor<5000xf32>) -> tensor<3x5000xf32> {
  %y = tenon.layer_norm %x, %g bias %b {eps = 1.0e-5 : f64} : (tensor<3x5000xf32>, tensor<5000xf32>, tensor<5000xf32>) -> tensor<3x5000xf32>
  return %y : tensor<3x5000xf32>
}
