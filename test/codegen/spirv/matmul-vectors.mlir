// A product of f32 loads rows of B in vectors of four, where lines are whole ones.
// RUN: tenon-compile %s --target=vulkan --emit=spirv -o - | FileCheck %s
// RUN: tenon-run %s --backend=vulkan --compare=reference

// CHECK-LABEL: spirv.module
// CHECK: @buffer1_{{.*}}spirv.rtarray<vector<4xi32>, stride=16>
func.func @whole(%x: tensor<70x33xf32>, %y: tensor<33x132xf32>) -> tensor<70x132xf32> {
  %z = tenon.matmul %x, %y : (tensor<70x33xf32>, tensor<33x132xf32>) -> tensor<70x132xf32>
  return %z : tensor<70x132xf32>
}

// CHECK-LABEL: spirv.module
// CHECK-NOT: rtarray<vector<4xi32>
func.func @odd(%x: tensor<70x33xf32>, %y: tensor<33x130xf32>) -> tensor<70x130xf32> {
  %z = tenon.matmul %x, %y : (tensor<70x33xf32>, tensor<33x130xf32>) -> tensor<70x130xf32>
  return %z : tensor<70x130xf32>
}
