// RUN: tenon-opt %s --split-input-file --verify-diagnostics

func.func @arguments(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{block arguments 0: expected 'tensor<4xf32>', got 'tensor<4xf64>'}}
  %y = tenon.custom(%x) glsl ["void main() {}"] : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf64>):
    tenon.yield %a : tensor<4xf64>
  }
  return %y : tensor<4xf32>
}

// -----

func.func @results(%x: tensor<4xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{yielded values 0: expected 'tensor<3xf32>', got 'tensor<4xf32>'}}
  %y = tenon.custom(%x) glsl ["void main() {}"] : (tensor<4xf32>) -> tensor<3xf32> {
  ^bb0(%a: tensor<4xf32>):
    tenon.yield %a : tensor<4xf32>
  }
  return %y : tensor<3xf32>
}

// -----

func.func @groups(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{groups: expected a symbol for each of 1 extents and no dimensions, got affine_map<()[s0, s1] -> (s0 * s1)>}}
  %y = tenon.custom(%x) glsl ["void main() {}"] groups affine_map<()[n, m] -> (n * m)> : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    tenon.yield %a : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

func.func @axes(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{groups: expected numbers for 1 to 3 axes, got}}
  %y = tenon.custom(%x) glsl ["void main() {}"] groups affine_map<()[n] -> (n, 1, 1, 1)> : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    tenon.yield %a : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

func.func @backward(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error @+1 {{backward: expected an input of a float type, which has a gradient}}
  %y = tenon.custom(%x) glsl ["void main() {}"] backward ["void main() {}"] : (tensor<4xi32>) -> tensor<4xi32> {
  ^bb0(%a: tensor<4xi32>):
    tenon.yield %a : tensor<4xi32>
  }
  return %y : tensor<4xi32>
}
