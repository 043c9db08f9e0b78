// RUN: tenon-run %s --compare=reference
// RUN: tenon-run %s --compare=reference --backend=vulkan

// Random blocks in whole vectors, in rows that end in the middle of one, and beside reductions.

func.func @random_f32_0(%seed: tensor<i64>, %step: tensor<i64>, %x: tensor<131xf32>) -> (tensor<131xf32>, tensor<131xf32>, tensor<131xf32>) {
  %d = tenon.dropout %x, %seed, %step {rate = 0.25 : f64, stream = 9 : i64} : (tensor<131xf32>, tensor<i64>, tensor<i64>) -> tensor<131xf32>
  %u = tenon.random_uniform %seed, %step {shape = array<i64: 131>, stream = 3 : i64, dtype = f32} : (tensor<i64>, tensor<i64>) -> tensor<131xf32>
  %n = tenon.random_normal %seed, %step {shape = array<i64: 131>, stream = 4 : i64, dtype = f32} : (tensor<i64>, tensor<i64>) -> tensor<131xf32>
  return %d, %u, %n : tensor<131xf32>, tensor<131xf32>, tensor<131xf32>
}

func.func @random_f32_1(%seed: tensor<i64>, %step: tensor<i64>, %x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %d = tenon.dropout %x, %seed, %step {rate = 0.25 : f64, stream = 9 : i64} : (tensor<64xf32>, tensor<i64>, tensor<i64>) -> tensor<64xf32>
  %u = tenon.random_uniform %seed, %step {shape = array<i64: 64>, stream = 3 : i64, dtype = f32} : (tensor<i64>, tensor<i64>) -> tensor<64xf32>
  %n = tenon.random_normal %seed, %step {shape = array<i64: 64>, stream = 4 : i64, dtype = f32} : (tensor<i64>, tensor<i64>) -> tensor<64xf32>
  return %d, %u, %n : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}

func.func @random_f32_2(%seed: tensor<i64>, %step: tensor<i64>, %x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %d = tenon.dropout %x, %seed, %step {rate = 0.25 : f64, stream = 9 : i64} : (tensor<3xf32>, tensor<i64>, tensor<i64>) -> tensor<3xf32>
  %u = tenon.random_uniform %seed, %step {shape = array<i64: 3>, stream = 3 : i64, dtype = f32} : (tensor<i64>, tensor<i64>) -> tensor<3xf32>
  %n = tenon.random_normal %seed, %step {shape = array<i64: 3>, stream = 4 : i64, dtype = f32} : (tensor<i64>, tensor<i64>) -> tensor<3xf32>
  return %d, %u, %n : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

func.func @random_f32_3(%seed: tensor<i64>, %step: tensor<i64>, %x: tensor<5x67xf32>) -> (tensor<5x67xf32>, tensor<5x67xf32>, tensor<5x67xf32>) {
  %d = tenon.dropout %x, %seed, %step {rate = 0.25 : f64, stream = 9 : i64} : (tensor<5x67xf32>, tensor<i64>, tensor<i64>) -> tensor<5x67xf32>
  %u = tenon.random_uniform %seed, %step {shape = array<i64: 5, 67>, stream = 3 : i64, dtype = f32} : (tensor<i64>, tensor<i64>) -> tensor<5x67xf32>
  %n = tenon.random_normal %seed, %step {shape = array<i64: 5, 67>, stream = 4 : i64, dtype = f32} : (tensor<i64>, tensor<i64>) -> tensor<5x67xf32>
  return %d, %u, %n : tensor<5x67xf32>, tensor<5x67xf32>, tensor<5x67xf32>
}

func.func @random_f32_4(%seed: tensor<i64>, %step: tensor<i64>, %x: tensor<4x64xf32>) -> (tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>) {
  %d = tenon.dropout %x, %seed, %step {rate = 0.25 : f64, stream = 9 : i64} : (tensor<4x64xf32>, tensor<i64>, tensor<i64>) -> tensor<4x64xf32>
  %u = tenon.random_uniform %seed, %step {shape = array<i64: 4, 64>, stream = 3 : i64, dtype = f32} : (tensor<i64>, tensor<i64>) -> tensor<4x64xf32>
  %n = tenon.random_normal %seed, %step {shape = array<i64: 4, 64>, stream = 4 : i64, dtype = f32} : (tensor<i64>, tensor<i64>) -> tensor<4x64xf32>
  return %d, %u, %n : tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>
}

func.func @random_f32_5(%seed: tensor<i64>, %step: tensor<i64>, %x: tensor<0x9xf32>) -> (tensor<0x9xf32>, tensor<0x9xf32>, tensor<0x9xf32>) {
  %d = tenon.dropout %x, %seed, %step {rate = 0.25 : f64, stream = 9 : i64} : (tensor<0x9xf32>, tensor<i64>, tensor<i64>) -> tensor<0x9xf32>
  %u = tenon.random_uniform %seed, %step {shape = array<i64: 0, 9>, stream = 3 : i64, dtype = f32} : (tensor<i64>, tensor<i64>) -> tensor<0x9xf32>
  %n = tenon.random_normal %seed, %step {shape = array<i64: 0, 9>, stream = 4 : i64, dtype = f32} : (tensor<i64>, tensor<i64>) -> tensor<0x9xf32>
  return %d, %u, %n : tensor<0x9xf32>, tensor<0x9xf32>, tensor<0x9xf32>
}

func.func @random_f64_0(%seed: tensor<i64>, %step: tensor<i64>, %x: tensor<131xf64>) -> (tensor<131xf64>, tensor<131xf64>, tensor<131xf64>) {
  %d = tenon.dropout %x, %seed, %step {rate = 0.25 : f64, stream = 9 : i64} : (tensor<131xf64>, tensor<i64>, tensor<i64>) -> tensor<131xf64>
  %u = tenon.random_uniform %seed, %step {shape = array<i64: 131>, stream = 3 : i64, dtype = f64} : (tensor<i64>, tensor<i64>) -> tensor<131xf64>
  %n = tenon.random_normal %seed, %step {shape = array<i64: 131>, stream = 4 : i64, dtype = f64} : (tensor<i64>, tensor<i64>) -> tensor<131xf64>
  return %d, %u, %n : tensor<131xf64>, tensor<131xf64>, tensor<131xf64>
}

func.func @random_f64_1(%seed: tensor<i64>, %step: tensor<i64>, %x: tensor<64xf64>) -> (tensor<64xf64>, tensor<64xf64>, tensor<64xf64>) {
  %d = tenon.dropout %x, %seed, %step {rate = 0.25 : f64, stream = 9 : i64} : (tensor<64xf64>, tensor<i64>, tensor<i64>) -> tensor<64xf64>
  %u = tenon.random_uniform %seed, %step {shape = array<i64: 64>, stream = 3 : i64, dtype = f64} : (tensor<i64>, tensor<i64>) -> tensor<64xf64>
  %n = tenon.random_normal %seed, %step {shape = array<i64: 64>, stream = 4 : i64, dtype = f64} : (tensor<i64>, tensor<i64>) -> tensor<64xf64>
  return %d, %u, %n : tensor<64xf64>, tensor<64xf64>, tensor<64xf64>
}

func.func @random_f64_2(%seed: tensor<i64>, %step: tensor<i64>, %x: tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) {
  %d = tenon.dropout %x, %seed, %step {rate = 0.25 : f64, stream = 9 : i64} : (tensor<3xf64>, tensor<i64>, tensor<i64>) -> tensor<3xf64>
  %u = tenon.random_uniform %seed, %step {shape = array<i64: 3>, stream = 3 : i64, dtype = f64} : (tensor<i64>, tensor<i64>) -> tensor<3xf64>
  %n = tenon.random_normal %seed, %step {shape = array<i64: 3>, stream = 4 : i64, dtype = f64} : (tensor<i64>, tensor<i64>) -> tensor<3xf64>
  return %d, %u, %n : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
}

func.func @random_f64_3(%seed: tensor<i64>, %step: tensor<i64>, %x: tensor<5x67xf64>) -> (tensor<5x67xf64>, tensor<5x67xf64>, tensor<5x67xf64>) {
  %d = tenon.dropout %x, %seed, %step {rate = 0.25 : f64, stream = 9 : i64} : (tensor<5x67xf64>, tensor<i64>, tensor<i64>) -> tensor<5x67xf64>
  %u = tenon.random_uniform %seed, %step {shape = array<i64: 5, 67>, stream = 3 : i64, dtype = f64} : (tensor<i64>, tensor<i64>) -> tensor<5x67xf64>
  %n = tenon.random_normal %seed, %step {shape = array<i64: 5, 67>, stream = 4 : i64, dtype = f64} : (tensor<i64>, tensor<i64>) -> tensor<5x67xf64>
  return %d, %u, %n : tensor<5x67xf64>, tensor<5x67xf64>, tensor<5x67xf64>
}

func.func @random_f64_4(%seed: tensor<i64>, %step: tensor<i64>, %x: tensor<4x64xf64>) -> (tensor<4x64xf64>, tensor<4x64xf64>, tensor<4x64xf64>) {
  %d = tenon.dropout %x, %seed, %step {rate = 0.25 : f64, stream = 9 : i64} : (tensor<4x64xf64>, tensor<i64>, tensor<i64>) -> tensor<4x64xf64>
  %u = tenon.random_uniform %seed, %step {shape = array<i64: 4, 64>, stream = 3 : i64, dtype = f64} : (tensor<i64>, tensor<i64>) -> tensor<4x64xf64>
  %n = tenon.random_normal %seed, %step {shape = array<i64: 4, 64>, stream = 4 : i64, dtype = f64} : (tensor<i64>, tensor<i64>) -> tensor<4x64xf64>
  return %d, %u, %n : tensor<4x64xf64>, tensor<4x64xf64>, tensor<4x64xf64>
}

func.func @random_f64_5(%seed: tensor<i64>, %step: tensor<i64>, %x: tensor<0x9xf64>) -> (tensor<0x9xf64>, tensor<0x9xf64>, tensor<0x9xf64>) {
  %d = tenon.dropout %x, %seed, %step {rate = 0.25 : f64, stream = 9 : i64} : (tensor<0x9xf64>, tensor<i64>, tensor<i64>) -> tensor<0x9xf64>
  %u = tenon.random_uniform %seed, %step {shape = array<i64: 0, 9>, stream = 3 : i64, dtype = f64} : (tensor<i64>, tensor<i64>) -> tensor<0x9xf64>
  %n = tenon.random_normal %seed, %step {shape = array<i64: 0, 9>, stream = 4 : i64, dtype = f64} : (tensor<i64>, tensor<i64>) -> tensor<0x9xf64>
  return %d, %u, %n : tensor<0x9xf64>, tensor<0x9xf64>, tensor<0x9xf64>
}

func.func @random_f16_0(%seed: tensor<i64>, %step: tensor<i64>, %x: tensor<131xf16>) -> (tensor<131xf16>, tensor<131xf16>, tensor<131xf16>) {
  %d = tenon.dropout %x, %seed, %step {rate = 0.25 : f64, stream = 9 : i64} : (tensor<131xf16>, tensor<i64>, tensor<i64>) -> tensor<131xf16>
  %u = tenon.random_uniform %seed, %step {shape = array<i64: 131>, stream = 3 : i64, dtype = f16} : (tensor<i64>, tensor<i64>) -> tensor<131xf16>
  %n = tenon.random_normal %seed, %step {shape = array<i64: 131>, stream = 4 : i64, dtype = f16} : (tensor<i64>, tensor<i64>) -> tensor<131xf16>
  return %d, %u, %n : tensor<131xf16>, tensor<131xf16>, tensor<131xf16>
}

func.func @random_f16_1(%seed: tensor<i64>, %step: tensor<i64>, %x: tensor<64xf16>) -> (tensor<64xf16>, tensor<64xf16>, tensor<64xf16>) {
  %d = tenon.dropout %x, %seed, %step {rate = 0.25 : f64, stream = 9 : i64} : (tensor<64xf16>, tensor<i64>, tensor<i64>) -> tensor<64xf16>
  %u = tenon.random_uniform %seed, %step {shape = array<i64: 64>, stream = 3 : i64, dtype = f16} : (tensor<i64>, tensor<i64>) -> tensor<64xf16>
  %n = tenon.random_normal %seed, %step {shape = array<i64: 64>, stream = 4 : i64, dtype = f16} : (tensor<i64>, tensor<i64>) -> tensor<64xf16>
  return %d, %u, %n : tensor<64xf16>, tensor<64xf16>, tensor<64xf16>
}

func.func @random_f16_2(%seed: tensor<i64>, %step: tensor<i64>, %x: tensor<3xf16>) -> (tensor<3xf16>, tensor<3xf16>, tensor<3xf16>) {
  %d = tenon.dropout %x, %seed, %step {rate = 0.25 : f64, stream = 9 : i64} : (tensor<3xf16>, tensor<i64>, tensor<i64>) -> tensor<3xf16>
  %u = tenon.random_uniform %seed, %step {shape = array<i64: 3>, stream = 3 : i64, dtype = f16} : (tensor<i64>, tensor<i64>) -> tensor<3xf16>
  %n = tenon.random_normal %seed, %step {shape = array<i64: 3>, stream = 4 : i64, dtype = f16} : (tensor<i64>, tensor<i64>) -> tensor<3xf16>
  return %d, %u, %n : tensor<3xf16>, tensor<3xf16>, tensor<3xf16>
}

func.func @random_f16_3(%seed: tensor<i64>, %step: tensor<i64>, %x: tensor<5x67xf16>) -> (tensor<5x67xf16>, tensor<5x67xf16>, tensor<5x67xf16>) {
  %d = tenon.dropout %x, %seed, %step {rate = 0.25 : f64, stream = 9 : i64} : (tensor<5x67xf16>, tensor<i64>, tensor<i64>) -> tensor<5x67xf16>
  %u = tenon.random_uniform %seed, %step {shape = array<i64: 5, 67>, stream = 3 : i64, dtype = f16} : (tensor<i64>, tensor<i64>) -> tensor<5x67xf16>
  %n = tenon.random_normal %seed, %step {shape = array<i64: 5, 67>, stream = 4 : i64, dtype = f16} : (tensor<i64>, tensor<i64>) -> tensor<5x67xf16>
  return %d, %u, %n : tensor<5x67xf16>, tensor<5x67xf16>, tensor<5x67xf16>
}

func.func @random_f16_4(%seed: tensor<i64>, %step: tensor<i64>, %x: tensor<4x64xf16>) -> (tensor<4x64xf16>, tensor<4x64xf16>, tensor<4x64xf16>) {
  %d = tenon.dropout %x, %seed, %step {rate = 0.25 : f64, stream = 9 : i64} : (tensor<4x64xf16>, tensor<i64>, tensor<i64>) -> tensor<4x64xf16>
  %u = tenon.random_uniform %seed, %step {shape = array<i64: 4, 64>, stream = 3 : i64, dtype = f16} : (tensor<i64>, tensor<i64>) -> tensor<4x64xf16>
  %n = tenon.random_normal %seed, %step {shape = array<i64: 4, 64>, stream = 4 : i64, dtype = f16} : (tensor<i64>, tensor<i64>) -> tensor<4x64xf16>
  return %d, %u, %n : tensor<4x64xf16>, tensor<4x64xf16>, tensor<4x64xf16>
}

func.func @random_f16_5(%seed: tensor<i64>, %step: tensor<i64>, %x: tensor<0x9xf16>) -> (tensor<0x9xf16>, tensor<0x9xf16>, tensor<0x9xf16>) {
  %d = tenon.dropout %x, %seed, %step {rate = 0.25 : f64, stream = 9 : i64} : (tensor<0x9xf16>, tensor<i64>, tensor<i64>) -> tensor<0x9xf16>
  %u = tenon.random_uniform %seed, %step {shape = array<i64: 0, 9>, stream = 3 : i64, dtype = f16} : (tensor<i64>, tensor<i64>) -> tensor<0x9xf16>
  %n = tenon.random_normal %seed, %step {shape = array<i64: 0, 9>, stream = 4 : i64, dtype = f16} : (tensor<i64>, tensor<i64>) -> tensor<0x9xf16>
  return %d, %u, %n : tensor<0x9xf16>, tensor<0x9xf16>, tensor<0x9xf16>
}

func.func @softmax_dropout_9(%seed: tensor<i64>, %step: tensor<i64>, %x: tensor<6x9xf32>) -> tensor<6x9xf32> {
  %s = tenon.softmax %x {axis = 1 : i64} : (tensor<6x9xf32>) -> tensor<6x9xf32>
  %d = tenon.dropout %s, %seed, %step {rate = 0.25 : f64, stream = 9 : i64} : (tensor<6x9xf32>, tensor<i64>, tensor<i64>) -> tensor<6x9xf32>
  return %d : tensor<6x9xf32>
}

func.func @softmax_dropout_64(%seed: tensor<i64>, %step: tensor<i64>, %x: tensor<6x64xf32>) -> tensor<6x64xf32> {
  %s = tenon.softmax %x {axis = 1 : i64} : (tensor<6x64xf32>) -> tensor<6x64xf32>
  %d = tenon.dropout %s, %seed, %step {rate = 0.25 : f64, stream = 9 : i64} : (tensor<6x64xf32>, tensor<i64>, tensor<i64>) -> tensor<6x64xf32>
  return %d : tensor<6x64xf32>
}

func.func @softmax_dropout_131(%seed: tensor<i64>, %step: tensor<i64>, %x: tensor<6x131xf32>) -> tensor<6x131xf32> {
  %s = tenon.softmax %x {axis = 1 : i64} : (tensor<6x131xf32>) -> tensor<6x131xf32>
  %d = tenon.dropout %s, %seed, %step {rate = 0.25 : f64, stream = 9 : i64} : (tensor<6x131xf32>, tensor<i64>, tensor<i64>) -> tensor<6x131xf32>
  return %d : tensor<6x131xf32>
}

func.func @softmax_dropout_300(%seed: tensor<i64>, %step: tensor<i64>, %x: tensor<6x300xf32>) -> tensor<6x300xf32> {
  %s = tenon.softmax %x {axis = 1 : i64} : (tensor<6x300xf32>) -> tensor<6x300xf32>
  %d = tenon.dropout %s, %seed, %step {rate = 0.25 : f64, stream = 9 : i64} : (tensor<6x300xf32>, tensor<i64>, tensor<i64>) -> tensor<6x300xf32>
  return %d : tensor<6x300xf32>
}

// Large enough for the nests that read ahead.
func.func @large(%seed: tensor<i64>, %step: tensor<i64>, %x: tensor<70x1031xf32>) -> (tensor<70x1031xf32>, tensor<70x1031xf32>) {
  %d = tenon.dropout %x, %seed, %step {rate = 0.25 : f64, stream = 9 : i64} : (tensor<70x1031xf32>, tensor<i64>, tensor<i64>) -> tensor<70x1031xf32>
  %s = tenon.softmax %x {axis = 1 : i64} : (tensor<70x1031xf32>) -> tensor<70x1031xf32>
  return %d, %s : tensor<70x1031xf32>, tensor<70x1031xf32>
}
