//===- RowsBody.cpp - What a rows kernel computes -------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/strategies/RowsBody.h"

#include "codegen/cpu/Decompose.h"
#include "codegen/cpu/VectorLoop.h"

using namespace mlir;

namespace tenon::cpu {

static RankedTensorType tensorOf(Value value) { return cast<RankedTensorType>(value.getType()); }
static ArrayRef<int64_t> shapeOf(Value value) { return tensorOf(value).getShape(); }

//===----------------------------------------------------------------------===//
// Domain
//===----------------------------------------------------------------------===//

SmallVector<int64_t> RowDomain::keptAxes() const {
  SmallVector<int64_t> kept;
  for (int64_t axis = 0; axis < int64_t(shape.size()); axis++)
    if (!isReduced(axis))
      kept.push_back(axis);
  return kept;
}

Form RowDomain::formOf(ArrayRef<int64_t> other) const {
  if (other == ArrayRef(shape))
    return Form::Full;
  SmallVector<int64_t> row, kept;
  for (int64_t axis = 0; axis < int64_t(shape.size()); axis++) {
    if (!isReduced(axis))
      row.push_back(shape[axis]);
    kept.push_back(isReduced(axis) ? 1 : shape[axis]);
  }
  return other == ArrayRef(row) ? Form::Row : other == ArrayRef(kept) ? Form::RowKept : Form::None;
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
// Legality
//===----------------------------------------------------------------------===//

namespace {

/// Follows which values depend on a reduction, and in which form.
struct FormWalk {
  RowDomain domain;
  DenseMap<Value, Form> forms;

  Form of(Value value) { return forms.lookup(value); }
  bool isFree(Value value) { return of(value) == Form::None; }

  const char *visitReduction(Operation *op) {
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      bool full = i == 0 || shapeOf(operand) == ArrayRef(domain.shape);
      if (!isFree(operand) && !(full && of(operand) == Form::Full))
        return "an operand is computed from a reduction, in another form";
    }
    Form form = Form::Row;
    if (isa<SoftmaxOp, LogSoftmaxOp, LayerNormOp, RmsNormOp>(op))
      form = Form::Full;
    else if (auto keep = op->getAttrOfType<BoolAttr>("keep"); keep && keep.getValue())
      form = Form::RowKept;
    forms[op->getResult(0)] = form;
    return nullptr;
  }

  const char *visitBroadcast(BroadcastOp op) {
    Form from = of(op.getX()), to = domain.formOf(shapeOf(op.getResult()));
    auto all = llvm::to_vector(llvm::seq<int64_t>(0, domain.shape.size()));
    bool spreads = from == Form::Row ? op.getDims() == ArrayRef(domain.keptAxes())
                                     : op.getDims() == ArrayRef(all);
    bool known = to == Form::Full || (from == Form::Row && to == Form::RowKept) || from == to;
    if (!spreads || !known)
      return "a reduction is broadcast to another shape";
    forms[op.getResult()] = to;
    return nullptr;
  }

  const char *visit(Operation *op) {
    if (reducedAxes(op))
      return visitReduction(op);
    if (llvm::all_of(op->getOperands(), [&](Value v) { return isFree(v); }))
      return nullptr;
    if (auto broadcast = dyn_cast<BroadcastOp>(op))
      return isFree(broadcast.getX()) ? nullptr : visitBroadcast(broadcast);
    if (auto reshape = dyn_cast<ReshapeOp>(op)) {
      Form to = domain.formOf(shapeOf(reshape.getResult()));
      bool rows = of(reshape.getX()) != Form::Full && (to == Form::Row || to == Form::RowKept);
      if (!rows && to != of(reshape.getX()))
        return "a value computed from a reduction is reshaped";
      forms[reshape.getResult()] = to;
      return nullptr;
    }
    if (isa<FillOp, IotaOp, RandomUniformOp, RandomNormalOp>(op))
      return nullptr; // only the shape of `like` is used
    if (!op->hasTrait<trait::Elementwise>() && !op->hasTrait<trait::ElementwiseUpdate>() &&
        !isa<DropoutOp>(op))
      return "a value computed from a reduction is read at other indices";
    Form form = Form::None;
    for (Value operand : op->getOperands()) {
      if (isFree(operand))
        continue;
      if (shapeOf(operand) != shapeOf(op->getResult(0)) ||
          (form != Form::None && form != of(operand)))
        return "values of different forms meet";
      form = of(operand);
    }
    for (Value result : op->getResults())
      forms[result] = form;
    return nullptr;
  }
};

} // namespace

bool isExpensive(Operation *op) { return op->hasTrait<trait::Expensive>(); }

/// Ops that kernel formation copies instead of making them results.
static bool isCopied(Operation *op) {
  return isa<ConstantOp>(op) || op->hasTrait<trait::Rematerializable>();
}

static bool hasUserOutside(Value value, const SmallPtrSetImpl<Operation *> &members) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) { return !members.contains(user); });
}

/// The same, also where a view that is copied stands between.
static bool isReadOutside(Value value, const SmallPtrSetImpl<Operation *> &members) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return !members.contains(user) ||
           (isCopied(user) && isReadOutside(user->getResult(0), members));
  });
}

/// Without reductions: one loop nest computes all results, and nothing expensive is
/// computed more often than once for each of their elements.
static const char *whyNotOneLoop(ArrayRef<Operation *> ops,
                                 const SmallPtrSetImpl<Operation *> &members) {
  RankedTensorType shape;
  auto differs = [&](Value value) {
    RankedTensorType type = tensorOf(value);
    if (!shape)
      shape = type;
    return type.getShape() != shape.getShape() &&
           !(type.hasStaticShape() && shape.hasStaticShape() &&
             type.getNumElements() == shape.getNumElements());
  };
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (!isCopied(op) && hasUserOutside(result, members) && differs(result))
        return "a result of another shape";
  for (Operation *op : ops) {
    RankedTensorType type = tensorOf(op->getResult(0));
    bool single = type.hasStaticShape() && type.getNumElements() <= 1;
    if (isExpensive(op) && !single && differs(op->getResult(0)))
      return "an expensive op would be computed more than once";
  }
  return nullptr;
}

/// A value that certainly has the shape of `value`: the same for values that were
/// computed from one another element by element.
static Value rootOfShape(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto broadcast = dyn_cast<BroadcastOp>(op); broadcast && broadcast.getLike())
      value = broadcast.getLike();
    else if (op->hasTrait<trait::Elementwise>() ||
             isa<SoftmaxOp, LogSoftmaxOp, LayerNormOp, RmsNormOp, DropoutOp>(op))
      value = op->getOperand(0);
    else
      break;
  }
  return value;
}

const char *whyNotRows(ArrayRef<Operation *> ops) {
  std::optional<RowDomain> domain;
  SmallPtrSet<Operation *, 16> members(ops.begin(), ops.end());
  bool scatters = false, plain = true;
  Value root;
  for (Operation *op : ops) {
    if (isa<ScatterAddOp>(op)) {
      if (scatters)
        return "two scatters";
      scatters = true;
      for (Operation *user : op->getUsers())
        if (members.contains(user))
          return "a scatter ends before its result can be used";
      continue;
    }
    if (auto own = domainOf(op)) {
      if (domain && (domain->shape != own->shape || domain->axes != own->axes))
        return "two reductions over different axes";
      if (domain && llvm::any_of(own->shape, ShapedType::isDynamic) &&
          rootOfShape(op->getOperand(0)) != root)
        return "two reductions over extents that need not be equal";
      root = rootOfShape(op->getOperand(0));
      domain = own;
      plain &= !isComposite(op) || isa<MseLossOp>(op);
    } else if (!ElementEmitter::canEmit(op)) {
      return "an op that is no elementwise op, view or reduction";
    }
  }
  if (scatters && domain)
    return "a scatter and a reduction";
  if (scatters) {
    for (Operation *op : ops)
      if (!isa<ScatterAddOp>(op) && !isCopied(op) &&
          llvm::any_of(op->getResults(), [&](Value v) { return isReadOutside(v, members); }))
        return "a result beside that of a scatter";
    return nullptr;
  }
  if (!domain)
    return whyNotOneLoop(ops, members);

  FormWalk walk;
  walk.domain = *domain;
  for (Operation *op : ops)
    if (const char *reason = walk.visit(op))
      return reason;
  for (Operation *op : ops)
    for (Value result : op->getResults()) {
      bool isOutput = hasUserOutside(result, members);
      Form form = walk.of(result);
      if (form == Form::None && isExpensive(op) && domain->formOf(shapeOf(result)) == Form::None &&
          tensorOf(result).getRank() > 0)
        return "an expensive op would be computed for every row";
      if (plain && domain->isSplit() && form == Form::Full)
        return "a reduction over all rows ends before its result can be used";
      if (!isOutput || (isCopied(op) && form == Form::None))
        continue;
      if (form == Form::None)
        form = domain->formOf(shapeOf(result));
      if (form == Form::None)
        return "a result of another shape";
      if (plain && domain->isSplit() && form == Form::Full)
        return "a result of the full shape beside a reduction over all rows";
    }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Body
//===----------------------------------------------------------------------===//

/// Has the body long chains of operations, and rows long enough for two vectors at once?
static bool hidesLatency(KernelOp kernel, int lanes) {
  Block &body = kernel.getBody().front();
  bool reduces = llvm::any_of(body, [](Operation &op) {
    return reducedAxes(&op) || isa<SoftmaxOp, LogSoftmaxOp, LayerNormOp, RmsNormOp>(op);
  });
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
      if (isCopied(op) || it == clusterOf.end() || it->second == own)
        continue;
      unsigned other = it->second;
      llvm::append_range(clusters[own], clusters[other]);
      clusters[other].clear();
      for (auto &entry : clusterOf)
        if (entry.second == other)
          entry.second = own;
    }
    for (Operation *op : cone)
      if (!isCopied(op))
        clusterOf[op] = own;
  }
  for (unsigned i = 0, n = clusters.size(); i < n; i++)
    clusters.push_back(takeFormless(yield, clusters[i]));
  llvm::erase_if(clusters, [](auto &cluster) { return cluster.empty(); });
  for (auto &cluster : clusters)
    llvm::sort(cluster);
  return clusters;
}

RowsBody::RowsBody(KernelFrame &frame, ArrayRef<unsigned> numbers)
    : frame(frame), kernel(cast<KernelOp>(frame.kernel()->clone())) {
  Block &body = kernel.getBody().front();
  SmallVector<Value> yielded;
  for (unsigned number : numbers)
    yielded.push_back(body.getTerminator()->getOperand(number));
  body.getTerminator()->setOperands(yielded);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
  lanes = lanesOf(frame, kernel);
  decompose(kernel);
  for (Operation &op : body)
    if (reducedAxes(&op))
      reductions.push_back(&op);
  Operation *yield = body.getTerminator();
  for (auto [i, value] : llvm::enumerate(yield->getOperands()))
    outputs.push_back({value, unsigned(frame.numOperands() + numbers[i]), Form::None});

  // Values of one shape keep one shape; those of the domain in each of its forms.
  SmallVector<SmallVector<Value>> alike;
  if (reductions.empty()) {
    DenseMap<Attribute, unsigned> groups;
    for (Output &output : outputs) {
      auto [it, added] =
          groups.try_emplace(TypeAttr::get(RankedTensorType::get(
                                 shapeOf(output.value), Builder(kernel.getContext()).getI1Type())),
                             alike.size());
      if (added)
        alike.emplace_back();
      alike[it->second].push_back(output.value);
    }
  } else {
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
  }
  buffers = std::make_unique<CollapsedBuffers>(frame, kernel, numbers, alike);
  if (!reductions.empty()) {
    domain = *domainOf(reductions.front());
    for (size_t i = 0; i < domain.shape.size(); i++)
      extents.push_back(buffers->extentOf(full, i));
  }
}

RowsBody::~RowsBody() {
  buffers.reset();
  kernel->erase();
}

} // namespace tenon::cpu
