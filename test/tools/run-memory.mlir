// Results that no memory can hold.
// RUN: not tenon-run %s --function=result 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: not tenon-run %s --function=value --backend=reference 2>&1 | FileCheck %s --check-prefix=FILL
// RUN: not tenon-run %s --function=states --backend=reference 2>&1 | FileCheck %s --check-prefix=STATES

// RESULT: tenon-run: 'output0': no memory for a tensor of 800000000000000 bytes
func.func @result() -> tensor<100000000000000xf64> {
  %y = tenon.fill {shape = array<i64: 100000000000000>, value = 1.0 : f64, dtype = f64} : () -> tensor<100000000000000xf64>
  return %y : tensor<100000000000000xf64>
}

// FILL:   device: reference device: input:[[#@LINE+2]]:{{[0-9]+}}: the reference interpreter has no memory for the values of 'tenon.fill', which take 800000000000000 bytes
func.func @value() -> tensor<f64> {
  %y = tenon.fill {shape = array<i64: 100000000000000>, value = 1.0 : f64, dtype = f64} : () -> tensor<100000000000000xf64>
  %s = tenon.reduce_sum %y {axes = array<i64: 0>} : (tensor<100000000000000xf64>) -> tensor<f64>
  return %s : tensor<f64>
}

// A loop stacks what all trips give.
// STATES: the reference interpreter has no memory for the values of 'tenon.loop', which take {{[0-9]+}} bytes
func.func @states(%x: tensor<3xf32>) -> tensor<f32> {
  %l = tenon.loop trips 10000000000000 carry() scan() use(%x) : (tensor<3xf32>) -> tensor<10000000000000x3xf32> {
  ^bb0(%i: tensor<i64>, %s: tensor<3xf32>):
    %n = tenon.tanh %s : tensor<3xf32>
    tenon.yield %n : tensor<3xf32>
  }
  %q = tenon.reduce_sum %l {axes = array<i64: 0, 1>} : (tensor<10000000000000x3xf32>) -> tensor<f32>
  return %q : tensor<f32>
}
