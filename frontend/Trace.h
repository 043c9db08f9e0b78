//===- Trace.h - Recording tensor programs ----------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that grows one op at a time. Types are inferred as it goes by the
// same functions that verify the dialect; nothing here knows MLIR. A slice of a
// trace, renumbered, is what gets hashed, cached and compiled.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_FRONTEND_TRACE_H
#define TENON_FRONTEND_TRACE_H

#include "ir/infer/Infer.h"
#include "tenon/compiler.h"

#include <string>
#include <vector>

namespace tenon {

/// Attributes of a call, appended in the order of the op's schema.
class AttrWords {
public:
  AttrWords &integer(int64_t value);
  AttrWords &real(double value);
  AttrWords &boolean(bool value) { return integer(value); }
  AttrWords &dtype(tenon_dtype value) { return integer(value); }
  AttrWords &list(const int64_t *values, int count);
  const int64_t *data() const { return words; }
  int size() const { return count; }

private:
  int64_t words[64];
  int count = 0;
};

class Trace {
public:
  /// Adds an input; returns its value id. Inputs may be added at any time.
  int32_t input(const infer::Type &type);

  /// Adds a call; returns the id of its first result, or -1: then `error()`
  /// says why and nothing was added. An operand of -1 is absent.
  int32_t record(int op, const int32_t *operands, int numOperands, const int64_t *words,
                 int numWords, int32_t location = -1);

  const char *error() const { return message; }
  const infer::Type &type(int32_t value) const { return types[value]; }
  /// The node that makes a value; -1 for an input.
  int32_t definingNode(int32_t value) const { return makers[value]; }
  const tenon_trace_node &node(int32_t index) const { return nodes[index]; }
  const int32_t *operands(const tenon_trace_node &node) const {
    return refs.data() + node.first_operand;
  }
  int32_t numValues() const { return int32_t(types.size()); }
  int32_t numNodes() const { return int32_t(nodes.size()); }
  void clear();

  /// The part of a trace that some values need, renumbered with its inputs
  /// first, in the form that the compiler takes. Owns its storage; reusable.
  struct Slice {
    std::vector<int32_t> inputs; ///< value ids of the trace, in order of the slice's inputs
    std::vector<int32_t> origin; ///< slice value -> value of the trace
    std::vector<tenon_trace_value> values;
    std::vector<tenon_trace_node> nodes;
    std::vector<int32_t> refs, outputs, donates;
    std::vector<int64_t> words;
    uint64_t hash = 0; ///< of everything above but origin and inputs
    tenon_trace view() const;
    bool operator==(const Slice &other) const; ///< as programs: origin and inputs do not count
  };

  /// Cuts the slice out. A value for which `stop(value)` is true becomes an
  /// input although the trace has a node for it (its contents are known).
  template <typename Stop>
  void slice(const std::vector<int32_t> &outputs, Slice &slice, Stop stop) const;

private:
  std::vector<infer::Type> types;  // per value
  std::vector<int32_t> makers;     // per value: node or -1
  std::vector<tenon_trace_node> nodes;
  std::vector<int32_t> refs;
  std::vector<int64_t> words;
  char message[512] = "";
};

} // namespace tenon

#endif // TENON_FRONTEND_TRACE_H
