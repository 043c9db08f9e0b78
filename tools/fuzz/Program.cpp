//===- Program.cpp - A program with its data ------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tools/fuzz/Program.h"

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
  Block &block = function.getBody().front();
  block.eraseArguments([](BlockArgument argument) { return argument.use_empty(); });
  updateType();
}

Case Program::toCase() {
  Case result;
  llvm::raw_string_ostream(result.text) << *module << "\n";
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
