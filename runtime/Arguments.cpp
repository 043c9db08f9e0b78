//===- Arguments.cpp - inputs and outputs of a run ------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks are plain comparisons; text is made only for a mismatch.
//
//===----------------------------------------------------------------------===//
#include "runtime/Arguments.h"

#include "runtime/Buffer.h"
#include "runtime/Expr.h"
#include "runtime/Status.h"

#include <algorithm>
#include <functional>
#include <string>

using namespace tenon::runtime;

namespace {

/// The inputs or the outputs of a program.
struct Side {
  const char *noun;
  const tenon_port *ports;
  const std::vector<PortPlan> &plans;
  int64_t count;
  int64_t first; ///< among the candidates
  bool inputs;
};

} // namespace

static Side inputSide(const Plan &plan) {
  const tenon_program &program = *plan.program;
  return {"input", program.inputs, plan.inputs, program.num_inputs, 0, true};
}

static Side outputSide(const Plan &plan) {
  const tenon_program &program = *plan.program;
  return {"output", program.outputs, plan.outputs, program.num_outputs, program.num_inputs, false};
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

static bool bindsSymbol(const Plan &plan, int64_t input, int64_t dimension) {
  for (const Symbolic &binding : plan.bindings)
    if (binding.input == input && binding.dimension == dimension)
      return true;
  return false;
}

/// The type that a port expects: `?` where an input may have any extent, or
/// where the extent is not known as no instance is given.
static std::string expectedType(const Plan &plan, const Side &side, int64_t index,
                                const Instance *instance) {
  const tenon_port &port = side.ports[index];
  std::string text = "tensor<";
  for (int64_t d = 0; d < port.rank; ++d) {
    const tenon_expr &expr = port.extents[d];
    if (expr.length == 1 && expr.code[0].op == TENON_EXPR_CONST)
      text += std::to_string(expr.code[0].value);
    else if (!instance || (side.inputs && bindsSymbol(plan, index, d)))
      text += "?";
    else
      text += std::to_string(instance->value(side.plans[size_t(index)].extents + d));
    text += "x";
  }
  return text + dtypeName(port.dtype) + ">";
}

static std::string givenType(const tenon_tensor &tensor) {
  std::string text = "tensor<";
  for (int64_t d = 0; d < tensor.rank; ++d)
    text += (tensor.extents ? std::to_string(tensor.extents[d]) : "?") + "x";
  return text + dtypeName(tensor.dtype) + ">";
}

static tenon_status mismatch(tenon_code code, const Plan &plan, const Side &side, int64_t index,
                             const tenon_tensor &tensor, const Instance *instance) {
  return tenon_status_make(code, "%s '%s': expected %s, got %s", side.noun, side.ports[index].name,
                           expectedType(plan, side, index, instance).c_str(),
                           givenType(tensor).c_str());
}

static tenon_status argumentError(const Side &side, int64_t index, const std::string &what) {
  return tenon_status_make(TENON_ERROR_ARGUMENT, "%s '%s': %s", side.noun, side.ports[index].name,
                           what.c_str());
}

//===----------------------------------------------------------------------===//
// Kinds and symbols
//===----------------------------------------------------------------------===//

static tenon_status checkKinds(const Plan &plan, const Side &side, ArgumentList list) {
  if (list.count != side.count)
    return tenon_status_make(
        TENON_ERROR_ARGUMENT, "program '%s': expected %" PRId64 " %ss, got %" PRId64,
        plan.program->name ? plan.program->name : "", side.count, side.noun, list.count);
  if (list.count > 0 && !list.tensors)
    return nullArgument("tenon_executable_run", side.noun);
  for (int64_t i = 0; i < list.count; ++i) {
    const tenon_tensor &tensor = list.tensors[i];
    const tenon_port &port = side.ports[i];
    if (tensor.dtype != port.dtype)
      return mismatch(TENON_ERROR_DTYPE, plan, side, i, tensor, nullptr);
    if (tensor.rank != port.rank)
      return mismatch(TENON_ERROR_SHAPE, plan, side, i, tensor, nullptr);
    if (!tensor.extents && !side.plans[size_t(i)].isStatic)
      return argumentError(side, i,
                           "extents are missing; expected those of " +
                               expectedType(plan, side, i, nullptr));
  }
  return nullptr;
}

tenon_status tenon::runtime::bindSymbols(const Plan &plan, ArgumentList inputs, int64_t *symbols) {
  Side side = inputSide(plan);
  TENON_TRY(checkKinds(plan, side, inputs));
  for (const Symbolic &binding : plan.bindings) {
    const tenon_tensor &tensor = inputs.tensors[binding.input];
    int64_t extent = tensor.extents[binding.dimension];
    if (extent < 0)
      return mismatch(TENON_ERROR_SHAPE, plan, side, binding.input, tensor, nullptr);
    symbols[binding.symbol] = extent;
  }
  return nullptr;
}

tenon_status tenon::runtime::checkInputExtents(const Plan &plan, ArgumentList inputs,
                                               const ExprScope &scope) {
  Side side = inputSide(plan);
  for (int64_t i = 0; i < inputs.count; ++i) {
    const tenon_tensor &tensor = inputs.tensors[i];
    for (int64_t d = 0; tensor.extents && d < tensor.rank; ++d) {
      int64_t expected = -1;
      const char *reason = evaluateExpr(side.ports[i].extents[d], scope, expected);
      if (reason || expected != tensor.extents[d])
        return tenon_status_make(TENON_ERROR_SHAPE,
                                 "input '%s': expected extent %" PRId64 " on axis %" PRId64
                                 ", got %s",
                                 side.ports[i].name, expected, d, givenType(tensor).c_str());
    }
  }
  return nullptr;
}

tenon_status tenon::runtime::checkOutputs(const Plan &plan, ArgumentList outputs) {
  return checkKinds(plan, outputSide(plan), outputs);
}

//===----------------------------------------------------------------------===//
// Extents and storage
//===----------------------------------------------------------------------===//

/// Gives caller's data a place on a device that cannot see it.
static tenon_status stage(Instance &instance, const Side &side, const tenon_tensor &tensor,
                          int64_t bytes, char *&address) {
  DeviceMemory memory;
  TENON_TRY(instance.plan.device->allocate(bytes, memory));
  address = static_cast<char *>(memory.address());
  if (side.inputs && bytes > 0)
    TENON_TRY(instance.plan.device->write(address, tensor.data, bytes));
  instance.staging.push_back(std::move(memory));
  return nullptr;
}

static tenon_status locate(Instance &instance, const Side &side, int64_t index,
                           const tenon_tensor &tensor, int64_t bytes, ArgumentList inputs) {
  Extent &candidate = instance.candidates[size_t(side.first + index)];
  candidate.bytes = bytes;
  if (tensor.buffer) {
    if (tensor.data)
      return argumentError(side, index, "both buffer and data are given");
    if (tensor.buffer->device != instance.plan.device)
      return argumentError(side, index,
                           std::string("expected a buffer of device '") +
                               instance.plan.device->driverName() + "', got one of '" +
                               tensor.buffer->device->driverName() + "'");
    if (tensor.buffer->memory.bytes() < bytes)
      return argumentError(side, index,
                           "expected a buffer of at least " + std::to_string(bytes) +
                               " bytes, got " + std::to_string(tensor.buffer->memory.bytes()));
    if (tensor.buffer->memory.lost())
      return tenon_status_make(TENON_ERROR_DEVICE, "%s '%s': its buffer was lost with device '%s'",
                               side.noun, side.ports[index].name,
                               tensor.buffer->device->driverName());
    candidate.address = static_cast<char *>(tensor.buffer->memory.address());
    return nullptr;
  }
  if (!tensor.data && bytes > 0)
    return argumentError(side, index, "neither buffer nor data is given");
  if (!instance.plan.device->hostMemory()) {
    // In place for the caller is in place on the device: state is written once, or not at all.
    int64_t donor = side.inputs ? -1 : side.ports[index].donates;
    if (donor >= 0 && inputs.tensors[donor].data == tensor.data) {
      candidate.address = instance.candidates[size_t(donor)].address;
      return nullptr;
    }
    return stage(instance, side, tensor, bytes, candidate.address);
  }
  candidate.address = static_cast<char *>(tensor.data);
  return nullptr;
}

static tenon_status locateSide(Instance &instance, const Side &side, ArgumentList list,
                               const std::vector<int64_t> &bytes, ArgumentList inputs) {
  for (int64_t i = 0; i < list.count; ++i) {
    const tenon_tensor &tensor = list.tensors[i];
    ValueIndex extents = side.plans[size_t(i)].extents;
    if (tensor.extents)
      for (int64_t d = 0; d < tensor.rank; ++d)
        if (tensor.extents[d] != instance.value(extents + d))
          return mismatch(TENON_ERROR_SHAPE, instance.plan, side, i, tensor, &instance);
    TENON_TRY(locate(instance, side, i, tensor, bytes[size_t(i)], inputs));
  }
  return nullptr;
}

tenon_status tenon::runtime::locateArguments(Instance &instance, ArgumentList inputs,
                                             ArgumentList outputs) {
  TENON_TRY(locateSide(instance, inputSide(instance.plan), inputs, instance.inputBytes, inputs));
  return locateSide(instance, outputSide(instance.plan), outputs, instance.outputBytes, inputs);
}

tenon_status tenon::runtime::returnStaged(Instance &instance, ArgumentList outputs) {
  Side side = outputSide(instance.plan);
  for (int64_t i = 0; i < outputs.count; ++i) {
    const Extent &extent = instance.arguments[size_t(side.first + i)];
    if (outputs.tensors[i].data && extent.bytes > 0)
      TENON_TRY(instance.plan.device->read(outputs.tensors[i].data, extent.address, extent.bytes));
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Overlap
//===----------------------------------------------------------------------===//

static std::string argumentName(const Plan &plan, int64_t argument) {
  const tenon_program &program = *plan.program;
  bool input = argument < program.num_inputs;
  const char *name =
      input ? program.inputs[argument].name : program.outputs[argument - program.num_inputs].name;
  return std::string(input ? "input '" : "output '") + name + "'";
}

/// Lists the arguments that have bytes; an input updated in place is left to
/// the output that lies there.
static tenon_status listRanges(Instance &instance) {
  const tenon_program &program = *instance.plan.program;
  std::vector<int64_t> &order = instance.order;
  order.clear();
  for (size_t i = 0; i < instance.candidates.size(); ++i)
    if (instance.candidates[i].bytes > 0)
      order.push_back(int64_t(i));
  for (int64_t i = 0; i < program.num_outputs; ++i) {
    int64_t input = program.outputs[i].donates;
    if (input < 0)
      continue;
    const Extent &from = instance.candidates[size_t(input)];
    const Extent &to = instance.candidates[size_t(program.num_inputs + i)];
    if (from.bytes == 0 || to.bytes == 0 || from.address != to.address)
      continue;
    if (from.bytes != to.bytes)
      return tenon_status_make(
          TENON_ERROR_ARGUMENT,
          "output '%s' cannot take the place of input '%s': %" PRId64 " bytes against %" PRId64,
          program.outputs[i].name, program.inputs[input].name, to.bytes, from.bytes);
    order.erase(std::find(order.begin(), order.end(), input));
  }
  return nullptr;
}

tenon_status tenon::runtime::checkOverlap(Instance &instance) {
  TENON_TRY(listRanges(instance));
  const std::vector<Extent> &ranges = instance.candidates;
  std::vector<int64_t> &order = instance.order;
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return std::less<char *>()(ranges[size_t(a)].address, ranges[size_t(b)].address);
  });
  int64_t numInputs = instance.plan.program->num_inputs;
  // Whose end lies furthest so far, among outputs and among inputs.
  int64_t output = -1, input = -1;
  auto end = [&](int64_t i) { return ranges[size_t(i)].address + ranges[size_t(i)].bytes; };
  for (int64_t i : order) {
    bool isOutput = i >= numInputs;
    char *begin = ranges[size_t(i)].address;
    int64_t other = -1;
    if (output >= 0 && begin < end(output))
      other = output;
    else if (isOutput && input >= 0 && begin < end(input))
      other = input;
    if (other >= 0)
      return tenon_status_make(TENON_ERROR_ARGUMENT, "%s overlaps %s",
                               argumentName(instance.plan, std::max(i, other)).c_str(),
                               argumentName(instance.plan, std::min(i, other)).c_str());
    int64_t &furthest = isOutput ? output : input;
    if (furthest < 0 || end(i) > end(furthest))
      furthest = i;
  }
  return nullptr;
}
