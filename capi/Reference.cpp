//===- Reference.cpp - Programs that run on the interpreter ---------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program of one kernel. Its first buffer is a constant slot that holds the
// function to interpret; then come inputs and outputs.
//
//===----------------------------------------------------------------------===//
#include "capi/Reference.h"

#include "codegen/Program.h"
#include "ir/TenonOps.h"
#include "passes/SymbolicShapes.h"
#include "reference/ErrorBounds.h"

#include <mutex>

using namespace mlir;

namespace tenon {

namespace {

/// What the kernel finds in its first buffer. The order of members matters: the
/// module dies before its context.
struct Interpreted {
  std::shared_ptr<ContextLease> context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  bool withBounds;
  std::mutex lock; ///< a context serves one thread at a time

  Interpreted(std::shared_ptr<ContextLease> context, OwningOpRef<ModuleOp> module,
              func::FuncOp function, bool withBounds)
      : context(std::move(context)), module(std::move(module)), function(function),
        withBounds(withBounds) {}

  void run(tenon_env *env, void *const *buffers, const int64_t *extents);
};

/// Fills dynamic extents from what the launch was given.
infer::Type typeOf(Value value, const int64_t *&extents) {
  infer::Type type = *inferTypeOf(value.getType());
  for (int i = 0; i < type.rank; i++)
    if (type.dims[i] == infer::kDynamic)
      type.dims[i] = *extents++;
  return type;
}

/// The bound is around the value in double.
double lostByStoring(const reference::Array &array, int64_t i) {
  double value = array.at(i);
  double lost = array.type.isFloat() ? reference::roundTo(array.type.dtype, value) - value : 0;
  return std::isfinite(lost) ? std::fabs(lost) : 0;
}

} // namespace

void Interpreted::run(tenon_env *env, void *const *buffers, const int64_t *extents) {
  std::lock_guard<std::mutex> guard(lock);
  Diagnostics diagnostics(context->get());
  SmallVector<infer::Type> types;
  for (BlockArgument argument : function.getArguments())
    types.push_back(typeOf(argument, extents));
  FailureOr<std::vector<reference::Array>> results = failure();
  if (succeeded(reference::checkMemory(function, types))) {
    std::vector<reference::Array> arguments;
    for (const infer::Type &type : types)
      arguments.push_back(reference::load(type, *buffers++));
    results = withBounds ? reference::evaluateWithBounds(function, arguments)
                         : reference::evaluate(function, arguments);
  }
  if (failed(results)) // what passed all checks before, with the extents of this run
    return tenon_env_fail(env, tenon_status_make(TENON_ERROR_DEVICE, "reference device: %s",
                                                 diagnostics.errors("unknown error").c_str()));
  Operation *terminator = function.getBody().front().getTerminator();
  for (size_t i = 0, count = terminator->getNumOperands(); i < count; i++) {
    const reference::Array &result = (*results)[i];
    reference::store(result, buffers[i]);
    auto *bounds = withBounds ? static_cast<double *>(buffers[count + i]) : nullptr;
    for (int64_t e = 0; bounds && e < result.size(); e++)
      bounds[e] = result.errors[e] + lostByStoring(result, e);
  }
}

static void interpret(tenon_env *env, void *const *buffers, const int64_t *extents) {
  static_cast<Interpreted *>(buffers[0])->run(env, buffers + 1, extents);
}

static LogicalResult checkOps(func::FuncOp function) {
  WalkResult result = function.walk([](Operation *op) {
    if (isa<func::FuncOp, func::ReturnOp, LoopOp, IfOp, KernelOp, YieldOp, ConstantOp>(op) ||
        isa<ReferenceOpInterface>(op))
      return WalkResult::advance();
    op->emitOpError("the reference interpreter does not know this op");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// One more output for each.
static void addBounds(Program &owned) {
  tenon_program &program = owned.program;
  SmallVector<tenon_port> outputs(program.outputs, program.outputs + program.num_outputs);
  for (int64_t i = 0; i < program.num_outputs; i++) {
    tenon_port bound = outputs[i];
    bound.name = owned.text((Twine(bound.name) + ".bound").str());
    bound.dtype = TENON_F64;
    bound.donates = -1;
    outputs.push_back(bound);
  }
  program.num_outputs = int64_t(outputs.size());
  program.outputs = owned.copy<tenon_port>(outputs);
}

tenon_status createReferenceExecutable(std::shared_ptr<ContextLease> context,
                                       OwningOpRef<ModuleOp> module, func::FuncOp function,
                                       Options::Device kind, tenon_device *device,
                                       tenon_executable **executable) {
  FailureOr<SymbolicShapes> shapes = SymbolicShapes::compute(function);
  if (failed(shapes) || failed(checkOps(function)))
    return nullptr;
  auto owned = std::make_unique<Program>();
  owned->setPorts(function, *shapes);
  bool withBounds = kind == Options::Device::ReferenceBounds;
  if (withBounds)
    addBounds(*owned);
  tenon_program &program = owned->program;

  SmallVector<tenon_expr> extents;
  auto results = function.getBody().front().getTerminator()->getOperands();
  for (AffineExpr extent : shapes->dynamicExtents(function.getArguments()))
    extents.push_back(owned->size(extent));
  for (AffineExpr extent : shapes->dynamicExtents(results))
    extents.push_back(owned->size(extent));

  auto interpreted =
      std::make_shared<Interpreted>(std::move(context), std::move(module), function, withBounds);
  owned->code = interpreted;
  tenon_expr zero = owned->size(int64_t(0));
  SmallVector<tenon_slot> slots{{TENON_SLOT_CONSTANT, 0, interpreted.get(), 0, zero}};
  for (int64_t i = 0; i < program.num_inputs; i++)
    slots.push_back({TENON_SLOT_INPUT, i, nullptr, 0, zero});
  for (int64_t i = 0; i < program.num_outputs; i++)
    slots.push_back({TENON_SLOT_OUTPUT, i, nullptr, 0, zero});
  program.num_slots = slots.size();
  program.slots = owned->copy<tenon_slot>(slots);

  program.num_kernels = 1;
  program.kernels =
      owned->copy<tenon_kernel_desc>({{"reference", program.name, interpret, zero, zero, zero, zero,
                                       program.num_outputs, 0, nullptr}});
  SmallVector<int64_t> indices = llvm::to_vector(llvm::seq<int64_t>(0, slots.size()));
  tenon_step step{};
  step.kind = TENON_STEP_LAUNCH;
  step.num_slots = indices.size();
  step.slots = owned->copy<int64_t>(indices);
  step.num_extents = extents.size();
  step.extents = owned->copy<tenon_expr>(extents);
  step.size = step.trips = zero;
  step.index_slot = -1;
  program.num_steps = 1;
  program.steps = owned->copy<tenon_step>(step);
  program.arena_bytes = zero;
  Program *raw = owned.release();
  return tenon_executable_create(device, &raw->program, raw, Program::free, executable);
}

} // namespace tenon
