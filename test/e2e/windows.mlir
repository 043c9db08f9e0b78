// Sliding windows, their sums, and what is made of them.
// RUN: tenon-run %s --compare=reference
// RUN: tenon-run %s --compare=reference --backend=vulkan

func.func @one_f64(%x: tensor<2x37xf64>, %w: tensor<2x5x33xf64>) -> (tensor<2x5x33xf64>, tensor<2x37xf64>) {
  %a = tenon.windows %x {sizes = array<i64: 5>, strides = array<i64: 1>, dilations = array<i64: 1>} : (tensor<2x37xf64>) -> tensor<2x5x33xf64>
  %b = tenon.fold_windows %w {extents = array<i64: 37>, strides = array<i64: 1>, dilations = array<i64: 1>} : (tensor<2x5x33xf64>) -> tensor<2x37xf64>
  return %a, %b : tensor<2x5x33xf64>, tensor<2x37xf64>
}

func.func @one_f32(%x: tensor<2x37xf32>, %w: tensor<2x5x33xf32>) -> (tensor<2x5x33xf32>, tensor<2x37xf32>) {
  %a = tenon.windows %x {sizes = array<i64: 5>, strides = array<i64: 1>, dilations = array<i64: 1>} : (tensor<2x37xf32>) -> tensor<2x5x33xf32>
  %b = tenon.fold_windows %w {extents = array<i64: 37>, strides = array<i64: 1>, dilations = array<i64: 1>} : (tensor<2x5x33xf32>) -> tensor<2x37xf32>
  return %a, %b : tensor<2x5x33xf32>, tensor<2x37xf32>
}

func.func @strided_f64(%x: tensor<3x33xf64>, %w: tensor<3x4x10xf64>) -> (tensor<3x4x10xf64>, tensor<3x33xf64>) {
  %a = tenon.windows %x {sizes = array<i64: 4>, strides = array<i64: 3>, dilations = array<i64: 1>} : (tensor<3x33xf64>) -> tensor<3x4x10xf64>
  %b = tenon.fold_windows %w {extents = array<i64: 33>, strides = array<i64: 3>, dilations = array<i64: 1>} : (tensor<3x4x10xf64>) -> tensor<3x33xf64>
  return %a, %b : tensor<3x4x10xf64>, tensor<3x33xf64>
}

func.func @strided_f32(%x: tensor<3x33xf32>, %w: tensor<3x4x10xf32>) -> (tensor<3x4x10xf32>, tensor<3x33xf32>) {
  %a = tenon.windows %x {sizes = array<i64: 4>, strides = array<i64: 3>, dilations = array<i64: 1>} : (tensor<3x33xf32>) -> tensor<3x4x10xf32>
  %b = tenon.fold_windows %w {extents = array<i64: 33>, strides = array<i64: 3>, dilations = array<i64: 1>} : (tensor<3x4x10xf32>) -> tensor<3x33xf32>
  return %a, %b : tensor<3x4x10xf32>, tensor<3x33xf32>
}

func.func @dilated_f64(%x: tensor<41xf64>, %w: tensor<3x16xf64>) -> (tensor<3x16xf64>, tensor<41xf64>) {
  %a = tenon.windows %x {sizes = array<i64: 3>, strides = array<i64: 2>, dilations = array<i64: 5>} : (tensor<41xf64>) -> tensor<3x16xf64>
  %b = tenon.fold_windows %w {extents = array<i64: 41>, strides = array<i64: 2>, dilations = array<i64: 5>} : (tensor<3x16xf64>) -> tensor<41xf64>
  return %a, %b : tensor<3x16xf64>, tensor<41xf64>
}

func.func @dilated_f32(%x: tensor<41xf32>, %w: tensor<3x16xf32>) -> (tensor<3x16xf32>, tensor<41xf32>) {
  %a = tenon.windows %x {sizes = array<i64: 3>, strides = array<i64: 2>, dilations = array<i64: 5>} : (tensor<41xf32>) -> tensor<3x16xf32>
  %b = tenon.fold_windows %w {extents = array<i64: 41>, strides = array<i64: 2>, dilations = array<i64: 5>} : (tensor<3x16xf32>) -> tensor<41xf32>
  return %a, %b : tensor<3x16xf32>, tensor<41xf32>
}

func.func @plane_f64(%x: tensor<2x3x17x20xf64>, %w: tensor<2x3x3x3x15x18xf64>) -> (tensor<2x3x3x3x15x18xf64>, tensor<2x3x17x20xf64>) {
  %a = tenon.windows %x {sizes = array<i64: 3, 3>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<2x3x17x20xf64>) -> tensor<2x3x3x3x15x18xf64>
  %b = tenon.fold_windows %w {extents = array<i64: 17, 20>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<2x3x3x3x15x18xf64>) -> tensor<2x3x17x20xf64>
  return %a, %b : tensor<2x3x3x3x15x18xf64>, tensor<2x3x17x20xf64>
}

func.func @plane_f32(%x: tensor<2x3x17x20xf32>, %w: tensor<2x3x3x3x15x18xf32>) -> (tensor<2x3x3x3x15x18xf32>, tensor<2x3x17x20xf32>) {
  %a = tenon.windows %x {sizes = array<i64: 3, 3>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<2x3x17x20xf32>) -> tensor<2x3x3x3x15x18xf32>
  %b = tenon.fold_windows %w {extents = array<i64: 17, 20>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<2x3x3x3x15x18xf32>) -> tensor<2x3x17x20xf32>
  return %a, %b : tensor<2x3x3x3x15x18xf32>, tensor<2x3x17x20xf32>
}

func.func @plane_f16(%x: tensor<2x3x17x20xf16>, %w: tensor<2x3x3x3x15x18xf16>) -> (tensor<2x3x3x3x15x18xf16>, tensor<2x3x17x20xf16>) {
  %a = tenon.windows %x {sizes = array<i64: 3, 3>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<2x3x17x20xf16>) -> tensor<2x3x3x3x15x18xf16>
  %b = tenon.fold_windows %w {extents = array<i64: 17, 20>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<2x3x3x3x15x18xf16>) -> tensor<2x3x17x20xf16>
  return %a, %b : tensor<2x3x3x3x15x18xf16>, tensor<2x3x17x20xf16>
}

func.func @plane_bf16(%x: tensor<2x3x17x20xbf16>, %w: tensor<2x3x3x3x15x18xbf16>) -> (tensor<2x3x3x3x15x18xbf16>, tensor<2x3x17x20xbf16>) {
  %a = tenon.windows %x {sizes = array<i64: 3, 3>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<2x3x17x20xbf16>) -> tensor<2x3x3x3x15x18xbf16>
  %b = tenon.fold_windows %w {extents = array<i64: 17, 20>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<2x3x3x3x15x18xbf16>) -> tensor<2x3x17x20xbf16>
  return %a, %b : tensor<2x3x3x3x15x18xbf16>, tensor<2x3x17x20xbf16>
}

func.func @plane_i32(%x: tensor<2x3x17x20xi32>, %w: tensor<2x3x3x3x15x18xi32>) -> (tensor<2x3x3x3x15x18xi32>, tensor<2x3x17x20xi32>) {
  %a = tenon.windows %x {sizes = array<i64: 3, 3>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<2x3x17x20xi32>) -> tensor<2x3x3x3x15x18xi32>
  %b = tenon.fold_windows %w {extents = array<i64: 17, 20>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<2x3x3x3x15x18xi32>) -> tensor<2x3x17x20xi32>
  return %a, %b : tensor<2x3x3x3x15x18xi32>, tensor<2x3x17x20xi32>
}

func.func @plane_strided_f64(%x: tensor<1x2x18x35xf64>, %w: tensor<1x2x3x2x7x12xf64>) -> (tensor<1x2x3x2x7x12xf64>, tensor<1x2x18x35xf64>) {
  %a = tenon.windows %x {sizes = array<i64: 3, 2>, strides = array<i64: 2, 3>, dilations = array<i64: 2, 1>} : (tensor<1x2x18x35xf64>) -> tensor<1x2x3x2x7x12xf64>
  %b = tenon.fold_windows %w {extents = array<i64: 18, 35>, strides = array<i64: 2, 3>, dilations = array<i64: 2, 1>} : (tensor<1x2x3x2x7x12xf64>) -> tensor<1x2x18x35xf64>
  return %a, %b : tensor<1x2x3x2x7x12xf64>, tensor<1x2x18x35xf64>
}

func.func @plane_strided_f32(%x: tensor<1x2x18x35xf32>, %w: tensor<1x2x3x2x7x12xf32>) -> (tensor<1x2x3x2x7x12xf32>, tensor<1x2x18x35xf32>) {
  %a = tenon.windows %x {sizes = array<i64: 3, 2>, strides = array<i64: 2, 3>, dilations = array<i64: 2, 1>} : (tensor<1x2x18x35xf32>) -> tensor<1x2x3x2x7x12xf32>
  %b = tenon.fold_windows %w {extents = array<i64: 18, 35>, strides = array<i64: 2, 3>, dilations = array<i64: 2, 1>} : (tensor<1x2x3x2x7x12xf32>) -> tensor<1x2x18x35xf32>
  return %a, %b : tensor<1x2x3x2x7x12xf32>, tensor<1x2x18x35xf32>
}

func.func @plane_strided_f16(%x: tensor<1x2x18x35xf16>, %w: tensor<1x2x3x2x7x12xf16>) -> (tensor<1x2x3x2x7x12xf16>, tensor<1x2x18x35xf16>) {
  %a = tenon.windows %x {sizes = array<i64: 3, 2>, strides = array<i64: 2, 3>, dilations = array<i64: 2, 1>} : (tensor<1x2x18x35xf16>) -> tensor<1x2x3x2x7x12xf16>
  %b = tenon.fold_windows %w {extents = array<i64: 18, 35>, strides = array<i64: 2, 3>, dilations = array<i64: 2, 1>} : (tensor<1x2x3x2x7x12xf16>) -> tensor<1x2x18x35xf16>
  return %a, %b : tensor<1x2x3x2x7x12xf16>, tensor<1x2x18x35xf16>
}

func.func @plane_strided_bf16(%x: tensor<1x2x18x35xbf16>, %w: tensor<1x2x3x2x7x12xbf16>) -> (tensor<1x2x3x2x7x12xbf16>, tensor<1x2x18x35xbf16>) {
  %a = tenon.windows %x {sizes = array<i64: 3, 2>, strides = array<i64: 2, 3>, dilations = array<i64: 2, 1>} : (tensor<1x2x18x35xbf16>) -> tensor<1x2x3x2x7x12xbf16>
  %b = tenon.fold_windows %w {extents = array<i64: 18, 35>, strides = array<i64: 2, 3>, dilations = array<i64: 2, 1>} : (tensor<1x2x3x2x7x12xbf16>) -> tensor<1x2x18x35xbf16>
  return %a, %b : tensor<1x2x3x2x7x12xbf16>, tensor<1x2x18x35xbf16>
}

func.func @plane_strided_i32(%x: tensor<1x2x18x35xi32>, %w: tensor<1x2x3x2x7x12xi32>) -> (tensor<1x2x3x2x7x12xi32>, tensor<1x2x18x35xi32>) {
  %a = tenon.windows %x {sizes = array<i64: 3, 2>, strides = array<i64: 2, 3>, dilations = array<i64: 2, 1>} : (tensor<1x2x18x35xi32>) -> tensor<1x2x3x2x7x12xi32>
  %b = tenon.fold_windows %w {extents = array<i64: 18, 35>, strides = array<i64: 2, 3>, dilations = array<i64: 2, 1>} : (tensor<1x2x3x2x7x12xi32>) -> tensor<1x2x18x35xi32>
  return %a, %b : tensor<1x2x3x2x7x12xi32>, tensor<1x2x18x35xi32>
}

func.func @space_f64(%x: tensor<2x5x6x19xf64>, %w: tensor<2x2x3x2x4x2x17xf64>) -> (tensor<2x2x3x2x4x2x17xf64>, tensor<2x5x6x19xf64>) {
  %a = tenon.windows %x {sizes = array<i64: 2, 3, 2>, strides = array<i64: 1, 2, 1>, dilations = array<i64: 1, 1, 2>} : (tensor<2x5x6x19xf64>) -> tensor<2x2x3x2x4x2x17xf64>
  %b = tenon.fold_windows %w {extents = array<i64: 5, 6, 19>, strides = array<i64: 1, 2, 1>, dilations = array<i64: 1, 1, 2>} : (tensor<2x2x3x2x4x2x17xf64>) -> tensor<2x5x6x19xf64>
  return %a, %b : tensor<2x2x3x2x4x2x17xf64>, tensor<2x5x6x19xf64>
}

func.func @space_f32(%x: tensor<2x5x6x19xf32>, %w: tensor<2x2x3x2x4x2x17xf32>) -> (tensor<2x2x3x2x4x2x17xf32>, tensor<2x5x6x19xf32>) {
  %a = tenon.windows %x {sizes = array<i64: 2, 3, 2>, strides = array<i64: 1, 2, 1>, dilations = array<i64: 1, 1, 2>} : (tensor<2x5x6x19xf32>) -> tensor<2x2x3x2x4x2x17xf32>
  %b = tenon.fold_windows %w {extents = array<i64: 5, 6, 19>, strides = array<i64: 1, 2, 1>, dilations = array<i64: 1, 1, 2>} : (tensor<2x2x3x2x4x2x17xf32>) -> tensor<2x5x6x19xf32>
  return %a, %b : tensor<2x2x3x2x4x2x17xf32>, tensor<2x5x6x19xf32>
}

func.func @whole_f64(%x: tensor<3x7xf64>, %w: tensor<3x7x1xf64>) -> (tensor<3x7x1xf64>, tensor<3x7xf64>) {
  %a = tenon.windows %x {sizes = array<i64: 7>, strides = array<i64: 1>, dilations = array<i64: 1>} : (tensor<3x7xf64>) -> tensor<3x7x1xf64>
  %b = tenon.fold_windows %w {extents = array<i64: 7>, strides = array<i64: 1>, dilations = array<i64: 1>} : (tensor<3x7x1xf64>) -> tensor<3x7xf64>
  return %a, %b : tensor<3x7x1xf64>, tensor<3x7xf64>
}

func.func @whole_f32(%x: tensor<3x7xf32>, %w: tensor<3x7x1xf32>) -> (tensor<3x7x1xf32>, tensor<3x7xf32>) {
  %a = tenon.windows %x {sizes = array<i64: 7>, strides = array<i64: 1>, dilations = array<i64: 1>} : (tensor<3x7xf32>) -> tensor<3x7x1xf32>
  %b = tenon.fold_windows %w {extents = array<i64: 7>, strides = array<i64: 1>, dilations = array<i64: 1>} : (tensor<3x7x1xf32>) -> tensor<3x7xf32>
  return %a, %b : tensor<3x7x1xf32>, tensor<3x7xf32>
}

func.func @apart_f64(%x: tensor<4x40xf64>, %w: tensor<4x2x8xf64>) -> (tensor<4x2x8xf64>, tensor<4x40xf64>) {
  %a = tenon.windows %x {sizes = array<i64: 2>, strides = array<i64: 5>, dilations = array<i64: 1>} : (tensor<4x40xf64>) -> tensor<4x2x8xf64>
  %b = tenon.fold_windows %w {extents = array<i64: 40>, strides = array<i64: 5>, dilations = array<i64: 1>} : (tensor<4x2x8xf64>) -> tensor<4x40xf64>
  return %a, %b : tensor<4x2x8xf64>, tensor<4x40xf64>
}

func.func @apart_f32(%x: tensor<4x40xf32>, %w: tensor<4x2x8xf32>) -> (tensor<4x2x8xf32>, tensor<4x40xf32>) {
  %a = tenon.windows %x {sizes = array<i64: 2>, strides = array<i64: 5>, dilations = array<i64: 1>} : (tensor<4x40xf32>) -> tensor<4x2x8xf32>
  %b = tenon.fold_windows %w {extents = array<i64: 40>, strides = array<i64: 5>, dilations = array<i64: 1>} : (tensor<4x2x8xf32>) -> tensor<4x40xf32>
  return %a, %b : tensor<4x2x8xf32>, tensor<4x40xf32>
}

func.func @none_f64(%x: tensor<0x3x9xf64>, %w: tensor<0x3x3x7xf64>) -> (tensor<0x3x3x7xf64>, tensor<0x3x9xf64>) {
  %a = tenon.windows %x {sizes = array<i64: 3>, strides = array<i64: 1>, dilations = array<i64: 1>} : (tensor<0x3x9xf64>) -> tensor<0x3x3x7xf64>
  %b = tenon.fold_windows %w {extents = array<i64: 9>, strides = array<i64: 1>, dilations = array<i64: 1>} : (tensor<0x3x3x7xf64>) -> tensor<0x3x9xf64>
  return %a, %b : tensor<0x3x3x7xf64>, tensor<0x3x9xf64>
}

func.func @none_f32(%x: tensor<0x3x9xf32>, %w: tensor<0x3x3x7xf32>) -> (tensor<0x3x3x7xf32>, tensor<0x3x9xf32>) {
  %a = tenon.windows %x {sizes = array<i64: 3>, strides = array<i64: 1>, dilations = array<i64: 1>} : (tensor<0x3x9xf32>) -> tensor<0x3x3x7xf32>
  %b = tenon.fold_windows %w {extents = array<i64: 9>, strides = array<i64: 1>, dilations = array<i64: 1>} : (tensor<0x3x3x7xf32>) -> tensor<0x3x9xf32>
  return %a, %b : tensor<0x3x3x7xf32>, tensor<0x3x9xf32>
}
