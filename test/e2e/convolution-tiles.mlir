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
