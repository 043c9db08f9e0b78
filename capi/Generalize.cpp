//===- Generalize.cpp - From traces of one site to one with open extents --===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "capi/Generalize.h"

#include "frontend/TraceCheck.h"
#include "ir/infer/Infer.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace tenon {

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// Visits the words of a node: those that may vary are elements of lists.
template <typename Visit>
static void forEachWord(const tenon_trace_node &node, const int64_t *words, Visit visit) {
  const infer::OpSpec &spec = infer::opSpec(node.op);
  int32_t at = node.first_word;
  for (int i = 0, n = infer::numAttrs(spec.schema); i < n; i++) {
    char letter = infer::attrSpec(spec.schema, i).letter;
    int64_t size = infer::wordsBehind(letter, words[at]);
    visit(at++, false);
    for (int64_t k = 0; k < size; k++)
      visit(at++, letter == 'I');
  }
}

std::string siteOf(const tenon_trace &trace) {
  std::string key;
  auto add = [&](int64_t value) {
    key.append(reinterpret_cast<const char *>(&value), sizeof value);
  };
  add(trace.num_inputs), add(trace.num_values), add(trace.num_nodes);
  for (int i = 0; i < trace.num_values; i++)
    add(trace.values[i].dtype), add(trace.values[i].rank);
  for (int i = 0; i < trace.num_nodes; i++) {
    const tenon_trace_node &node = trace.nodes[i];
    add(node.op), add(node.first_word), add(node.first_operand), add(node.num_operands);
    for (int k = 0; k < node.num_operands; k++)
      add(trace.operands[node.first_operand + k]);
    forEachWord(node, trace.words, [&](int32_t at, bool varies) {
      if (!varies)
        add(trace.words[at]);
    });
  }
  for (int i = 0; i < trace.num_outputs; i++)
    add(trace.outputs[i]), add(trace.donates ? trace.donates[i] : -1);
  return key;
}

//===----------------------------------------------------------------------===//
// Inference
//===----------------------------------------------------------------------===//

/// The types of a node's results; none if it cannot be.
static std::optional<std::vector<infer::Type>> inferNode(const tenon_trace_node &node,
                                                         const std::vector<int32_t> &operands,
                                                         const int64_t *words,
                                                         const tenon_trace_value *values) {
  const infer::OpSpec &spec = infer::opSpec(node.op);
  std::vector<infer::Type> types(operands.size());
  std::vector<const infer::Type *> pointers(operands.size(), nullptr);
  for (size_t i = 0; i < operands.size(); i++)
    if (operands[i] >= 0) {
      types[i] = traceType(values[operands[i]]);
      pointers[i] = &types[i];
    }
  infer::Call call{};
  call.numOperands = int(pointers.size());
  call.operands = pointers.data();
  call.attrs = {spec.schema, words + node.first_word};
  if (!infer::infer(spec, call) || call.numResults != node.num_results)
    return std::nullopt;
  return std::vector<infer::Type>(call.results, call.results + call.numResults);
}

static bool sameExtents(const tenon_trace_value &a, const tenon_trace_value &b) {
  return a.rank == b.rank && std::equal(a.extents, a.extents + a.rank, b.extents);
}

namespace {

class Generalizer {
public:
  Generalizer(const tenon_trace &trace, const std::vector<OwnedTrace> &variants)
      : trace(trace), variants(variants), result(std::make_shared<OwnedTrace>(trace)) {}

  std::shared_ptr<const OwnedTrace> run(bool multiples);

private:
  int64_t multipleOf(int32_t input, int axis);
  bool node(int32_t index);
  /// A value of the shape of `value` in every variant, made before it.
  int32_t findLike(int32_t value);

  const tenon_trace &trace;
  const std::vector<OwnedTrace> &variants;
  std::shared_ptr<OwnedTrace> result;
  std::vector<int32_t> operands; ///< of all nodes
};

} // namespace

int32_t Generalizer::findLike(int32_t value) {
  for (int32_t other = value; other-- > 0;) {
    bool fits = sameExtents(trace.values[other], trace.values[value]);
    for (const OwnedTrace &variant : variants)
      fits = fits && sameExtents(variant.values[other], variant.values[value]);
    if (fits)
      return other;
  }
  return -1;
}

bool Generalizer::node(int32_t index) {
  tenon_trace_node &node = result->nodes[index];
  forEachWord(trace.nodes[index], trace.words, [&](int32_t at, bool varies) {
    for (const OwnedTrace &variant : variants)
      if (varies && variant.words[at] != trace.words[at])
        result->words[at] = infer::kDynamic;
  });
  const int32_t *first = trace.operands + trace.nodes[index].first_operand;
  std::vector<int32_t> own(first, first + node.num_operands);
  auto types = inferNode(node, own, result->words.data(), result->values.data());
  // Perhaps an optional last operand says what the shape is.
  const infer::OpSpec &spec = infer::opSpec(node.op);
  if (!types && spec.maxOperands == spec.minOperands + 1) {
    own.resize(size_t(spec.maxOperands), -1);
    if (own.back() >= 0 || (own.back() = findLike(node.first_result)) < 0)
      return false;
    types = inferNode(node, own, result->words.data(), result->values.data());
  }
  if (!types)
    return false;
  for (int i = 0; i < node.num_results; i++)
    std::copy_n((*types)[size_t(i)].dims, infer::kMaxRank,
                result->values[size_t(node.first_result) + size_t(i)].extents);
  node.first_operand = int32_t(operands.size());
  node.num_operands = int32_t(own.size());
  operands.insert(operands.end(), own.begin(), own.end());
  return true;
}

/// A power of two that all variants of an extent are multiples of, at most 64 (tiles are of no
/// more); 1 where it is less than the lanes of a vector.
int64_t Generalizer::multipleOf(int32_t input, int axis) {
  int64_t common = std::gcd<int64_t>(64, trace.values[input].extents[axis]);
  for (const OwnedTrace &variant : variants)
    common = std::gcd(common, variant.values[size_t(input)].extents[axis]);
  return common >= 8 ? common : 1;
}

std::shared_ptr<const OwnedTrace> Generalizer::run(bool multiples) {
  if (multiples)
    result->multiples.assign(size_t(trace.num_inputs) * TENON_TRACE_MAX_RANK, 1);
  for (int32_t i = 0; i < trace.num_inputs; i++)
    for (int d = 0; d < trace.values[i].rank; d++) {
      for (const OwnedTrace &variant : variants)
        if (variant.values[i].extents[d] != trace.values[i].extents[d])
          result->values[i].extents[d] = infer::kDynamic;
      if (multiples && result->values[i].extents[d] == infer::kDynamic)
        result->multiples[size_t(i * TENON_TRACE_MAX_RANK + d)] = multipleOf(i, d);
    }
  for (int32_t i = 0; i < trace.num_nodes; i++)
    if (!node(i))
      return nullptr;
  result->operands = std::move(operands);
  for (const OwnedTrace &variant : variants)
    if (!covers(*result, variant.view()))
      return nullptr;
  return covers(*result, trace) ? result : nullptr;
}

std::shared_ptr<const OwnedTrace>
generalize(const tenon_trace &trace, const std::vector<OwnedTrace> &variants, bool multiples) {
  return Generalizer(trace, variants).run(multiples);
}

/// By inference with the words of `general` and the extents of `trace`: what is
/// written as `?` then has to come out as it is in the trace.
bool covers(const OwnedTrace &general, const tenon_trace &trace) {
  for (int32_t i = 0; i < trace.num_inputs; i++)
    for (int d = 0; d < trace.values[i].rank; d++) {
      int64_t extent = general.values[size_t(i)].extents[d];
      if (extent != infer::kDynamic && extent != trace.values[i].extents[d])
        return false;
      size_t at = size_t(i * TENON_TRACE_MAX_RANK + d);
      if (!general.multiples.empty() && trace.values[i].extents[d] % general.multiples[at] != 0)
        return false;
    }
  for (int32_t i = 0; i < trace.num_nodes; i++) {
    const tenon_trace_node &node = general.nodes[size_t(i)];
    bool equal = true;
    forEachWord(node, general.words.data(), [&](int32_t at, bool varies) {
      bool open = varies && general.words[size_t(at)] == infer::kDynamic;
      equal &= open || general.words[size_t(at)] == trace.words[at];
    });
    if (!equal)
      return false;
    auto first = general.operands.begin() + node.first_operand;
    std::vector<int32_t> operands(first, first + node.num_operands);
    auto types = inferNode(node, operands, general.words.data(), trace.values);
    if (!types)
      return false;
    for (int r = 0; r < node.num_results; r++) {
      const tenon_trace_value &value = trace.values[node.first_result + r];
      if (!std::equal(value.extents, value.extents + value.rank, (*types)[size_t(r)].dims))
        return false;
    }
  }
  return true;
}

} // namespace tenon
