//===- Custom.cpp - Shaders of the user's as kernels ----------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A custom op is a kernel of its own, with nothing fused into it, and one dispatch.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/KernelFrame.h"
#include "codegen/spirv/CustomKernel.h"
#include "codegen/spirv/Glsl.h"
#include "codegen/spirv/SpirvStrategies.h"

using namespace mlir;

namespace tenon::spirv {

namespace {

class CustomStrategy final : public cpu::CpuStrategy {
public:
  StringRef name() const override { return "custom"; }
  int benefit() const override { return 100; }
  bool canRoot(Operation *op) const override { return isa<CustomOp>(op); }
  bool canFuseProducer(const KernelGroup &, Operation *, std::string &reason) const override {
    reason = "the root is a shader of the user's";
    return false;
  }
  bool canFuseConsumer(const KernelGroup &, Operation *, std::string &reason) const override {
    reason = "the root is a shader of the user's";
    return false;
  }
  LogicalResult emit(cpu::KernelFrame &frame) const override {
    return frame.kernel().emitError("a shader of the user's is compiled, not emitted");
  }
};

/// The kernel's buffers and extents as the shader sees them.
struct Layout {
  std::vector<GlslBuffer> buffers;
  SmallVector<int64_t> bindings;
  int64_t numExtents = 0;
};

} // namespace

static Layout layoutOf(KernelOp kernel, CustomOp op) {
  Layout layout;
  SmallVector<int64_t> firsts;
  for (Value value : llvm::concat<Value>(llvm::to_vector(kernel->getOperands()),
                                         llvm::to_vector(kernel->getResults()))) {
    firsts.push_back(layout.numExtents);
    layout.numExtents += cast<RankedTensorType>(value.getType()).getNumDynamicDims();
  }
  auto add = [&](Value value, int64_t buffer) {
    bool isResult = buffer >= int64_t(kernel->getNumOperands());
    layout.buffers.push_back({*inferTypeOf(value.getType()), isResult, firsts[size_t(buffer)]});
    layout.bindings.push_back(buffer);
  };
  for (Value input : op.getInputs())
    add(input, cast<BlockArgument>(input).getArgNumber());
  for (OpResult result : op->getResults())
    add(result, kernel->getNumOperands() + result.getResultNumber());
  return layout;
}

/// Workgroups along each axis as expressions over the kernel's extents.
static FailureOr<std::array<AffineExpr, 3>> groupsOf(CustomOp op, const Layout &layout,
                                                     const GlslShader &shader) {
  MLIRContext *context = op.getContext();
  const GlslBuffer &first = layout.buffers[op.getInputs().size()];
  SmallVector<AffineExpr> extents;
  AffineExpr size = getAffineConstantExpr(1, context);
  for (int64_t d = 0, open = first.firstExtent; d < first.type.rank; d++) {
    int64_t extent = first.type.dims[d];
    extents.push_back(infer::isNumber(extent) ? getAffineConstantExpr(extent, context)
                                              : getAffineSymbolExpr(open++, context));
    size = size * extents.back();
  }
  std::array<AffineExpr, 3> groups;
  groups.fill(getAffineConstantExpr(1, context));
  if (op.getGroups()) {
    for (auto [i, expr] : llvm::enumerate(op.getGroups()->getResults()))
      groups[i] = expr.replaceSymbols(extents);
    return groups;
  }
  if (shader.localSize[1] * shader.localSize[2] != 1)
    return op.emitError("groups: expected for a shader with workgroups of ")
           << shader.localSize[0] << " x " << shader.localSize[1] << " x " << shader.localSize[2];
  groups[0] = size.ceilDiv(shader.localSize[0]);
  return groups;
}

std::optional<CustomOp> customOf(KernelOp kernel) {
  auto ops = kernel.getBody().getOps<CustomOp>();
  return ops.empty() ? std::nullopt : std::optional<CustomOp>(*ops.begin());
}

LogicalResult compileCustom(KernelOp kernel, CustomOp op, CompiledKernel &result) {
  Layout layout = layoutOf(kernel, op);
  GlslShader shader;
  std::string wrong =
      compileGlsl(CustomOp::sourceOf(op.getGlsl()), layout.buffers, layout.numExtents, shader);
  if (!wrong.empty())
    return op.emitError("glsl: ") << wrong;
  auto groups = groupsOf(op, layout, shader);
  if (failed(groups))
    return failure();
  auto &dispatch = result.dispatches.emplace_back();
  dispatch.grid = *groups;
  dispatch.module.words.assign(shader.words.begin(), shader.words.end());
  dispatch.module.entry = "main";
  dispatch.module.bindings = layout.bindings;
  dispatch.module.text = "// GLSL of " + kernelName(kernel) + "\n";
  result.scratch = getAffineConstantExpr(0, op.getContext());
  return success();
}

std::unique_ptr<cpu::CpuStrategy> createCustomStrategy() {
  return std::make_unique<CustomStrategy>();
}

} // namespace tenon::spirv
