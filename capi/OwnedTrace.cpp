//===- OwnedTrace.cpp - A trace that owns its tables ----------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "capi/OwnedTrace.h"

namespace tenon {

OwnedTrace::OwnedTrace(const tenon_trace &t)
    : numInputs(t.num_inputs), values(t.values, t.values + t.num_values),
      nodes(t.nodes, t.nodes + t.num_nodes), operands(t.operands, t.operands + t.num_operands),
      outputs(t.outputs, t.outputs + t.num_outputs), words(t.words, t.words + t.num_words) {
  donates.assign(outputs.size(), -1);
  if (t.donates)
    donates.assign(t.donates, t.donates + t.num_outputs);
  if (t.multiples)
    multiples.assign(t.multiples, t.multiples + int64_t(t.num_inputs) * TENON_TRACE_MAX_RANK);
  for (tenon_trace_node &node : nodes)
    node.location = -1; // the names are not ours to keep
}

tenon_trace OwnedTrace::view() const {
  tenon_trace t = {};
  t.num_inputs = numInputs;
  t.num_values = int32_t(values.size()), t.values = values.data();
  t.num_nodes = int32_t(nodes.size()), t.nodes = nodes.data();
  t.num_operands = int32_t(operands.size()), t.operands = operands.data();
  t.num_words = int32_t(words.size()), t.words = words.data();
  t.num_outputs = int32_t(outputs.size()), t.outputs = outputs.data();
  t.donates = donates.data();
  t.multiples = multiples.empty() ? nullptr : multiples.data();
  return t;
}

} // namespace tenon
