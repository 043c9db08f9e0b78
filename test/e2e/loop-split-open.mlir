// The same of loops whose extents are known at run time only: a `?` counts as 256.
// RUN: tenon-run %s --compare=reference --low=-1 --high=1 --extent=5
// RUN: tenon-run %s --compare=reference --low=-1 --high=1 --extent=0
// RUN: tenon-run %s --compare=reference --low=-1 --high=1 --extent=3 --backend=vulkan
// RUN: tenon-run %s --low=-1 --high=1 --extent=7 | FileCheck %s
// CHECK: output0: i64[] = 0

// Wide states, whose stacks are large, and their first four columns alone, whose are not.
func.func @f(%x: tensor<?x512xf64>, %z: tensor<37x?xf64>) -> (tensor<i64>, tensor<?x512xf64>, tensor<37x?xf64>) {
  %y, %all = tenon.loop trips 37 carry(%x) scan(%z) use(%x) : (tensor<?x512xf64>, tensor<37x?xf64>, tensor<?x512xf64>) -> (tensor<?x512xf64>, tensor<37x?xf64>) {
  ^bb0(%t: tensor<i64>, %c: tensor<?x512xf64>, %s: tensor<?xf64>, %u: tensor<?x512xf64>):
    %sb = tenon.broadcast %s, %c {shape = array<i64: -9223372036854775808, 512>, dims = array<i64: 0>} : (tensor<?xf64>, tensor<?x512xf64>) -> tensor<?x512xf64>
    %tf = tenon.cast %t {dtype = f64} : (tensor<i64>) -> tensor<f64>
    %ts = tenon.sin %tf : tensor<f64>
    %tb = tenon.broadcast %ts, %c {shape = array<i64: -9223372036854775808, 512>, dims = array<i64>} : (tensor<f64>, tensor<?x512xf64>) -> tensor<?x512xf64>
    %m = tenon.mul %c, %u : (tensor<?x512xf64>, tensor<?x512xf64>) -> tensor<?x512xf64>
    %a = tenon.add %m, %sb : (tensor<?x512xf64>, tensor<?x512xf64>) -> tensor<?x512xf64>
    %b = tenon.add %a, %tb : (tensor<?x512xf64>, tensor<?x512xf64>) -> tensor<?x512xf64>
    %h = tenon.tanh %b : tensor<?x512xf64>
    %k = tenon.slice %h {offsets = array<i64: 0, 1>, sizes = array<i64: -9223372036854775808, 1>, strides = array<i64: 1, 1>} : (tensor<?x512xf64>) -> tensor<?x1xf64>
    %kr = tenon.reduce_sum %k {axes = array<i64: 1>} : (tensor<?x1xf64>) -> tensor<?xf64>
    tenon.yield %h, %kr : tensor<?x512xf64>, tensor<?xf64>
  }
  %first = tenon.slice %y {offsets = array<i64: 0, 0>, sizes = array<i64: -9223372036854775808, 4>, strides = array<i64: 1, 1>} : (tensor<?x512xf64>) -> tensor<?x4xf64>
  %l0 = tenon.reduce_sum %first {axes = array<i64: 0, 1>} : (tensor<?x4xf64>) -> tensor<f64>
  %l1 = tenon.reduce_sum %all {axes = array<i64: 0, 1>} : (tensor<37x?xf64>) -> tensor<f64>
  %l = tenon.add %l0, %l1 : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %gx = tenon.gradient %l, %x : (tensor<f64>, tensor<?x512xf64>) -> tensor<?x512xf64>
  %gz = tenon.gradient %l, %z : (tensor<f64>, tensor<37x?xf64>) -> tensor<37x?xf64>

  %x4s = tenon.slice %x {offsets = array<i64: 0, 0>, sizes = array<i64: -9223372036854775808, 4>, strides = array<i64: 1, 1>} : (tensor<?x512xf64>) -> tensor<?x4xf64>
  %x4 = tenon.watch %x4s : tensor<?x4xf64>
  %y2, %all2 = tenon.loop trips 37 carry(%x4) scan(%z) use(%x4) : (tensor<?x4xf64>, tensor<37x?xf64>, tensor<?x4xf64>) -> (tensor<?x4xf64>, tensor<37x?xf64>) {
  ^bb0(%t: tensor<i64>, %c: tensor<?x4xf64>, %s: tensor<?xf64>, %u: tensor<?x4xf64>):
    %sb = tenon.broadcast %s, %c {shape = array<i64: -9223372036854775808, 4>, dims = array<i64: 0>} : (tensor<?xf64>, tensor<?x4xf64>) -> tensor<?x4xf64>
    %tf = tenon.cast %t {dtype = f64} : (tensor<i64>) -> tensor<f64>
    %ts = tenon.sin %tf : tensor<f64>
    %tb = tenon.broadcast %ts, %c {shape = array<i64: -9223372036854775808, 4>, dims = array<i64>} : (tensor<f64>, tensor<?x4xf64>) -> tensor<?x4xf64>
    %m = tenon.mul %c, %u : (tensor<?x4xf64>, tensor<?x4xf64>) -> tensor<?x4xf64>
    %a = tenon.add %m, %sb : (tensor<?x4xf64>, tensor<?x4xf64>) -> tensor<?x4xf64>
    %b = tenon.add %a, %tb : (tensor<?x4xf64>, tensor<?x4xf64>) -> tensor<?x4xf64>
    %h = tenon.tanh %b : tensor<?x4xf64>
    %k = tenon.slice %h {offsets = array<i64: 0, 1>, sizes = array<i64: -9223372036854775808, 1>, strides = array<i64: 1, 1>} : (tensor<?x4xf64>) -> tensor<?x1xf64>
    %kr = tenon.reduce_sum %k {axes = array<i64: 1>} : (tensor<?x1xf64>) -> tensor<?xf64>
    tenon.yield %h, %kr : tensor<?x4xf64>, tensor<?xf64>
  }
  %k0 = tenon.reduce_sum %y2 {axes = array<i64: 0, 1>} : (tensor<?x4xf64>) -> tensor<f64>
  %k1 = tenon.reduce_sum %all2 {axes = array<i64: 0, 1>} : (tensor<37x?xf64>) -> tensor<f64>
  %m = tenon.add %k0, %k1 : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %gx2 = tenon.gradient %m, %x4 : (tensor<f64>, tensor<?x4xf64>) -> tensor<?x4xf64>
  %gz2 = tenon.gradient %m, %z : (tensor<f64>, tensor<37x?xf64>) -> tensor<37x?xf64>

  %gx4 = tenon.slice %gx {offsets = array<i64: 0, 0>, sizes = array<i64: -9223372036854775808, 4>, strides = array<i64: 1, 1>} : (tensor<?x512xf64>) -> tensor<?x4xf64>
  %dx = tenon.sub %gx4, %gx2 : (tensor<?x4xf64>, tensor<?x4xf64>) -> tensor<?x4xf64>
  %dz = tenon.sub %gz, %gz2 : (tensor<37x?xf64>, tensor<37x?xf64>) -> tensor<37x?xf64>
  %dzt = tenon.transpose %dz {permutation = array<i64: 1, 0>} : (tensor<37x?xf64>) -> tensor<?x37xf64>
  %d = tenon.concat %dx, %dzt {axis = 1 : i64} : (tensor<?x4xf64>, tensor<?x37xf64>) -> tensor<?x41xf64>
  %ad = tenon.abs %d : tensor<?x41xf64>
  %limit = tenon.fill %ad {shape = array<i64: -9223372036854775808, 41>, value = 1.0e-9 : f64, dtype = f64} : (tensor<?x41xf64>) -> tensor<?x41xf64>
  %right = tenon.compare %ad, %limit {predicate = #tenon.predicate<le>} : (tensor<?x41xf64>, tensor<?x41xf64>) -> tensor<?x41xi1>
  %wrong = tenon.not %right : tensor<?x41xi1>
  %count = tenon.cast %wrong {dtype = i64} : (tensor<?x41xi1>) -> tensor<?x41xi64>
  %n = tenon.reduce_sum %count {axes = array<i64: 0, 1>} : (tensor<?x41xi64>) -> tensor<i64>
  return %n, %gx, %gz : tensor<i64>, tensor<?x512xf64>, tensor<37x?xf64>
}
