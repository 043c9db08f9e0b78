// RUN: tenon-run %s --compare=reference
// RUN: tenon-run %s --compare=reference --backend=vulkan

// A NaN, here the root of a negative number, makes its row NaN and no other.
func.func @softmax(%x: tensor<70x5xf32>, %m: tensor<70x5xf32>) -> (tensor<70x5xf32>, tensor<70x5xf32>) {
  %shift = tenon.fill {shape = array<i64: 70, 5>, value = 1.5 : f64, dtype = f32} : () -> tensor<70x5xf32>
  %s = tenon.add %x, %shift : (tensor<70x5xf32>, tensor<70x5xf32>) -> tensor<70x5xf32>
  %r = tenon.sqrt %s : tensor<70x5xf32>
  %y = tenon.softmax %r {axis = 1 : i64} : (tensor<70x5xf32>) -> tensor<70x5xf32>
  %l = tenon.log_softmax %r {axis = 1 : i64} : (tensor<70x5xf32>) -> tensor<70x5xf32>
  return %y, %l : tensor<70x5xf32>, tensor<70x5xf32>
}

func.func @long_rows(%x: tensor<6x700xf32>) -> tensor<6x700xf32> {
  %r = tenon.sqrt %x : tensor<6x700xf32>
  %y = tenon.softmax %r {axis = 1 : i64} : (tensor<6x700xf32>) -> tensor<6x700xf32>
  return %y : tensor<6x700xf32>
}
