// What divides the dynamic extents of kernels follows from what is stated of arguments.

// RUN: tenon-opt %s --tenon-form-kernels --tenon-plan-memory | FileCheck %s

// CHECK-LABEL: func.func @stated(
// CHECK:         tenon.kernel "rows"(%{{.*}}) {tenon.multiples = array<i64: 8, 8>, tenon.slots
func.func @stated(%x: tensor<?x3xf32> {tenon.multiple_of = array<i64: 8, 3>}) -> tensor<?x3xf32> {
  %y = tenon.exp %x : tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// Two lengths of one value are a sum; nothing is known of the other one.
// CHECK-LABEL: func.func @sums(
// CHECK:         tenon.kernel "rows"(%{{.*}}) {tenon.multiples = array<i64: 8, 12, 4>, tenon.slots
func.func @sums(%x: tensor<?xf32> {tenon.multiple_of = array<i64: 8>},
                %y: tensor<?xf32> {tenon.multiple_of = array<i64: 12>}) -> tensor<?xf32> {
  %z = tenon.concat %x, %y {axis = 0 : i64} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %z : tensor<?xf32>
}

// Where two extents are one, both hold of it.
// CHECK-LABEL: func.func @both(
// CHECK:         tenon.kernel "rows"(%{{.*}}) {tenon.multiples = array<i64: 12, 12, 12>, tenon.slots
func.func @both(%x: tensor<?xf32> {tenon.multiple_of = array<i64: 4>},
                %y: tensor<?xf32> {tenon.multiple_of = array<i64: 6>}) -> tensor<?xf32> {
  %z = tenon.add %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %z : tensor<?xf32>
}

// What a reshape needs is known as well: 3 times the extent is a multiple of 6.
// CHECK-LABEL: func.func @needed(
// CHECK:         tenon.kernel "rows"(%{{.*}}) {tenon.multiples = array<i64: 2{{.*}}>, tenon.slots
func.func @needed(%x: tensor<?x3xf32>) -> tensor<?x6xf32> {
  %y = tenon.reshape %x {shape = array<i64: -9223372036854775808, 6>} : (tensor<?x3xf32>) -> tensor<?x6xf32>
  %z = tenon.exp %y : tensor<?x6xf32>
  return %z : tensor<?x6xf32>
}

// CHECK-LABEL: func.func @nothing(
// CHECK-NOT:     tenon.multiples
// CHECK:         return
func.func @nothing(%x: tensor<?x3xf32> {tenon.multiple_of = array<i64: 1, 3>}) -> tensor<?x3xf32> {
  %y = tenon.exp %x : tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
