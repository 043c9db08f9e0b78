//===- Faults.cpp - failures on demand ------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Costs a relaxed load where nothing is to fail.
//
//===----------------------------------------------------------------------===//
#include "runtime/Faults.h"

#include "runtime/Status.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

namespace tenon::runtime::faults {

namespace {
struct Range {
  Kind kind;
  int64_t first, last; ///< of a limit, it
};
struct State {
  std::mutex lock;
  std::string text;
  std::vector<Range> ranges;
  int64_t counts[numKinds] = {};
};
} // namespace

static std::atomic<bool> any{false};

/// Never destroyed: a thread may still run while the process ends.
static State &state() {
  static auto *object = new State;
  return *object;
}

/// Takes "oom@3" or "oom@3-5" off the text.
static bool takeRange(const char *&text, Range &range) {
  static const struct {
    const char *name;
    Kind kind;
  } kinds[] = {{"oom@", OutOfMemory},
               {"lost@", DeviceLost},
               {"buffer@", BufferBytes},
               {"storage@", StorageBytes},
               {"work@", DispatchWork}};
  for (const auto &each : kinds) {
    std::string name = each.name;
    if (name.compare(0, name.size(), text, 0, name.size()) != 0)
      continue;
    char *end = nullptr;
    range.kind = each.kind;
    range.first = range.last = std::strtoll(text + name.size(), &end, 10);
    if (*end == '-')
      range.last = std::strtoll(end + 1, &end, 10);
    text = end;
    return range.first >= 1 && range.last >= range.first;
  }
  return false;
}

static bool parse(const char *text, std::vector<Range> &ranges) {
  while (*text) {
    if (!takeRange(text, ranges.emplace_back()) || (*text && *text != ','))
      return false;
    text += *text == ',';
  }
  return true;
}

tenon_status read() {
  const char *value = std::getenv("TENON_FAULT");
  std::string text = value ? value : "";
  State &s = state();
  std::lock_guard<std::mutex> guard(s.lock);
  if (text == s.text)
    return nullptr;
  std::vector<Range> ranges;
  if (!parse(text.c_str(), ranges))
    return tenon_status_make(
        TENON_ERROR_ARGUMENT,
        "TENON_FAULT: expected oom@n, lost@n, buffer@n, storage@n or work@n, or a list of them, "
        "got '%s'",
        text.c_str());
  s.text = text;
  s.ranges = ranges;
  for (int64_t &count : s.counts)
    count = 0;
  any.store(!ranges.empty(), std::memory_order_relaxed);
  return nullptr;
}

bool happens(Kind kind) {
  if (!any.load(std::memory_order_relaxed))
    return false;
  State &s = state();
  std::lock_guard<std::mutex> guard(s.lock);
  int64_t count = ++s.counts[kind];
  for (const Range &range : s.ranges)
    if (range.kind == kind && count >= range.first && count <= range.last)
      return true;
  return false;
}

uint64_t limit(Kind kind, uint64_t real) {
  if (!any.load(std::memory_order_relaxed))
    return real;
  State &s = state();
  std::lock_guard<std::mutex> guard(s.lock);
  for (const Range &range : s.ranges)
    if (range.kind == kind)
      real = std::min(real, uint64_t(range.first));
  return real;
}

} // namespace tenon::runtime::faults
