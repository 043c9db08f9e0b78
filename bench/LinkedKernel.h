//===- LinkedKernel.h - One kernel, compiled and linked ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The measured object of the kernel benchmarks: code as the compiler emits it,
// linked into this process and called without the runtime, on one thread.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_BENCH_LINKEDKERNEL_H
#define TENON_BENCH_LINKEDKERNEL_H

#include "codegen/cpu/Jit.h"
#include "tenon/artifact.h"

#include "mlir/IR/MLIRContext.h"
#include <ctime>
#include <string>

namespace tenon::bench {

/// Processor time: what else runs on the machine is not counted.
inline double now(clockid_t clock = CLOCK_THREAD_CPUTIME_ID) {
  timespec time;
  clock_gettime(clock, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

/// A kernel of static shapes with an environment of one thread. What cannot be
/// compiled ends the process with a message.
class LinkedKernel {
public:
  /// Of a module's text, whose only kernel it is; compiled `compiles` times.
  LinkedKernel(const std::string &text, int compiles = 1);
  ~LinkedKernel();
  LinkedKernel(const LinkedKernel &) = delete;
  LinkedKernel &operator=(const LinkedKernel &) = delete;

  void run(void *const *buffers) { function(&env, buffers, nullptr); }
  /// The shortest compilation but the first.
  double compileSeconds() const { return seconds; }

private:
  mlir::MLIRContext context;
  std::unique_ptr<cpu::JitProgram> program;
  tenon_kernel function = nullptr;
  tenon_env env = {};
  double seconds = 0;
};

} // namespace tenon::bench

#endif // TENON_BENCH_LINKEDKERNEL_H
