// RUN: tenon-opt %s -tenon-derive-backward -split-input-file -verify-diagnostics

func.func private @f(tensor<f32>) -> tensor<f32>
func.func @no_rule(%x: tensor<f32>) -> tensor<f32> {
  // expected-error@+1 {{'func.call' op has no backward rule, and a gradient flows through it}}
  %y = call @f(%x) : (tensor<f32>) -> tensor<f32>
  %g = tenon.gradient %y, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}

// -----

func.func @through_kernel(%x: tensor<f32>) -> tensor<f32> {
  // expected-error@+1 {{'tenon.kernel' op has no backward rule}}
  %y = tenon.kernel "elementwise" (%x) : (tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>):
    %e = tenon.exp %a : tensor<f32>
    tenon.yield %e : tensor<f32>
  }
  %g = tenon.gradient %y, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}
