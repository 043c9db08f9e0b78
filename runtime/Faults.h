//===- Faults.h - failures on demand ----------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TENON_FAULT=oom@3,lost@7: the third request for a device's memory fails, and the device is
// lost with the seventh submission. buffer@1000,storage@500: no buffer has more bytes than 1000,
// and kernels see no more of one than 500. work@9: dispatches that do more than 9 operations or
// bytes are cut. For tests of what comes after.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_FAULTS_H
#define TENON_RUNTIME_FAULTS_H

#include "tenon/runtime.h"

namespace tenon::runtime::faults {

enum Kind { OutOfMemory, DeviceLost, BufferBytes, StorageBytes, DispatchWork, numKinds };

/// Reads the variable. Counting begins anew where its text is another one than before.
tenon_status read();

/// Counts an event, and tells whether it is to fail. Any thread.
bool happens(Kind kind);

/// A limit of the device, or what it is to be, if that is less. Any thread.
uint64_t limit(Kind kind, uint64_t real);

} // namespace tenon::runtime::faults

#endif // TENON_RUNTIME_FAULTS_H
