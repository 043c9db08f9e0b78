//===- Hazards.h - which work has to wait for which -------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ranges that work since the last barrier reads and writes.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_DRIVERS_VULKAN_HAZARDS_H
#define TENON_RUNTIME_DRIVERS_VULKAN_HAZARDS_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tenon::runtime::vulkan {

struct Access {
  uint64_t begin, end;
  bool writes;
};

class Hazards {
public:
  /// Whether work with these accesses has to wait for a barrier.
  bool conflict(const std::vector<Access> &accesses) const {
    if (accesses.size() + since.size() > mostAccesses)
      return !since.empty();
    for (const Access &later : accesses)
      for (const Access &earlier : since)
        if ((later.writes || earlier.writes) && later.begin < earlier.end &&
            earlier.begin < later.end)
          return true;
    return false;
  }
  void add(const std::vector<Access> &accesses) {
    since.insert(since.end(), accesses.begin(), accesses.end());
  }
  void clear() { since.clear(); }

private:
  /// More take longer to compare than a barrier does.
  static constexpr size_t mostAccesses = 256;
  std::vector<Access> since;
};

} // namespace tenon::runtime::vulkan

#endif // TENON_RUNTIME_DRIVERS_VULKAN_HAZARDS_H
