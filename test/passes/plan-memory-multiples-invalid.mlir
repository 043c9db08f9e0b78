// RUN: tenon-opt %s --tenon-plan-memory --split-input-file --verify-diagnostics

// expected-error @+1 {{'func.func' op argument 0: 'tenon.multiple_of' is 8 : i64, expected a number for each of 1 axes of 'tensor<?xf32>'}}
func.func @no_list(%x: tensor<?xf32> {tenon.multiple_of = 8 : i64}) {
  return
}

// -----

// expected-error @+1 {{'func.func' op argument 1: 'tenon.multiple_of' is array<i64: 8>, expected a number for each of 2 axes of 'tensor<?x?xf32>'}}
func.func @too_few(%x: tensor<f32>, %y: tensor<?x?xf32> {tenon.multiple_of = array<i64: 8>}) {
  return
}

// -----

// expected-error @+1 {{'func.func' op argument 0: 'tenon.multiple_of' is array<i64: 8, 0>, expected numbers from 1 to 1073741824, got 0 on axis 1}}
func.func @zero(%x: tensor<?x?xf32> {tenon.multiple_of = array<i64: 8, 0>}) {
  return
}

// -----

// expected-error @+1 {{'func.func' op argument 0: 'tenon.multiple_of' is array<i64: 2147483648>, expected numbers from 1 to 1073741824, got 2147483648 on axis 0}}
func.func @too_large(%x: tensor<?xf32> {tenon.multiple_of = array<i64: 2147483648>}) {
  return
}

// -----

// expected-error @+1 {{'func.func' op argument 0: 'tenon.multiple_of' is array<i64: 1, 4>, expected what divides the extent 6 of axis 1, got 4}}
func.func @static(%x: tensor<?x6xf32> {tenon.multiple_of = array<i64: 1, 4>}) {
  return
}
