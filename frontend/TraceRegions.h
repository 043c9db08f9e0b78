//===- TraceRegions.h - What of a trace belongs in a body -------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trace is flat: an `if` in it is a node (condition, a, b) that chooses between two
// values. What one side alone needs belongs in that side's body, to be computed only
// when it is taken.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_FRONTEND_TRACEREGIONS_H
#define TENON_FRONTEND_TRACEREGIONS_H

#include "tenon/compiler.h"

#include <vector>

namespace tenon {

class TraceRegions {
public:
  explicit TraceRegions(const tenon_trace &trace);

  /// Region 0 is the whole trace; others are bodies. `group` is the first node of the
  /// ifs that become one op: neighbours of one condition.
  struct Region {
    int32_t parent, group, depth;
  };
  std::vector<Region> regions;
  std::vector<int32_t> home;   ///< per node: its region
  std::vector<int32_t> group;  ///< per node: the first of its group, -1 if it is no if
  std::vector<int32_t> makers; ///< per value: its node, -1 for an input

  static int32_t otherBody(int32_t region) { return ((region - 1) ^ 1) + 1; }
  /// The region of a group's body.
  int32_t bodyOf(int32_t group, bool isThen) const { return firstBody[group] + !isThen; }
  int32_t homeOf(int32_t value) const { return makers[value] < 0 ? 0 : home[makers[value]]; }

private:
  void findGroups();
  void sink();
  bool raiseGradients();
  int32_t meet(int32_t a, int32_t b) const;
  bool isGradient(int32_t node) const;
  const int32_t *operands(int32_t node) const {
    return trace.operands + trace.nodes[node].first_operand;
  }

  const tenon_trace &trace;
  std::vector<int32_t> firstBody; ///< per node: of its group
  std::vector<int32_t> ceiling;   ///< per gradient: the deepest region it may be in, -1: any
};

} // namespace tenon

#endif // TENON_FRONTEND_TRACEREGIONS_H
