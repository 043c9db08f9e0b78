//===- TraceCopy.h - A trace that its caller may take back ------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a compilation keeps of a trace when it may go on after the call that asked
// for it.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CAPI_TRACECOPY_H
#define TENON_CAPI_TRACECOPY_H

#include "capi/OwnedTrace.h"
#include "frontend/TraceToIR.h"

namespace tenon {

/// A trace with its names, which show in errors. A compilation may outlive the caller's.
struct TraceCopy {
  explicit TraceCopy(const tenon_trace &trace) : tables(trace) {
    for (int i = 0; i < trace.num_nodes; i++)
      tables.nodes[size_t(i)].location = trace.nodes[i].location;
    for (int i = 0; i < trace.num_locations && trace.locations; i++)
      names.push_back(trace.locations[i] ? trace.locations[i] : "");
  }
  mlir::OwningOpRef<mlir::ModuleOp> toIR(mlir::MLIRContext *context,
                                         const TraceLoop &loop = {}) const {
    std::vector<const char *> pointers;
    for (const std::string &name : names)
      pointers.push_back(name.c_str());
    tenon_trace view = tables.view();
    view.locations = names.empty() ? nullptr : pointers.data();
    view.num_locations = int32_t(names.size());
    return traceToIR(context, view, loop);
  }

  OwnedTrace tables;
  std::vector<std::string> names;
};

} // namespace tenon

#endif // TENON_CAPI_TRACECOPY_H
