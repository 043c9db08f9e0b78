//===- ThreadPool.h - the process's worker threads --------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One pool per process. A parallel loop is offered to workers that spin; who
// comes takes slices until none is left, who comes late is not waited for.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_THREADPOOL_H
#define TENON_RUNTIME_THREADPOOL_H

#include "runtime/RunControl.h"
#include "tenon/artifact.h"

#include <atomic>

namespace tenon::runtime {

/// Threads that the next run uses, the calling one included.
int64_t numThreads();
/// Most threads that may be asked for.
constexpr int64_t maxThreads = 4096;

/// The `parallel_for` of every tenon_env, whose `runtime` is a RunControl. The
/// calling thread is worker 0 and takes part. Inside a slice of the same env,
/// or while another run has the pool, the loop runs on the calling thread
/// alone. A loop over nothing looks whether the run is to be cancelled: what a
/// slice that takes long does before it reads `cancelled`.
void parallelFor(tenon_env *env, tenon_body body, void *context, int64_t n, int64_t chunk) noexcept;

class ThreadPool {
public:
  /// The pool of this process; made anew in the child of a fork.
  static ThreadPool &get();

  ThreadPool() = default;
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  /// A loop over more than one slice.
  struct Job {
    tenon_env *env;
    tenon_body body;
    void *context;
    int64_t n, chunk, slices;
    int64_t participants; ///< workers with an index below this may help
    RunControl *control;
  };

  /// Takes the pool, or says that another caller has it.
  bool tryAcquire() {
    return !busy.load(std::memory_order_relaxed) && !busy.exchange(true, std::memory_order_acquire);
  }
  void release() { busy.store(false, std::memory_order_release); }

  /// Runs the job to its end. Only for who has the pool.
  void run(const Job &job);

private:
  struct WorkerStart;
  struct Share;
  static void workerMain(void *start);
  void work(int64_t worker);
  void ensureThreads(int64_t count);
  void deal(const Job &job);
  void runSlices(const Job &job, int64_t worker);
  bool runShare(const Job &job, Share &share, int64_t worker);
  void leave();
  void waitForWorkers();

  // `state` packs, from the top: 16 bits of generation (one more per job), one
  // bit "open" (workers may join), 15 bits of workers inside. Fields of `job`
  // change only while it is closed and nobody is inside.
  static constexpr uint32_t openBit = 1u << 15;
  static constexpr uint32_t insideMask = openBit - 1;
  static constexpr uint32_t generationOne = 1u << 16;

  alignas(64) std::atomic<uint32_t> state{0};
  /// The slices are dealt out in contiguous shares. A worker begins with the
  /// share of its index, so that loops over the same data find it in the caches
  /// of the same cores, and then helps with the others.
  struct alignas(64) Share {
    std::atomic<int64_t> next{0};
    int64_t end = 0;
  };
  static constexpr int64_t maxShares = 64;
  Share shares[maxShares];
  alignas(64) std::atomic<int32_t> sleepers{0};
  /// 1 while the caller sleeps until the last worker leaves.
  std::atomic<uint32_t> callerSleeps{0};
  alignas(64) Job current{};
  std::atomic<bool> busy{false};
  int64_t numShares = 0; ///< of the current job
  int64_t threads = 0;   ///< workers started; owned by who has the pool
};

} // namespace tenon::runtime

#endif // TENON_RUNTIME_THREADPOOL_H
