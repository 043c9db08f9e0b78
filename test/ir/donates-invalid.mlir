// RUN: tenon-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{result 0: 'tenon.donates' is "x", expected the number of one of 1 arguments}}
func.func @no_number(%x: tensor<f32>) -> (tensor<f32> {tenon.donates = "x"}) {
  return %x : tensor<f32>
}

// -----

// expected-error @+1 {{result 0: 'tenon.donates' is -1 : i64, expected the number of one of 1 arguments}}
func.func @negative(%x: tensor<f32>) -> (tensor<f32> {tenon.donates = -1 : i64}) {
  return %x : tensor<f32>
}

// -----

// expected-error @+1 {{result 0: 'tenon.donates' is 0 : i64, which is 'tensor<4xf32>', expected 'tensor<5xf32>'}}
func.func @other_shape(%x: tensor<4xf32>, %y: tensor<5xf32>) -> (tensor<5xf32> {tenon.donates = 0 : i64}) {
  return %y : tensor<5xf32>
}

// -----

// expected-error @+1 {{result 1: 'tenon.donates' is 0 : i64, expected an argument that result 0 does not donate already}}
func.func @twice(%x: tensor<f32>) -> (tensor<f32> {tenon.donates = 0 : i64}, tensor<f32> {tenon.donates = 0 : i64}) {
  return %x, %x : tensor<f32>, tensor<f32>
}
