// RUN: tenon-opt %s -tenon-form-kernels -tenon-place="target=vulkan lacks=f64" -split-input-file | FileCheck %s
// RUN: tenon-opt %s -tenon-form-kernels -tenon-place=target=vulkan -split-input-file | FileCheck %s --check-prefix=ALL

// A kernel of f64 is on the CPU and says why; what it reads and gives is moved.
// CHECK-LABEL: @moved(
// CHECK-SAME: %[[X:.*]]: tensor<8x4xf64>
// CHECK: %[[T:.*]] = tenon.kernel "transfer"(%[[X]]) {tenon.device = "cpu"} : (tensor<8x4xf64>) -> tensor<8x4xf64>
// CHECK: %[[S:.*]] = tenon.kernel "rows"(%[[T]]) {tenon.device = "cpu", tenon.reason = "tenon.exp: vulkan has no f64"}
// CHECK: %[[U:.*]] = tenon.kernel "transfer"(%[[S]]) {tenon.device = "vulkan"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
// CHECK: %[[P:.*]] = tenon.kernel "matmul"(%[[U]], %{{.*}}) {tenon.device = "vulkan"}
// CHECK: return %[[P]]
// ALL-LABEL: @moved(
// ALL-NOT: transfer
// ALL-NOT: tenon.reason
// ALL: tenon.kernel "rows"({{.*}}) {tenon.device = "vulkan"}
// ALL: tenon.kernel "matmul"({{.*}}) {tenon.device = "vulkan"}
func.func @moved(%x: tensor<8x4xf64>, %w: tensor<4x6xf32>) -> tensor<8x6xf32> {
  %s = tenon.kernel "rows"(%x) : (tensor<8x4xf64>) -> tensor<8x4xf32> {
  ^bb0(%a: tensor<8x4xf64>):
    %e = tenon.exp %a : tensor<8x4xf64>
    %c = tenon.cast %e {dtype = f32} : (tensor<8x4xf64>) -> tensor<8x4xf32>
    tenon.yield %c : tensor<8x4xf32>
  }
  %p = tenon.kernel "matmul"(%s, %w) : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32> {
  ^bb0(%a: tensor<8x4xf32>, %b: tensor<4x6xf32>):
    %m = tenon.matmul %a, %b : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
    tenon.yield %m : tensor<8x6xf32>
  }
  return %p : tensor<8x6xf32>
}

// -----

// A value is moved once; what goes from one kernel of the CPU to another, and is not returned, is not.
// CHECK-LABEL: @once(
// CHECK-COUNT-1: tenon.kernel "transfer"(%arg0) {tenon.device = "cpu"}
// CHECK: %[[A:.*]] = tenon.kernel "matmul"({{.*}}) {tenon.device = "cpu"
// CHECK-NOT: "transfer"
// CHECK: %[[B:.*]] = tenon.kernel "matmul"(%[[A]], {{.*}}) {tenon.device = "cpu"
// CHECK: %[[R:.*]] = tenon.kernel "transfer"(%[[B]]) {tenon.device = "vulkan"}
// CHECK: return %[[R]], %[[R]]
func.func @once(%x: tensor<4x4xf64>) -> (tensor<4x4xf64>, tensor<4x4xf64>) {
  %a = tenon.matmul %x, %x : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
  %b = tenon.matmul %a, %x : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
  return %b, %b : tensor<4x4xf64>, tensor<4x4xf64>
}

// -----

// What a loop carries is on the GPU between trips; its body moves what it needs.
// CHECK-LABEL: @loop(
// CHECK: ^bb0(%{{.*}}: tensor<i64>, %[[C:.*]]: tensor<4x4xf64>):
// CHECK: %[[T:.*]] = tenon.kernel "transfer"(%[[C]]) {tenon.device = "cpu"}
// CHECK: %[[M:.*]] = tenon.kernel "matmul"(%[[T]]{{.*}}) {tenon.device = "cpu"
// CHECK: %[[B:.*]] = tenon.kernel "transfer"(%[[M]]) {tenon.device = "vulkan"}
// CHECK: tenon.yield %[[B]]
func.func @loop(%x: tensor<4x4xf64>) -> tensor<4x4xf64> {
  %r = tenon.loop trips 3 carry(%x) scan() use() : (tensor<4x4xf64>) -> tensor<4x4xf64> {
  ^bb0(%t: tensor<i64>, %c: tensor<4x4xf64>):
    %y = tenon.matmul %c, %c : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
    tenon.yield %y : tensor<4x4xf64>
  }
  return %r : tensor<4x4xf64>
}
