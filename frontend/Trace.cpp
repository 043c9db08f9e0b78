//===- Trace.cpp - Recording tensor programs ------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "frontend/Trace.h"

#include <cassert>
#include <cstdio>
#include <cstring>

namespace tenon {

AttrWords &AttrWords::integer(int64_t value) {
  assert(count < int(sizeof words / sizeof *words) && "too many attribute words");
  words[count++] = value;
  return *this;
}

AttrWords &AttrWords::real(double value) {
  int64_t bits;
  value += 0.0; // -0.0 and 0.0 are one attribute
  memcpy(&bits, &value, sizeof bits);
  return integer(bits);
}

AttrWords &AttrWords::list(const int64_t *values, int size) {
  integer(size);
  for (int i = 0; i < size; i++)
    integer(values[i]);
  return *this;
}

int Trace::gradientOp() {
  static const int id = infer::findOp("gradient");
  return id;
}

void appendText(std::vector<int64_t> &words, std::string_view text) {
  size_t at = words.size() + 1;
  words.resize(at + (text.size() + 7) / 8);
  words[at - 1] = int64_t(text.size());
  memcpy(words.data() + at, text.data(), text.size());
}

int32_t Trace::input(const infer::Type &type) {
  types.push_back(type);
  makers.push_back(-1);
  return numValues() - 1;
}

/// Whether `numWords` words are what the schema reads.
static bool wordsFit(const char *schema, const int64_t *words, int numWords) {
  int at = 0;
  for (const char *colon = strchr(schema, ':'); colon; colon = strchr(colon + 1, ':')) {
    if (at >= numWords)
      return false;
    int64_t size = infer::wordsBehind(colon[1], words[at]);
    if (size < 0 || size > numWords)
      return false;
    at += 1 + int(size);
  }
  return at == numWords;
}

int32_t Trace::record(int op, const int32_t *operands, int numOperands, const int64_t *attrs,
                      int numWords, int32_t location) {
  kind = infer::Fault::Argument; // until inference says otherwise
  if (op < 0 || op >= infer::numOps()) {
    snprintf(message, sizeof message, "op id %d is unknown", op);
    return -1;
  }
  const infer::OpSpec &spec = infer::opSpec(op);
  constexpr int kInline = 16;
  const infer::Type *inlineTypes[kInline];
  std::vector<const infer::Type *> moreTypes;
  const infer::Type **operandTypes = inlineTypes;
  if (numOperands > kInline) {
    moreTypes.resize(numOperands);
    operandTypes = moreTypes.data();
  }
  for (int i = 0; i < numOperands; i++) {
    if (operands[i] >= numValues() || operands[i] < -1) {
      snprintf(message, sizeof message, "%s: operand %d is no value of the trace", spec.name, i);
      return -1;
    }
    operandTypes[i] = operands[i] < 0 ? nullptr : &types[operands[i]];
  }
  infer::Call call;
  call.numOperands = numOperands;
  call.operands = operandTypes;
  call.attrs = {spec.schema, attrs};
  if (!wordsFit(spec.schema, attrs, numWords)) {
    snprintf(message, sizeof message, "%s: %d attribute words do not fit '%s'", spec.name, numWords,
             spec.schema);
    return -1;
  }
  if (!infer::infer(spec, call)) {
    snprintf(message, sizeof message, "%s: %s", spec.name, call.message);
    kind = call.fault;
    return -1;
  }
  tenon_trace_node node = {op,       int32_t(refs.size()), numOperands,     int32_t(words.size()),
                           numWords, numValues(),          call.numResults, location};
  refs.insert(refs.end(), operands, operands + numOperands);
  words.insert(words.end(), attrs, attrs + numWords);
  for (int i = 0; i < call.numResults; i++) {
    types.push_back(call.results[i]);
    makers.push_back(numNodes());
  }
  nodes.push_back(node);
  return node.first_result;
}

void Trace::clear() { types.clear(), makers.clear(), nodes.clear(), refs.clear(), words.clear(); }

void Trace::replace(int32_t from, int32_t to) {
  for (int32_t &ref : refs)
    if (ref == from)
      ref = to;
}

void Trace::reach(int32_t value) const {
  needs.assign(types.size(), Need::None);
  needs[value] = Need::Contents;
  for (int32_t i = makers[value]; i >= 0; i--) {
    const tenon_trace_node &node = nodes[i];
    bool needed = false;
    for (int r = 0; r < node.num_results; r++)
      needed |= needs[node.first_result + r] != Need::None;
    for (int k = 0; needed && k < node.num_operands; k++)
      if (refs[node.first_operand + k] >= 0)
        needs[refs[node.first_operand + k]] = Need::Contents;
  }
}

void Trace::mark(const std::vector<int32_t> &outputs, const std::vector<int32_t> &first,
                 const std::vector<int32_t> &last) const {
  needs.assign(types.size(), Need::None);
  stops.assign(types.size(), 0);
  where.assign(types.size(), -1);
  for (int32_t value : first)
    stops[value] = 1;
  for (int32_t value : last)
    stops[value] = 1;
  for (int32_t value : outputs)
    needs[value] = Need::Contents;
}

static tenon_trace_value describe(const infer::Type &type) {
  tenon_trace_value value = {};
  value.dtype = type.dtype;
  value.rank = type.rank;
  std::copy(type.dims, type.dims + type.rank, value.extents);
  return value;
}

static uint64_t mix(uint64_t hash, const void *data, size_t bytes) {
  const char *at = static_cast<const char *>(data);
  for (; bytes >= 8; at += 8, bytes -= 8) {
    uint64_t word;
    memcpy(&word, at, 8);
    hash = (hash ^ word) * 0xbf58476d1ce4e5b9u;
    hash ^= hash >> 29;
  }
  uint64_t rest = bytes;
  if (bytes) // data of no bytes may have no address
    memcpy(&rest, at, bytes);
  hash = (hash ^ rest) * 0x94d049bb133111ebu;
  return hash ^ hash >> 31;
}

void Trace::cut(const std::vector<int32_t> &outputs, const std::vector<int32_t> &first,
                const std::vector<int32_t> &last, Slice &slice) const {
  slice.inputs.clear(), slice.origin.clear(), slice.values.clear(), slice.nodes.clear();
  slice.refs.clear(), slice.outputs.clear(), slice.words.clear();
  auto add = [&](int32_t value) {
    where[value] = int32_t(slice.values.size());
    slice.values.push_back(describe(types[value]));
    slice.origin.push_back(value);
  };
  for (int32_t value : first)
    add(value), slice.inputs.push_back(value);
  for (int32_t value : last)
    needs[value] = Need::None; // added below
  for (int32_t value = 0; value < numValues(); value++)
    if (where[value] < 0 && needs[value] != Need::None && (makers[value] < 0 || stops[value]))
      add(value), slice.inputs.push_back(value);
  for (int32_t value : last)
    add(value), slice.inputs.push_back(value);
  size_t numInputs = slice.values.size();
  for (const tenon_trace_node &node : nodes) {
    bool run = false;
    for (int r = 0; r < node.num_results; r++)
      run |= needs[node.first_result + r] != Need::None && !stops[node.first_result + r];
    if (!run)
      continue;
    tenon_trace_node copy = node;
    copy.first_operand = int32_t(slice.refs.size());
    copy.first_word = int32_t(slice.words.size());
    copy.first_result = int32_t(slice.values.size());
    for (int k = 0; k < node.num_operands; k++) {
      int32_t operand = refs[node.first_operand + k];
      slice.refs.push_back(operand < 0 ? -1 : where[operand]);
    }
    slice.words.insert(slice.words.end(), words.begin() + node.first_word,
                       words.begin() + node.first_word + node.num_words);
    for (int r = 0; r < node.num_results; r++) {
      // A result that is an input of the slice already keeps that number.
      int32_t value = node.first_result + r, known = where[value];
      add(value);
      if (known >= 0)
        where[value] = known;
    }
    slice.nodes.push_back(copy);
  }
  for (int32_t value : outputs)
    slice.outputs.push_back(where[value]);
  slice.donates.assign(outputs.size(), -1);
  uint64_t hash = mix(numInputs, slice.values.data(), numInputs * sizeof(tenon_trace_value));
  for (const tenon_trace_node &node : slice.nodes)
    hash = mix(hash, &node, offsetof(tenon_trace_node, location));
  hash = mix(hash, slice.refs.data(), slice.refs.size() * sizeof(int32_t));
  slice.hash = mix(hash, slice.words.data(), slice.words.size() * sizeof(int64_t));
}

tenon_trace Trace::Slice::view() const {
  tenon_trace trace = {};
  trace.num_inputs = int32_t(inputs.size());
  trace.num_values = int32_t(values.size());
  trace.values = values.data();
  trace.num_nodes = int32_t(nodes.size());
  trace.nodes = nodes.data();
  trace.operands = refs.data();
  trace.num_operands = int32_t(refs.size());
  trace.words = words.data();
  trace.num_words = int32_t(words.size());
  trace.num_outputs = int32_t(outputs.size());
  trace.outputs = outputs.data();
  trace.donates = donates.data();
  return trace;
}

bool Trace::Slice::sameNodes(const Slice &other) const {
  if (hash != other.hash || inputs.size() != other.inputs.size() ||
      nodes.size() != other.nodes.size() || refs != other.refs || words != other.words)
    return false;
  if (inputs.size() &&
      memcmp(values.data(), other.values.data(), inputs.size() * sizeof(tenon_trace_value)))
    return false;
  for (size_t i = 0; i < nodes.size(); i++)
    if (memcmp(&nodes[i], &other.nodes[i], offsetof(tenon_trace_node, location)))
      return false;
  return true;
}

} // namespace tenon
