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

#include <algorithm>
#include <initializer_list>
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

/// Appends a text attribute to words, where AttrWords has no room.
void appendText(std::vector<int64_t> &words, std::string_view text);

/// How badly a slice needs a value (see Trace::slice).
enum class Need : uint8_t {
  None,
  Contents, ///< its contents suffice: a known value becomes an input
  History,  ///< on the way from a loss to what it is differentiated by
};

class Trace {
public:
  /// Adds an input; returns its value id. Inputs may be added at any time.
  int32_t input(const infer::Type &type);

  /// Adds a call; returns the id of its first result, or -1: then `error()`
  /// says why and nothing was added. An operand of -1 is absent. Results have
  /// consecutive ids.
  int32_t record(int op, const int32_t *operands, int numOperands, const int64_t *words,
                 int numWords, int32_t location = -1);
  int32_t record(int op, std::initializer_list<int32_t> operands,
                 const AttrWords &attrs = AttrWords()) {
    return record(op, operands.begin(), int(operands.size()), attrs.data(), attrs.size());
  }

  const char *error() const { return message; }
  infer::Fault fault() const { return kind; } ///< what the error is about
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
    uint64_t hash = 0; ///< of inputs' types, nodes, refs and words

    /// The view of a slice lives as long as the slice is left alone.
    tenon_trace view() const;
    /// Equal but for outputs, donations, origin and inputs.
    bool sameNodes(const Slice &other) const;
    /// As programs: origin and inputs do not count.
    bool operator==(const Slice &other) const {
      return sameNodes(other) && outputs == other.outputs && donates == other.donates;
    }
  };

  /// Makes every use of input `from` a use of `to`, a value of the same type that
  /// is older than any of them.
  void replace(int32_t from, int32_t to);

  /// Marks everything that `value` is computed from, for `reached`, until the next
  /// slice or reach.
  void reach(int32_t value) const;
  bool reached(int32_t source) const { return needs[source] != Need::None; }

  /// Cuts out what `outputs` need. `first` are inputs of the slice whether they
  /// are needed or not, in this order; the others follow in order of their ids,
  /// and at the end `last`, needed or not.
  /// `stop(value, need)` tells whether a value that has a node becomes an input
  /// all the same (its contents are known); `need` is History for what lies
  /// between a loss and the values it is differentiated by. Leaves `donates`
  /// at -1. An output may be an input.
  template <typename Stop>
  void slice(const std::vector<int32_t> &outputs, const std::vector<int32_t> &first,
             const std::vector<int32_t> &last, Slice &slice, Stop stop) const {
    mark(outputs, first, last);
    for (int32_t i = numNodes(); i-- > 0;)
      visit(nodes[i], stop);
    cut(outputs, first, last, slice);
  }
  template <typename Stop>
  void slice(const std::vector<int32_t> &outputs, Slice &slice, Stop stop) const {
    this->slice(outputs, {}, {}, slice, stop);
  }

private:
  std::vector<infer::Type> types; // per value
  std::vector<int32_t> makers;    // per value: node or -1
  std::vector<tenon_trace_node> nodes;
  std::vector<int32_t> refs;
  std::vector<int64_t> words;
  char message[512] = "";
  infer::Fault kind = infer::Fault::Argument;

  // Scratch of slice(): what each value is needed for; whether it is an input of
  // the slice; its number there.
  mutable std::vector<Need> needs;
  mutable std::vector<uint8_t> stops;
  mutable std::vector<int32_t> where;

  static int gradientOp();
  void mark(const std::vector<int32_t> &outputs, const std::vector<int32_t> &first,
            const std::vector<int32_t> &last) const;
  void cut(const std::vector<int32_t> &outputs, const std::vector<int32_t> &first,
           const std::vector<int32_t> &last, Slice &slice) const;

  template <typename Stop> void visit(const tenon_trace_node &node, Stop &stop) const {
    Need need = Need::None;
    bool run = false;
    for (int r = 0; r < node.num_results; r++) {
      int32_t value = node.first_result + r;
      if (needs[value] == Need::None || stops[value])
        continue;
      if (stop(value, needs[value])) {
        stops[value] = 1;
        continue;
      }
      run = true;
      need = std::max(need, needs[value]);
    }
    if (!run)
      return;
    bool gradient = node.op == gradientOp();
    for (int k = 0; k < node.num_operands; k++) {
      int32_t operand = refs[node.first_operand + k];
      if (operand < 0)
        continue;
      Need wanted = gradient && k < 2 ? Need::History : need;
      needs[operand] = std::max(needs[operand], wanted);
    }
  }
};

} // namespace tenon

#endif // TENON_FRONTEND_TRACE_H
