// The gradient of a long loop, which keeps a part of what its trips start from, is that of a short
// row of the same elements, which keeps all.
// RUN: tenon-run %s --compare=reference --low=-1 --high=1
// RUN: tenon-run %s --compare=reference --low=-1 --high=1 --backend=vulkan
// RUN: tenon-run %s --low=-1 --high=1 | FileCheck %s
// CHECK: output0: i64[] = 0

func.func @f(%x: tensor<32768xf64>, %z: tensor<70x4xf64>, %w: tensor<32768xf64>) -> (tensor<i64>, tensor<32768xf64>, tensor<70x4xf64>) {
  %y, %all = tenon.loop trips 70 carry(%x) scan(%z) use(%w) : (tensor<32768xf64>, tensor<70x4xf64>, tensor<32768xf64>) -> (tensor<32768xf64>, tensor<70x4xf64>) {
  ^bb0(%t: tensor<i64>, %c: tensor<32768xf64>, %s: tensor<4xf64>, %u: tensor<32768xf64>):
    %m = tenon.mul %c, %u : (tensor<32768xf64>, tensor<32768xf64>) -> tensor<32768xf64>
    %sb = tenon.broadcast %s {shape = array<i64: 8192, 4>, dims = array<i64: 1>} : (tensor<4xf64>) -> tensor<8192x4xf64>
    %sr = tenon.reshape %sb {shape = array<i64: 32768>} : (tensor<8192x4xf64>) -> tensor<32768xf64>
    %a = tenon.add %m, %sr : (tensor<32768xf64>, tensor<32768xf64>) -> tensor<32768xf64>
    %tf = tenon.cast %t {dtype = f64} : (tensor<i64>) -> tensor<f64>
    %ts = tenon.sin %tf : tensor<f64>
    %tb = tenon.broadcast %ts {shape = array<i64: 32768>, dims = array<i64>} : (tensor<f64>) -> tensor<32768xf64>
    %b = tenon.add %a, %tb : (tensor<32768xf64>, tensor<32768xf64>) -> tensor<32768xf64>
    %h = tenon.tanh %b : tensor<32768xf64>
    %h4 = tenon.slice %h {offsets = array<i64: 0>, sizes = array<i64: 4>, strides = array<i64: 1>} : (tensor<32768xf64>) -> tensor<4xf64>
    tenon.yield %h, %h4 : tensor<32768xf64>, tensor<4xf64>
  }
  %first = tenon.slice %y {offsets = array<i64: 0>, sizes = array<i64: 4>, strides = array<i64: 1>} : (tensor<32768xf64>) -> tensor<4xf64>
  %sum = tenon.reduce_sum %all {axes = array<i64: 0>} : (tensor<70x4xf64>) -> tensor<4xf64>
  %both = tenon.add %first, %sum : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %l = tenon.reduce_sum %both {axes = array<i64: 0>} : (tensor<4xf64>) -> tensor<f64>
  %gx = tenon.gradient %l, %x : (tensor<f64>, tensor<32768xf64>) -> tensor<32768xf64>
  %gz = tenon.gradient %l, %z : (tensor<f64>, tensor<70x4xf64>) -> tensor<70x4xf64>
  %gw = tenon.gradient %l, %w : (tensor<f64>, tensor<32768xf64>) -> tensor<32768xf64>

  %x4s = tenon.slice %x {offsets = array<i64: 0>, sizes = array<i64: 4>, strides = array<i64: 1>} : (tensor<32768xf64>) -> tensor<4xf64>
  %x4 = tenon.watch %x4s : tensor<4xf64>
  %w4s = tenon.slice %w {offsets = array<i64: 0>, sizes = array<i64: 4>, strides = array<i64: 1>} : (tensor<32768xf64>) -> tensor<4xf64>
  %w4 = tenon.watch %w4s : tensor<4xf64>
  %y2, %all2 = tenon.loop trips 70 carry(%x4) scan(%z) use(%w4) : (tensor<4xf64>, tensor<70x4xf64>, tensor<4xf64>) -> (tensor<4xf64>, tensor<70x4xf64>) {
  ^bb0(%t: tensor<i64>, %c: tensor<4xf64>, %s: tensor<4xf64>, %u: tensor<4xf64>):
    %m = tenon.mul %c, %u : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    %a = tenon.add %m, %s : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    %tf = tenon.cast %t {dtype = f64} : (tensor<i64>) -> tensor<f64>
    %ts = tenon.sin %tf : tensor<f64>
    %tb = tenon.broadcast %ts {shape = array<i64: 4>, dims = array<i64>} : (tensor<f64>) -> tensor<4xf64>
    %b = tenon.add %a, %tb : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    %h = tenon.tanh %b : tensor<4xf64>
    tenon.yield %h, %h : tensor<4xf64>, tensor<4xf64>
  }
  %sum2 = tenon.reduce_sum %all2 {axes = array<i64: 0>} : (tensor<70x4xf64>) -> tensor<4xf64>
  %both2 = tenon.add %y2, %sum2 : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %l2 = tenon.reduce_sum %both2 {axes = array<i64: 0>} : (tensor<4xf64>) -> tensor<f64>
  %gx2 = tenon.gradient %l2, %x4 : (tensor<f64>, tensor<4xf64>) -> tensor<4xf64>
  %gz2 = tenon.gradient %l2, %z : (tensor<f64>, tensor<70x4xf64>) -> tensor<70x4xf64>
  %gw2 = tenon.gradient %l2, %w4 : (tensor<f64>, tensor<4xf64>) -> tensor<4xf64>

  %gx4 = tenon.slice %gx {offsets = array<i64: 0>, sizes = array<i64: 4>, strides = array<i64: 1>} : (tensor<32768xf64>) -> tensor<4xf64>
  %gw4 = tenon.slice %gw {offsets = array<i64: 0>, sizes = array<i64: 4>, strides = array<i64: 1>} : (tensor<32768xf64>) -> tensor<4xf64>
  %gx4r = tenon.reshape %gx4 {shape = array<i64: 1, 4>} : (tensor<4xf64>) -> tensor<1x4xf64>
  %gw4r = tenon.reshape %gw4 {shape = array<i64: 1, 4>} : (tensor<4xf64>) -> tensor<1x4xf64>
  %gx2r = tenon.reshape %gx2 {shape = array<i64: 1, 4>} : (tensor<4xf64>) -> tensor<1x4xf64>
  %gw2r = tenon.reshape %gw2 {shape = array<i64: 1, 4>} : (tensor<4xf64>) -> tensor<1x4xf64>
  %one = tenon.concat %gx4r, %gw4r, %gz {axis = 0 : i64} : (tensor<1x4xf64>, tensor<1x4xf64>, tensor<70x4xf64>) -> tensor<72x4xf64>
  %two = tenon.concat %gx2r, %gw2r, %gz2 {axis = 0 : i64} : (tensor<1x4xf64>, tensor<1x4xf64>, tensor<70x4xf64>) -> tensor<72x4xf64>
  %d = tenon.sub %one, %two : (tensor<72x4xf64>, tensor<72x4xf64>) -> tensor<72x4xf64>
  %ad = tenon.abs %d : tensor<72x4xf64>
  %limit = tenon.fill {shape = array<i64: 72, 4>, value = 1.0e-9 : f64, dtype = f64} : () -> tensor<72x4xf64>
  %wrong = tenon.compare %ad, %limit {predicate = #tenon.predicate<gt>} : (tensor<72x4xf64>, tensor<72x4xf64>) -> tensor<72x4xi1>
  %count = tenon.cast %wrong {dtype = i64} : (tensor<72x4xi1>) -> tensor<72x4xi64>
  %n = tenon.reduce_sum %count {axes = array<i64: 0, 1>} : (tensor<72x4xi64>) -> tensor<i64>
  return %n, %gw, %gz : tensor<i64>, tensor<32768xf64>, tensor<70x4xf64>
}
