// RUN: tenon-run %s | FileCheck %s
// RUN: tenon-run %s --compare=reference
// RUN: tenon-run %s --compare=reference --backend=vulkan

// What docs/semantics.md says of values that are no numbers, and of division by 0.
func.func @special_values()
    -> (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi64>, tensor<2xi32>, tensor<2xi32>) {
  %x = tenon.constant dense<[[1.0, 0x7FC00000, 3.0], [0xFF800000, 0xFF800000, 0xFF800000]]> : tensor<2x3xf32>
  %softmax = tenon.softmax %x {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %max = tenon.reduce_max %x {axes = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2xf32>
  %sum = tenon.reduce_sum %x {axes = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2xf32>
  %place = tenon.argmax %x {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2xi64>
  %pair = tenon.constant dense<[0x7FC00000, 2.5]> : tensor<2xf32>
  %whole = tenon.cast %pair {dtype = i32} : (tensor<2xf32>) -> tensor<2xi32>
  %six = tenon.constant dense<[6, 6]> : tensor<2xi32>
  %by = tenon.constant dense<[0, 4]> : tensor<2xi32>
  %quotient = tenon.div %six, %by : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return %softmax, %max, %sum, %place, %whole, %quotient
      : tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi64>, tensor<2xi32>, tensor<2xi32>
}

// CHECK: output0: f32[2,3] = {{\[\[}}nan, nan, nan], [0, 0, 0]]
// CHECK: output1: f32[2] = [nan, -inf]
// CHECK: output2: f32[2] = [nan, -inf]
// CHECK: output3: i64[2] = [2, 0]
// CHECK: output4: i32[2] = [0, 2]
// CHECK: output5: i32[2] = [0, 1]
