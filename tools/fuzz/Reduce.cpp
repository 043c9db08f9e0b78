//===- Reduce.cpp - The smallest program that still fails -----------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tools/fuzz/Reduce.h"

#include "ir/TenonOps.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tenon::fuzz {

namespace {
class Reducer {
public:
  Reducer(Program &program, function_ref<bool(Case &)> fails) : program(program), fails(fails) {}
  void run();

private:
  /// Applies `change` to a copy, which takes the program's place if it still fails.
  bool attempt(function_ref<bool(Program &)> change);
  bool dropResults();
  bool dropOps();

  Program &program;
  function_ref<bool(Case &)> fails;
};
} // namespace

static Program copyOf(Program &program) {
  Program copy;
  IRMapping mapping;
  copy.module = cast<ModuleOp>(program.module->getOperation()->clone(mapping));
  copy.function = *copy.module->getOps<func::FuncOp>().begin();
  for (auto &[value, array] : program.values)
    if (Value mapped = mapping.lookupOrNull(value))
      copy.values[mapped] = array;
  return copy;
}

static Block &bodyOf(Program &program) { return program.function.getBody().front(); }
static Operation *opAt(Program &program, size_t index) {
  return &*std::next(bodyOf(program).begin(), index);
}

/// Ops whose results nobody uses, gradients that nobody asks for among them.
static void dropDeadOps(Program &program) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(bodyOf(program))))
    if (op.use_empty() && !op.hasTrait<OpTrait::IsTerminator>())
      op.erase();
  program.dropUnusedArguments();
}

bool Reducer::attempt(function_ref<bool(Program &)> change) {
  Program copy = copyOf(program);
  if (!change(copy))
    return false;
  dropDeadOps(copy);
  ScopedDiagnosticHandler quiet(program.module->getContext(),
                                [](Diagnostic &) { return success(); });
  if (failed(verify(*copy.module)))
    return false;
  Case candidate = copy.toCase();
  if (!fails(candidate))
    return false;
  program = std::move(copy);
  return true;
}

bool Reducer::dropResults() {
  bool changed = false;
  unsigned count = bodyOf(program).getTerminator()->getNumOperands();
  for (unsigned i = 0; count > 1 && i < count; i++)
    if (attempt([&](Program &copy) {
          Operation *end = bodyOf(copy).getTerminator();
          end->setOperands(Value(end->getOperand(i)));
          return true;
        }))
      return true;
  for (unsigned i = count; count > 1 && i-- > 0;)
    if (attempt([&](Program &copy) {
          bodyOf(copy).getTerminator()->eraseOperand(i);
          return true;
        })) {
      changed = true;
      count--;
    }
  return changed;
}

bool Reducer::dropOps() {
  bool changed = false;
  auto size = [&] { return size_t(llvm::range_size(bodyOf(program).without_terminator())); };
  for (size_t i = size(); i-- > 0; i = std::min(i, size())) {
    Operation *op = opAt(program, i);
    bool replaced = attempt([&](Program &copy) { // by what it gives
      Operation *op = opAt(copy, i);
      for (Value result : op->getResults()) {
        auto it = copy.values.find(result);
        if (it == copy.values.end())
          return false;
        reference::Array array = it->second;
        for (int64_t e = 0, n = array.type.isFloat() ? array.size() : 0; e < n; e++)
          array.set(e, reference::roundTo(array.type.dtype, array.reals[e]));
        if (result.use_empty())
          continue;
        Value argument = bodyOf(copy).addArgument(result.getType(), op->getLoc());
        copy.values[argument] = std::move(array);
        result.replaceAllUsesWith(argument);
      }
      return true;
    });
    for (unsigned k = 0; !replaced && op->getNumResults() == 1 && k < op->getNumOperands(); k++)
      if (op->getOperand(k).getType() == op->getResult(0).getType())
        replaced = attempt([&](Program &copy) { // by an operand
          Operation *op = opAt(copy, i);
          op->getResult(0).replaceAllUsesWith(op->getOperand(k));
          return true;
        });
    changed |= replaced;
  }
  return changed;
}

void Reducer::run() {
  for (bool changed = true; changed;) {
    changed = dropResults();
    changed |= dropOps();
  }
}

void reduce(Program &program, function_ref<bool(Case &)> fails) { Reducer(program, fails).run(); }

} // namespace tenon::fuzz
