// Reductions over several axes that cannot become one, so that the inner of two loops
// goes on with the sums of the outer.
// RUN: tenon-run %s --compare=reference --int-limit=4
// RUN: tenon-run %s --compare=reference --int-limit=4 --backend=vulkan

func.func @sum_f64(%a: tensor<4x33xf64>, %i: tensor<5xi64>) -> tensor<f64> {
  %g = tenon.gather %a, %i : (tensor<4x33xf64>, tensor<5xi64>) -> tensor<5x33xf64>
  %s = tenon.reduce_sum %g {axes = array<i64: 0, 1>} : (tensor<5x33xf64>) -> tensor<f64>
  return %s : tensor<f64>
}

func.func @mean_f32(%a: tensor<4x200xf32>, %i: tensor<7xi32>) -> tensor<f32> {
  %g = tenon.gather %a, %i : (tensor<4x200xf32>, tensor<7xi32>) -> tensor<7x200xf32>
  %s = tenon.reduce_mean %g {axes = array<i64: 0, 1>} : (tensor<7x200xf32>) -> tensor<f32>
  return %s : tensor<f32>
}

func.func @max_f32(%a: tensor<4x200xf32>, %i: tensor<7xi32>) -> tensor<f32> {
  %g = tenon.gather %a, %i : (tensor<4x200xf32>, tensor<7xi32>) -> tensor<7x200xf32>
  %s = tenon.reduce_max %g {axes = array<i64: 0, 1>} : (tensor<7x200xf32>) -> tensor<f32>
  return %s : tensor<f32>
}

// In pieces: more than one worker's share.
func.func @split(%a: tensor<4x2000xf32>, %i: tensor<300xi32>) -> tensor<f32> {
  %g = tenon.gather %a, %i : (tensor<4x2000xf32>, tensor<300xi32>) -> tensor<300x2000xf32>
  %s = tenon.reduce_mean %g {axes = array<i64: 0, 1>} : (tensor<300x2000xf32>) -> tensor<f32>
  return %s : tensor<f32>
}

// A gradient that scatters, beside another result.
func.func @scatter_beside(%a: tensor<1xf32>, %i: tensor<1xi32>) -> (tensor<f32>, tensor<1xf32>) {
  %r = tenon.relu %a : tensor<1xf32>
  %g = tenon.gather %r, %i : (tensor<1xf32>, tensor<1xi32>) -> tensor<1xf32>
  %t = tenon.tanh %g : tensor<1xf32>
  %s = tenon.reduce_sum %t {axes = array<i64: 0>} : (tensor<1xf32>) -> tensor<f32>
  %d = tenon.gradient %s, %a : (tensor<f32>, tensor<1xf32>) -> tensor<1xf32>
  return %s, %d : tensor<f32>, tensor<1xf32>
}
