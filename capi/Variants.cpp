//===- Variants.cpp - One program for many extents ------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "capi/Variants.h"

#include <algorithm>
#include <set>

namespace tenon {

/// A variant of an extent has to come so often to be compiled with `?`.
constexpr size_t kEnough = 3;
constexpr size_t kMostSeen = 16;
constexpr size_t kMostSites = 512;

/// Never destroyed: threads may compile while the process ends.
Variants &Variants::instance() {
  static Variants *const variants = new Variants;
  return *variants;
}

Variants::Site &Variants::siteAt(const std::string &key) {
  auto it = table.find(key);
  if (it != table.end()) {
    sites.splice(sites.begin(), sites, it->second);
    return sites.front();
  }
  if (sites.size() >= kMostSites) {
    table.erase(sites.back().key);
    sites.pop_back();
  }
  sites.push_front({key, {}, {}, false});
  table.emplace(sites.front().key, sites.begin());
  return sites.front();
}

Variants::Programs Variants::covering(const std::string &site, const tenon_trace &trace) {
  Programs programs;
  {
    std::lock_guard<std::mutex> guard(lock);
    programs = siteAt(site).programs;
  }
  programs.erase(std::remove_if(programs.begin(), programs.end(),
                                [&](const auto &program) { return !covers(*program, trace); }),
                 programs.end());
  return programs;
}

/// Variants that differ from the trace only in extents which have been seen to take
/// kEnough values.
static std::vector<OwnedTrace> comparable(const std::vector<OwnedTrace> &seen,
                                          const tenon_trace &trace) {
  std::vector<OwnedTrace> result = seen;
  for (int32_t i = 0; i < trace.num_inputs; i++)
    for (int d = 0; d < trace.values[i].rank; d++) {
      int64_t here = trace.values[i].extents[d];
      std::set<int64_t> extents{here};
      for (const OwnedTrace &variant : seen)
        extents.insert(variant.values[size_t(i)].extents[d]);
      if (extents.size() >= kEnough)
        continue;
      result.erase(std::remove_if(result.begin(), result.end(),
                                  [&](const OwnedTrace &variant) {
                                    return variant.values[size_t(i)].extents[d] != here;
                                  }),
                   result.end());
    }
  return result;
}

std::shared_ptr<const OwnedTrace> Variants::add(const std::string &key, const tenon_trace &trace) {
  std::vector<OwnedTrace> others;
  bool isFirst;
  {
    std::lock_guard<std::mutex> guard(lock);
    Site &site = siteAt(key);
    if (site.fixed)
      return nullptr;
    others = comparable(site.seen, trace);
    isFirst = site.programs.empty();
    if (site.seen.size() >= kMostSeen)
      site.seen.erase(site.seen.begin());
    site.seen.emplace_back(trace);
  }
  if (others.size() + 1 < kEnough)
    return nullptr;
  // What that would not serve is of any extent from then on.
  auto program = generalize(trace, others, /*multiples=*/isFirst);
  if (!program)
    giveUp(key);
  return program;
}

void Variants::keep(const std::string &site, std::shared_ptr<const OwnedTrace> program) {
  std::lock_guard<std::mutex> guard(lock);
  siteAt(site).programs.push_back(std::move(program));
}

void Variants::giveUp(const std::string &site) {
  std::lock_guard<std::mutex> guard(lock);
  siteAt(site).fixed = true;
}

void Variants::clear() {
  std::lock_guard<std::mutex> guard(lock);
  table.clear();
  sites.clear();
}

} // namespace tenon
