//===- TraceRegions.cpp - What of a trace belongs in a body ---------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "frontend/TraceRegions.h"

#include "ir/infer/Infer.h"

#include <utility>

namespace tenon {

TraceRegions::TraceRegions(const tenon_trace &trace)
    : makers(size_t(trace.num_values), -1), trace(trace), ceiling(size_t(trace.num_nodes), -1) {
  for (int32_t n = 0; n < trace.num_nodes; n++)
    for (int r = 0; r < trace.nodes[n].num_results; r++)
      makers[trace.nodes[n].first_result + r] = n;
  findGroups();
  do
    sink();
  while (raiseGradients());
}

bool TraceRegions::isGradient(int32_t node) const {
  static const int gradient = infer::findOp("gradient");
  return trace.nodes[node].op == gradient;
}

void TraceRegions::findGroups() {
  static const int op = infer::findOp("if");
  group.assign(trace.num_nodes, -1);
  firstBody.assign(trace.num_nodes, -1);
  regions.push_back({-1, -1, 0});
  for (int32_t n = 0; n < trace.num_nodes; n++) {
    if (trace.nodes[n].op != op)
      continue;
    int32_t first =
        n > 0 && group[n - 1] >= 0 && operands(n - 1)[0] == operands(n)[0] ? group[n - 1] : n;
    for (int k : {1, 2}) // one that chooses a result of the group comes after it
      if (int32_t maker = makers[operands(n)[k]]; maker >= first)
        first = n;
    group[n] = first;
    firstBody[n] = first < n ? firstBody[first] : int32_t(regions.size());
    if (first == n)
      regions.insert(regions.end(), 2, {0, n, 0});
  }
}

/// The innermost region around both; -1 stands for no use.
int32_t TraceRegions::meet(int32_t a, int32_t b) const {
  if (a < 0 || b < 0)
    return a < 0 ? b : a;
  while (a != b)
    if (regions[a].depth >= regions[b].depth)
      a = regions[a].parent;
    else
      b = regions[b].parent;
  return a;
}

/// Users come behind what they use, so that one walk from the end tells where each node is
/// needed: in the innermost region around all uses.
void TraceRegions::sink() {
  home.assign(trace.num_nodes, -1);
  auto use = [&](int32_t value, int32_t region) {
    if (value >= 0 && makers[value] >= 0)
      home[makers[value]] = meet(home[makers[value]], region);
  };
  for (int32_t i = 0; i < trace.num_outputs; i++)
    use(trace.outputs[i], 0);
  for (int32_t n = trace.num_nodes; n-- > 0;) {
    home[n] = meet(home[n], ceiling[n]);
    if (home[n] < 0)
      home[n] = 0; // nobody uses it
    if (group[n] < 0) {
      for (int k = 0; k < trace.nodes[n].num_operands; k++)
        use(operands(n)[k], home[n]);
      continue;
    }
    int32_t first = group[n], last = n;
    for (; n > first; n--)
      home[n - 1] = meet(home[n - 1], home[n]);
    for (int32_t k = first; k <= last; k++)
      home[k] = home[first];
    for (bool isThen : {true, false}) {
      Region &body = regions[bodyOf(first, isThen)];
      body.parent = home[first], body.depth = regions[home[first]].depth + 1;
    }
    for (int32_t k = first; k <= last; k++) {
      use(operands(k)[0], home[first]);
      use(operands(k)[1], bodyOf(first, true));
      use(operands(k)[2], bodyOf(first, false));
    }
  }
}

/// A gradient is taken where everything on the way from x to y is. Raises those that were
/// sunk deeper; false if there is none.
bool TraceRegions::raiseGradients() {
  bool changed = false;
  for (int32_t n = 0; n < trace.num_nodes; n++) {
    if (!isGradient(n) || home[n] == 0)
      continue;
    int32_t y = operands(n)[0], x = operands(n)[1], highest = meet(home[n], homeOf(y));
    std::vector<char> fromX(trace.num_values), toY(trace.num_values);
    fromX[x] = 1, toY[y] = 1;
    for (int32_t k = 0; k < n; k++)
      for (int o = 0; o < trace.nodes[k].num_operands; o++)
        if (int32_t operand = operands(k)[o]; operand >= 0 && fromX[operand])
          for (int r = 0; r < trace.nodes[k].num_results; r++)
            fromX[trace.nodes[k].first_result + r] = 1;
    for (int32_t k = n; k-- > 0;) {
      bool reaches = false;
      for (int r = 0; r < trace.nodes[k].num_results; r++) {
        int32_t value = trace.nodes[k].first_result + r;
        reaches |= toY[value] && value != x;
        if (toY[value] && fromX[value] && value != x)
          highest = meet(highest, home[k]);
      }
      for (int o = 0; reaches && o < trace.nodes[k].num_operands; o++)
        if (operands(k)[o] >= 0)
          toY[operands(k)[o]] = 1;
    }
    if (highest != home[n]) {
      ceiling[n] = meet(ceiling[n], highest);
      changed = true;
    }
  }
  return changed;
}

} // namespace tenon
