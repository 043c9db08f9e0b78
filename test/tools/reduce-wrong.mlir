// 'compare' keeps wrong numbers, here of a shader that is not what its body says, with inputs
// that show them.
// RUN: tenon-reduce %s --vulkan --test=compare -o %t.mlir 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: FileCheck %s --implicit-check-not=tenon.exp --implicit-check-not=tenon.tanh --implicit-check-not=tenon.reduce_sum < %t.mlir
// RUN: not tenon-run --compare=reference --backend=vulkan %t.mlir %t.0.npy
// RUN: tenon-run --compare=reference %t.mlir %t.0.npy
// The CPU computes the body: that is right.
// RUN: not tenon-reduce %s --test=compare 2>&1 | FileCheck %s --check-prefix=RIGHT
//
// WHY: tenon-run --compare=reference --backend=vulkan {{.*}}.mlir {{.*}}.0.npy
// WHY: result 0 (f32), element 3: got
// RIGHT: is not interesting: it agrees with the reference interpreter at -O0 to -O3
//
// CHECK: func.func @long(%[[X:.*]]: tensor<40xf32>) -> tensor<40xf32>
// CHECK: %[[Y:.*]] = tenon.custom(%[[X]])
// CHECK: return %[[Y]]
func.func @long(%x: tensor<40xf32>, %z: tensor<40xf32>) -> (tensor<40xf32>, tensor<f32>) {
  %e = tenon.exp %x : tensor<40xf32>
  %t = tenon.tanh %e : tensor<40xf32>
  %y = tenon.custom(%t) glsl [
    "layout(local_size_x = 8) in;",
    "layout(binding = 0) readonly buffer X { float x[]; };",
    "layout(binding = 1) writeonly buffer Y { float y[]; };",
    "void main() {",
    "  uint i = gl_GlobalInvocationID.x;",
    "  y[i] = i == 3 ? 2 * x[i] : x[i];",
    "}"] groups affine_map<()[n] -> (n floordiv 8)> : (tensor<40xf32>) -> tensor<40xf32> {
  ^bb0(%a: tensor<40xf32>):
    tenon.yield %a : tensor<40xf32>
  }
  %m = tenon.mul %y, %z : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xf32>
  %s = tenon.reduce_sum %m {axes = array<i64: 0>} : (tensor<40xf32>) -> tensor<f32>
  return %m, %s : tensor<40xf32>, tensor<f32>
}
