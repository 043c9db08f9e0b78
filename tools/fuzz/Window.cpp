//===- Window.cpp - Random windows ----------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tools/fuzz/Models.h"

using namespace mlir;

namespace tenon::fuzz {

namespace {
struct Steps {
  SmallVector<int64_t> sizes, strides, dilations;
};
} // namespace

/// Windows of x over some of its last axes; null if none fit. `steps` says which.
static Value windowsOf(Generator &g, Value x, Steps &steps) {
  const infer::Type &type = g.type(x);
  int64_t windowed = g.between(1, std::min(3, type.rank));
  for (int64_t axis = type.rank - windowed; axis < type.rank; axis++) {
    steps.sizes.push_back(g.between(1, std::clamp<int64_t>(type.dims[axis], 1, 4)));
    steps.strides.push_back(g.oneOf({1, 1, 2, 3}));
    steps.dilations.push_back(g.oneOf({1, 1, 2}));
  }
  return g.make("windows", {x},
                AttrWords()
                    .list(steps.sizes.data(), int(windowed))
                    .list(steps.strides.data(), int(windowed))
                    .list(steps.dilations.data(), int(windowed)));
}

static Value source(Generator &g, bool mayBeBool) {
  return g.findOr(
      [&](Value v) {
        const infer::Type &type = g.type(v);
        return type.rank > 0 && type.rank <= 4 && (mayBeBool || !type.isBool());
      },
      [&] { return g.randomType(mayBeBool ? g.anyType() : g.numberType(), 1, 3); });
}

static bool windows(Generator &g, StringRef) {
  Steps steps;
  return bool(windowsOf(g, source(g, true), steps));
}

static bool foldWindows(Generator &g, StringRef name) {
  Steps steps;
  Value x = source(g, false), y = windowsOf(g, x, steps);
  if (!y)
    return false;
  int windowed = int(steps.sizes.size());
  ArrayRef<int64_t> declared = cast<RankedTensorType>(x.getType()).getShape();
  SmallVector<int64_t> extents(declared.take_back(windowed));
  bool isDynamic = llvm::is_contained(extents, ShapedType::kDynamic);
  return g.emit(name, {g.chance(0.5) ? y : g.like(y), isDynamic ? x : Value()},
                AttrWords()
                    .list(extents.data(), windowed)
                    .list(steps.strides.data(), windowed)
                    .list(steps.dilations.data(), windowed));
}

void attachWindow(MLIRContext *context) {
  attach<windows, WindowsOp>(context);
  attach<foldWindows, FoldWindowsOp>(context);
}

} // namespace tenon::fuzz
