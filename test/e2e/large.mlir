// Enough elements for the kernels that cut them into blocks and tiles, whole and not.
// RUN: tenon-run %s --compare=reference --extent=701 --quiet
// RUN: tenon-run %s --compare=reference --extent=701 --quiet --backend=vulkan

func.func @blocks(%x: tensor<1024x512xf32>, %y: tensor<1024x512xf32>) -> tensor<1024x512xf32> {
  %a = tenon.exp %x : tensor<1024x512xf32>
  %b = tenon.mul %a, %y : (tensor<1024x512xf32>, tensor<1024x512xf32>) -> tensor<1024x512xf32>
  return %b : tensor<1024x512xf32>
}

func.func @rest(%x: tensor<641x523xf16>, %b: tensor<523xf16>) -> (tensor<641x523xf16>, tensor<641x523xi1>) {
  %c = tenon.broadcast %b {shape = array<i64: 641, 523>, dims = array<i64: 1>} : (tensor<523xf16>) -> tensor<641x523xf16>
  %y = tenon.add %x, %c : (tensor<641x523xf16>, tensor<641x523xf16>) -> tensor<641x523xf16>
  %m = tenon.compare %x, %c {predicate = #tenon.predicate<gt>} : (tensor<641x523xf16>, tensor<641x523xf16>) -> tensor<641x523xi1>
  return %y, %m : tensor<641x523xf16>, tensor<641x523xi1>
}

func.func @dynamic(%x: tensor<?x700xf32>) -> (tensor<?x700xf32>, tensor<700x?xf32>) {
  %y = tenon.tanh %x : tensor<?x700xf32>
  %t = tenon.transpose %y {permutation = array<i64: 1, 0>} : (tensor<?x700xf32>) -> tensor<700x?xf32>
  return %y, %t : tensor<?x700xf32>, tensor<700x?xf32>
}

func.func @turned(%x: tensor<513x545xf32>, %y: tensor<545x513xf32>) -> tensor<545x513xf32> {
  %t = tenon.transpose %x {permutation = array<i64: 1, 0>} : (tensor<513x545xf32>) -> tensor<545x513xf32>
  %z = tenon.sub %t, %y : (tensor<545x513xf32>, tensor<545x513xf32>) -> tensor<545x513xf32>
  return %z : tensor<545x513xf32>
}

func.func @heads(%x: tensor<3x130x5x160xf16>) -> tensor<3x160x130x5xf16> {
  %t = tenon.transpose %x {permutation = array<i64: 0, 3, 1, 2>} : (tensor<3x130x5x160xf16>) -> tensor<3x160x130x5xf16>
  return %t : tensor<3x160x130x5xf16>
}

func.func @rows(%x: tensor<70x4096xf32>, %g: tensor<4096xf32>) -> (tensor<70x4096xf32>, tensor<70x4096xf32>, tensor<70xf32>) {
  %s = tenon.softmax %x {axis = 1 : i64} : (tensor<70x4096xf32>) -> tensor<70x4096xf32>
  %n = tenon.rms_norm %x, %g {eps = 1.0e-5 : f64} : (tensor<70x4096xf32>, tensor<4096xf32>) -> tensor<70x4096xf32>
  %m = tenon.reduce_max %x {axes = array<i64: 1>} : (tensor<70x4096xf32>) -> tensor<70xf32>
  return %s, %n, %m : tensor<70x4096xf32>, tensor<70x4096xf32>, tensor<70xf32>
}

func.func @products(%x: tensor<1100x70xf32>, %y: tensor<70x1050xf32>) -> tensor<1100x1050xf32> {
  %z = tenon.matmul %x, %y : (tensor<1100x70xf32>, tensor<70x1050xf32>) -> tensor<1100x1050xf32>
  return %z : tensor<1100x1050xf32>
}
