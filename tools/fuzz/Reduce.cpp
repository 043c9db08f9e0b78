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
  bool dropRest();
  bool dropResults();
  bool dropOp(size_t index);
  bool dropOps();

  Program &program;
  function_ref<bool(Case &)> fails;
};
} // namespace

static Program copyOf(Program &program) {
  Program copy;
  IRMapping mapping;
  copy.module = cast<ModuleOp>(program.module->getOperation()->clone(mapping));
  copy.hasInputs = program.hasInputs;
  copy.function = copy.module->lookupSymbol<func::FuncOp>(program.function.getName());
  for (auto &[value, array] : program.values)
    if (Value mapped = mapping.lookupOrNull(value))
      copy.values[mapped] = array;
  return copy;
}

static Block &bodyOf(Program &program) { return program.function.getBody().front(); }

/// The function's ops, those of regions before what holds them.
static SmallVector<Operation *> opsOf(Program &program) {
  SmallVector<Operation *> ops;
  program.function.getBody().walk([&](Operation *op) {
    if (!op->hasTrait<OpTrait::IsTerminator>())
      ops.push_back(op);
  });
  return ops;
}

/// Ops whose results nobody uses, gradients that nobody asks for among them.
static void dropDeadOps(Program &program) {
  // Users before what they use, and what is in a region before what holds it.
  SmallVector<Operation *> ops;
  program.function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
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

/// What is beside the function, and attributes that say where arguments and results stand.
bool Reducer::dropRest() {
  auto dropOthers = [](Program &copy) {
    bool any = false;
    for (Operation &op : llvm::make_early_inc_range(*copy.module->getBody()))
      if (&op != copy.function) {
        op.erase();
        any = true;
      }
    return any;
  };
  auto dropAttributes = [](Program &copy) {
    bool any = copy.function.getArgAttrsAttr() || copy.function.getResAttrsAttr();
    copy.function.removeArgAttrsAttr();
    copy.function.removeResAttrsAttr();
    return any;
  };
  bool changed = attempt(dropOthers);
  return attempt(dropAttributes) || changed;
}

static void keepResults(Program &program, function_ref<bool(unsigned)> isKept) {
  Operation *end = bodyOf(program).getTerminator();
  llvm::BitVector dropped(end->getNumOperands());
  for (unsigned i = 0; i < dropped.size(); i++)
    dropped[i] = !isKept(i);
  program.updateType();
  end->eraseOperands(dropped);
  program.function.eraseResults(dropped);
}

bool Reducer::dropResults() {
  bool changed = false;
  unsigned count = bodyOf(program).getTerminator()->getNumOperands();
  for (unsigned i = 0; count > 1 && i < count; i++)
    if (attempt([&](Program &copy) {
          keepResults(copy, [&](unsigned k) { return k == i; });
          return true;
        }))
      return true;
  for (unsigned i = count; count > 1 && i-- > 0;)
    if (attempt([&](Program &copy) {
          keepResults(copy, [&](unsigned k) { return k != i; });
          return true;
        })) {
      changed = true;
      count--;
    }
  return changed;
}

/// Arguments of the function in the place of what the op gives.
static bool replaceByArguments(Program &program, Operation *op) {
  if (op->getBlock() != &bodyOf(program) || op->getNumResults() == 0)
    return false;
  for (Value result : op->getResults()) {
    auto it = program.values.find(result);
    if (it == program.values.end() && program.hasInputs)
      return false;
    if (result.use_empty())
      continue;
    program.updateType();
    unsigned index = program.function.getNumArguments();
    program.function.insertArgument(index, result.getType(), {}, op->getLoc());
    Value argument = program.function.getArgument(index);
    if (program.hasInputs) {
      reference::Array array = it->second;
      for (int64_t e = 0, n = array.type.isFloat() ? array.size() : 0; e < n; e++)
        array.set(e, reference::roundTo(array.type.dtype, array.reals[e]));
      program.values[argument] = std::move(array);
    }
    result.replaceAllUsesWith(argument);
  }
  op->erase();
  return true;
}

/// Values that could stand for the only result of an op.
static SmallVector<Value> standIns(Operation *op) {
  SmallVector<Value> values;
  auto add = [&](Value value) {
    if (value.getType() == op->getResult(0).getType() && !llvm::is_contained(values, value))
      values.push_back(value);
  };
  if (op->getNumResults() != 1)
    return values;
  llvm::for_each(op->getOperands(), add);
  if (!isa<func::FuncOp>(op->getParentOp())) // there, arguments have had their turn
    llvm::for_each(op->getBlock()->getArguments(), add);
  return values;
}

/// A body of an if in its place.
static bool inlineBody(Program &program, Operation *op, bool isThen) {
  auto branch = dyn_cast<IfOp>(op);
  if (!branch)
    return false;
  Block &body = branch.getBranch(isThen);
  for (auto [argument, used] : llvm::zip(body.getArguments(), branch.getUsed()))
    argument.replaceAllUsesWith(used);
  Operation *end = body.getTerminator();
  branch.replaceAllUsesWith(end->getOperands());
  end->erase();
  op->getBlock()->getOperations().splice(op->getIterator(), body.getOperations());
  op->erase();
  if (program.hasInputs)
    program.evaluate();
  return true;
}

bool Reducer::dropOp(size_t index) {
  auto at = [&](Program &copy) { return opsOf(copy)[index]; };
  if (attempt([&](Program &copy) { return replaceByArguments(copy, at(copy)); }))
    return true;
  for (size_t k = 0, count = standIns(at(program)).size(); k < count; k++)
    if (attempt([&](Program &copy) {
          Operation *op = at(copy);
          op->getResult(0).replaceAllUsesWith(standIns(op)[k]);
          op->erase();
          return true;
        }))
      return true;
  for (bool isThen : {true, false})
    if (attempt([&](Program &copy) { return inlineBody(copy, at(copy), isThen); }))
      return true;
  return at(program)->use_empty() && attempt([&](Program &copy) {
           at(copy)->erase();
           return true;
         });
}

bool Reducer::dropOps() {
  bool changed = false;
  for (size_t i = opsOf(program).size(); i-- > 0; i = std::min(i, opsOf(program).size()))
    changed |= dropOp(i);
  return changed;
}

void Reducer::run() {
  for (bool changed = true; changed;) {
    changed = dropRest();
    changed |= dropResults();
    changed |= dropOps();
  }
}

void reduce(Program &program, function_ref<bool(Case &)> fails) { Reducer(program, fails).run(); }

} // namespace tenon::fuzz
