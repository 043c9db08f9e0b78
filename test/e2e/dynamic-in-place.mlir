// Results that share an op are computed in one loop, also where their extents have
// different names: one may lie in the storage of an operand of the others.
// RUN: tenon-run %s --compare=reference --extent=5
// RUN: tenon-run %s --compare=reference --extent=5 --backend=vulkan

func.func @chain(%a: tensor<?xf64>, %z: tensor<2x?xf64>) -> (tensor<?xf64>, tensor<2x?xf64>) {
  %x = tenon.exp %a : tensor<?xf64>
  %y, %all = tenon.loop trips 2 carry(%x) scan(%z) use() : (tensor<?xf64>, tensor<2x?xf64>) -> (tensor<?xf64>, tensor<2x?xf64>) {
  ^bb0(%t: tensor<i64>, %c: tensor<?xf64>, %s: tensor<?xf64>):
    %h = tenon.tanh %s : tensor<?xf64>
    %k = tenon.mul %c, %h : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %n = tenon.mul %k, %s : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %m = tenon.sub %k, %h : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    tenon.yield %n, %m : tensor<?xf64>, tensor<?xf64>
  }
  return %y, %all : tensor<?xf64>, tensor<2x?xf64>
}
