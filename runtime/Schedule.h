//===- Schedule.h - runs the steps of a program -----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches, copies, loops and ifs over an instance whose arguments are bound.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_SCHEDULE_H
#define TENON_RUNTIME_SCHEDULE_H

#include "runtime/Instance.h"
#include "runtime/Profiler.h"

namespace tenon::runtime {

/// Runs the whole schedule; NULL, or TENON_ERROR_CANCELLED.
///
/// A cancelled run stops between two steps or slices until a step writes an
/// output in place of a donated input; from there on it finishes. A loop at the
/// top that carries such an output ends after its current trip; what follows it
/// then still runs, on the values of that trip. An if that may write such an output is
/// finished, loops in it too. On a stream, steps are asked for ahead of their being done; what
/// was asked for is done.
tenon_status runSchedule(Instance &instance, profiler::Registration &registration);

} // namespace tenon::runtime

#endif // TENON_RUNTIME_SCHEDULE_H
