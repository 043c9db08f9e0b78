//===- VectorExpTable.cpp - Exponentials by a table in a register ---------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// e^x = 2^n T[j] e^r with T[j] = 2^(j / size), one vector of AVX-512: the instruction that
// picks lanes runs beside the multiplications, and with r that small most terms of the
// polynomial need not be there.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/Num.h"
#include "codegen/cpu/VectorMath.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;

namespace tenon::cpu {

namespace {
struct Table {
  int bits;     ///< of j
  int mantissa; ///< bits
  StringRef pick;
  double magic; ///< 1.5 * 2^mantissa: adding it rounds to an integer
  /// ln 2, of which products with all n are exact, and what is left of it.
  double ln2High, ln2Low;
  double least; ///< where 2^n is a normal number
  /// (e^r - 1 - r) / r^2 on +-ln(2) / 2^(bits + 1), with an error of e^r below 0.02 ulp.
  SmallVector<double> tail;
};
} // namespace

static Table tableFor(bool isDouble) {
  if (isDouble)
    return {3,
            52,
            "llvm.x86.avx512.permvar.df.512",
            0x1.8p52,
            6.93147180369123816490e-01,
            1.90821492927058770002e-10,
            -708.396418532264106216,
            {0.5000000000000300657, 0.1666666666666740892, 0.04166666656935988324,
             0.00833333331647548741, 0.00138897833413688495, 0.0001984247458228062121}};
  return {4,
          23,
          "llvm.x86.avx512.permvar.sf.512",
          0x1.8p23,
          0.693359375,
          -2.121944400546905827e-4,
          -87.3365447505531,
          {0.5000161954020534364, 0.1666705805579840704}};
}

/// 2^(i / 16).
static constexpr double sixteenths[16] = {1.0,
                                          1.0442737824274138403,
                                          1.0905077326652576592,
                                          1.1387886347566916537,
                                          1.1892071150027210667,
                                          1.2418578120734840486,
                                          1.2968395546510096659,
                                          1.3542555469368927283,
                                          1.4142135623730950488,
                                          1.4768261459394993114,
                                          1.5422108254079408236,
                                          1.6104903319492543082,
                                          1.6817928305074290861,
                                          1.7562521603732994831,
                                          1.8340080864093424635,
                                          1.9152065613971472939};

/// T[j mod size] without the bits that j << (mantissa - bits) adds to it.
static Num pick(Num j, const Table &t) {
  OpBuilder &b = *j.b;
  int size = 1 << t.bits;
  auto type = VectorType::get({size}, j.element());
  auto real = VectorType::get({size}, t.mantissa == 52 ? Type(b.getF64Type()) : b.getF32Type());
  SmallVector<APInt> entries;
  for (int i = 0; i < size; i++) {
    double power = sixteenths[i * 16 / size];
    APInt bits =
        t.mantissa == 52 ? APFloat(power).bitcastToAPInt() : APFloat(float(power)).bitcastToAPInt();
    entries.push_back(bits - (uint64_t(i) << (t.mantissa - t.bits)));
  }
  Value table = b.create<arith::ConstantOp>(j.loc, DenseElementsAttr::get(type, entries));
  table = b.create<arith::BitcastOp>(j.loc, real, table);
  Value all;
  auto lanes = cast<VectorType>(j.type()).getNumElements();
  if (lanes > size)
    all = j.like(0);
  for (int64_t lane = 0; lane < lanes; lane += size) {
    Value place = lanes > size
                      ? b.create<vector::ExtractStridedSliceOp>(j.loc, j, lane, size, 1).getResult()
                      : j.v;
    Value x = b.create<LLVM::CallIntrinsicOp>(j.loc, real, b.getStringAttr(t.pick),
                                              ValueRange{table, place})
                  ->getResult(0);
    x = b.create<arith::BitcastOp>(j.loc, type, x);
    all = lanes > size ? b.create<vector::InsertStridedSliceOp>(j.loc, x, all, lane, 1).getResult()
                       : x;
  }
  return j.of(all);
}

bool canEmitExpTable(const CpuTarget &target, Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector || target.vectorBytes != 64 || !llvm::Triple(target.triple).isX86())
    return false;
  return vector.getNumElements() % target.lanes(vector.getElementType()) == 0;
}

Value emitExpTable(OpBuilder &b, Location loc, Value value) {
  Num x(b, loc, value);
  Table t = tableFor(x.isDouble());
  double size = 1 << t.bits;
  Num shifted = fma(x, size * 1.44269504088896340736, x.like(t.magic));
  Num n = shifted - t.magic;
  Num r = fma(n, -t.ln2Low / size, fma(n, -t.ln2High / size, x));
  Num j = shifted.bits();
  Num scale = (pick(j, t) + (j << (t.mantissa - t.bits))).asFloat();
  Num tail = r.like(t.tail.back());
  for (double coefficient : llvm::reverse(ArrayRef(t.tail).drop_back()))
    tail = fma(tail, r, coefficient);
  Num y = fma(scale, fma(r * r, tail, r), scale);
  return select(x < t.least, x.like(0), y);
}

} // namespace tenon::cpu
