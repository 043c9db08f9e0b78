//===- Shape.cpp - Random ops that move elements --------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tools/fuzz/Models.h"

using namespace mlir;

namespace tenon::fuzz {

using Extents = SmallVector<int64_t>;

static AttrWords &add(AttrWords &words, const Extents &list) {
  return words.list(list.data(), int(list.size()));
}

static Value any(Generator &g, int leastRank = 0) {
  return g.findOr([&](Value v) { return g.type(v).rank >= leastRank; },
                  [&] { return g.randomType(g.anyType(), leastRank); });
}

/// Splits, merges, adds and removes axes at random.
static bool reshape(Generator &g, StringRef name) {
  Value x = any(g);
  Extents shape(cast<RankedTensorType>(x.getType()).getShape());
  auto isStatic = [](int64_t extent) { return !ShapedType::isDynamic(extent); };
  for (int64_t steps = g.between(1, 3); steps > 0; steps--) {
    size_t at = shape.empty() ? 0 : size_t(g.between(0, shape.size() - 1));
    if (at + 1 < shape.size() && g.chance(0.4)) {
      bool known = isStatic(shape[at]) && isStatic(shape[at + 1]);
      shape[at] = known ? shape[at] * shape[at + 1] : ShapedType::kDynamic;
      shape.erase(shape.begin() + at + 1);
    } else if (at < shape.size() && isStatic(shape[at]) && shape[at] > 1 && g.chance(0.5)) {
      int64_t inner = g.oneOf({2, 3, 4});
      if (shape[at] % inner == 0 && shape.size() < 6) {
        shape[at] /= inner;
        shape.insert(shape.begin() + at + 1, inner);
      }
    } else if (at < shape.size() && shape[at] == 1) {
      shape.erase(shape.begin() + at);
    } else if (shape.size() < 6) {
      shape.insert(shape.begin() + at, 1);
    }
  }
  AttrWords words;
  return g.emit(name, {x}, add(words, shape));
}

static bool transpose(Generator &g, StringRef name) {
  Value x = any(g, 1);
  AttrWords words;
  return g.emit(name, {x}, add(words, g.permutation(g.type(x).rank)));
}

static bool broadcast(Generator &g, StringRef name) {
  Value x = any(g);
  Extents shape, dims, declared(cast<RankedTensorType>(x.getType()).getShape());
  Value like; // tells extents that are `?`
  if (!Generator::isStatic(x)) {
    const infer::Type &from = g.type(x);
    like = g.find([&](Value v) {
      const infer::Type &to = g.type(v);
      return v != x && to.rank >= from.rank && to.rank > 0 &&
             std::equal(from.dims, from.dims + from.rank, to.dims + to.rank - from.rank);
    });
    if (!like)
      return false;
    int64_t rank = g.type(like).rank;
    shape.assign(rank, ShapedType::kDynamic);
    for (int64_t i = rank - from.rank; i < rank; i++)
      dims.push_back(i);
  } else {
    for (size_t i = 0; i <= declared.size(); i++) {
      if (shape.size() + declared.size() - i < 6 && g.chance(0.25))
        shape.push_back(g.extent());
      if (i == declared.size())
        break;
      dims.push_back(int64_t(shape.size()));
      shape.push_back(declared[i] == 1 && g.chance(0.5) ? g.extent() : declared[i]);
    }
  }
  AttrWords words;
  return g.emit(name, {x, like}, add(add(words, shape), dims));
}

static bool slice(Generator &g, StringRef name) {
  Value x = any(g, 1);
  Extents offsets, sizes, strides;
  ArrayRef<int64_t> declared = cast<RankedTensorType>(x.getType()).getShape();
  for (int axis = 0; axis < g.type(x).rank; axis++) {
    int64_t extent = g.type(x).dims[axis];
    bool whole = g.chance(0.4);
    int64_t offset = whole ? 0 : g.between(0, extent), stride = whole ? 1 : g.oneOf({1, 1, 2, 3});
    offsets.push_back(offset);
    strides.push_back(stride);
    if (ShapedType::isDynamic(declared[axis]) && g.chance(0.7))
      sizes.push_back(ShapedType::kDynamic); // to the end
    else
      sizes.push_back(whole ? extent : g.between(0, llvm::divideCeil(extent - offset, stride)));
  }
  AttrWords words;
  return g.emit(name, {x}, add(add(add(words, offsets), sizes), strides));
}

static bool concat(Generator &g, StringRef name) {
  Value x = any(g, 1);
  int64_t axis = g.between(0, g.type(x).rank - 1);
  SmallVector<Value> parts{x};
  for (int64_t more = g.between(0, 2); more > 0; more--) {
    infer::Type wanted = g.type(x);
    wanted.dims[axis] = g.extent();
    auto fits = [&](Value v) {
      infer::Type other = g.type(v);
      if (other.dtype != wanted.dtype || other.rank != wanted.rank)
        return false;
      other.dims[axis] = wanted.dims[axis];
      return infer::sameShape(other, wanted);
    };
    parts.insert(parts.begin() + g.between(0, parts.size()),
                 g.findOr(fits, [&] { return wanted; }));
  }
  return g.emit(name, parts, AttrWords().integer(axis));
}

static bool pad(Generator &g, StringRef name) {
  Value x = any(g, 1);
  Extents low, high;
  for (int i = 0; i < g.type(x).rank; i++) {
    low.push_back(g.oneOf({0, 0, 1, 2}));
    high.push_back(g.oneOf({0, 0, 1, 3}));
  }
  AttrWords words;
  add(add(words, low), high);
  return g.emit(name, {x}, words.real(g.type(x).isBool() ? 1 : g.between(-1, 1)));
}

static bool gather(Generator &g, StringRef name) {
  Value table = any(g, 1);
  int64_t rows = g.type(table).dims[0];
  if (rows == 0)
    return false;
  return g.emit(name, {table, g.ids(rows, g.randomType(TENON_I32, 0, 2))});
}

static bool scatterAdd(Generator &g, StringRef name) {
  Value updates = g.findOr([&](Value v) { return g.type(v).rank > 0 && !g.type(v).isBool(); },
                           [&] { return g.randomType(g.numberType(), 1); });
  infer::Type places = g.type(updates);
  places.rank = int(g.between(0, places.rank));
  int64_t rows = g.oneOf({1, 2, 3, 8, 20});
  return g.emit(name, {g.ids(rows, places), updates, {}}, AttrWords().integer(rows));
}

static bool oneHot(Generator &g, StringRef name) {
  int64_t depth = g.oneOf({1, 2, 5, 16});
  return g.emit(name, {g.ids(depth + 1, g.randomType(TENON_I32, 0, 2))},
                AttrWords().integer(depth).dtype(g.anyType()));
}

static bool iota(Generator &g, StringRef name) {
  infer::Type type = g.randomType(g.typeOf({g.floatType(), TENON_I32, TENON_I64, TENON_I8}), 1, 3);
  return g.emit(name, {Value()},
                AttrWords()
                    .list(type.dims, type.rank)
                    .integer(g.between(0, type.rank - 1))
                    .dtype(type.dtype));
}

static bool fill(Generator &g, StringRef name) {
  infer::Type type =
      g.randomType(g.typeOf({g.floatType(), TENON_I32, TENON_I64, TENON_I8, TENON_I1}));
  double value = type.isFloat() ? g.real(-2, 2) : double(g.between(0, 1));
  return g.emit(name, {Value()},
                AttrWords().list(type.dims, type.rank).real(value).dtype(type.dtype));
}

static bool constant(Generator &g, StringRef) {
  infer::Type type = g.randomType(
      g.typeOf({g.floatType(), g.floatType(), TENON_I32, TENON_I64, TENON_I8, TENON_I1}), 0, 2);
  reference::Array array(type);
  for (int64_t i = 0, size = array.size(); i < size; i++)
    array.set(i, double(type.isBool() ? g.between(0, 1) : g.between(-3, 3)));
  OpBuilder &b = g.ops();
  RankedTensorType tensor = tensorTypeOf(b.getContext(), type);
  DenseElementsAttr value;
  if (type.isBool()) { // whose storage as an attribute is not a tensor's
    SmallVector<bool> bits(array.integers.begin(), array.integers.end());
    value = DenseElementsAttr::get(tensor, bits);
  } else {
    std::vector<char> bytes(size_t(array.size() * tenon_dtype_size(type.dtype)));
    reference::store(array, bytes.data());
    value = DenseElementsAttr::getFromRawBuffer(tensor, bytes);
  }
  return g.keep(b.create<ConstantOp>(b.getUnknownLoc(), value));
}

void attachShape(MLIRContext *context) {
  attach<reshape, ReshapeOp>(context);
  attach<transpose, TransposeOp>(context);
  attach<broadcast, BroadcastOp>(context);
  attach<slice, SliceOp>(context);
  attach<concat, ConcatOp>(context);
  attach<pad, PadOp>(context);
  attach<gather, GatherOp>(context);
  attach<scatterAdd, ScatterAddOp>(context);
  attach<oneHot, OneHotOp>(context);
  attach<iota, IotaOp>(context);
  attach<fill, FillOp>(context);
  attach<constant, ConstantOp>(context);
}

} // namespace tenon::fuzz
