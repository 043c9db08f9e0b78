//===- Custom.td - Shaders of the user's ------------------*- tablegen -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TENON_OPS_CUSTOM_TD
#define TENON_OPS_CUSTOM_TD

include "ir/TenonBase.td"

def Tenon_CustomOp : Tenon_Op<"custom", [Pure, AttrSizedOperandSegments, IsolatedFromAbove,
                                         SingleBlock]> {
  let summary = "ops that a shader of the user's computes on a GPU";
  let description = [{
    The results are those of the body, whose arguments are the inputs, then the used values. On
    a GPU `glsl`, the lines of a compute shader, computes them instead; everywhere else the body
    stands in the op's place before kernels are formed. That both compute the same is for
    the writer to see to.

    The shader binds the inputs, then the results: storage buffers 0, 1, ... of descriptor set
    0, each a block with one array of the tensor's elements, row-major (f32 is float, f16
    float16_t, bf16 the bits as uint16_t, i1 uint8_t of 0 or 1); those of inputs are readonly.
    It sees no used values. `tenon_extent(binding, axis)` and `tenon_size(binding)` in it are extents
    and numbers of elements as uint: constants where they are known, else parameters that are
    pushed. `groups` says how many workgroups there are along x, y and z, by the
    extents of the first result; without it there is an invocation per element of that, along x.

    The gradient is that of the body, unless `backward` has the lines of a shader for it: its
    bindings are the inputs, the results, the gradients of the results, and then, written, the
    gradients of the inputs of float types. `backward_groups` go by the first of those.

    Example:
    ```mlir
    %y = tenon.custom(%x) glsl [
      "layout(local_size_x = 64) in;",
      "layout(binding = 0) readonly buffer X { float x[]; };",
      "layout(binding = 1) writeonly buffer Y { float y[]; };",
      "void main() {",
      "  uint i = gl_GlobalInvocationID.x;",
      "  if (i < tenon_size(1)) y[i] = x[i] * x[i];",
      "}"] groups affine_map<()[n] -> (n ceildiv 64)> : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>):
      %s = tenon.mul %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      tenon.yield %s : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Tenon_Tensor>:$inputs, Variadic<Tenon_Tensor>:$used,
                   StrArrayAttr:$glsl, OptionalAttr<AffineMapAttr>:$groups,
                   OptionalAttr<StrArrayAttr>:$backward,
                   OptionalAttr<AffineMapAttr>:$backward_groups);
  let results = (outs Variadic<Tenon_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
  let assemblyFormat = [{
    `(` $inputs `)` (`use` `(` $used^ `)`)? `glsl` $glsl (`groups` $groups^)?
    (`backward` $backward^ (`groups` $backward_groups^)?)? attr-dict
    `:` functional-type(operands, results) $body
  }];
  let extraClassDeclaration = [{
    /// The lines of a shader as one text.
    static std::string sourceOf(::mlir::ArrayAttr lines);
    /// Clones the body where the builder stands, on these operands, and gives the results.
    ::llvm::SmallVector<::mlir::Value> inlineBody(::mlir::OpBuilder &builder,
                                                  ::mlir::ValueRange operands);
  }];
}

#endif // TENON_OPS_CUSTOM_TD
