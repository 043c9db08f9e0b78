// One step of fitting y = x w + b by gradient descent, for any number of points.
func.func @step(%x: tensor<?x1xf32> {tenon.name = "x"}, %y: tensor<?x1xf32> {tenon.name = "y"},
                %w: tensor<1x1xf32> {tenon.name = "w"}, %b: tensor<1x1xf32> {tenon.name = "b"},
                %rate: tensor<f32> {tenon.name = "rate"})
    -> (tensor<1x1xf32> {tenon.name = "new_w", tenon.donates = 2 : i64},
        tensor<1x1xf32> {tenon.name = "new_b", tenon.donates = 3 : i64},
        tensor<f32> {tenon.name = "loss"}) {
  %xw = tenon.matmul %x, %w : (tensor<?x1xf32>, tensor<1x1xf32>) -> tensor<?x1xf32>
  %zero = tenon.sub %x, %x : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
  %ones = tenon.exp %zero : tensor<?x1xf32>
  %bs = tenon.matmul %ones, %b : (tensor<?x1xf32>, tensor<1x1xf32>) -> tensor<?x1xf32>
  %p = tenon.add %xw, %bs : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
  %loss = tenon.mse_loss %p, %y : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<f32>
  %gw = tenon.gradient %loss, %w : (tensor<f32>, tensor<1x1xf32>) -> tensor<1x1xf32>
  %gb = tenon.gradient %loss, %b : (tensor<f32>, tensor<1x1xf32>) -> tensor<1x1xf32>
  %nw = tenon.sgd %w, %gw, %rate
    : (tensor<1x1xf32>, tensor<1x1xf32>, tensor<f32>) -> tensor<1x1xf32>
  %nb = tenon.sgd %b, %gb, %rate
    : (tensor<1x1xf32>, tensor<1x1xf32>, tensor<f32>) -> tensor<1x1xf32>
  return %nw, %nb, %loss : tensor<1x1xf32>, tensor<1x1xf32>, tensor<f32>
}
