//===- AttentionMask.cpp - What a mask on scores means --------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "passes/AttentionMask.h"
#include "passes/Splat.h"

using namespace mlir;

namespace tenon {

AttentionMask::Part AttentionMask::peel(Value value, const ScoreAxes &axes) {
  Part part{value, allAxes(axes.type.getRank()), axes};
  peelMore(part);
  return part;
}

void AttentionMask::peelMore(Part &part) {
  while (auto broadcast = part.value.getDefiningOp<BroadcastOp>()) {
    SmallVector<int64_t> dims;
    for (int64_t axis : broadcast.getDims())
      dims.push_back(part.dims[axis]);
    part.value = broadcast.getX();
    part.dims = dims;
  }
}

/// The axis along which a value counts 0, 1, 2, ..., all other axes repeating it.
static std::optional<int64_t> countedAxis(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto iota = dyn_cast_or_null<IotaOp>(op))
    return iota.getAxis();
  if (auto cast = dyn_cast_or_null<CastOp>(op))
    return countedAxis(cast.getX());
  if (auto broadcast = dyn_cast_or_null<BroadcastOp>(op)) {
    std::optional<int64_t> axis = countedAxis(broadcast.getX());
    if (!axis || tensorType(broadcast.getX()).getDimSize(*axis) !=
                     broadcast.getType().getDimSize(broadcast.getDims()[*axis]))
      return std::nullopt;
    return broadcast.getDims()[*axis];
  }
  if (auto reshape = dyn_cast_or_null<ReshapeOp>(op)) { // [n] to [1, n, 1]
    if (tensorType(reshape.getX()).getRank() != 1 || !countedAxis(reshape.getX()))
      return std::nullopt;
    std::optional<int64_t> axis;
    for (int64_t i : allAxes(reshape.getType().getRank()))
      if (reshape.getType().getDimSize(i) != 1) {
        if (axis)
          return std::nullopt;
        axis = i;
      }
    return axis;
  }
  auto constant = dyn_cast_or_null<ConstantOp>(op);
  if (!constant || tensorType(value).getRank() != 1 ||
      !isa<IntegerType>(tensorType(value).getElementType()))
    return std::nullopt;
  auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!elements || elements.isSplat())
    return std::nullopt;
  for (auto [i, element] : llvm::enumerate(elements.getValues<APInt>()))
    if (element.getSExtValue() != int64_t(i))
      return std::nullopt;
  return 0;
}

/// key <= query where the keys are visible, in any of its spellings.
bool AttentionMask::isCausalCondition(const Part &part) {
  auto compare = part.value.getDefiningOp<CompareOp>();
  if (!compare)
    return false;
  std::optional<int64_t> a = countedAxis(compare.getA()), b = countedAxis(compare.getB());
  if (!a || !b)
    return false;
  int64_t first = part.dims[*a], second = part.dims[*b];
  int64_t query = part.axes.queryAxis(), key = part.axes.keyAxis();
  Predicate predicate = compare.getPredicate();
  if (part.visible)
    return (first == key && second == query && predicate == Predicate::le) ||
           (first == query && second == key && predicate == Predicate::ge);
  return (first == key && second == query && predicate == Predicate::gt) ||
         (first == query && second == key && predicate == Predicate::lt);
}

/// A constant matrix that shows key <= query and hides the rest.
bool AttentionMask::isCausalConstant(const Part &part, bool condition) {
  auto constant = part.value.getDefiningOp<ConstantOp>();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  const int64_t *query = llvm::find(part.dims, part.axes.queryAxis());
  const int64_t *key = llvm::find(part.dims, part.axes.keyAxis());
  if (!elements || query == part.dims.end() || key == part.dims.end())
    return false;
  RankedTensorType type = tensorType(part.value);
  if (type.getDimSize(query - part.dims.begin()) !=
          part.axes.type.getDimSize(part.axes.queryAxis()) ||
      type.getDimSize(key - part.dims.begin()) != part.axes.type.getDimSize(part.axes.keyAxis()))
    return false;
  int64_t rank = type.getRank();
  SmallVector<int64_t> index(rank, 0);
  auto shown = [&]() { return index[key - part.dims.begin()] <= index[query - part.dims.begin()]; };
  auto next = [&]() {
    for (int64_t axis = rank - 1; axis >= 0 && ++index[axis] == type.getDimSize(axis); axis--)
      index[axis] = 0;
  };
  if (condition) {
    for (bool visible : elements.getValues<bool>()) {
      if ((visible == part.visible) != shown())
        return false;
      next();
    }
    return true;
  }
  for (const APFloat &number : elements.getValues<APFloat>()) {
    double value = number.convertToDouble() * part.scale;
    if (shown() ? value != 0 : !(value <= kHidden))
      return false;
    next();
  }
  return true;
}

bool AttentionMask::set(Part next, std::string &reason) {
  if (part.value) {
    reason = "scores have more than one mask";
    return false;
  }
  // A bias that is the same for all queries or keys must be repeated, which takes
  // static extents here.
  bool whole =
      int64_t(next.dims.size()) == next.axes.type.getRank() && next.axes.type.getRank() == 4;
  if (!whole && !next.axes.type.hasStaticShape()) {
    reason = "the mask of scores with dynamic extents is repeated";
    return false;
  }
  part = std::move(next);
  return true;
}

bool AttentionMask::setCondition(Part next, std::string &reason) {
  next.scale = 1;
  peelMore(next);
  while (auto negation = next.value.getDefiningOp<NotOp>()) {
    next.value = negation.getX();
    next.visible = !next.visible;
    peelMore(next);
  }
  if (isCausalCondition(next) || isCausalConstant(next, true))
    return causal = true;
  return set(std::move(next), reason);
}

bool AttentionMask::addCondition(Value condition, bool visible, const ScoreAxes &axes,
                                 std::string &reason) {
  Part next = peel(condition, axes);
  next.visible = visible;
  return setCondition(std::move(next), reason);
}

bool AttentionMask::addBias(Value bias, const ScoreAxes &axes, double scale, std::string &reason) {
  Part next = peel(bias, axes);
  next.scale = scale;
  if (auto select = next.value.getDefiningOp<SelectOp>()) {
    std::optional<double> a = splatNumber(select.getA()), b = splatNumber(select.getB());
    if (a && b && (*a == 0 || *b == 0) && std::min(*a, *b) * scale <= kHidden) {
      next.value = select.getCondition();
      next.visible = *a == 0;
      return setCondition(std::move(next), reason);
    }
  }
  if (isCausalConstant(next, false))
    return causal = true;
  return set(std::move(next), reason);
}

Value AttentionMask::emit(Emit &emit) const {
  Value value = part.value;
  if (!value)
    return {};
  if (!isFloatTensor(value) && !part.visible)
    value = emit.make<NotOp>(value);
  if (isFloatTensor(value) && part.scale != 1)
    value = emit.scale(value, part.scale);

  // Batch axes along which the mask is repeated keep extent 1.
  RankedTensorType scores = part.axes.type;
  int64_t rank = scores.getRank();
  SmallVector<int64_t> shape(scores.getShape());
  for (int64_t axis : allAxes(rank - 2)) {
    const int64_t *at = llvm::find(part.dims, axis);
    if (at == part.dims.end() || tensorType(value).getDimSize(at - part.dims.begin()) == 1)
      shape[axis] = 1;
  }
  if (ArrayRef<int64_t>(shape) != tensorType(value).getShape())
    value = emit.make<BroadcastOp>(value, Value(), shape, part.dims);
  if (!part.axes.keysLast) {
    SmallVector<int64_t> permutation = allAxes(rank);
    std::swap(permutation[rank - 2], permutation[rank - 1]);
    value = emit.transpose(value, permutation);
  }
  shape.assign(tensorType(value).getShape().begin(), tensorType(value).getShape().end());
  if (rank < 4) // a batch axis of rank 3 comes first, then one head
    shape.insert(shape.begin() + (rank - 2), 4 - rank, 1);
  return emit.reshape(value, shape);
}

} // namespace tenon
