// Losses of rows with targets of each kind, and the gradients of what they are computed from.
// RUN: tenon-run %s --compare=reference --int-limit=7
// RUN: tenon-run %s --compare=reference --int-limit=7 --backend=vulkan

func.func @cross_entropy_f64(%x: tensor<5x7xf64>, %t: tensor<5x7xf64>) -> (tensor<5xf64>, tensor<5x7xf64>) {
  %p = tenon.softmax %x {axis = 1 : i64} : (tensor<5x7xf64>) -> tensor<5x7xf64>
  %s = tenon.softmax %t {axis = 1 : i64} : (tensor<5x7xf64>) -> tensor<5x7xf64>
  %l = tenon.cross_entropy %p, %s {floor = 1.0e-7 : f64} : (tensor<5x7xf64>, tensor<5x7xf64>) -> tensor<5xf64>
  %g = tenon.gradient %l, %x, %l : (tensor<5xf64>, tensor<5x7xf64>, tensor<5xf64>) -> tensor<5x7xf64>
  return %l, %g : tensor<5xf64>, tensor<5x7xf64>
}

func.func @soft_targets_f64(%x: tensor<5x7xf64>, %t: tensor<5x7xf64>) -> (tensor<5xf64>, tensor<5x7xf64>) {
  %s = tenon.softmax %t {axis = 1 : i64} : (tensor<5x7xf64>) -> tensor<5x7xf64>
  %l = tenon.softmax_cross_entropy %x, %s {floor = 1.0e-7 : f64} : (tensor<5x7xf64>, tensor<5x7xf64>) -> tensor<5xf64>
  %g = tenon.gradient %l, %x, %l : (tensor<5xf64>, tensor<5x7xf64>, tensor<5xf64>) -> tensor<5x7xf64>
  return %l, %g : tensor<5xf64>, tensor<5x7xf64>
}

func.func @class_ids_f64(%x: tensor<5x7xf64>, %t: tensor<5xi32>) -> (tensor<5xf64>, tensor<5x7xf64>) {
  %l = tenon.softmax_cross_entropy %x, %t {floor = 1.0e-7 : f64} : (tensor<5x7xf64>, tensor<5xi32>) -> tensor<5xf64>
  %g = tenon.gradient %l, %x, %l : (tensor<5xf64>, tensor<5x7xf64>, tensor<5xf64>) -> tensor<5x7xf64>
  return %l, %g : tensor<5xf64>, tensor<5x7xf64>
}

func.func @cross_entropy_f32(%x: tensor<5x7xf32>, %t: tensor<5x7xf32>) -> (tensor<5xf32>, tensor<5x7xf32>) {
  %p = tenon.softmax %x {axis = 1 : i64} : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %s = tenon.softmax %t {axis = 1 : i64} : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %l = tenon.cross_entropy %p, %s {floor = 1.0e-7 : f64} : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5xf32>
  %g = tenon.gradient %l, %x, %l : (tensor<5xf32>, tensor<5x7xf32>, tensor<5xf32>) -> tensor<5x7xf32>
  return %l, %g : tensor<5xf32>, tensor<5x7xf32>
}

func.func @soft_targets_f32(%x: tensor<5x7xf32>, %t: tensor<5x7xf32>) -> (tensor<5xf32>, tensor<5x7xf32>) {
  %s = tenon.softmax %t {axis = 1 : i64} : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %l = tenon.softmax_cross_entropy %x, %s {floor = 1.0e-7 : f64} : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5xf32>
  %g = tenon.gradient %l, %x, %l : (tensor<5xf32>, tensor<5x7xf32>, tensor<5xf32>) -> tensor<5x7xf32>
  return %l, %g : tensor<5xf32>, tensor<5x7xf32>
}

func.func @class_ids_f32(%x: tensor<5x7xf32>, %t: tensor<5xi32>) -> (tensor<5xf32>, tensor<5x7xf32>) {
  %l = tenon.softmax_cross_entropy %x, %t {floor = 1.0e-7 : f64} : (tensor<5x7xf32>, tensor<5xi32>) -> tensor<5xf32>
  %g = tenon.gradient %l, %x, %l : (tensor<5xf32>, tensor<5x7xf32>, tensor<5xf32>) -> tensor<5x7xf32>
  return %l, %g : tensor<5xf32>, tensor<5x7xf32>
}

func.func @cross_entropy_f16(%x: tensor<5x7xf16>, %t: tensor<5x7xf16>) -> (tensor<5xf16>, tensor<5x7xf16>) {
  %p = tenon.softmax %x {axis = 1 : i64} : (tensor<5x7xf16>) -> tensor<5x7xf16>
  %s = tenon.softmax %t {axis = 1 : i64} : (tensor<5x7xf16>) -> tensor<5x7xf16>
  %l = tenon.cross_entropy %p, %s {floor = 1.0e-3 : f64} : (tensor<5x7xf16>, tensor<5x7xf16>) -> tensor<5xf16>
  %g = tenon.gradient %l, %x, %l : (tensor<5xf16>, tensor<5x7xf16>, tensor<5xf16>) -> tensor<5x7xf16>
  return %l, %g : tensor<5xf16>, tensor<5x7xf16>
}

func.func @soft_targets_f16(%x: tensor<5x7xf16>, %t: tensor<5x7xf16>) -> (tensor<5xf16>, tensor<5x7xf16>) {
  %s = tenon.softmax %t {axis = 1 : i64} : (tensor<5x7xf16>) -> tensor<5x7xf16>
  %l = tenon.softmax_cross_entropy %x, %s {floor = 1.0e-3 : f64} : (tensor<5x7xf16>, tensor<5x7xf16>) -> tensor<5xf16>
  %g = tenon.gradient %l, %x, %l : (tensor<5xf16>, tensor<5x7xf16>, tensor<5xf16>) -> tensor<5x7xf16>
  return %l, %g : tensor<5xf16>, tensor<5x7xf16>
}

func.func @class_ids_f16(%x: tensor<5x7xf16>, %t: tensor<5xi32>) -> (tensor<5xf16>, tensor<5x7xf16>) {
  %l = tenon.softmax_cross_entropy %x, %t {floor = 1.0e-3 : f64} : (tensor<5x7xf16>, tensor<5xi32>) -> tensor<5xf16>
  %g = tenon.gradient %l, %x, %l : (tensor<5xf16>, tensor<5x7xf16>, tensor<5xf16>) -> tensor<5x7xf16>
  return %l, %g : tensor<5xf16>, tensor<5x7xf16>
}

// Probabilities below the floor and above 1 - floor are clamped; their gradient is 0.
func.func @clamped(%p: tensor<5x7xf32>, %t: tensor<5x7xf32>) -> (tensor<5xf32>, tensor<5x7xf32>) {
  %l = tenon.cross_entropy %p, %t {floor = 2.5e-1 : f64} : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5xf32>
  %g = tenon.gradient %l, %p, %l : (tensor<5xf32>, tensor<5x7xf32>, tensor<5xf32>) -> tensor<5x7xf32>
  return %l, %g : tensor<5xf32>, tensor<5x7xf32>
}

func.func @mse_f64(%x: tensor<5x7xf64>, %y: tensor<5x7xf64>) -> (tensor<f64>, tensor<5x7xf64>, tensor<5x7xf64>) {
  %l = tenon.mse_loss %x, %y : (tensor<5x7xf64>, tensor<5x7xf64>) -> tensor<f64>
  %a = tenon.gradient %l, %x : (tensor<f64>, tensor<5x7xf64>) -> tensor<5x7xf64>
  %b = tenon.gradient %l, %y : (tensor<f64>, tensor<5x7xf64>) -> tensor<5x7xf64>
  return %l, %a, %b : tensor<f64>, tensor<5x7xf64>, tensor<5x7xf64>
}

func.func @mse_f32(%x: tensor<5x7xf32>, %y: tensor<5x7xf32>) -> (tensor<f32>, tensor<5x7xf32>, tensor<5x7xf32>) {
  %l = tenon.mse_loss %x, %y : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<f32>
  %a = tenon.gradient %l, %x : (tensor<f32>, tensor<5x7xf32>) -> tensor<5x7xf32>
  %b = tenon.gradient %l, %y : (tensor<f32>, tensor<5x7xf32>) -> tensor<5x7xf32>
  return %l, %a, %b : tensor<f32>, tensor<5x7xf32>, tensor<5x7xf32>
}

// More classes than i8 counts.
func.func @few_ids_many_classes(%x: tensor<2x300xf32>, %t: tensor<2xi8>) -> tensor<2xf32> {
  %l = tenon.softmax_cross_entropy %x, %t {floor = 0.0 : f64} : (tensor<2x300xf32>, tensor<2xi8>) -> tensor<2xf32>
  return %l : tensor<2xf32>
}
