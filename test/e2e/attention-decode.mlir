// Attention of a few queries, whose keys are split over workgroups of a GPU in chunks of 256.
// RUN: tenon-run %s --compare=reference --extent=2,2,300,2,300
// RUN: tenon-run %s --compare=reference --extent=2,2,300,2,300 --backend=vulkan
// RUN: tenon-run %s --compare=reference --function=dynamic --extent=1,1,0,1,0 --backend=vulkan
// RUN: tenon-run %s --compare=reference --function=dynamic --extent=3,3,1,3,1 --backend=vulkan
// RUN: tenon-run %s --compare=reference --function=heads --extent=6,3,260,3,260 --backend=vulkan
// RUN: tenon-run %s --compare=reference --extent=2,2,300,2,300 --march=x86-64-v2

func.func @f16_1_256_128_128(%q: tensor<2x2x1x128xf16>, %k: tensor<2x2x256x128xf16>, %v: tensor<2x2x256x128xf16>) -> (tensor<2x2x1x128xf16>, tensor<2x2x1xf32>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.1 : f64} : (tensor<2x2x1x128xf16>, tensor<2x2x256x128xf16>, tensor<2x2x256x128xf16>) -> (tensor<2x2x1x128xf16>, tensor<2x2x1xf32>)
  return %o, %lse : tensor<2x2x1x128xf16>, tensor<2x2x1xf32>
}

func.func @f16_1_513_128_64(%q: tensor<2x4x1x128xf16>, %k: tensor<2x2x513x128xf16>, %v: tensor<2x2x513x64xf16>) -> (tensor<2x4x1x64xf16>, tensor<2x4x1xf32>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.1 : f64} : (tensor<2x4x1x128xf16>, tensor<2x2x513x128xf16>, tensor<2x2x513x64xf16>) -> (tensor<2x4x1x64xf16>, tensor<2x4x1xf32>)
  return %o, %lse : tensor<2x4x1x64xf16>, tensor<2x4x1xf32>
}

func.func @f32_3_255_17_8(%q: tensor<1x4x3x17xf32>, %k: tensor<1x2x255x17xf32>, %v: tensor<1x2x255x8xf32>, %mask: tensor<1x1x3x255xi1>) -> (tensor<1x4x3x8xf32>, tensor<1x4x3xf32>) {
  %o, %lse = tenon.attention %q, %k, %v, %mask {scale = 0.25 : f64} : (tensor<1x4x3x17xf32>, tensor<1x2x255x17xf32>, tensor<1x2x255x8xf32>, tensor<1x1x3x255xi1>) -> (tensor<1x4x3x8xf32>, tensor<1x4x3xf32>)
  return %o, %lse : tensor<1x4x3x8xf32>, tensor<1x4x3xf32>
}

func.func @f32_2_257_8_33(%q: tensor<2x6x2x8xf32>, %k: tensor<2x2x257x8xf32>, %v: tensor<2x2x257x33xf32>, %mask: tensor<1x6x2x257xf32>) -> (tensor<2x6x2x33xf32>, tensor<2x6x2xf32>) {
  %o, %lse = tenon.attention %q, %k, %v, %mask {scale = -0.25 : f64} : (tensor<2x6x2x8xf32>, tensor<2x2x257x8xf32>, tensor<2x2x257x33xf32>, tensor<1x6x2x257xf32>) -> (tensor<2x6x2x33xf32>, tensor<2x6x2xf32>)
  return %o, %lse : tensor<2x6x2x33xf32>, tensor<2x6x2xf32>
}

func.func @f16_1_700_256_256(%q: tensor<1x8x1x256xf16>, %k: tensor<1x1x700x256xf16>, %v: tensor<1x1x700x256xf16>, %mask: tensor<1x1x1x700xf16>) -> (tensor<1x8x1x256xf16>, tensor<1x8x1xf32>) {
  %o, %lse = tenon.attention %q, %k, %v, %mask {scale = 0.05 : f64} : (tensor<1x8x1x256xf16>, tensor<1x1x700x256xf16>, tensor<1x1x700x256xf16>, tensor<1x1x1x700xf16>) -> (tensor<1x8x1x256xf16>, tensor<1x8x1xf32>)
  return %o, %lse : tensor<1x8x1x256xf16>, tensor<1x8x1xf32>
}

func.func @f16_2_300_136_72(%q: tensor<1x3x2x136xf16>, %k: tensor<1x3x300x136xf16>, %v: tensor<1x3x300x72xf16>) -> (tensor<1x3x2x72xf16>, tensor<1x3x2xf32>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.05 : f64} : (tensor<1x3x2x136xf16>, tensor<1x3x300x136xf16>, tensor<1x3x300x72xf16>) -> (tensor<1x3x2x72xf16>, tensor<1x3x2xf32>)
  return %o, %lse : tensor<1x3x2x72xf16>, tensor<1x3x2xf32>
}

func.func @f32_3_256_8_12(%q: tensor<1x2x3x8xf32>, %k: tensor<1x2x256x8xf32>, %v: tensor<1x2x256x12xf32>) -> (tensor<1x2x3x12xf32>, tensor<1x2x3xf32>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.25 : f64} : (tensor<1x2x3x8xf32>, tensor<1x2x256x8xf32>, tensor<1x2x256x12xf32>) -> (tensor<1x2x3x12xf32>, tensor<1x2x3xf32>)
  return %o, %lse : tensor<1x2x3x12xf32>, tensor<1x2x3xf32>
}

func.func @bf16_1_260_16_24(%q: tensor<1x4x1x16xbf16>, %k: tensor<1x2x260x16xbf16>, %v: tensor<1x2x260x24xbf16>, %mask: tensor<1x1x1x260xi1>) -> (tensor<1x4x1x24xbf16>, tensor<1x4x1xf32>) {
  %o, %lse = tenon.attention %q, %k, %v, %mask {scale = 0.25 : f64} : (tensor<1x4x1x16xbf16>, tensor<1x2x260x16xbf16>, tensor<1x2x260x24xbf16>, tensor<1x1x1x260xi1>) -> (tensor<1x4x1x24xbf16>, tensor<1x4x1xf32>)
  return %o, %lse : tensor<1x4x1x24xbf16>, tensor<1x4x1xf32>
}

func.func @f64_4_600_16_3(%q: tensor<1x2x4x16xf64>, %k: tensor<1x1x600x16xf64>, %v: tensor<1x1x600x3xf64>, %mask: tensor<1x2x4x600xi1>) -> (tensor<1x2x4x3xf64>, tensor<1x2x4xf64>) {
  %o, %lse = tenon.attention %q, %k, %v, %mask {scale = 0.25 : f64} : (tensor<1x2x4x16xf64>, tensor<1x1x600x16xf64>, tensor<1x1x600x3xf64>, tensor<1x2x4x600xi1>) -> (tensor<1x2x4x3xf64>, tensor<1x2x4xf64>)
  return %o, %lse : tensor<1x2x4x3xf64>, tensor<1x2x4xf64>
}

func.func @bf16_1_300_1_1(%q: tensor<1x2x1x1xbf16>, %k: tensor<1x2x300x1xbf16>, %v: tensor<1x2x300x1xbf16>) -> tensor<1x2x1x1xbf16> {
  %o, %lse = tenon.attention %q, %k, %v {scale = 1.0 : f64} : (tensor<1x2x1x1xbf16>, tensor<1x2x300x1xbf16>, tensor<1x2x300x1xbf16>) -> (tensor<1x2x1x1xbf16>, tensor<1x2x1xf32>)
  return %o : tensor<1x2x1x1xbf16>
}

func.func @dynamic(%q: tensor<?x4x1x16xf32>, %k: tensor<?x2x?x16xf32>, %v: tensor<?x2x?x16xf32>) -> (tensor<?x4x1x16xf32>, tensor<?x4x1xf32>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.25 : f64} : (tensor<?x4x1x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>) -> (tensor<?x4x1x16xf32>, tensor<?x4x1xf32>)
  return %o, %lse : tensor<?x4x1x16xf32>, tensor<?x4x1xf32>
}

func.func @heads(%q: tensor<1x?x2x5xf32>, %k: tensor<1x?x?x5xf32>, %v: tensor<1x?x?x5xf32>) -> (tensor<1x?x2x5xf32>, tensor<1x?x2xf32>) {
  %o, %lse = tenon.attention %q, %k, %v {scale = 0.25 : f64} : (tensor<1x?x2x5xf32>, tensor<1x?x?x5xf32>, tensor<1x?x?x5xf32>) -> (tensor<1x?x2x5xf32>, tensor<1x?x2xf32>)
  return %o, %lse : tensor<1x?x2x5xf32>, tensor<1x?x2xf32>
}
