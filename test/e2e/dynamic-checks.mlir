// Extents that do not fit are told with what was expected; nothing runs.
// RUN: not tenon-run %s --function=same --extent=3,4 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: not tenon-run %s --function=part --extent=2 2>&1 | FileCheck %s --check-prefix=PART
// RUN: not tenon-run %s --function=pairs --extent=3 2>&1 | FileCheck %s --check-prefix=PAIRS
// RUN: not tenon-run %s --function=joined --extent=3,2,6 2>&1 | FileCheck %s --check-prefix=JOINED
// RUN: not tenon-run %s --function=largest --extent=2,0 2>&1 | FileCheck %s --check-prefix=LARGEST
// RUN: not tenon-run %s --function=largest --extent=2,0 --backend=reference 2>&1 | FileCheck %s --check-prefix=LARGEST
// RUN: tenon-run %s --function=largest --extent=0,1 --compare=reference
// RUN: tenon-run %s --function=largest --extent=0,1 --compare=reference --backend=vulkan
// RUN: not tenon-run %s --function=least --extent=0 2>&1 | FileCheck %s --check-prefix=LEAST
// RUN: tenon-run %s --function=joined --extent=3,2,5 --compare=reference
// RUN: not tenon-run %s --function=same --extent=3,4 --backend=reference 2>&1 | FileCheck %s --check-prefix=SAME

// SAME: shape: input 'input1': expected extent 3 on axis 0, got tensor<4x2xf32>
func.func @same(%a: tensor<?x2xf32>, %b: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %y = tenon.add %a, %b : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// PART: shape: slice: expected an extent of at least 3, got 2
func.func @part(%a: tensor<?xf32>) -> tensor<2xf32> {
  %y = tenon.slice %a {offsets = array<i64: 1>, sizes = array<i64: 2>, strides = array<i64: 1>} : (tensor<?xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// PAIRS: shape: reshape: expected a multiple of 2, got 9
func.func @pairs(%a: tensor<?x3xf32>) -> tensor<?x2xf32> {
  %y = tenon.reshape %a {shape = array<i64: -9223372036854775808, 2>} : (tensor<?x3xf32>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// JOINED: shape: input 'input2': expected extent 5 on axis 0, got tensor<6xf32>
func.func @joined(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?xf32>) -> tensor<?xf32> {
  %j = tenon.concat %a, %b {axis = 0 : i64} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %y = tenon.mul %j, %c : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// LARGEST: shape: argmax: expected an extent of at least 1, got 0
func.func @largest(%a: tensor<?x?xf32>) -> tensor<?xi64> {
  %y = tenon.argmax %a {axis = 1 : i64} : (tensor<?x?xf32>) -> tensor<?xi64>
  return %y : tensor<?xi64>
}

// LEAST: shape: argmin: expected an extent of at least 1, got 0
func.func @least(%a: tensor<3x?xf32>) -> tensor<3xi64> {
  %n = tenon.neg %a : tensor<3x?xf32>
  %y = tenon.argmin %n {axis = 1 : i64} : (tensor<3x?xf32>) -> tensor<3xi64>
  return %y : tensor<3xi64>
}
