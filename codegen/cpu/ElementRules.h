//===- ElementRules.h - How each op gives one element -----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table behind ElementEmitter. A family adds its ops in
// codegen/cpu/elements/<Family>.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_CPU_ELEMENTRULES_H
#define TENON_CODEGEN_CPU_ELEMENTRULES_H

#include "codegen/cpu/ElementEmitter.h"
#include "codegen/cpu/Num.h"

namespace tenon::cpu {

class ElementRules {
public:
  /// Emits result `result` of `op` at `indices`.
  using Rule = std::function<mlir::Value(ElementEmitter &, mlir::Operation *op, unsigned result,
                                         llvm::ArrayRef<LaneIndex> indices)>;
  static const ElementRules &get();
  const Rule *find(mlir::Operation *op) const {
    auto it = rules.find(op->getName().getTypeID());
    return it == rules.end() ? nullptr : &it->second;
  }

  /// `rule(emitter, op, result, indices)`.
  template <typename Op, typename F> void add(F rule) {
    rules[mlir::TypeID::get<Op>()] = [rule](ElementEmitter &e, mlir::Operation *op, unsigned result,
                                            llvm::ArrayRef<LaneIndex> indices) {
      return rule(e, llvm::cast<Op>(op), result, indices);
    };
  }
  /// `formula(op, x)` of the elements of all operands at the same place, which are
  /// all scalars or all vectors.
  template <typename Op, typename F> void elementwise(F formula) {
    rules[mlir::TypeID::get<Op>()] = [formula](ElementEmitter &e, mlir::Operation *op, unsigned,
                                               llvm::ArrayRef<LaneIndex> indices) -> mlir::Value {
      llvm::SmallVector<Num, 4> x = operands(e, op, indices);
      return formula(llvm::cast<Op>(op), llvm::ArrayRef<Num>(x)).v;
    };
  }

  static llvm::SmallVector<Num, 4> operands(ElementEmitter &e, mlir::Operation *op,
                                            llvm::ArrayRef<LaneIndex> indices);

private:
  llvm::DenseMap<mlir::TypeID, Rule> rules;
};

// One per file of codegen/cpu/elements.
void addElementwiseRules(ElementRules &rules);
void addShapeRules(ElementRules &rules);
void addWindowRules(ElementRules &rules);
void addLineRules(ElementRules &rules);
void addRandomRules(ElementRules &rules);
void addOptimizerRules(ElementRules &rules);

} // namespace tenon::cpu

#endif // TENON_CODEGEN_CPU_ELEMENTRULES_H
