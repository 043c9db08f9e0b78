//===- TraceCheck.cpp - Is a trace well formed? ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "frontend/TraceCheck.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <vector>

namespace tenon {

namespace {

class Checker {
public:
  Checker(const tenon_trace &trace, tenon_code &code, std::string &message)
      : trace(trace), code(code), message(message) {}

  bool structure();
  bool types();

private:
  bool fail(tenon_code kind, const char *format, ...) __attribute__((format(printf, 3, 4)));
  bool table(int32_t count, const void *entries, const char *name);
  bool value(int32_t index);
  bool multiples(int32_t index);
  bool node(int32_t index, int32_t &defined);
  bool words(int32_t index, const infer::OpSpec &spec);
  bool outputs();
  bool infer(int32_t index);

  const tenon_trace &trace;
  tenon_code &code;
  std::string &message;
};

} // namespace

static tenon_code codeOf(infer::Fault fault) {
  return fault == infer::Fault::Shape   ? TENON_ERROR_SHAPE
         : fault == infer::Fault::Dtype ? TENON_ERROR_DTYPE
                                        : TENON_ERROR_ARGUMENT;
}

bool Checker::fail(tenon_code kind, const char *format, ...) {
  char text[600];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  code = kind;
  message = text;
  return false;
}

bool Checker::table(int32_t count, const void *entries, const char *name) {
  if (count < 0 || (count > 0 && !entries))
    return fail(TENON_ERROR_ARGUMENT, "trace: %d %s and no table to match", count, name);
  return true;
}

bool Checker::value(int32_t index) {
  const tenon_trace_value &v = trace.values[index];
  if (v.dtype < TENON_F64 || v.dtype > TENON_I1)
    return fail(TENON_ERROR_DTYPE, "trace: value %d has unknown dtype %d", index, v.dtype);
  if (v.rank < 0 || v.rank > infer::kMaxRank)
    return fail(TENON_ERROR_SHAPE, "trace: value %d has rank %d; expected 0 to %d", index, v.rank,
                infer::kMaxRank);
  for (int i = 0; i < v.rank; i++)
    if (v.extents[i] < 0 && v.extents[i] != infer::kDynamic)
      return fail(TENON_ERROR_SHAPE, "trace: value %d has extent %lld on axis %d", index,
                  (long long)v.extents[i], i);
  return true;
}

bool Checker::multiples(int32_t index) {
  const tenon_trace_value &v = trace.values[index];
  const int64_t *of = trace.multiples + int64_t(index) * TENON_TRACE_MAX_RANK;
  constexpr int64_t most = int64_t(1) << 30; // as tenon.multiple_of
  for (int i = 0; i < v.rank; i++) {
    if (of[i] < 0 || of[i] > most)
      return fail(TENON_ERROR_ARGUMENT,
                  "trace: input %d, axis %d: expected a multiple of 1 to %lld, got %lld", index, i,
                  (long long)most, (long long)of[i]);
    if (of[i] > 1 && v.extents[i] != infer::kDynamic && v.extents[i] % of[i] != 0)
      return fail(TENON_ERROR_SHAPE,
                  "trace: input %d, axis %d: expected a multiple of %lld, got %lld", index, i,
                  (long long)of[i], (long long)v.extents[i]);
  }
  return true;
}

/// Schema letters against the words that are there; see infer::Attrs.
bool Checker::words(int32_t index, const infer::OpSpec &spec) {
  const tenon_trace_node &n = trace.nodes[index];
  const int64_t *word = trace.words + n.first_word;
  int at = 0;
  for (const char *colon = strchr(spec.schema, ':'); colon; colon = strchr(colon + 1, ':')) {
    char letter = colon[1];
    int64_t size = at < n.num_words ? infer::wordsBehind(letter, word[at]) : 0;
    if (at >= n.num_words || size < 0 || size > n.num_words - at - 1)
      return fail(TENON_ERROR_ARGUMENT, "trace: node %d, %s: %d attribute words do not fit '%s'",
                  index, spec.name, n.num_words, spec.schema);
    if (letter == 't' && (word[at] < TENON_F64 || word[at] > TENON_I1))
      return fail(TENON_ERROR_DTYPE, "trace: node %d, %s: unknown dtype %lld", index, spec.name,
                  (long long)word[at]);
    at += 1 + int(size);
  }
  if (at != n.num_words)
    return fail(TENON_ERROR_ARGUMENT,
                "trace: node %d, %s: expected %d attribute words for '%s', "
                "got %d",
                index, spec.name, at, spec.schema, n.num_words);
  return true;
}

static bool inRange(int32_t first, int32_t count, int32_t total) {
  return first >= 0 && count >= 0 && count <= total && first <= total - count;
}

bool Checker::node(int32_t index, int32_t &defined) {
  const tenon_trace_node &n = trace.nodes[index];
  if (n.op < 0 || n.op >= infer::numOps())
    return fail(TENON_ERROR_ARGUMENT, "trace: node %d has unknown op id %d", index, n.op);
  const infer::OpSpec &spec = infer::opSpec(n.op);
  if (!inRange(n.first_operand, n.num_operands, trace.num_operands) ||
      !inRange(n.first_word, n.num_words, trace.num_words))
    return fail(TENON_ERROR_ARGUMENT,
                "trace: node %d, %s: operands or words lie outside of "
                "their tables",
                index, spec.name);
  for (int i = 0; i < n.num_operands; i++) {
    int32_t operand = trace.operands[n.first_operand + i];
    if (operand < -1 || operand >= defined)
      return fail(TENON_ERROR_ARGUMENT,
                  "trace: node %d, %s: operand %d is value %d, which is not "
                  "defined before it",
                  index, spec.name, i, operand);
  }
  if (n.first_result != defined || n.num_results < 1 || n.num_results > infer::kMaxResults ||
      n.num_results > trace.num_values - defined)
    return fail(TENON_ERROR_ARGUMENT,
                "trace: node %d, %s: expected results from value %d on, got "
                "%d from value %d of %d",
                index, spec.name, defined, n.num_results, n.first_result, trace.num_values);
  if (n.location < -1 || n.location >= trace.num_locations)
    return fail(TENON_ERROR_ARGUMENT, "trace: node %d, %s: location %d of %d", index, spec.name,
                n.location, trace.num_locations);
  defined += n.num_results;
  return words(index, spec);
}

bool Checker::outputs() {
  for (int i = 0; i < trace.num_outputs; i++) {
    int32_t output = trace.outputs[i];
    if (output < 0 || output >= trace.num_values)
      return fail(TENON_ERROR_ARGUMENT, "trace: output %d is value %d of %d", i, output,
                  trace.num_values);
    int32_t input = trace.donates ? trace.donates[i] : -1;
    if (input == -1)
      continue;
    if (input < 0 || input >= trace.num_inputs)
      return fail(TENON_ERROR_ARGUMENT, "trace: output %d donates input %d of %d", i, input,
                  trace.num_inputs);
    for (int j = 0; j < i; j++)
      if (trace.donates[j] == input)
        return fail(TENON_ERROR_ARGUMENT, "trace: outputs %d and %d both donate input %d", j, i,
                    input);
  }
  return true;
}

bool Checker::structure() {
  if (!table(trace.num_values, trace.values, "values") ||
      !table(trace.num_nodes, trace.nodes, "nodes") ||
      !table(trace.num_operands, trace.operands, "operands") ||
      !table(trace.num_words, trace.words, "words") ||
      !table(trace.num_outputs, trace.outputs, "outputs"))
    return false;
  if (trace.num_locations < 0 || (trace.num_locations && !trace.locations))
    return fail(TENON_ERROR_ARGUMENT, "trace: %d locations and no table to match",
                trace.num_locations);
  if (trace.num_inputs < 0 || trace.num_inputs > trace.num_values)
    return fail(TENON_ERROR_ARGUMENT, "trace: %d inputs among %d values", trace.num_inputs,
                trace.num_values);
  for (int i = 0; i < trace.num_values; i++)
    if (!value(i))
      return false;
  for (int i = 0; i < trace.num_inputs && trace.multiples; i++)
    if (!multiples(i))
      return false;
  int32_t defined = trace.num_inputs;
  for (int i = 0; i < trace.num_nodes; i++)
    if (!node(i, defined))
      return false;
  if (defined != trace.num_values)
    return fail(TENON_ERROR_ARGUMENT, "trace: value %d is neither an input nor a result", defined);
  return outputs();
}

bool Checker::infer(int32_t index) {
  const tenon_trace_node &n = trace.nodes[index];
  const infer::OpSpec &spec = infer::opSpec(n.op);
  std::vector<infer::Type> storage(n.num_operands);
  std::vector<const infer::Type *> operands(n.num_operands, nullptr);
  for (int i = 0; i < n.num_operands; i++) {
    int32_t operand = trace.operands[n.first_operand + i];
    if (operand < 0)
      continue;
    storage[i] = traceType(trace.values[operand]);
    operands[i] = &storage[i];
  }
  infer::Call call{};
  call.numOperands = n.num_operands;
  call.operands = operands.data();
  call.attrs = {spec.schema, trace.words + n.first_word};
  const char *place = n.location >= 0 ? trace.locations[n.location] : nullptr;
  const char *separator = place ? " at " : "";
  place = place ? place : "";
  if (!infer::infer(spec, call))
    return fail(codeOf(call.fault), "%s%s%s: %s", spec.name, separator, place, call.message);
  if (call.numResults != n.num_results)
    return fail(TENON_ERROR_ARGUMENT, "trace: node %d, %s: expected %d results, got %d", index,
                spec.name, call.numResults, n.num_results);
  for (int i = 0; i < n.num_results; i++) {
    infer::Type declared = traceType(trace.values[n.first_result + i]);
    char a[120], b[120];
    if (declared.dtype != call.results[i].dtype || !infer::sameShape(declared, call.results[i]))
      return fail(TENON_ERROR_SHAPE, "%s%s%s: result %d: expected %s, got %s", spec.name, separator,
                  place, i, infer::print(call.results[i], a, sizeof a),
                  infer::print(declared, b, sizeof b));
  }
  return true;
}

bool Checker::types() {
  for (int i = 0; i < trace.num_nodes; i++)
    if (!infer(i))
      return false;
  for (int i = 0; i < trace.num_outputs; i++) {
    int32_t input = trace.donates ? trace.donates[i] : -1;
    if (input < 0)
      continue;
    infer::Type from = traceType(trace.values[input]);
    infer::Type to = traceType(trace.values[trace.outputs[i]]);
    char a[120], b[120];
    if (from.dtype != to.dtype || !infer::sameShape(from, to))
      return fail(TENON_ERROR_SHAPE,
                  "trace: output %d donates input %d: expected its type %s, "
                  "got %s",
                  i, input, infer::print(from, a, sizeof a), infer::print(to, b, sizeof b));
  }
  return true;
}

infer::Type traceType(const tenon_trace_value &value) {
  infer::Type type;
  type.dtype = tenon_dtype(value.dtype);
  type.rank = value.rank;
  std::copy(value.extents, value.extents + value.rank, type.dims);
  return type;
}

bool checkTrace(const tenon_trace &trace, tenon_code &code, std::string &message) {
  return Checker(trace, code, message).structure();
}

bool checkTraceTypes(const tenon_trace &trace, tenon_code &code, std::string &message) {
  return Checker(trace, code, message).types();
}

} // namespace tenon
