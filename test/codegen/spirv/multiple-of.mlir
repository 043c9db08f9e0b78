// Where an extent is a multiple of the tile, a GPU's kernel asks of no element whether it exists.
// RUN: tenon-compile --target=vulkan --emit=spirv %s | FileCheck %s
// RUN: sed 's/i64: 64, 64/i64: 64, 24/' %s \
// RUN:   | tenon-compile --target=vulkan --emit=spirv - | FileCheck %s --check-prefix=REST

// The one branch is that of workgroups beyond the last tile.
// CHECK-LABEL: spirv.module
// CHECK: spirv.mlir.selection
// CHECK-NOT: spirv.mlir.selection
// CHECK: spirv.EntryPoint
// REST-LABEL: spirv.module
// REST-COUNT-3: spirv.mlir.selection
// REST: spirv.EntryPoint
func.func @product(%a: tensor<?x?xf32> {tenon.multiple_of = array<i64: 64, 64>},
                   %b: tensor<?x?xf32> {tenon.multiple_of = array<i64: 64, 64>}) -> tensor<?x?xf32> {
  %y = tenon.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
