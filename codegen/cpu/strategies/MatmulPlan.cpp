//===- MatmulPlan.cpp - How a matrix product is cut up --------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/strategies/MatmulPlan.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tenon::cpu::matmul {

using llvm::divideCeil;

//===----------------------------------------------------------------------===//
// Problem
//===----------------------------------------------------------------------===//

static Operand operandOf(Value value, unsigned outerAxis, unsigned kAxis, Type accumulator) {
  Operand operand{value, outerAxis, kAxis, resolveView(value)};
  auto type = cast<RankedTensorType>(value.getType());
  if (!operand.view) {
    unsigned last = type.getRank() - 1;
    operand.outerUnit = outerAxis == last;
    operand.kUnit = kAxis == last;
    return operand;
  }
  operand.direct = isa<BlockArgument>(operand.view->base) && type.getElementType() == accumulator;
  operand.kUnit = operand.view->strides[kAxis].is(1);
  operand.outerUnit = operand.view->strides[outerAxis].is(1);
  // An axis of extent 1 has any stride.
  if (operand.kUnit && operand.outerUnit)
    (type.getDimSize(kAxis) == 1 ? operand.kUnit : operand.outerUnit) = false;
  return operand;
}

/// Do neighbours along the rows of the product lie next to each other in the first
/// result, but not those along its columns (or are there none)?
static bool storedByColumns(KernelFrame &frame, MatmulOp op) {
  auto yield = cast<YieldOp>(frame.kernel().getBody().front().getTerminator());
  auto placement = resolvePlacement(op.getY(), yield.getValues().front());
  if (!placement || placement->strides.empty())
    return false;
  unsigned rank = placement->strides.size();
  bool alongColumns = placement->strides[rank - 1].is(1) && !extentOf(op.getY(), rank - 1).is(1);
  return !alongColumns && placement->strides[rank - 2].is(1) &&
         !extentOf(op.getY(), rank - 2).is(1);
}

Problem Problem::get(KernelFrame &frame, MatmulOp op) {
  Problem p;
  p.op = op;
  auto type = cast<RankedTensorType>(op.getY().getType());
  p.accumulator = ElementEmitter::computeType(type.getElementType());
  unsigned rank = type.getRank();
  p.batchRank = rank - 2;
  p.swapped = storedByColumns(frame, op);
  bool ta = op.getTransposeA(), tb = op.getTransposeB();
  p.rows = operandOf(op.getA(), ta ? rank - 1 : rank - 2, ta ? rank - 2 : rank - 1, p.accumulator);
  p.columns =
      operandOf(op.getB(), tb ? rank - 2 : rank - 1, tb ? rank - 1 : rank - 2, p.accumulator);
  p.k = extentOf(op.getA(), p.rows.kAxis);
  if (!p.k.constant())
    p.k = extentOf(op.getB(), p.columns.kAxis);
  if (p.swapped)
    std::swap(p.rows, p.columns);
  p.m = extentOf(p.rows.value, p.rows.outerAxis);
  p.n = extentOf(p.columns.value, p.columns.outerAxis);
  for (unsigned axis = 0; axis < p.batchRank; axis++) {
    Extent extent = extentOf(op.getA(), axis);
    p.batch.push_back(extent.constant() ? extent : extentOf(op.getB(), axis));
  }
  p.mDivisor = divisorOf(frame, p.m);
  p.nDivisor = divisorOf(frame, p.n);
  p.kDivisor = divisorOf(frame, p.k);
  return p;
}

//===----------------------------------------------------------------------===//
// Plan
//===----------------------------------------------------------------------===//

namespace {
/// Extents for decisions; unknown ones are taken as large.
struct Sizes {
  static constexpr int64_t unknown = 1 << 20;
  int64_t m, n, k, batch;
  bool mKnown, nKnown, kKnown, batchKnown;
  int64_t bytes; ///< of an accumulator

  explicit Sizes(const Problem &p) {
    auto take = [](const Extent &extent, int64_t &size, bool &known) {
      known = extent.constant().has_value();
      size = extent.constant().value_or(unknown);
    };
    take(p.m, m, mKnown);
    take(p.n, n, nKnown);
    take(p.k, k, kKnown);
    Extent product;
    for (const Extent &extent : p.batch)
      product = product * extent;
    take(product, batch, batchKnown);
    bytes = p.accumulator.getIntOrFloatBitWidth() / 8;
  }
  double products() const { return double(m) * n * k; }
};
} // namespace

/// Cycles of one k step of a register tile: multiply-adds and loads go two at a time,
/// and 8 sums must be under way to hide the latency of an addition.
static double tileCycles(int64_t rows, int64_t vectors) {
  double cycles = std::max({double(rows * vectors) / 2, double(rows + vectors) / 2, 4.0});
  return cycles + 0.3;
}

static void chooseTile(Plan &plan, const Sizes &s, const CpuTarget &target) {
  int64_t registers = target.vectorRegisters - (target.hasFma ? 1 : 2);
  int64_t large = registers >= 30 ? 12 : 6;
  double best = 0;
  for (int64_t vectors : {2, 1, 3, 4, 8}) {
    if (s.nKnown && vectors > std::max<int64_t>(1, divideCeil(s.n, plan.lanes)))
      continue;
    for (int64_t rows = std::min<int64_t>(large + 2, (registers - vectors) / vectors); rows >= 1;
         rows--) {
      if (s.mKnown ? rows > std::max<int64_t>(s.m, 1) || (rows > large && rows != s.m)
                   : rows > large)
        continue;
      int64_t panel = vectors * plan.lanes;
      int64_t full = s.n / panel, rest = divideCeil(s.n % panel, plan.lanes);
      double cost = divideCeil(s.m, rows) *
                    (full * tileCycles(rows, vectors) + (rest ? tileCycles(rows, rest) : 0));
      if (best == 0 || cost < best * 0.99) {
        best = cost;
        plan.tileRows = rows;
        plan.tileVectors = vectors;
      }
    }
  }
}

/// `extent` in the fewest blocks of at most `limit`, all about the same size.
static int64_t evenBlock(int64_t extent, int64_t limit, int64_t multiple) {
  int64_t blocks = std::max<int64_t>(1, divideCeil(extent, std::max(limit, multiple)));
  int64_t block = divideCeil(extent, blocks);
  return std::max<int64_t>(multiple, divideCeil(block, multiple) * multiple);
}

/// Few rows by columns that lie along k: reading them once as they lie beats packing.
static bool isDot(const Problem &p, const Sizes &s) {
  return s.mKnown && s.m <= 4 && p.rows.kUnit && p.columns.kUnit;
}

static void chooseBlocks(Plan &plan, const Sizes &s, const CpuTarget &target) {
  int64_t words = target.l2Bytes / s.bytes;
  // Up to here a panel of the columns still streams from the second-level cache
  // fast enough, and sums need not be stored in between.
  if (plan.dot) {
    plan.kc = std::max<int64_t>(s.k, 1);
    plan.nc = evenBlock(s.n, std::max<int64_t>(1, (1 << 17) / plan.kc), plan.lanes);
    plan.mc = std::max<int64_t>(s.m, 1);
    return;
  }
  bool large = s.m > 256 && s.n > 256;
  int64_t longest = large ? words / 512 : words / 256;
  plan.kBlocked = !s.kKnown || s.k > longest;
  plan.kc = plan.kBlocked ? evenBlock(s.k, words / 1024, plan.lanes) : std::max<int64_t>(s.k, 1);
  plan.nc = evenBlock(s.n, std::min(words / 2 / plan.kc, words / 512), plan.panel());
  plan.mc = plan.kBlocked ? evenBlock(s.m, words / 512, plan.tileRows)
                          : evenBlock(s.m, s.mKnown ? s.m : 512, plan.tileRows);
  // More blocks, so that several threads find work: not smaller than what packing
  // and starting a slice cost.
  auto blocks = [&] { return divideCeil(s.m, plan.mc) * divideCeil(s.n, plan.nc) * s.batch; };
  auto halve = [](int64_t block, int64_t multiple) {
    return divideCeil(divideCeil(block, 2), multiple) * multiple;
  };
  while (blocks() < 8) {
    double work = double(std::min(plan.mc, s.m)) * std::min(plan.nc, s.n) * s.k;
    bool needed = blocks() < 2;
    if (work < (needed ? 1 << 17 : 1 << 21))
      break;
    int64_t smallest = needed ? 32 : 96;
    bool wide = plan.nc >= plan.mc && plan.nc > plan.panel();
    int64_t &block = wide ? plan.nc : plan.mc;
    int64_t half = halve(block, wide ? plan.panel() : plan.tileRows);
    if (half < smallest || half >= block)
      break;
    block = half;
  }
}

static void choosePacking(Plan &plan, const Problem &p, const Sizes &s) {
  // Columns are read again for each row tile, at a distance that may well be a power
  // of two; rows again for each panel.
  bool fewRows = s.m <= 3 * plan.tileRows, smallColumns = s.k * s.n * s.bytes <= (24 << 10);
  plan.packColumns = !(p.columns.direct && p.columns.outerUnit && (fewRows || smallColumns));
  const Operand &rows = p.rows;
  bool addressable =
      rows.direct && (rows.outerUnit || rows.view->strides[rows.outerAxis].constant().has_value());
  bool tilesFit =
      s.mKnown && (s.m >= plan.tileRows || s.m == 0) && !(plan.kBlocked && plan.rowEdge);
  bool fewPanels = plan.nc <= 2 * plan.panel(), smallRows = s.m * s.k * s.bytes <= (32 << 10);
  plan.packRows = !(addressable && tilesFit && (fewPanels || smallRows));
}

Plan Plan::make(const Problem &p, const CpuTarget &target) {
  Plan plan;
  Sizes s(p);
  plan.lanes = target.lanes(p.accumulator);
  plan.dot = isDot(p, s);
  if (!plan.dot)
    chooseTile(plan, s, target);
  plan.rowEdge = p.mDivisor % plan.tileRows != 0;
  plan.columnEdge = p.nDivisor % plan.panel() != 0;
  plan.edgeVectors = s.nKnown ? divideCeil(s.n % plan.panel(), plan.lanes) : plan.tileVectors;
  chooseBlocks(plan, s, target);
  if (!plan.dot)
    choosePacking(plan, p, s);
  double block = double(std::min(plan.mc, s.m)) * std::min(plan.nc, s.n) * s.k;
  double total = s.products() * s.batch;
  plan.chunk = std::max<int64_t>(1, int64_t((1 << 16) / std::max(block, 1.0)));
  bool several = plan.mc < s.m || plan.nc < s.n || !s.batchKnown || s.batch > plan.chunk;
  plan.parallel = several && total >= (1 << 16);
  return plan;
}

} // namespace tenon::cpu::matmul
