//===- RowsLegality.cpp - What may be one rows kernel ---------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/Decompose.h"
#include "codegen/cpu/strategies/RowsBody.h"
#include "passes/KernelGroups.h"
#include "passes/TensorTypes.h"

using namespace mlir;

namespace tenon::cpu {

/// A value that certainly has the shape of `value`: the same for values that were
/// computed from one another element by element.
static Value rootOfShape(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto broadcast = dyn_cast<BroadcastOp>(op); broadcast && broadcast.getLike())
      value = broadcast.getLike();
    else if (op->hasTrait<trait::Elementwise>() || isNorm(op) || isa<DropoutOp>(op))
      value = op->getOperand(0);
    else
      break;
  }
  return value;
}

namespace {

/// Follows which values depend on a reduction, and in which form.
struct FormWalk {
  RowDomain domain;
  Value root; ///< of the shape that is reduced
  DenseMap<Value, Form> forms;

  Form of(Value value) { return forms.lookup(value); }
  bool isFree(Value value) { return of(value) == Form::None; }

  /// The form that a value certainly has by its shape. Extents that are known at run time
  /// only look alike in types: there it takes one that the shape comes from.
  Form formByShape(Value value) {
    Form form = domain.formOf(shapeOf(value));
    bool isDynamic = llvm::any_of(domain.shape, ShapedType::isDynamic);
    if (form == Form::None || (tensorOf(value).hasStaticShape() && !isDynamic))
      return form;
    Value source = rootOfShape(value);
    return form == (source == root ? Form::Full : of(source)) ? form : Form::None;
  }

  /// Is the form that a reshape seems to give the one that it gives? What is alike where extents
  /// are known at run time only may have them at other axes.
  bool hasForm(ReshapeOp op, Form form) {
    ArrayRef<int64_t> shape = op.getType().getShape();
    bool isStatic = op.getType().hasStaticShape() && tensorOf(op.getX()).hasStaticShape();
    return isStatic || (llvm::count_if(shape, ShapedType::isDynamic) <= 1 &&
                        shape == ArrayRef(domain.shapeOf(form)));
  }

  const char *visitReduction(Operation *op) {
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      bool full = i == 0 || shapeOf(operand) == ArrayRef(domain.shape);
      if (!isFree(operand) && !(full && of(operand) == Form::Full))
        return "an operand is computed from a reduction, in another form";
    }
    Form form = Form::Row;
    if (isNorm(op))
      form = Form::Full;
    else if (auto keep = op->getAttrOfType<BoolAttr>("keep"); keep && keep.getValue())
      form = Form::RowKept;
    forms[op->getResult(0)] = form;
    return nullptr;
  }

  const char *visitBroadcast(BroadcastOp op) {
    Form from = of(op.getX()), to = formByShape(op.getResult());
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
      if ((!rows && to != of(reshape.getX())) || !hasForm(reshape, to))
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

static bool hasUserOutside(Value value, const SmallPtrSetImpl<Operation *> &members) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) { return !members.contains(user); });
}

/// Must it be in memory, whatever other kernels copy?
static bool isMaterialized(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    return user->hasTrait<OpTrait::IsTerminator>() || user->getNumRegions() > 0;
  });
}

/// The same as hasUserOutside, also where a view that is copied stands between.
static bool isReadOutside(Value value, const SmallPtrSetImpl<Operation *> &members) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return !members.contains(user) ||
           (isCopiedIntoKernels(user) && isReadOutside(user->getResult(0), members));
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
      if (!isCopiedIntoKernels(op) && hasUserOutside(result, members) && differs(result))
        return "a result of another shape";
  for (Operation *op : ops) {
    RankedTensorType type = tensorOf(op->getResult(0));
    bool single = type.hasStaticShape() && type.getNumElements() <= 1;
    if (isExpensive(op) && !single && differs(op->getResult(0)))
      return "an expensive op would be computed more than once";
  }
  return nullptr;
}

/// Beside a scatter: only what it alone reads.
static const char *whyNotScatter(ArrayRef<Operation *> ops,
                                 const SmallPtrSetImpl<Operation *> &members) {
  for (Operation *op : ops)
    if (!isa<ScatterAddOp>(op) && !isCopiedIntoKernels(op) &&
        llvm::any_of(op->getResults(), [&](Value v) { return isReadOutside(v, members); }))
      return "a result beside that of a scatter";
  return nullptr;
}

/// With reductions: is a value computed in a form that the stages store, or not at all?
/// `isSplit` says that rows are computed in pieces, which end with the reductions.
static const char *whyNotResult(FormWalk &walk, Operation *op, Value result, bool isSplit,
                                const SmallPtrSetImpl<Operation *> &members) {
  Form form = walk.of(result);
  if (form == Form::None && isExpensive(op) && walk.formByShape(result) == Form::None &&
      rankOf(result) > 0)
    return "an expensive op would be computed for every row";
  if (isSplit && form == Form::Full)
    return "a reduction over all rows ends before its result can be used";
  bool isCopied = isCopiedIntoKernels(op) && form == Form::None && !isMaterialized(result);
  if (isCopied)
    return nullptr;
  // Behind a view that other kernels copy there may be any shape, which is computed apart, but
  // none that looks like a form and is another.
  bool looksAlike = form == Form::None && walk.domain.formOf(shapeOf(result)) != Form::None;
  if (!hasUserOutside(result, members) && !(looksAlike && isReadOutside(result, members)))
    return nullptr;
  if (form == Form::None)
    form = walk.formByShape(result);
  if (form == Form::None)
    return "a result of another shape";
  if (isSplit && form == Form::Full)
    return "a result of the full shape beside a reduction over all rows";
  return nullptr;
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
  if (scatters)
    return whyNotScatter(ops, members);
  if (!domain)
    return whyNotOneLoop(ops, members);

  FormWalk walk;
  walk.domain = *domain;
  walk.root = root;
  for (Operation *op : ops)
    if (const char *reason = walk.visit(op))
      return reason;
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (const char *reason = whyNotResult(walk, op, result, plain && domain->isSplit(), members))
        return reason;
  return nullptr;
}

} // namespace tenon::cpu
