// Results that are arguments, each other, or empty.
// RUN: tenon-run %s --compare=reference
// RUN: tenon-run %s --compare=reference --backend=vulkan
// RUN: tenon-run %s --compare=reference --donate

func.func @empty(%x: tensor<0x3xf32>) -> (tensor<0x3xf32>, tensor<3xf32>) {
  %y = tenon.exp %x : tensor<0x3xf32>
  %s = tenon.reduce_sum %x {axes = array<i64: 0>} : (tensor<0x3xf32>) -> tensor<3xf32>
  return %y, %s : tensor<0x3xf32>, tensor<3xf32>
}

func.func @identity(%x: tensor<5xf32>) -> tensor<5xf32> {
  return %x : tensor<5xf32>
}

func.func @constant() -> tensor<2xf32> {
  %c = tenon.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %c : tensor<2xf32>
}

func.func @swapped(%x: tensor<5xf32>, %y: tensor<5xf32>) -> (tensor<5xf32> {tenon.donates = 0 : i64}, tensor<5xf32> {tenon.donates = 1 : i64}) {
  return %y, %x : tensor<5xf32>, tensor<5xf32>
}

func.func @twice(%x: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %y = tenon.exp %x : tensor<5xf32>
  return %y, %y : tensor<5xf32>, tensor<5xf32>
}
