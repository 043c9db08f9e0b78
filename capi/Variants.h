//===- Variants.h - One program for many extents ----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traces that differ in extents alone come from one call site. The third variant of an
// extent is compiled with `?` in its place, and that program serves those that follow.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CAPI_VARIANTS_H
#define TENON_CAPI_VARIANTS_H

#include "capi/Generalize.h"

#include <list>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tenon {

/// What has been seen at each call site. Thread-safe.
class Variants {
public:
  static Variants &instance();

  using Programs = std::vector<std::shared_ptr<const OwnedTrace>>;
  /// The programs with `?` of a site, those that may cover the trace.
  Programs covering(const std::string &site, const tenon_trace &trace);
  /// Notes a variant that no program covers; a program to compile for it and what
  /// follows if it is the third of an extent.
  std::shared_ptr<const OwnedTrace> add(const std::string &site, const tenon_trace &trace);
  /// The program that `add` gave is of use.
  void keep(const std::string &site, std::shared_ptr<const OwnedTrace> program);
  /// It is not: extents of this site are compiled in.
  void giveUp(const std::string &site);
  void clear();

private:
  struct Site {
    std::string key;
    std::vector<OwnedTrace> seen; ///< the last ones
    Programs programs;
    bool fixed = false; ///< `?` was of no use
  };
  Site &siteAt(const std::string &key);

  std::mutex lock;
  std::list<Site> sites; ///< used last in front
  std::unordered_map<std::string_view, std::list<Site>::iterator> table;
};

} // namespace tenon

#endif // TENON_CAPI_VARIANTS_H
