// Where an extent is a multiple of the tile, nothing is masked and no rest is left.
// RUN: tenon-compile --march=x86-64-v4 --emit=kernels %s | FileCheck %s --implicit-check-not=mask
// RUN: sed 's/i64: 1, 64/i64: 1, 24/; s/i64: 16, 1/i64: 4, 1/; s/i64: 64, 64/i64: 64, 24/' %s \
// RUN:   | tenon-compile --march=x86-64-v4 --emit=kernels - | FileCheck %s --check-prefix=REST

// CHECK-LABEL: func.func @tenon_kernel
// CHECK-NOT: scf.if
// CHECK: vector.load {{.*}}vector<16xf32>
// CHECK-NOT: scf.if
// REST-LABEL: func.func @tenon_kernel
// REST: scf.if
// REST: vector.maskedload
func.func @rows(%x: tensor<?x?xf32> {tenon.multiple_of = array<i64: 1, 64>}) -> tensor<?xf32> {
  %s = tenon.reduce_sum %x {axes = array<i64: 1>} : (tensor<?x?xf32>) -> tensor<?xf32>
  return %s : tensor<?xf32>
}

// CHECK-LABEL: func.func @tenon_kernel
// CHECK-NOT: scf.if
// CHECK: vector.store {{.*}}vector<32xf32>
// REST-LABEL: func.func @tenon_kernel
// REST: vector.maskedstore
func.func @elements(%x: tensor<?x4xf32> {tenon.multiple_of = array<i64: 16, 1>}) -> tensor<?x4xf32> {
  %s = tenon.exp %x  : tensor<?x4xf32>
  return %s : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @tenon_kernel
// REST-LABEL: func.func @tenon_kernel
// REST: vector.create_mask
func.func @product(%a: tensor<?x?xf32> {tenon.multiple_of = array<i64: 48, 64>},
                   %b: tensor<?x?xf32> {tenon.multiple_of = array<i64: 64, 64>}) -> tensor<?x?xf32> {
  %y = tenon.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
