// Dynamic loss scaling: a step whose gradients are finite, one whose are not, and what becomes of the scale.
// RUN: tenon-run %s --compare=reference --low=1 --high=8 --function=step
// RUN: tenon-run %s --compare=reference --low=1 --high=8 --function=step --mixed-precision=f16
// RUN: tenon-run %s --compare=reference --low=1 --high=8 --function=step --mixed-precision=f16 --backend=vulkan
// RUN: tenon-run %s --mixed-precision=f16 --function=much | FileCheck %s --check-prefix=MUCH
// RUN: tenon-run %s --mixed-precision=f16 --function=much --backend=vulkan | FileCheck %s --check-prefix=MUCH
// RUN: tenon-run %s --mixed-precision=f16 --function=good | FileCheck %s --check-prefix=GOOD
// RUN: tenon-run %s --mixed-precision=f16 --function=good --backend=vulkan | FileCheck %s --check-prefix=GOOD
// RUN: tenon-run %s --mixed-precision=f16 --function=loop --donate | FileCheck %s --check-prefix=LOOP

func.func @step(%x: tensor<5x8xf32>, %w: tensor<8x6xf32>, %m: tensor<8x6xf32>, %v: tensor<8x6xf32>, %lr: tensor<f32>, %s: tensor<2xf32>)
    -> (tensor<8x6xf32> {tenon.donates = 1 : i64}, tensor<8x6xf32> {tenon.donates = 2 : i64},
        tensor<8x6xf32> {tenon.donates = 3 : i64}, tensor<2xf32> {tenon.donates = 5 : i64}) {
  %t = tenon.constant dense<3> : tensor<i64>
  %y = tenon.matmul %x, %w : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
  %l = tenon.reduce_mean %y {axes = array<i64: 0, 1>} : (tensor<5x6xf32>) -> tensor<f32>
  %g = tenon.gradient %l, %w : (tensor<f32>, tensor<8x6xf32>) -> tensor<8x6xf32>
  %p, %nm, %nv = tenon.adam %w, %g, %m, %v, %lr, %t {beta1 = 0.9 : f64, beta2 = 0.99 : f64, eps = 1.0e-3 : f64, weight_decay = 0.0 : f64} : (tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<f32>, tensor<i64>) -> (tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>)
  %n = tenon.loss_scale %s {interval = 4 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return %p, %nm, %nv, %n : tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<2xf32>
}

// 2^24 is infinite in f16: w - w = 0.
// MUCH: output0: f32[2,2] = {{\[}}[0, 0], [0, 0]]
// MUCH: output1: f32[2] = [8388608, 0]
func.func @much(%w: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>) {
  %s = tenon.constant dense<[16777216.0, 7.0]> : tensor<2xf32>
  %lr = tenon.constant dense<0.5> : tensor<f32>
  %y = tenon.matmul %w, %w : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %l = tenon.reduce_sum %y {axes = array<i64: 0, 1>} : (tensor<2x2xf32>) -> tensor<f32>
  %g = tenon.gradient %l, %w : (tensor<f32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %p = tenon.sgd %w, %g, %lr : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  %d = tenon.sub %p, %w : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %n = tenon.loss_scale %s {interval = 2000 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return %d, %n : tensor<2x2xf32>, tensor<2xf32>
}

// The gradient is 4, the step 0.5 of it, with any scale; it is the 2000th.
// GOOD: output0: f32[2,2] = {{\[}}[-2, -2], [-2, -2]]
// GOOD: output1: f32[2] = [2048, 0]
func.func @good() -> (tensor<2x2xf32>, tensor<2xf32>) {
  %w0 = tenon.constant dense<0.0> : tensor<2x2xf32>
  %w = tenon.watch %w0 : tensor<2x2xf32>
  %two = tenon.constant dense<2.0> : tensor<2x2xf32>
  %s = tenon.constant dense<[1024.0, 1999.0]> : tensor<2xf32>
  %lr = tenon.constant dense<0.5> : tensor<f32>
  %y = tenon.matmul %w, %two : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %l = tenon.reduce_sum %y {axes = array<i64: 0, 1>} : (tensor<2x2xf32>) -> tensor<f32>
  %g = tenon.gradient %l, %w : (tensor<f32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %p = tenon.sgd %w, %g, %lr : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  %n = tenon.loss_scale %s {interval = 2000 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return %p, %n : tensor<2x2xf32>, tensor<2xf32>
}

// The loss's gradient is the scale: 262144, 131072 and 65536 are infinite in f16, 32768 is not, twice.
// LOOP: output0: f32[5] = [131072, 65536, 32768, 32768, 65536]
func.func @loop() -> tensor<5xf32> {
  %w0 = tenon.constant dense<1.0> : tensor<2x2xf32>
  %s0 = tenon.constant dense<[262144.0, 0.0]> : tensor<2xf32>
  %lr = tenon.constant dense<0.0> : tensor<f32>
  %r:3 = tenon.loop trips 5 carry(%w0, %s0) scan() use(%lr) : (tensor<2x2xf32>, tensor<2xf32>, tensor<f32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<5xf32>) {
  ^bb0(%t: tensor<i64>, %w: tensor<2x2xf32>, %s: tensor<2xf32>, %rate: tensor<f32>):
    %c = tenon.constant dense<0.01> : tensor<2x2xf32>
    %y = tenon.matmul %w, %c : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %l = tenon.reduce_sum %y {axes = array<i64: 0, 1>} : (tensor<2x2xf32>) -> tensor<f32>
    %g = tenon.gradient %l, %w : (tensor<f32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %p = tenon.sgd %w, %g, %rate : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
    %n = tenon.loss_scale %s {interval = 2 : i64} : (tensor<2xf32>) -> tensor<2xf32>
    %e = tenon.slice %n {offsets = array<i64: 0>, sizes = array<i64: 1>, strides = array<i64: 1>} : (tensor<2xf32>) -> tensor<1xf32>
    %k = tenon.reshape %e {shape = array<i64>} : (tensor<1xf32>) -> tensor<f32>
    tenon.yield %p, %n, %k : tensor<2x2xf32>, tensor<2xf32>, tensor<f32>
  }
  return %r#2 : tensor<5xf32>
}
