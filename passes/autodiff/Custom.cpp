//===- Custom.cpp - Backward rule of shaders of the user's ----------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/autodiff/ReverseMode.h"
#include "passes/autodiff/Rule.h"

using namespace mlir;

namespace tenon::autodiff {

namespace {

/// A custom op whose body is the gradient of another one's, by some of its operands. Inputs are
/// those of the forward op, its results and their gradients.
class CustomGradient {
public:
  CustomGradient(CustomOp op, Incoming &in) : op(op), in(in) {
    for (auto [result, gradient] : llvm::zip(op.getOutputs(), in.gradients))
      seeds.push_back(gradient ? gradient : in.splat(result, 0));
  }

  /// With the lines of a shader or none.
  FailureOr<CustomOp> build(ArrayRef<unsigned> operands, ArrayAttr glsl, AffineMapAttr groups);

private:
  CustomOp op;
  Incoming &in;
  SmallVector<Value> seeds;
};

} // namespace

FailureOr<CustomOp> CustomGradient::build(ArrayRef<unsigned> operands, ArrayAttr glsl,
                                          AffineMapAttr groups) {
  SmallVector<Value> inputs(op.getInputs());
  llvm::append_range(inputs, op.getOutputs());
  llvm::append_range(inputs, seeds);
  auto types =
      llvm::map_to_vector(operands, [&](unsigned i) { return op->getOperand(i).getType(); });
  auto made = in.builder.create<CustomOp>(op.getLoc(), types, inputs, op.getUsed(), glsl, groups,
                                          ArrayAttr(), AffineMapAttr());
  Block &body = made.getBody().emplaceBlock();
  for (Value operand : made.getOperands())
    body.addArgument(operand.getType(), op.getLoc());
  ValueRange arguments = body.getArguments();
  unsigned numInputs = op.getInputs().size(), numOutputs = op.getOutputs().size();
  SmallVector<Value> forward(arguments.take_front(numInputs));
  llvm::append_range(forward, arguments.take_back(op.getUsed().size()));
  SmallVector<Value> given(arguments.drop_front(numInputs + numOutputs).take_front(numOutputs));

  OpBuilder builder = OpBuilder::atBlockEnd(&body);
  Emit emit(builder, op.getLoc());
  SmallVector<Value> ys = op.inlineBody(builder, forward), xs;
  for (unsigned operand : operands)
    xs.push_back(forward[operand]);
  FailureOr<SmallVector<Value>> gradients = reverseMode(builder, opsUpTo(builder), ys, given, xs);
  if (failed(gradients)) {
    made.erase();
    return failure();
  }
  for (auto [gradient, x] : llvm::zip(*gradients, xs)) {
    if (!gradient)
      gradient = emit.splat(x, 0);
    else if (gradient.getType() != x.getType()) // the same extents, less precisely known
      gradient = emit.spread(gradient, x);
  }
  builder.create<YieldOp>(op.getLoc(), *gradients);
  eraseDeadOps(body);
  return made;
}

/// By the shader where there is one: it gives the gradients of all inputs of float types. What it
/// does not give is the body's gradient.
static Gradients backwardCustom(CustomOp op, Incoming &in) {
  CustomGradient gradient(op, in);
  SmallVector<Value> results(op->getNumOperands());
  SmallVector<unsigned> byShader, byBody;
  for (unsigned i = 0; i < op->getNumOperands(); i++) {
    bool isFloat = isFloatTensor(op->getOperand(i));
    if (op.getBackward() && isFloat && i < op.getInputs().size())
      byShader.push_back(i);
    else if (in.needed[i] && isFloat)
      byBody.push_back(i);
  }
  if (llvm::any_of(byShader, [&](unsigned i) { return in.needed[i]; })) {
    FailureOr<CustomOp> made =
        gradient.build(byShader, op.getBackwardAttr(), op.getBackwardGroupsAttr());
    if (failed(made))
      return failure();
    for (auto [i, result] : llvm::zip(byShader, made->getOutputs()))
      results[i] = result;
  }
  if (!byBody.empty()) {
    FailureOr<CustomOp> made = gradient.build(byBody, in.builder.getStrArrayAttr({}), {});
    if (failed(made))
      return failure();
    SmallVector<Value> values = made->inlineBody(in.builder, made->getOperands());
    for (auto [i, value] : llvm::zip(byBody, values))
      results[i] = value;
    made->erase();
  }
  return results;
}

void attachCustomRules(MLIRContext *context) { attachRule<CustomOp, backwardCustom>(context); }

} // namespace tenon::autodiff
