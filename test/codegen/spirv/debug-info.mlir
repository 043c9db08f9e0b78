// Modules say what they are: names, and of which op of the program an instruction is.
// RUN: tenon-compile %s --target=vulkan --emit=spvasm -o - | FileCheck %s
// RUN: tenon-compile %s --target=vulkan --emit=spirv -o - | FileCheck %s --check-prefix=MLIR
// RUN: rm -rf %t && mkdir %t && tenon-compile %s --target=vulkan --emit=spirv --dump-phases-to=%t -o %t/out
// RUN: for module in $(find %t -name '*.spv'); do spirv-val --target-env vulkan1.2 $module || exit 1; done

// Ops of two files, one of a fused location, and one of nobody knows where, in one kernel.
func.func @elementwise(%x: tensor<?xf32>) -> tensor<?xf32> {
  %a = tenon.neg %x : tensor<?xf32> loc("first.R":3:7)
  %b = tenon.exp %a : tensor<?xf32> loc(fused["name", "second.R":5:1, "third.R":6:1])
  %c = tenon.sqrt %b : tensor<?xf32> loc(unknown)
  %d = tenon.abs %c : tensor<?xf32>
  return %d : tensor<?xf32>
}
// CHECK:     OpEntryPoint GLCompute %dispatch0 "dispatch0"
// CHECK-DAG: %[[FIRST:[0-9]+]] = OpString "first.R"
// CHECK-DAG: %[[SECOND:[0-9]+]] = OpString "second.R"
// CHECK-DAG: %[[HERE:[0-9]+]] = OpString "{{.*}}debug-info.mlir"
// CHECK-NOT: third.R
// CHECK-DAG: OpName %dispatch0 "dispatch0"
// CHECK-DAG: OpName %parameters "parameters"
// CHECK-DAG: OpName %buffer0_{{[0-9]}} "buffer0_
// CHECK-DAG: OpName %buffer1_{{[0-9]}} "buffer1_
// CHECK-DAG: OpName %builtinWorkgroupId "builtinWorkgroupId"
// CHECK:     %dispatch0 = OpFunction
// CHECK:     OpLine %[[FIRST]] 3 7
// CHECK:     OpFNegate
// CHECK:     OpLine %[[SECOND]] 5 1
// CHECK:     OpExtInst %float %{{[0-9]+}} Fma
// CHECK:     OpNoLine
// CHECK:     OpExtInst %float %{{[0-9]+}} Sqrt
// CHECK:     OpLine %[[HERE]] [[#@LINE - 20]] 8
// CHECK:     OpExtInst %float %{{[0-9]+}} FAbs
// MLIR:      spirv.FNegate %{{.*}} : f32 loc("first.R":3:7)

// A reduction is of its op, what is computed of its operands of theirs; a table of constants has a
// name, too.
func.func @row(%x: tensor<4x300xf32>) -> tensor<4xf32> {
  %a = tenon.neg %x : tensor<4x300xf32>
  %s = tenon.reduce_sum %a {axes = array<i64: 1>} : (tensor<4x300xf32>) -> tensor<4xf32>
  %y = tenon.sin %s : tensor<4xf32>
  return %y : tensor<4xf32>
}
// CHECK:     OpEntryPoint
// CHECK-DAG: OpName %shared{{[0-9]+}} "shared
// CHECK-DAG: OpName %variable0 "variable0"
// CHECK:     OpLine %{{[0-9]+}} [[#@LINE - 8]] 8
// CHECK:     OpFNegate
// CHECK:     OpLine %{{[0-9]+}} [[#@LINE - 9]] 8
// CHECK:     OpFAdd

// Programs that run have none of it, unless they are asked for it.
// RUN: tenon-compile %s --target=vulkan --emit=shared -o %t/libshort.so
// RUN: tenon-compile %s --target=vulkan --emit=shared --gpu-features=debug-info -o %t/liblong.so
// RUN: grep -c "buffer0_" %t/liblong.so
// RUN: not grep -c "buffer0_\|first.R" %t/libshort.so
