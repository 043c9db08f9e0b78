// RUN: tenon-opt %s --tenon-plan-memory --split-input-file --verify-diagnostics

func.func @no_kernels(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{stands outside of a kernel: memory is planned after form-kernels}}
  %0 = tenon.exp %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @+1 {{result 0: 'tenon.donates' is 3 : i64, expected the number of one of 1 arguments}}
func.func @donates_nothing(%a: tensor<4xf32>) -> (tensor<4xf32> {tenon.donates = 3 : i64}) {
  %0 = tenon.kernel "rows" (%a) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%x: tensor<4xf32>):
    %e = tenon.exp %x : tensor<4xf32>
    tenon.yield %e : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
