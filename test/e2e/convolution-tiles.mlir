// Convolutions whose products go in tiles, also where tiles end: windows, padding, strides, dilations, groups.
// RUN: tenon-run %s --compare=reference --extent=3
// RUN: tenon-run %s --compare=reference --extent=3 --backend=vulkan

func.func @line(%x: tensor<2x5x130xf32>, %w: tensor<70x5x3xf32>, %dy: tensor<2x70x130xf32>) -> (tensor<2x70x130xf32>, tensor<2x5x130xf32>, tensor<70x5x3xf32>) {
  %p = tenon.pad %x {low = array<i64: 0, 0, 1>, high = array<i64: 0, 0, 1>, value = 0.0 : f64} : (tensor<2x5x130xf32>) -> tensor<2x5x132xf32>
  %u = tenon.windows %p {sizes = array<i64: 3>, strides = array<i64: 1>, dilations = array<i64: 1>} : (tensor<2x5x132xf32>) -> tensor<2x5x3x130xf32>
  %m = tenon.reshape %u {shape = array<i64: 2, 15, 130>} : (tensor<2x5x3x130xf32>) -> tensor<2x15x130xf32>
  %k = tenon.reshape %w {shape = array<i64: 70, 15>} : (tensor<70x5x3xf32>) -> tensor<70x15xf32>
  %kb = tenon.broadcast %k {shape = array<i64: 2, 70, 15>, dims = array<i64: 1, 2>} : (tensor<70x15xf32>) -> tensor<2x70x15xf32>
  %z = tenon.matmul %kb, %m : (tensor<2x70x15xf32>, tensor<2x15x130xf32>) -> tensor<2x70x130xf32>
  %y = tenon.reshape %z {shape = array<i64: 2, 70, 130>} : (tensor<2x70x130xf32>) -> tensor<2x70x130xf32>
  %ydy = tenon.mul %y, %dy : (tensor<2x70x130xf32>, tensor<2x70x130xf32>) -> tensor<2x70x130xf32>
  %loss = tenon.reduce_sum %ydy {axes = array<i64: 0, 1, 2>} : (tensor<2x70x130xf32>) -> tensor<f32>
  %gx = tenon.gradient %loss, %x : (tensor<f32>, tensor<2x5x130xf32>) -> tensor<2x5x130xf32>
  %gw = tenon.gradient %loss, %w : (tensor<f32>, tensor<70x5x3xf32>) -> tensor<70x5x3xf32>
  return %y, %gx, %gw : tensor<2x70x130xf32>, tensor<2x5x130xf32>, tensor<70x5x3xf32>
}

func.func @line_strided(%x: tensor<1x3x141xf32>, %w: tensor<33x3x4xf32>, %dy: tensor<1x33x69xf32>) -> (tensor<1x33x69xf32>, tensor<1x3x141xf32>, tensor<33x3x4xf32>) {
  %p = tenon.pad %x {low = array<i64: 0, 0, 3>, high = array<i64: 0, 0, 3>, value = 0.0 : f64} : (tensor<1x3x141xf32>) -> tensor<1x3x147xf32>
  %u = tenon.windows %p {sizes = array<i64: 4>, strides = array<i64: 2>, dilations = array<i64: 3>} : (tensor<1x3x147xf32>) -> tensor<1x3x4x69xf32>
  %m = tenon.reshape %u {shape = array<i64: 1, 12, 69>} : (tensor<1x3x4x69xf32>) -> tensor<1x12x69xf32>
  %k = tenon.reshape %w {shape = array<i64: 33, 12>} : (tensor<33x3x4xf32>) -> tensor<33x12xf32>
  %kb = tenon.broadcast %k {shape = array<i64: 1, 33, 12>, dims = array<i64: 1, 2>} : (tensor<33x12xf32>) -> tensor<1x33x12xf32>
  %z = tenon.matmul %kb, %m : (tensor<1x33x12xf32>, tensor<1x12x69xf32>) -> tensor<1x33x69xf32>
  %y = tenon.reshape %z {shape = array<i64: 1, 33, 69>} : (tensor<1x33x69xf32>) -> tensor<1x33x69xf32>
  %ydy = tenon.mul %y, %dy : (tensor<1x33x69xf32>, tensor<1x33x69xf32>) -> tensor<1x33x69xf32>
  %loss = tenon.reduce_sum %ydy {axes = array<i64: 0, 1, 2>} : (tensor<1x33x69xf32>) -> tensor<f32>
  %gx = tenon.gradient %loss, %x : (tensor<f32>, tensor<1x3x141xf32>) -> tensor<1x3x141xf32>
  %gw = tenon.gradient %loss, %w : (tensor<f32>, tensor<33x3x4xf32>) -> tensor<33x3x4xf32>
  return %y, %gx, %gw : tensor<1x33x69xf32>, tensor<1x3x141xf32>, tensor<33x3x4xf32>
}

func.func @whole_tile(%x: tensor<1x8x8x8xf32>, %w: tensor<64x8x3x3xf32>, %dy: tensor<1x64x8x8xf32>) -> (tensor<1x64x8x8xf32>, tensor<1x8x8x8xf32>, tensor<64x8x3x3xf32>) {
  %p = tenon.pad %x {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, value = 0.0 : f64} : (tensor<1x8x8x8xf32>) -> tensor<1x8x10x10xf32>
  %u = tenon.windows %p {sizes = array<i64: 3, 3>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x8x10x10xf32>) -> tensor<1x8x3x3x8x8xf32>
  %m = tenon.reshape %u {shape = array<i64: 1, 72, 64>} : (tensor<1x8x3x3x8x8xf32>) -> tensor<1x72x64xf32>
  %k = tenon.reshape %w {shape = array<i64: 64, 72>} : (tensor<64x8x3x3xf32>) -> tensor<64x72xf32>
  %kb = tenon.broadcast %k {shape = array<i64: 1, 64, 72>, dims = array<i64: 1, 2>} : (tensor<64x72xf32>) -> tensor<1x64x72xf32>
  %z = tenon.matmul %kb, %m : (tensor<1x64x72xf32>, tensor<1x72x64xf32>) -> tensor<1x64x64xf32>
  %y = tenon.reshape %z {shape = array<i64: 1, 64, 8, 8>} : (tensor<1x64x64xf32>) -> tensor<1x64x8x8xf32>
  %ydy = tenon.mul %y, %dy : (tensor<1x64x8x8xf32>, tensor<1x64x8x8xf32>) -> tensor<1x64x8x8xf32>
  %loss = tenon.reduce_sum %ydy {axes = array<i64: 0, 1, 2, 3>} : (tensor<1x64x8x8xf32>) -> tensor<f32>
  %gx = tenon.gradient %loss, %x : (tensor<f32>, tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %gw = tenon.gradient %loss, %w : (tensor<f32>, tensor<64x8x3x3xf32>) -> tensor<64x8x3x3xf32>
  return %y, %gx, %gw : tensor<1x64x8x8xf32>, tensor<1x8x8x8xf32>, tensor<64x8x3x3xf32>
}

func.func @past_tile(%x: tensor<2x7x9x11xf32>, %w: tensor<65x7x3x3xf32>, %b: tensor<65xf32>, %dy: tensor<2x65x9x11xf32>) -> (tensor<2x65x9x11xf32>, tensor<2x7x9x11xf32>, tensor<65x7x3x3xf32>) {
  %p = tenon.pad %x {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, value = 0.0 : f64} : (tensor<2x7x9x11xf32>) -> tensor<2x7x11x13xf32>
  %u = tenon.windows %p {sizes = array<i64: 3, 3>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<2x7x11x13xf32>) -> tensor<2x7x3x3x9x11xf32>
  %m = tenon.reshape %u {shape = array<i64: 2, 63, 99>} : (tensor<2x7x3x3x9x11xf32>) -> tensor<2x63x99xf32>
  %k = tenon.reshape %w {shape = array<i64: 65, 63>} : (tensor<65x7x3x3xf32>) -> tensor<65x63xf32>
  %kb = tenon.broadcast %k {shape = array<i64: 2, 65, 63>, dims = array<i64: 1, 2>} : (tensor<65x63xf32>) -> tensor<2x65x63xf32>
  %z = tenon.matmul %kb, %m : (tensor<2x65x63xf32>, tensor<2x63x99xf32>) -> tensor<2x65x99xf32>
  %a = tenon.reshape %z {shape = array<i64: 2, 65, 9, 11>} : (tensor<2x65x99xf32>) -> tensor<2x65x9x11xf32>
  %bb = tenon.broadcast %b {shape = array<i64: 2, 65, 9, 11>, dims = array<i64: 1>} : (tensor<65xf32>) -> tensor<2x65x9x11xf32>
  %c = tenon.add %a, %bb : (tensor<2x65x9x11xf32>, tensor<2x65x9x11xf32>) -> tensor<2x65x9x11xf32>
  %y = tenon.relu %c : tensor<2x65x9x11xf32>
  %ydy = tenon.mul %y, %dy : (tensor<2x65x9x11xf32>, tensor<2x65x9x11xf32>) -> tensor<2x65x9x11xf32>
  %loss = tenon.reduce_sum %ydy {axes = array<i64: 0, 1, 2, 3>} : (tensor<2x65x9x11xf32>) -> tensor<f32>
  %gx = tenon.gradient %loss, %x : (tensor<f32>, tensor<2x7x9x11xf32>) -> tensor<2x7x9x11xf32>
  %gw = tenon.gradient %loss, %w : (tensor<f32>, tensor<65x7x3x3xf32>) -> tensor<65x7x3x3xf32>
  return %y, %gx, %gw : tensor<2x65x9x11xf32>, tensor<2x7x9x11xf32>, tensor<65x7x3x3xf32>
}

func.func @no_padding(%x: tensor<2x6x10x9xf32>, %w: tensor<32x6x3x2xf32>, %dy: tensor<2x32x8x8xf32>) -> (tensor<2x32x8x8xf32>, tensor<2x6x10x9xf32>, tensor<32x6x3x2xf32>) {
  %u = tenon.windows %x {sizes = array<i64: 3, 2>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<2x6x10x9xf32>) -> tensor<2x6x3x2x8x8xf32>
  %m = tenon.reshape %u {shape = array<i64: 2, 36, 64>} : (tensor<2x6x3x2x8x8xf32>) -> tensor<2x36x64xf32>
  %k = tenon.reshape %w {shape = array<i64: 32, 36>} : (tensor<32x6x3x2xf32>) -> tensor<32x36xf32>
  %kb = tenon.broadcast %k {shape = array<i64: 2, 32, 36>, dims = array<i64: 1, 2>} : (tensor<32x36xf32>) -> tensor<2x32x36xf32>
  %z = tenon.matmul %kb, %m : (tensor<2x32x36xf32>, tensor<2x36x64xf32>) -> tensor<2x32x64xf32>
  %y = tenon.reshape %z {shape = array<i64: 2, 32, 8, 8>} : (tensor<2x32x64xf32>) -> tensor<2x32x8x8xf32>
  %ydy = tenon.mul %y, %dy : (tensor<2x32x8x8xf32>, tensor<2x32x8x8xf32>) -> tensor<2x32x8x8xf32>
  %loss = tenon.reduce_sum %ydy {axes = array<i64: 0, 1, 2, 3>} : (tensor<2x32x8x8xf32>) -> tensor<f32>
  %gx = tenon.gradient %loss, %x : (tensor<f32>, tensor<2x6x10x9xf32>) -> tensor<2x6x10x9xf32>
  %gw = tenon.gradient %loss, %w : (tensor<f32>, tensor<32x6x3x2xf32>) -> tensor<32x6x3x2xf32>
  return %y, %gx, %gw : tensor<2x32x8x8xf32>, tensor<2x6x10x9xf32>, tensor<32x6x3x2xf32>
}

func.func @much_padding(%x: tensor<1x4x6x7xf32>, %w: tensor<40x4x3x3xf32>, %dy: tensor<1x40x12x11xf32>) -> (tensor<1x40x12x11xf32>, tensor<1x4x6x7xf32>, tensor<40x4x3x3xf32>) {
  %p = tenon.pad %x {low = array<i64: 0, 0, 4, 3>, high = array<i64: 0, 0, 4, 3>, value = 0.0 : f64} : (tensor<1x4x6x7xf32>) -> tensor<1x4x14x13xf32>
  %u = tenon.windows %p {sizes = array<i64: 3, 3>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x4x14x13xf32>) -> tensor<1x4x3x3x12x11xf32>
  %m = tenon.reshape %u {shape = array<i64: 1, 36, 132>} : (tensor<1x4x3x3x12x11xf32>) -> tensor<1x36x132xf32>
  %k = tenon.reshape %w {shape = array<i64: 40, 36>} : (tensor<40x4x3x3xf32>) -> tensor<40x36xf32>
  %kb = tenon.broadcast %k {shape = array<i64: 1, 40, 36>, dims = array<i64: 1, 2>} : (tensor<40x36xf32>) -> tensor<1x40x36xf32>
  %z = tenon.matmul %kb, %m : (tensor<1x40x36xf32>, tensor<1x36x132xf32>) -> tensor<1x40x132xf32>
  %y = tenon.reshape %z {shape = array<i64: 1, 40, 12, 11>} : (tensor<1x40x132xf32>) -> tensor<1x40x12x11xf32>
  %ydy = tenon.mul %y, %dy : (tensor<1x40x12x11xf32>, tensor<1x40x12x11xf32>) -> tensor<1x40x12x11xf32>
  %loss = tenon.reduce_sum %ydy {axes = array<i64: 0, 1, 2, 3>} : (tensor<1x40x12x11xf32>) -> tensor<f32>
  %gx = tenon.gradient %loss, %x : (tensor<f32>, tensor<1x4x6x7xf32>) -> tensor<1x4x6x7xf32>
  %gw = tenon.gradient %loss, %w : (tensor<f32>, tensor<40x4x3x3xf32>) -> tensor<40x4x3x3xf32>
  return %y, %gx, %gw : tensor<1x40x12x11xf32>, tensor<1x4x6x7xf32>, tensor<40x4x3x3xf32>
}

func.func @strided(%x: tensor<2x6x15x18xf32>, %w: tensor<40x6x3x3xf32>, %b: tensor<40xf32>, %dy: tensor<2x40x8x9xf32>) -> (tensor<2x40x8x9xf32>, tensor<2x6x15x18xf32>, tensor<40x6x3x3xf32>) {
  %p = tenon.pad %x {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, value = 0.0 : f64} : (tensor<2x6x15x18xf32>) -> tensor<2x6x17x20xf32>
  %u = tenon.windows %p {sizes = array<i64: 3, 3>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>} : (tensor<2x6x17x20xf32>) -> tensor<2x6x3x3x8x9xf32>
  %m = tenon.reshape %u {shape = array<i64: 2, 54, 72>} : (tensor<2x6x3x3x8x9xf32>) -> tensor<2x54x72xf32>
  %k = tenon.reshape %w {shape = array<i64: 40, 54>} : (tensor<40x6x3x3xf32>) -> tensor<40x54xf32>
  %kb = tenon.broadcast %k {shape = array<i64: 2, 40, 54>, dims = array<i64: 1, 2>} : (tensor<40x54xf32>) -> tensor<2x40x54xf32>
  %z = tenon.matmul %kb, %m : (tensor<2x40x54xf32>, tensor<2x54x72xf32>) -> tensor<2x40x72xf32>
  %a = tenon.reshape %z {shape = array<i64: 2, 40, 8, 9>} : (tensor<2x40x72xf32>) -> tensor<2x40x8x9xf32>
  %bb = tenon.broadcast %b {shape = array<i64: 2, 40, 8, 9>, dims = array<i64: 1>} : (tensor<40xf32>) -> tensor<2x40x8x9xf32>
  %c = tenon.add %a, %bb : (tensor<2x40x8x9xf32>, tensor<2x40x8x9xf32>) -> tensor<2x40x8x9xf32>
  %y = tenon.relu %c : tensor<2x40x8x9xf32>
  %ydy = tenon.mul %y, %dy : (tensor<2x40x8x9xf32>, tensor<2x40x8x9xf32>) -> tensor<2x40x8x9xf32>
  %loss = tenon.reduce_sum %ydy {axes = array<i64: 0, 1, 2, 3>} : (tensor<2x40x8x9xf32>) -> tensor<f32>
  %gx = tenon.gradient %loss, %x : (tensor<f32>, tensor<2x6x15x18xf32>) -> tensor<2x6x15x18xf32>
  %gw = tenon.gradient %loss, %w : (tensor<f32>, tensor<40x6x3x3xf32>) -> tensor<40x6x3x3xf32>
  return %y, %gx, %gw : tensor<2x40x8x9xf32>, tensor<2x6x15x18xf32>, tensor<40x6x3x3xf32>
}

func.func @stride_of_one_axis(%x: tensor<1x6x12x14xf32>, %w: tensor<40x6x3x3xf32>, %dy: tensor<1x40x12x7xf32>) -> (tensor<1x40x12x7xf32>, tensor<1x6x12x14xf32>, tensor<40x6x3x3xf32>) {
  %p = tenon.pad %x {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, value = 0.0 : f64} : (tensor<1x6x12x14xf32>) -> tensor<1x6x14x16xf32>
  %u = tenon.windows %p {sizes = array<i64: 3, 3>, strides = array<i64: 1, 2>, dilations = array<i64: 1, 1>} : (tensor<1x6x14x16xf32>) -> tensor<1x6x3x3x12x7xf32>
  %m = tenon.reshape %u {shape = array<i64: 1, 54, 84>} : (tensor<1x6x3x3x12x7xf32>) -> tensor<1x54x84xf32>
  %k = tenon.reshape %w {shape = array<i64: 40, 54>} : (tensor<40x6x3x3xf32>) -> tensor<40x54xf32>
  %kb = tenon.broadcast %k {shape = array<i64: 1, 40, 54>, dims = array<i64: 1, 2>} : (tensor<40x54xf32>) -> tensor<1x40x54xf32>
  %z = tenon.matmul %kb, %m : (tensor<1x40x54xf32>, tensor<1x54x84xf32>) -> tensor<1x40x84xf32>
  %y = tenon.reshape %z {shape = array<i64: 1, 40, 12, 7>} : (tensor<1x40x84xf32>) -> tensor<1x40x12x7xf32>
  %ydy = tenon.mul %y, %dy : (tensor<1x40x12x7xf32>, tensor<1x40x12x7xf32>) -> tensor<1x40x12x7xf32>
  %loss = tenon.reduce_sum %ydy {axes = array<i64: 0, 1, 2, 3>} : (tensor<1x40x12x7xf32>) -> tensor<f32>
  %gx = tenon.gradient %loss, %x : (tensor<f32>, tensor<1x6x12x14xf32>) -> tensor<1x6x12x14xf32>
  %gw = tenon.gradient %loss, %w : (tensor<f32>, tensor<40x6x3x3xf32>) -> tensor<40x6x3x3xf32>
  return %y, %gx, %gw : tensor<1x40x12x7xf32>, tensor<1x6x12x14xf32>, tensor<40x6x3x3xf32>
}

func.func @dilated(%x: tensor<2x5x14x12xf32>, %w: tensor<40x5x3x2xf32>, %dy: tensor<2x40x14x11xf32>) -> (tensor<2x40x14x11xf32>, tensor<2x5x14x12xf32>, tensor<40x5x3x2xf32>) {
  %p = tenon.pad %x {low = array<i64: 0, 0, 2, 1>, high = array<i64: 0, 0, 2, 1>, value = 0.0 : f64} : (tensor<2x5x14x12xf32>) -> tensor<2x5x18x14xf32>
  %u = tenon.windows %p {sizes = array<i64: 3, 2>, strides = array<i64: 1, 1>, dilations = array<i64: 2, 3>} : (tensor<2x5x18x14xf32>) -> tensor<2x5x3x2x14x11xf32>
  %m = tenon.reshape %u {shape = array<i64: 2, 30, 154>} : (tensor<2x5x3x2x14x11xf32>) -> tensor<2x30x154xf32>
  %k = tenon.reshape %w {shape = array<i64: 40, 30>} : (tensor<40x5x3x2xf32>) -> tensor<40x30xf32>
  %kb = tenon.broadcast %k {shape = array<i64: 2, 40, 30>, dims = array<i64: 1, 2>} : (tensor<40x30xf32>) -> tensor<2x40x30xf32>
  %z = tenon.matmul %kb, %m : (tensor<2x40x30xf32>, tensor<2x30x154xf32>) -> tensor<2x40x154xf32>
  %y = tenon.reshape %z {shape = array<i64: 2, 40, 14, 11>} : (tensor<2x40x154xf32>) -> tensor<2x40x14x11xf32>
  %ydy = tenon.mul %y, %dy : (tensor<2x40x14x11xf32>, tensor<2x40x14x11xf32>) -> tensor<2x40x14x11xf32>
  %loss = tenon.reduce_sum %ydy {axes = array<i64: 0, 1, 2, 3>} : (tensor<2x40x14x11xf32>) -> tensor<f32>
  %gx = tenon.gradient %loss, %x : (tensor<f32>, tensor<2x5x14x12xf32>) -> tensor<2x5x14x12xf32>
  %gw = tenon.gradient %loss, %w : (tensor<f32>, tensor<40x5x3x2xf32>) -> tensor<40x5x3x2xf32>
  return %y, %gx, %gw : tensor<2x40x14x11xf32>, tensor<2x5x14x12xf32>, tensor<40x5x3x2xf32>
}

func.func @groups(%x: tensor<2x12x9x8xf32>, %w: tensor<96x4x3x3xf32>, %b: tensor<96xf32>, %dy: tensor<2x96x9x8xf32>) -> (tensor<2x96x9x8xf32>, tensor<2x12x9x8xf32>, tensor<96x4x3x3xf32>) {
  %p = tenon.pad %x {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, value = 0.0 : f64} : (tensor<2x12x9x8xf32>) -> tensor<2x12x11x10xf32>
  %u = tenon.windows %p {sizes = array<i64: 3, 3>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<2x12x11x10xf32>) -> tensor<2x12x3x3x9x8xf32>
  %m = tenon.reshape %u {shape = array<i64: 2, 3, 36, 72>} : (tensor<2x12x3x3x9x8xf32>) -> tensor<2x3x36x72xf32>
  %k = tenon.reshape %w {shape = array<i64: 3, 32, 36>} : (tensor<96x4x3x3xf32>) -> tensor<3x32x36xf32>
  %kb = tenon.broadcast %k {shape = array<i64: 2, 3, 32, 36>, dims = array<i64: 1, 2, 3>} : (tensor<3x32x36xf32>) -> tensor<2x3x32x36xf32>
  %z = tenon.matmul %kb, %m : (tensor<2x3x32x36xf32>, tensor<2x3x36x72xf32>) -> tensor<2x3x32x72xf32>
  %a = tenon.reshape %z {shape = array<i64: 2, 96, 9, 8>} : (tensor<2x3x32x72xf32>) -> tensor<2x96x9x8xf32>
  %bb = tenon.broadcast %b {shape = array<i64: 2, 96, 9, 8>, dims = array<i64: 1>} : (tensor<96xf32>) -> tensor<2x96x9x8xf32>
  %c = tenon.add %a, %bb : (tensor<2x96x9x8xf32>, tensor<2x96x9x8xf32>) -> tensor<2x96x9x8xf32>
  %y = tenon.relu %c : tensor<2x96x9x8xf32>
  %ydy = tenon.mul %y, %dy : (tensor<2x96x9x8xf32>, tensor<2x96x9x8xf32>) -> tensor<2x96x9x8xf32>
  %loss = tenon.reduce_sum %ydy {axes = array<i64: 0, 1, 2, 3>} : (tensor<2x96x9x8xf32>) -> tensor<f32>
  %gx = tenon.gradient %loss, %x : (tensor<f32>, tensor<2x12x9x8xf32>) -> tensor<2x12x9x8xf32>
  %gw = tenon.gradient %loss, %w : (tensor<f32>, tensor<96x4x3x3xf32>) -> tensor<96x4x3x3xf32>
  return %y, %gx, %gw : tensor<2x96x9x8xf32>, tensor<2x12x9x8xf32>, tensor<96x4x3x3xf32>
}

func.func @few_filters(%x: tensor<2x9x12x13xf32>, %w: tensor<10x9x3x3xf32>, %dy: tensor<2x10x12x13xf32>) -> (tensor<2x10x12x13xf32>, tensor<2x9x12x13xf32>, tensor<10x9x3x3xf32>) {
  %p = tenon.pad %x {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, value = 0.0 : f64} : (tensor<2x9x12x13xf32>) -> tensor<2x9x14x15xf32>
  %u = tenon.windows %p {sizes = array<i64: 3, 3>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<2x9x14x15xf32>) -> tensor<2x9x3x3x12x13xf32>
  %m = tenon.reshape %u {shape = array<i64: 2, 81, 156>} : (tensor<2x9x3x3x12x13xf32>) -> tensor<2x81x156xf32>
  %k = tenon.reshape %w {shape = array<i64: 10, 81>} : (tensor<10x9x3x3xf32>) -> tensor<10x81xf32>
  %kb = tenon.broadcast %k {shape = array<i64: 2, 10, 81>, dims = array<i64: 1, 2>} : (tensor<10x81xf32>) -> tensor<2x10x81xf32>
  %z = tenon.matmul %kb, %m : (tensor<2x10x81xf32>, tensor<2x81x156xf32>) -> tensor<2x10x156xf32>
  %y = tenon.reshape %z {shape = array<i64: 2, 10, 12, 13>} : (tensor<2x10x156xf32>) -> tensor<2x10x12x13xf32>
  %ydy = tenon.mul %y, %dy : (tensor<2x10x12x13xf32>, tensor<2x10x12x13xf32>) -> tensor<2x10x12x13xf32>
  %loss = tenon.reduce_sum %ydy {axes = array<i64: 0, 1, 2, 3>} : (tensor<2x10x12x13xf32>) -> tensor<f32>
  %gx = tenon.gradient %loss, %x : (tensor<f32>, tensor<2x9x12x13xf32>) -> tensor<2x9x12x13xf32>
  %gw = tenon.gradient %loss, %w : (tensor<f32>, tensor<10x9x3x3xf32>) -> tensor<10x9x3x3xf32>
  return %y, %gx, %gw : tensor<2x10x12x13xf32>, tensor<2x9x12x13xf32>, tensor<10x9x3x3xf32>
}

func.func @few_filters_of_many_images(%x: tensor<16x8x16x17xf32>, %w: tensor<36x2x3x3xf32>, %b: tensor<36xf32>, %dy: tensor<16x36x16x17xf32>) -> (tensor<16x36x16x17xf32>, tensor<16x8x16x17xf32>, tensor<36x2x3x3xf32>) {
  %p = tenon.pad %x {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, value = 0.0 : f64} : (tensor<16x8x16x17xf32>) -> tensor<16x8x18x19xf32>
  %u = tenon.windows %p {sizes = array<i64: 3, 3>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<16x8x18x19xf32>) -> tensor<16x8x3x3x16x17xf32>
  %m = tenon.reshape %u {shape = array<i64: 16, 4, 18, 272>} : (tensor<16x8x3x3x16x17xf32>) -> tensor<16x4x18x272xf32>
  %k = tenon.reshape %w {shape = array<i64: 4, 9, 18>} : (tensor<36x2x3x3xf32>) -> tensor<4x9x18xf32>
  %kb = tenon.broadcast %k {shape = array<i64: 16, 4, 9, 18>, dims = array<i64: 1, 2, 3>} : (tensor<4x9x18xf32>) -> tensor<16x4x9x18xf32>
  %z = tenon.matmul %kb, %m : (tensor<16x4x9x18xf32>, tensor<16x4x18x272xf32>) -> tensor<16x4x9x272xf32>
  %a = tenon.reshape %z {shape = array<i64: 16, 36, 16, 17>} : (tensor<16x4x9x272xf32>) -> tensor<16x36x16x17xf32>
  %bb = tenon.broadcast %b {shape = array<i64: 16, 36, 16, 17>, dims = array<i64: 1>} : (tensor<36xf32>) -> tensor<16x36x16x17xf32>
  %c = tenon.add %a, %bb : (tensor<16x36x16x17xf32>, tensor<16x36x16x17xf32>) -> tensor<16x36x16x17xf32>
  %y = tenon.relu %c : tensor<16x36x16x17xf32>
  %ydy = tenon.mul %y, %dy : (tensor<16x36x16x17xf32>, tensor<16x36x16x17xf32>) -> tensor<16x36x16x17xf32>
  %loss = tenon.reduce_sum %ydy {axes = array<i64: 0, 1, 2, 3>} : (tensor<16x36x16x17xf32>) -> tensor<f32>
  %gx = tenon.gradient %loss, %x : (tensor<f32>, tensor<16x8x16x17xf32>) -> tensor<16x8x16x17xf32>
  %gw = tenon.gradient %loss, %w : (tensor<f32>, tensor<36x2x3x3xf32>) -> tensor<36x2x3x3xf32>
  return %y, %gx, %gw : tensor<16x36x16x17xf32>, tensor<16x8x16x17xf32>, tensor<36x2x3x3xf32>
}

func.func @many_channels(%x: tensor<2x33x9x8xf32>, %w: tensor<40x33x3x3xf32>, %dy: tensor<2x40x9x8xf32>) -> tensor<2x33x9x8xf32> {
  %p = tenon.pad %x {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, value = 0.0 : f64} : (tensor<2x33x9x8xf32>) -> tensor<2x33x11x10xf32>
  %u = tenon.windows %p {sizes = array<i64: 3, 3>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<2x33x11x10xf32>) -> tensor<2x33x3x3x9x8xf32>
  %m = tenon.reshape %u {shape = array<i64: 2, 297, 72>} : (tensor<2x33x3x3x9x8xf32>) -> tensor<2x297x72xf32>
  %k = tenon.reshape %w {shape = array<i64: 40, 297>} : (tensor<40x33x3x3xf32>) -> tensor<40x297xf32>
  %kb = tenon.broadcast %k {shape = array<i64: 2, 40, 297>, dims = array<i64: 1, 2>} : (tensor<40x297xf32>) -> tensor<2x40x297xf32>
  %z = tenon.matmul %kb, %m : (tensor<2x40x297xf32>, tensor<2x297x72xf32>) -> tensor<2x40x72xf32>
  %y = tenon.reshape %z {shape = array<i64: 2, 40, 9, 8>} : (tensor<2x40x72xf32>) -> tensor<2x40x9x8xf32>
  %ydy = tenon.mul %y, %dy : (tensor<2x40x9x8xf32>, tensor<2x40x9x8xf32>) -> tensor<2x40x9x8xf32>
  %loss = tenon.reduce_sum %ydy {axes = array<i64: 0, 1, 2, 3>} : (tensor<2x40x9x8xf32>) -> tensor<f32>
  %gx = tenon.gradient %loss, %x : (tensor<f32>, tensor<2x33x9x8xf32>) -> tensor<2x33x9x8xf32>
  return %gx : tensor<2x33x9x8xf32>
}

func.func @many_channels_dilated(%x: tensor<1x32x11x12xf32>, %w: tensor<24x32x3x2xf32>, %dy: tensor<1x24x11x11xf32>) -> tensor<1x32x11x12xf32> {
  %p = tenon.pad %x {low = array<i64: 0, 0, 2, 0>, high = array<i64: 0, 0, 2, 0>, value = 0.0 : f64} : (tensor<1x32x11x12xf32>) -> tensor<1x32x15x12xf32>
  %u = tenon.windows %p {sizes = array<i64: 3, 2>, strides = array<i64: 1, 1>, dilations = array<i64: 2, 1>} : (tensor<1x32x15x12xf32>) -> tensor<1x32x3x2x11x11xf32>
  %m = tenon.reshape %u {shape = array<i64: 1, 192, 121>} : (tensor<1x32x3x2x11x11xf32>) -> tensor<1x192x121xf32>
  %k = tenon.reshape %w {shape = array<i64: 24, 192>} : (tensor<24x32x3x2xf32>) -> tensor<24x192xf32>
  %kb = tenon.broadcast %k {shape = array<i64: 1, 24, 192>, dims = array<i64: 1, 2>} : (tensor<24x192xf32>) -> tensor<1x24x192xf32>
  %z = tenon.matmul %kb, %m : (tensor<1x24x192xf32>, tensor<1x192x121xf32>) -> tensor<1x24x121xf32>
  %y = tenon.reshape %z {shape = array<i64: 1, 24, 11, 11>} : (tensor<1x24x121xf32>) -> tensor<1x24x11x11xf32>
  %ydy = tenon.mul %y, %dy : (tensor<1x24x11x11xf32>, tensor<1x24x11x11xf32>) -> tensor<1x24x11x11xf32>
  %loss = tenon.reduce_sum %ydy {axes = array<i64: 0, 1, 2, 3>} : (tensor<1x24x11x11xf32>) -> tensor<f32>
  %gx = tenon.gradient %loss, %x : (tensor<f32>, tensor<1x32x11x12xf32>) -> tensor<1x32x11x12xf32>
  return %gx : tensor<1x32x11x12xf32>
}

func.func @many_channels_of_groups(%x: tensor<2x50x8x9xf32>, %w: tensor<24x25x2x3xf32>, %dy: tensor<2x24x7x11xf32>) -> tensor<2x50x8x9xf32> {
  %p = tenon.pad %x {low = array<i64: 0, 0, 0, 2>, high = array<i64: 0, 0, 0, 2>, value = 0.0 : f64} : (tensor<2x50x8x9xf32>) -> tensor<2x50x8x13xf32>
  %u = tenon.windows %p {sizes = array<i64: 2, 3>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<2x50x8x13xf32>) -> tensor<2x50x2x3x7x11xf32>
  %m = tenon.reshape %u {shape = array<i64: 2, 2, 150, 77>} : (tensor<2x50x2x3x7x11xf32>) -> tensor<2x2x150x77xf32>
  %k = tenon.reshape %w {shape = array<i64: 2, 12, 150>} : (tensor<24x25x2x3xf32>) -> tensor<2x12x150xf32>
  %kb = tenon.broadcast %k {shape = array<i64: 2, 2, 12, 150>, dims = array<i64: 1, 2, 3>} : (tensor<2x12x150xf32>) -> tensor<2x2x12x150xf32>
  %z = tenon.matmul %kb, %m : (tensor<2x2x12x150xf32>, tensor<2x2x150x77xf32>) -> tensor<2x2x12x77xf32>
  %y = tenon.reshape %z {shape = array<i64: 2, 24, 7, 11>} : (tensor<2x2x12x77xf32>) -> tensor<2x24x7x11xf32>
  %ydy = tenon.mul %y, %dy : (tensor<2x24x7x11xf32>, tensor<2x24x7x11xf32>) -> tensor<2x24x7x11xf32>
  %loss = tenon.reduce_sum %ydy {axes = array<i64: 0, 1, 2, 3>} : (tensor<2x24x7x11xf32>) -> tensor<f32>
  %gx = tenon.gradient %loss, %x : (tensor<f32>, tensor<2x50x8x9xf32>) -> tensor<2x50x8x9xf32>
  return %gx : tensor<2x50x8x9xf32>
}

func.func @many_channels_in_line(%x: tensor<2x24x70xf32>, %w: tensor<30x24x5xf32>, %dy: tensor<2x30x72xf32>) -> tensor<2x24x70xf32> {
  %p = tenon.pad %x {low = array<i64: 0, 0, 3>, high = array<i64: 0, 0, 3>, value = 0.0 : f64} : (tensor<2x24x70xf32>) -> tensor<2x24x76xf32>
  %u = tenon.windows %p {sizes = array<i64: 5>, strides = array<i64: 1>, dilations = array<i64: 1>} : (tensor<2x24x76xf32>) -> tensor<2x24x5x72xf32>
  %m = tenon.reshape %u {shape = array<i64: 2, 120, 72>} : (tensor<2x24x5x72xf32>) -> tensor<2x120x72xf32>
  %k = tenon.reshape %w {shape = array<i64: 30, 120>} : (tensor<30x24x5xf32>) -> tensor<30x120xf32>
  %kb = tenon.broadcast %k {shape = array<i64: 2, 30, 120>, dims = array<i64: 1, 2>} : (tensor<30x120xf32>) -> tensor<2x30x120xf32>
  %z = tenon.matmul %kb, %m : (tensor<2x30x120xf32>, tensor<2x120x72xf32>) -> tensor<2x30x72xf32>
  %y = tenon.reshape %z {shape = array<i64: 2, 30, 72>} : (tensor<2x30x72xf32>) -> tensor<2x30x72xf32>
  %ydy = tenon.mul %y, %dy : (tensor<2x30x72xf32>, tensor<2x30x72xf32>) -> tensor<2x30x72xf32>
  %loss = tenon.reduce_sum %ydy {axes = array<i64: 0, 1, 2>} : (tensor<2x30x72xf32>) -> tensor<f32>
  %gx = tenon.gradient %loss, %x : (tensor<f32>, tensor<2x24x70xf32>) -> tensor<2x24x70xf32>
  return %gx : tensor<2x24x70xf32>
}

func.func @much_padding_of_channels(%x: tensor<1x24x30xf32>, %w: tensor<30x24x3xf32>, %dy: tensor<1x30x36xf32>) -> tensor<1x24x30xf32> {
  %p = tenon.pad %x {low = array<i64: 0, 0, 4>, high = array<i64: 0, 0, 4>, value = 0.0 : f64} : (tensor<1x24x30xf32>) -> tensor<1x24x38xf32>
  %u = tenon.windows %p {sizes = array<i64: 3>, strides = array<i64: 1>, dilations = array<i64: 1>} : (tensor<1x24x38xf32>) -> tensor<1x24x3x36xf32>
  %m = tenon.reshape %u {shape = array<i64: 1, 72, 36>} : (tensor<1x24x3x36xf32>) -> tensor<1x72x36xf32>
  %k = tenon.reshape %w {shape = array<i64: 30, 72>} : (tensor<30x24x3xf32>) -> tensor<30x72xf32>
  %kb = tenon.broadcast %k {shape = array<i64: 1, 30, 72>, dims = array<i64: 1, 2>} : (tensor<30x72xf32>) -> tensor<1x30x72xf32>
  %z = tenon.matmul %kb, %m : (tensor<1x30x72xf32>, tensor<1x72x36xf32>) -> tensor<1x30x36xf32>
  %y = tenon.reshape %z {shape = array<i64: 1, 30, 36>} : (tensor<1x30x36xf32>) -> tensor<1x30x36xf32>
  %ydy = tenon.mul %y, %dy : (tensor<1x30x36xf32>, tensor<1x30x36xf32>) -> tensor<1x30x36xf32>
  %loss = tenon.reduce_sum %ydy {axes = array<i64: 0, 1, 2>} : (tensor<1x30x36xf32>) -> tensor<f32>
  %gx = tenon.gradient %loss, %x : (tensor<f32>, tensor<1x24x30xf32>) -> tensor<1x24x30xf32>
  return %gx : tensor<1x24x30xf32>
}

func.func @many_channels_f16(%x: tensor<1x40x10x9xf16>, %w: tensor<40x40x3x3xf16>, %dy: tensor<1x40x10x9xf16>) -> tensor<1x40x10x9xf16> {
  %p = tenon.pad %x {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, value = 0.0 : f64} : (tensor<1x40x10x9xf16>) -> tensor<1x40x12x11xf16>
  %u = tenon.windows %p {sizes = array<i64: 3, 3>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x40x12x11xf16>) -> tensor<1x40x3x3x10x9xf16>
  %m = tenon.reshape %u {shape = array<i64: 1, 360, 90>} : (tensor<1x40x3x3x10x9xf16>) -> tensor<1x360x90xf16>
  %k = tenon.reshape %w {shape = array<i64: 40, 360>} : (tensor<40x40x3x3xf16>) -> tensor<40x360xf16>
  %kb = tenon.broadcast %k {shape = array<i64: 1, 40, 360>, dims = array<i64: 1, 2>} : (tensor<40x360xf16>) -> tensor<1x40x360xf16>
  %z = tenon.matmul %kb, %m : (tensor<1x40x360xf16>, tensor<1x360x90xf16>) -> tensor<1x40x90xf16>
  %y = tenon.reshape %z {shape = array<i64: 1, 40, 10, 9>} : (tensor<1x40x90xf16>) -> tensor<1x40x10x9xf16>
  %ydy = tenon.mul %y, %dy : (tensor<1x40x10x9xf16>, tensor<1x40x10x9xf16>) -> tensor<1x40x10x9xf16>
  %loss = tenon.reduce_sum %ydy {axes = array<i64: 0, 1, 2, 3>} : (tensor<1x40x10x9xf16>) -> tensor<f16>
  %gx = tenon.gradient %loss, %x : (tensor<f16>, tensor<1x40x10x9xf16>) -> tensor<1x40x10x9xf16>
  return %gx : tensor<1x40x10x9xf16>
}

func.func @point(%x: tensor<2x33x7x9xf32>, %w: tensor<48x33x1x1xf32>, %dy: tensor<2x48x7x9xf32>) -> (tensor<2x48x7x9xf32>, tensor<2x33x7x9xf32>, tensor<48x33x1x1xf32>) {
  %u = tenon.windows %x {sizes = array<i64: 1, 1>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<2x33x7x9xf32>) -> tensor<2x33x1x1x7x9xf32>
  %m = tenon.reshape %u {shape = array<i64: 2, 33, 63>} : (tensor<2x33x1x1x7x9xf32>) -> tensor<2x33x63xf32>
  %k = tenon.reshape %w {shape = array<i64: 48, 33>} : (tensor<48x33x1x1xf32>) -> tensor<48x33xf32>
  %kb = tenon.broadcast %k {shape = array<i64: 2, 48, 33>, dims = array<i64: 1, 2>} : (tensor<48x33xf32>) -> tensor<2x48x33xf32>
  %z = tenon.matmul %kb, %m : (tensor<2x48x33xf32>, tensor<2x33x63xf32>) -> tensor<2x48x63xf32>
  %y = tenon.reshape %z {shape = array<i64: 2, 48, 7, 9>} : (tensor<2x48x63xf32>) -> tensor<2x48x7x9xf32>
  %ydy = tenon.mul %y, %dy : (tensor<2x48x7x9xf32>, tensor<2x48x7x9xf32>) -> tensor<2x48x7x9xf32>
  %loss = tenon.reduce_sum %ydy {axes = array<i64: 0, 1, 2, 3>} : (tensor<2x48x7x9xf32>) -> tensor<f32>
  %gx = tenon.gradient %loss, %x : (tensor<f32>, tensor<2x33x7x9xf32>) -> tensor<2x33x7x9xf32>
  %gw = tenon.gradient %loss, %w : (tensor<f32>, tensor<48x33x1x1xf32>) -> tensor<48x33x1x1xf32>
  return %y, %gx, %gw : tensor<2x48x7x9xf32>, tensor<2x33x7x9xf32>, tensor<48x33x1x1xf32>
}

func.func @space(%x: tensor<1x4x5x6x7xf32>, %w: tensor<32x4x3x2x3xf32>, %dy: tensor<1x32x5x5x7xf32>) -> (tensor<1x32x5x5x7xf32>, tensor<1x4x5x6x7xf32>, tensor<32x4x3x2x3xf32>) {
  %p = tenon.pad %x {low = array<i64: 0, 0, 1, 0, 1>, high = array<i64: 0, 0, 1, 0, 1>, value = 0.0 : f64} : (tensor<1x4x5x6x7xf32>) -> tensor<1x4x7x6x9xf32>
  %u = tenon.windows %p {sizes = array<i64: 3, 2, 3>, strides = array<i64: 1, 1, 1>, dilations = array<i64: 1, 1, 1>} : (tensor<1x4x7x6x9xf32>) -> tensor<1x4x3x2x3x5x5x7xf32>
  %m = tenon.reshape %u {shape = array<i64: 1, 72, 175>} : (tensor<1x4x3x2x3x5x5x7xf32>) -> tensor<1x72x175xf32>
  %k = tenon.reshape %w {shape = array<i64: 32, 72>} : (tensor<32x4x3x2x3xf32>) -> tensor<32x72xf32>
  %kb = tenon.broadcast %k {shape = array<i64: 1, 32, 72>, dims = array<i64: 1, 2>} : (tensor<32x72xf32>) -> tensor<1x32x72xf32>
  %z = tenon.matmul %kb, %m : (tensor<1x32x72xf32>, tensor<1x72x175xf32>) -> tensor<1x32x175xf32>
  %y = tenon.reshape %z {shape = array<i64: 1, 32, 5, 5, 7>} : (tensor<1x32x175xf32>) -> tensor<1x32x5x5x7xf32>
  %ydy = tenon.mul %y, %dy : (tensor<1x32x5x5x7xf32>, tensor<1x32x5x5x7xf32>) -> tensor<1x32x5x5x7xf32>
  %loss = tenon.reduce_sum %ydy {axes = array<i64: 0, 1, 2, 3, 4>} : (tensor<1x32x5x5x7xf32>) -> tensor<f32>
  %gx = tenon.gradient %loss, %x : (tensor<f32>, tensor<1x4x5x6x7xf32>) -> tensor<1x4x5x6x7xf32>
  %gw = tenon.gradient %loss, %w : (tensor<f32>, tensor<32x4x3x2x3xf32>) -> tensor<32x4x3x2x3xf32>
  return %y, %gx, %gw : tensor<1x32x5x5x7xf32>, tensor<1x4x5x6x7xf32>, tensor<32x4x3x2x3xf32>
}

func.func @space_strided(%x: tensor<1x4x6x7x8xf32>, %w: tensor<32x4x2x3x2xf32>, %dy: tensor<1x32x3x3x4xf32>) -> (tensor<1x32x3x3x4xf32>, tensor<1x4x6x7x8xf32>, tensor<32x4x2x3x2xf32>) {
  %u = tenon.windows %x {sizes = array<i64: 2, 3, 2>, strides = array<i64: 2, 1, 2>, dilations = array<i64: 1, 2, 1>} : (tensor<1x4x6x7x8xf32>) -> tensor<1x4x2x3x2x3x3x4xf32>
  %m = tenon.reshape %u {shape = array<i64: 1, 48, 36>} : (tensor<1x4x2x3x2x3x3x4xf32>) -> tensor<1x48x36xf32>
  %k = tenon.reshape %w {shape = array<i64: 32, 48>} : (tensor<32x4x2x3x2xf32>) -> tensor<32x48xf32>
  %kb = tenon.broadcast %k {shape = array<i64: 1, 32, 48>, dims = array<i64: 1, 2>} : (tensor<32x48xf32>) -> tensor<1x32x48xf32>
  %z = tenon.matmul %kb, %m : (tensor<1x32x48xf32>, tensor<1x48x36xf32>) -> tensor<1x32x36xf32>
  %y = tenon.reshape %z {shape = array<i64: 1, 32, 3, 3, 4>} : (tensor<1x32x36xf32>) -> tensor<1x32x3x3x4xf32>
  %ydy = tenon.mul %y, %dy : (tensor<1x32x3x3x4xf32>, tensor<1x32x3x3x4xf32>) -> tensor<1x32x3x3x4xf32>
  %loss = tenon.reduce_sum %ydy {axes = array<i64: 0, 1, 2, 3, 4>} : (tensor<1x32x3x3x4xf32>) -> tensor<f32>
  %gx = tenon.gradient %loss, %x : (tensor<f32>, tensor<1x4x6x7x8xf32>) -> tensor<1x4x6x7x8xf32>
  %gw = tenon.gradient %loss, %w : (tensor<f32>, tensor<32x4x2x3x2xf32>) -> tensor<32x4x2x3x2xf32>
  return %y, %gx, %gw : tensor<1x32x3x3x4xf32>, tensor<1x4x6x7x8xf32>, tensor<32x4x2x3x2xf32>
}

func.func @f16(%x: tensor<2x8x9x10xf16>, %w: tensor<72x8x3x3xf16>, %dy: tensor<2x72x9x10xf16>) -> (tensor<2x72x9x10xf16>, tensor<2x8x9x10xf16>, tensor<72x8x3x3xf16>) {
  %p = tenon.pad %x {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, value = 0.0 : f64} : (tensor<2x8x9x10xf16>) -> tensor<2x8x11x12xf16>
  %u = tenon.windows %p {sizes = array<i64: 3, 3>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<2x8x11x12xf16>) -> tensor<2x8x3x3x9x10xf16>
  %m = tenon.reshape %u {shape = array<i64: 2, 72, 90>} : (tensor<2x8x3x3x9x10xf16>) -> tensor<2x72x90xf16>
  %k = tenon.reshape %w {shape = array<i64: 72, 72>} : (tensor<72x8x3x3xf16>) -> tensor<72x72xf16>
  %kb = tenon.broadcast %k {shape = array<i64: 2, 72, 72>, dims = array<i64: 1, 2>} : (tensor<72x72xf16>) -> tensor<2x72x72xf16>
  %z = tenon.matmul %kb, %m : (tensor<2x72x72xf16>, tensor<2x72x90xf16>) -> tensor<2x72x90xf16>
  %y = tenon.reshape %z {shape = array<i64: 2, 72, 9, 10>} : (tensor<2x72x90xf16>) -> tensor<2x72x9x10xf16>
  %ydy = tenon.mul %y, %dy : (tensor<2x72x9x10xf16>, tensor<2x72x9x10xf16>) -> tensor<2x72x9x10xf16>
  %loss = tenon.reduce_sum %ydy {axes = array<i64: 0, 1, 2, 3>} : (tensor<2x72x9x10xf16>) -> tensor<f16>
  %gx = tenon.gradient %loss, %x : (tensor<f16>, tensor<2x8x9x10xf16>) -> tensor<2x8x9x10xf16>
  %gw = tenon.gradient %loss, %w : (tensor<f16>, tensor<72x8x3x3xf16>) -> tensor<72x8x3x3xf16>
  return %y, %gx, %gw : tensor<2x72x9x10xf16>, tensor<2x8x9x10xf16>, tensor<72x8x3x3xf16>
}

func.func @f64(%x: tensor<1x4x7x8xf64>, %w: tensor<32x4x3x3xf64>, %dy: tensor<1x32x7x8xf64>) -> (tensor<1x32x7x8xf64>, tensor<1x4x7x8xf64>, tensor<32x4x3x3xf64>) {
  %p = tenon.pad %x {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, value = 0.0 : f64} : (tensor<1x4x7x8xf64>) -> tensor<1x4x9x10xf64>
  %u = tenon.windows %p {sizes = array<i64: 3, 3>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x4x9x10xf64>) -> tensor<1x4x3x3x7x8xf64>
  %m = tenon.reshape %u {shape = array<i64: 1, 36, 56>} : (tensor<1x4x3x3x7x8xf64>) -> tensor<1x36x56xf64>
  %k = tenon.reshape %w {shape = array<i64: 32, 36>} : (tensor<32x4x3x3xf64>) -> tensor<32x36xf64>
  %kb = tenon.broadcast %k {shape = array<i64: 1, 32, 36>, dims = array<i64: 1, 2>} : (tensor<32x36xf64>) -> tensor<1x32x36xf64>
  %z = tenon.matmul %kb, %m : (tensor<1x32x36xf64>, tensor<1x36x56xf64>) -> tensor<1x32x56xf64>
  %y = tenon.reshape %z {shape = array<i64: 1, 32, 7, 8>} : (tensor<1x32x56xf64>) -> tensor<1x32x7x8xf64>
  %ydy = tenon.mul %y, %dy : (tensor<1x32x7x8xf64>, tensor<1x32x7x8xf64>) -> tensor<1x32x7x8xf64>
  %loss = tenon.reduce_sum %ydy {axes = array<i64: 0, 1, 2, 3>} : (tensor<1x32x7x8xf64>) -> tensor<f64>
  %gx = tenon.gradient %loss, %x : (tensor<f64>, tensor<1x4x7x8xf64>) -> tensor<1x4x7x8xf64>
  %gw = tenon.gradient %loss, %w : (tensor<f64>, tensor<32x4x3x3xf64>) -> tensor<32x4x3x3xf64>
  return %y, %gx, %gw : tensor<1x32x7x8xf64>, tensor<1x4x7x8xf64>, tensor<32x4x3x3xf64>
}

func.func @any_batch(%x: tensor<?x5x9x8xf32>, %w: tensor<36x5x3x3xf32>, %b: tensor<36xf32>, %dy: tensor<?x36x9x8xf32>, %like: tensor<?x36x45xf32>) -> (tensor<?x36x9x8xf32>, tensor<?x5x9x8xf32>, tensor<36x5x3x3xf32>) {
  %p = tenon.pad %x {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, value = 0.0 : f64} : (tensor<?x5x9x8xf32>) -> tensor<?x5x11x10xf32>
  %u = tenon.windows %p {sizes = array<i64: 3, 3>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<?x5x11x10xf32>) -> tensor<?x5x3x3x9x8xf32>
  %m = tenon.reshape %u {shape = array<i64: -9223372036854775808, 45, 72>} : (tensor<?x5x3x3x9x8xf32>) -> tensor<?x45x72xf32>
  %k = tenon.reshape %w {shape = array<i64: 36, 45>} : (tensor<36x5x3x3xf32>) -> tensor<36x45xf32>
  %kb = tenon.broadcast %k, %like {shape = array<i64: -9223372036854775808, 36, 45>, dims = array<i64: 1, 2>} : (tensor<36x45xf32>, tensor<?x36x45xf32>) -> tensor<?x36x45xf32>
  %z = tenon.matmul %kb, %m : (tensor<?x36x45xf32>, tensor<?x45x72xf32>) -> tensor<?x36x72xf32>
  %a = tenon.reshape %z {shape = array<i64: -9223372036854775808, 36, 9, 8>} : (tensor<?x36x72xf32>) -> tensor<?x36x9x8xf32>
  %bb = tenon.broadcast %b, %a {shape = array<i64: -9223372036854775808, 36, 9, 8>, dims = array<i64: 1>} : (tensor<36xf32>, tensor<?x36x9x8xf32>) -> tensor<?x36x9x8xf32>
  %c = tenon.add %a, %bb : (tensor<?x36x9x8xf32>, tensor<?x36x9x8xf32>) -> tensor<?x36x9x8xf32>
  %y = tenon.relu %c : tensor<?x36x9x8xf32>
  %ydy = tenon.mul %y, %dy : (tensor<?x36x9x8xf32>, tensor<?x36x9x8xf32>) -> tensor<?x36x9x8xf32>
  %loss = tenon.reduce_sum %ydy {axes = array<i64: 0, 1, 2, 3>} : (tensor<?x36x9x8xf32>) -> tensor<f32>
  %gx = tenon.gradient %loss, %x : (tensor<f32>, tensor<?x5x9x8xf32>) -> tensor<?x5x9x8xf32>
  %gw = tenon.gradient %loss, %w : (tensor<f32>, tensor<36x5x3x3xf32>) -> tensor<36x5x3x3xf32>
  return %y, %gx, %gw : tensor<?x36x9x8xf32>, tensor<?x5x9x8xf32>, tensor<36x5x3x3xf32>
}

// Products of few columns, by flat tiles as well.
func.func @few_columns(%x: tensor<70x300x19xf32>, %y: tensor<70x19x10xf32>, %b: tensor<10xf32>) -> tensor<70x300x10xf32> {
  %z = tenon.matmul %x, %y : (tensor<70x300x19xf32>, tensor<70x19x10xf32>) -> tensor<70x300x10xf32>
  %c = tenon.broadcast %b {shape = array<i64: 70, 300, 10>, dims = array<i64: 2>} : (tensor<10xf32>) -> tensor<70x300x10xf32>
  %s = tenon.add %z, %c : (tensor<70x300x10xf32>, tensor<70x300x10xf32>) -> tensor<70x300x10xf32>
  return %s : tensor<70x300x10xf32>
}

func.func @few_rows_f64(%x: tensor<70x10x19xf64>, %y: tensor<70x19x300xf64>) -> tensor<70x10x300xf64> {
  %z = tenon.matmul %x, %y : (tensor<70x10x19xf64>, tensor<70x19x300xf64>) -> tensor<70x10x300xf64>
  return %z : tensor<70x10x300xf64>
}

func.func @few_rows_f16(%x: tensor<70x19x10xf16>, %y: tensor<70x300x19xf16>) -> tensor<70x10x300xf16> {
  %z = tenon.matmul %x, %y {transpose_a = true, transpose_b = true} : (tensor<70x19x10xf16>, tensor<70x300x19xf16>) -> tensor<70x10x300xf16>
  return %z : tensor<70x10x300xf16>
}
