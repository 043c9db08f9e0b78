//===- Program.cpp - A program with its data ------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tools/fuzz/Program.h"

#include "reference/Interpreter.h"
#include "runtime/files/Npy.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tenon::fuzz {

std::string Case::write(const std::string &prefix) const {
  std::string error, paths = prefix + ".mlir";
  if (!files::writeFile(prefix + ".mlir", {text}, error))
    llvm::report_fatal_error(llvm::StringRef(error), false);
  for (size_t i = 0; i < inputs.size(); i++) {
    std::string path = prefix + "." + std::to_string(i) + ".npy";
    if (!files::writeNpy(path, inputs[i], error))
      llvm::report_fatal_error(llvm::StringRef(error), false);
    paths += " " + path;
  }
  return paths;
}

void Program::updateType() {
  Block &block = function.getBody().front();
  function.setType(FunctionType::get(function.getContext(), block.getArgumentTypes(),
                                     block.getTerminator()->getOperandTypes()));
}

void Program::dropUnusedArguments() {
  updateType();
  llvm::BitVector unused(function.getNumArguments());
  for (BlockArgument argument : function.getArguments())
    if (argument.use_empty())
      unused.set(argument.getArgNumber());
  function.eraseArguments(unused);
}

void Program::evaluate() {
  ScopedDiagnosticHandler quiet(function.getContext(), [](Diagnostic &) { return success(); });
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (!llvm::all_of(op.getOperands(), [&](Value operand) { return values.contains(operand); }))
      continue;
    FailureOr<std::vector<reference::Array>> results = reference::evaluateOn(&op, values);
    if (succeeded(results))
      for (auto [value, array] : llvm::zip(op.getResults(), *results))
        values[value] = std::move(array);
  }
}

Case Program::toCase() {
  Case result;
  llvm::raw_string_ostream(result.text) << *module << "\n";
  result.function = function.getName().str();
  if (!hasInputs)
    return result;
  for (BlockArgument argument : function.getArguments()) {
    const reference::Array &array = values[argument];
    std::string error;
    files::HostTensor tensor;
    if (!tensor.allocate(array.type.dtype, {array.type.dims, array.type.dims + array.type.rank},
                         error))
      llvm::report_fatal_error(llvm::StringRef(error), false);
    reference::store(array, tensor.data());
    result.inputs.push_back(std::move(tensor));
  }
  return result;
}

} // namespace tenon::fuzz
