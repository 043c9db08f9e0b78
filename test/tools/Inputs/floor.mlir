func.func @f(%x: tensor<1x4xf64>, %ids: tensor<1xi32>) -> tensor<1xf64> {
  %l = tenon.softmax_cross_entropy %x, %ids {floor = 1.0e-12 : f64} : (tensor<1x4xf64>, tensor<1xi32>) -> tensor<1xf64>
  return %l : tensor<1xf64>
}
