module {
  func.func @gradient(%arg0: tensor<f32>) -> tensor<f32> {
    %0 = tenon.exp %arg0 : tensor<f32>
    %1 = tenon.gradient %0, %arg0 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
}