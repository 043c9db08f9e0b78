//===- Generalize.h - From traces of one site to one with open extents -*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No op is known here: a shape attribute that varies becomes `?`, and the op's own
// inference tells whether it can be one, and whether a trace is what the program
// computes.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CAPI_GENERALIZE_H
#define TENON_CAPI_GENERALIZE_H

#include "capi/OwnedTrace.h"

#include <memory>
#include <string>

namespace tenon {

/// All but what may vary at a call site: the extents of values and the elements of list
/// attributes.
std::string siteOf(const tenon_trace &trace);

/// The trace with `?` for what differs between it and the variants, all of one site.
/// Null if an op needs to know it. With `multiples` extents of inputs that all are multiples of
/// what tiles are have to be.
std::shared_ptr<const OwnedTrace>
generalize(const tenon_trace &trace, const std::vector<OwnedTrace> &variants, bool multiples);

/// Does `general`, of the same site, compute what `trace` does?
bool covers(const OwnedTrace &general, const tenon_trace &trace);

} // namespace tenon

#endif // TENON_CAPI_GENERALIZE_H
