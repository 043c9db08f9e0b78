// RUN: tenon-run %s --compare=reference
// RUN: tenon-run %s --compare=reference --backend=vulkan
// RUN: tenon-run %s --compare=reference --march=x86-64-v2
// RUN: tenon-run %s --compare=reference --march=x86-64-v3

// One key: what the slope of the query should be, 0, is noise of rounding, and so is where it is least.
func.func @least_slope(%q: tensor<2x2x16x15xf32>, %k: tensor<2x1x1x15xf32>, %v: tensor<2x1x1x15xf32>) -> tensor<2x2x15xi64> {
  %o, %lse = tenon.attention %q, %k, %v {scale = 1.0 : f64} : (tensor<2x2x16x15xf32>, tensor<2x1x1x15xf32>, tensor<2x1x1x15xf32>) -> (tensor<2x2x16x15xf32>, tensor<2x2x16xf32>)
  %dq, %dk, %dv = tenon.attention_grad %q, %k, %v o %o, %lse, %q {scale = 1.0 : f64} : (tensor<2x2x16x15xf32>, tensor<2x1x1x15xf32>, tensor<2x1x1x15xf32>, tensor<2x2x16x15xf32>, tensor<2x2x16xf32>, tensor<2x2x16x15xf32>) -> (tensor<2x2x16x15xf32>, tensor<2x1x1x15xf32>, tensor<2x1x1x15xf32>)
  %0 = tenon.softplus %dq : tensor<2x2x16x15xf32>
  %1 = tenon.argmin %0 {axis = 2 : i64} : (tensor<2x2x16x15xf32>) -> tensor<2x2x15xi64>
  return %1 : tensor<2x2x15xi64>
}
