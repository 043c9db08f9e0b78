// The gradient of a shader of the user's: of its body, or a shader whose body that is.
// RUN: tenon-opt %s -tenon-derive-backward | FileCheck %s

// CHECK: #[[MAP:.*]] = affine_map<()[s0] -> (s0 ceildiv 8)>
// CHECK-LABEL: @body(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[D:.*]]: tensor<4xf32>
// CHECK-NOT: tenon.custom
// CHECK: %[[Y:.*]] = tenon.exp %[[X]]
// CHECK: %[[G:.*]] = tenon.mul %[[D]], %[[Y]]
// CHECK: return %[[G]]
func.func @body(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %y = tenon.custom(%x) glsl ["forward"] : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %e = tenon.exp %a : tensor<4xf32>
    tenon.yield %e : tensor<4xf32>
  }
  %g = tenon.gradient %y, %x, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// CHECK-LABEL: @shader(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<4xi32>, %[[D:.*]]: tensor<4xf32>
// CHECK: %[[Y:.*]] = tenon.custom(%[[X]], %[[I]]) glsl ["forward"] backward ["backward"] groups
// CHECK: %[[G:.*]] = tenon.custom(%[[X]], %[[I]], %[[Y]], %[[D]]) glsl ["backward"] groups #[[MAP]]
// CHECK-SAME: (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
// CHECK: ^bb0(%[[A:.*]]: tensor<4xf32>, %{{.*}}: tensor<4xi32>, %{{.*}}: tensor<4xf32>, %[[S:.*]]: tensor<4xf32>)
// CHECK: %[[E:.*]] = tenon.exp %[[A]]
// CHECK: %[[P:.*]] = tenon.mul %[[S]], %[[E]]
// CHECK: tenon.yield %[[P]]
// CHECK: return %[[G]]
func.func @shader(%x: tensor<4xf32>, %i: tensor<4xi32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %y = tenon.custom(%x, %i) glsl ["forward"] backward ["backward"] groups affine_map<()[n] -> (n ceildiv 8)>
      : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xi32>):
    %e = tenon.exp %a : tensor<4xf32>
    tenon.yield %e : tensor<4xf32>
  }
  %g = tenon.gradient %y, %x, %d : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}
