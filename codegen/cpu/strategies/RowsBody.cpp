//===- RowsBody.cpp - What a rows kernel computes -------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/strategies/RowsBody.h"

#include "codegen/cpu/Decompose.h"
#include "codegen/cpu/VectorLoop.h"
#include "passes/KernelGroups.h"
#include "passes/TensorTypes.h"

using namespace mlir;

namespace tenon::cpu {

//===----------------------------------------------------------------------===//
// Domain
//===----------------------------------------------------------------------===//

bool isNorm(Operation *op) { return isa<SoftmaxOp, LogSoftmaxOp, LayerNormOp, RmsNormOp>(op); }

SmallVector<int64_t> RowDomain::keptAxes() const {
  SmallVector<int64_t> kept;
  for (int64_t axis = 0; axis < int64_t(shape.size()); axis++)
    if (!isReduced(axis))
      kept.push_back(axis);
  return kept;
}

/// Are they the same as far as types tell?
static bool alike(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto extents) {
           auto [x, y] = extents;
           return x == y || ShapedType::isDynamic(x) || ShapedType::isDynamic(y);
         });
}

SmallVector<int64_t> RowDomain::shapeOf(Form form) const {
  if (form == Form::Full)
    return shape;
  SmallVector<int64_t> result;
  for (auto [axis, extent] : llvm::enumerate(shape))
    if (!isReduced(axis))
      result.push_back(extent);
    else if (form == Form::RowKept)
      result.push_back(1);
  return result;
}

Form RowDomain::formOf(ArrayRef<int64_t> other) const {
  // Where reduced axes have an extent of 1 for sure, kept rows are what it is for sure.
  auto isKept = [&](int64_t axis) { return other[axis] == 1 && shape[axis] != 1; };
  if (alike(other, shape) && llvm::none_of(axes, isKept))
    return Form::Full;
  for (Form form : {Form::Row, Form::RowKept})
    if (alike(other, shapeOf(form)))
      return form;
  return Form::None;
}

/// Elements below which a kernel is not worth a second thread.
static constexpr int64_t kSerial = 1 << 15;

bool RowDomain::isSplit() const {
  int64_t total = 1, kept = 1;
  bool dynamic = false;
  for (auto [axis, extent] : llvm::enumerate(shape)) {
    dynamic |= ShapedType::isDynamic(extent);
    total *= ShapedType::isDynamic(extent) ? 1 : extent;
    if (!isReduced(axis))
      kept = ShapedType::isDynamic(extent) ? kSerial : kept * extent;
  }
  if (axes.empty() || (!dynamic && total < 2 * kSerial))
    return false;
  return lastIsReduced() ? kept < 8 : axes.front() == 0;
}

std::optional<RowDomain> domainOf(Operation *op) {
  auto axes = reducedAxes(op);
  if (!axes)
    return std::nullopt;
  RowDomain domain;
  domain.shape = llvm::to_vector(shapeOf(op->getOperand(0)));
  domain.axes = *axes;
  llvm::sort(domain.axes);
  return domain;
}

//===----------------------------------------------------------------------===//
// Body
//===----------------------------------------------------------------------===//

/// Has the body long chains of operations, and rows long enough for two vectors at once?
static bool hidesLatency(KernelOp kernel, int lanes) {
  Block &body = kernel.getBody().front();
  bool reduces = llvm::any_of(body, [](Operation &op) { return reducedAxes(&op) || isNorm(&op); });
  return llvm::any_of(body, [&](Operation &op) {
    if (!isExpensive(&op) && !isa<SoftmaxOp, LogSoftmaxOp>(op))
      return false;
    RankedTensorType type = tensorOf(op.getResult(0));
    if (type.getRank() == 0)
      return false;
    if (reduces)
      return type.isDynamicDim(type.getRank() - 1) || type.getShape().back() >= 8 * lanes;
    return !type.hasStaticShape() || type.getNumElements() >= 64 * lanes;
  });
}

/// Are random numbers the one thing that takes long in the body?
static bool drawsAlone(KernelOp kernel) {
  return llvm::none_of(kernel.getBody().front(), [](Operation &op) {
    return !isa<DropoutOp, RandomUniformOp>(op) && (isExpensive(&op) || reducedAxes(&op));
  });
}

/// Computation is in vectors of the widest float in the body; in two of them at once where
/// they hide each other's latency. Random blocks of four elements are computed in 64-bit
/// lanes, in two vectors as well or, where nothing else needs the registers, in four.
static int lanesOf(KernelFrame &frame, KernelOp kernel) {
  if (!frame.hasWorkers())
    return 1;
  Builder b(kernel.getContext());
  bool isDouble = false, isSingle = false;
  auto look = [&](Type type) {
    Type element = getElementTypeOrSelf(type);
    isDouble |= element.isF64();
    isSingle |= isa<FloatType>(element) && !element.isF64();
    isSingle |= element.isInteger(32) || element.isInteger(8);
  };
  for (BlockArgument argument : kernel.getBody().getArguments())
    if (!argument.use_empty())
      look(argument.getType());
  for (Value value : kernel.getBody().front().getTerminator()->getOperands())
    look(value.getType());
  for (Operation &op : kernel.getBody().front())
    for (Type type : op.getResultTypes())
      if (isa<FloatType>(getElementTypeOrSelf(type)))
        look(type);
  int lanes =
      frame.target().lanes(isDouble || !isSingle ? Type(b.getF64Type()) : Type(b.getF32Type()));
  if (hidesLatency(kernel, lanes))
    lanes *= 2;
  int blocks = frame.target().lanes(b.getI64Type());
  for (Operation &op : kernel.getBody().front()) {
    if (isa<RandomNormalOp>(op)) // as many as leave registers for its logarithm
      return std::min(2 * lanes, 4 * blocks);
    if (isa<DropoutOp, RandomUniformOp>(op))
      lanes = (drawsAlone(kernel) && frame.target().vectorRegisters >= 32 ? 16 : 8) * blocks;
  }
  return lanes;
}

/// The ops of a body that a value is computed by.
static SmallPtrSet<Operation *, 16> coneOf(Value value) {
  SmallPtrSet<Operation *, 16> cone;
  SmallVector<Value> todo{value};
  while (!todo.empty()) {
    Operation *op = todo.pop_back_val().getDefiningOp();
    if (op && cone.insert(op).second)
      llvm::append_range(todo, op->getOperands());
  }
  return cone;
}

/// Takes out of a cluster with a reduction the views that have no form of its domain
/// (a slice of what is reduced as well, say): nothing in them depends on a reduction, so
/// they are computed apart, and the little that they share twice.
static SmallVector<unsigned> takeFormless(Operation *yield, SmallVector<unsigned> &cluster) {
  std::optional<RowDomain> domain;
  for (unsigned output : cluster)
    for (Operation *op : coneOf(yield->getOperand(output)))
      if (auto own = domainOf(op))
        domain = own;
  SmallVector<unsigned> formless;
  if (domain)
    llvm::erase_if(cluster, [&](unsigned output) {
      bool take = domain->formOf(shapeOf(yield->getOperand(output))) == Form::None;
      if (take)
        formless.push_back(output);
      return take;
    });
  return formless;
}

SmallVector<SmallVector<unsigned>> outputClusters(KernelOp kernel) {
  Operation *yield = kernel.getBody().front().getTerminator();
  SmallVector<SmallVector<unsigned>> clusters;
  DenseMap<Operation *, unsigned> clusterOf;
  for (unsigned i = 0; i < yield->getNumOperands(); i++) {
    SmallPtrSet<Operation *, 16> cone = coneOf(yield->getOperand(i));
    // What is shared joins clusters that were apart.
    unsigned own = clusters.size();
    clusters.push_back({i});
    for (Operation *op : cone) {
      auto it = clusterOf.find(op);
      if (isCopiedIntoKernels(op) || it == clusterOf.end() || it->second == own)
        continue;
      unsigned other = it->second;
      llvm::append_range(clusters[own], clusters[other]);
      clusters[other].clear();
      for (auto &entry : clusterOf)
        if (entry.second == other)
          entry.second = own;
    }
    for (Operation *op : cone)
      if (!isCopiedIntoKernels(op))
        clusterOf[op] = own;
  }
  for (unsigned i = 0, n = clusters.size(); i < n; i++)
    clusters.push_back(takeFormless(yield, clusters[i]));
  llvm::erase_if(clusters, [](auto &cluster) { return cluster.empty(); });
  for (auto &cluster : clusters)
    llvm::sort(cluster);
  return clusters;
}

/// Outputs of one shape keep one shape.
static SmallVector<SmallVector<Value>> outputsByShape(ArrayRef<RowsBody::Output> outputs) {
  SmallVector<SmallVector<Value>> alike;
  DenseMap<Attribute, unsigned> groups;
  for (const RowsBody::Output &output : outputs) {
    Type key = RankedTensorType::get(shapeOf(output.value),
                                     Builder(output.value.getContext()).getI1Type());
    auto [it, added] = groups.try_emplace(TypeAttr::get(key), alike.size());
    if (added)
      alike.emplace_back();
    alike[it->second].push_back(output.value);
  }
  return alike;
}

void RowsBody::takeBody(ArrayRef<unsigned> numbers) {
  Block &body = kernel.getBody().front();
  Operation *yield = body.getTerminator();
  SmallVector<Value> yielded;
  for (unsigned number : numbers)
    yielded.push_back(yield->getOperand(number));
  yield->setOperands(yielded);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
  lanes = lanesOf(frame, kernel);
  decompose(kernel);
  for (Operation &op : body)
    if (reducedAxes(&op))
      reductions.push_back(&op);
  for (auto [i, value] : llvm::enumerate(yield->getOperands()))
    outputs.push_back({value, unsigned(frame.numOperands() + numbers[i]), Form::None});
}

ReducedShape RowsBody::findForms(SmallVector<SmallVector<Value>> &alike) {
  domain = *domainOf(reductions.front());
  full = reductions.front()->getOperand(0);
  // What has the domain's rank collapses as the domain does, reduced axes or not.
  SmallVector<Value> fulls, rows;
  auto add = [&](Value value, Form form) { (form == Form::Row ? rows : fulls).push_back(value); };
  for (Operation *reduction : reductions) {
    fulls.push_back(reduction->getOperand(0));
    bool keeps =
        reduction->hasAttr("keep") && reduction->getAttrOfType<BoolAttr>("keep").getValue();
    add(reduction->getResult(0), keeps ? Form::RowKept : Form::Row);
  }
  for (Output &output : outputs) {
    output.form = domain.formOf(shapeOf(output.value));
    // With extents of 1 forms look alike: the rank decides.
    add(output.value, output.form);
  }
  for (auto *list : {&fulls, &rows})
    if (!list->empty())
      alike.push_back(*list);
  // A row may come by a reshape of what keeps its axes: no op ties it to the domain.
  return {full, rows.empty() ? Value() : rows.front(), domain.axes};
}

RowsBody::RowsBody(KernelFrame &frame, ArrayRef<unsigned> numbers)
    : frame(frame), kernel(cast<KernelOp>(frame.kernel()->clone())) {
  takeBody(numbers);
  SmallVector<SmallVector<Value>> alike;
  ReducedShape reduced;
  if (reductions.empty())
    alike = outputsByShape(outputs);
  else
    reduced = findForms(alike);
  buffers = std::make_unique<CollapsedBuffers>(frame, kernel, numbers, alike, reduced);
  if (reductions.empty())
    return;
  domain = *domainOf(reductions.front());
  for (size_t i = 0; i < domain.shape.size(); i++)
    extents.push_back(buffers->extentOf(full, i));
}

RowsBody::~RowsBody() {
  buffers.reset();
  kernel->erase();
}

} // namespace tenon::cpu
