//===- Signals.h - what a process does on signals ---------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signals belong to the program that Tenon is part of.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_PLATFORM_SIGNALS_H
#define TENON_RUNTIME_PLATFORM_SIGNALS_H

#include <memory>

namespace tenon::runtime::platform {

/// Remembers what the process does on each signal, and this thread's stack for that; its end puts
/// that back, whoever took them over meanwhile.
class SignalsKept {
public:
  SignalsKept();
  SignalsKept(const SignalsKept &) = delete;
  ~SignalsKept();

private:
  struct State;
  std::unique_ptr<State> before;
};

} // namespace tenon::runtime::platform

#endif // TENON_RUNTIME_PLATFORM_SIGNALS_H
