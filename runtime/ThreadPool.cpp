//===- ThreadPool.cpp - the process's worker threads ----------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spin briefly, then park on a futex. Nothing here depends on how many workers
// come: slices follow from n and chunk alone.
//
//===----------------------------------------------------------------------===//
#include "runtime/ThreadPool.h"

#include "runtime/Status.h"

#include <algorithm>
#include <climits>
#include <cstdlib>

using namespace tenon::runtime;

namespace {

/// How long a thread spins before it parks: longer than the gap between two
/// kernels of a schedule, short enough not to disturb other threads.
constexpr int64_t spinNanoseconds = 30000;

/// The slice that this thread is in, if any.
struct SliceContext {
  tenon_env *env = nullptr;
  int64_t worker = 0;
};

} // namespace

static thread_local SliceContext currentSlice __attribute__((tls_model("initial-exec")));

//===----------------------------------------------------------------------===//
// Number of threads
//===----------------------------------------------------------------------===//

static int64_t initialThreads() {
  if (const char *text = std::getenv("TENON_NUM_THREADS")) {
    char *end = nullptr;
    long long value = std::strtoll(text, &end, 10);
    if (end != text && *end == '\0' && value >= 1)
      return std::min<int64_t>(value, maxThreads);
  }
  return std::min(platform::usableCores(), maxThreads);
}

static std::atomic<int64_t> &threadSetting() {
  static std::atomic<int64_t> count{initialThreads()};
  return count;
}

int64_t tenon::runtime::numThreads() { return threadSetting().load(std::memory_order_relaxed); }

int64_t tenon_num_threads(void) { return numThreads(); }

tenon_status tenon_set_num_threads(int64_t count) {
  if (count < 1 || count > maxThreads)
    return tenon_status_make(TENON_ERROR_ARGUMENT,
                             "number of threads: expected 1 to %" PRId64 ", got %" PRId64,
                             maxThreads, count);
  threadSetting().store(count, std::memory_order_relaxed);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Life of the pool
//===----------------------------------------------------------------------===//

alignas(ThreadPool) static unsigned char poolStorage[sizeof(ThreadPool)];

/// The threads of the parent do not exist in the child: start from nothing.
static void resetAfterFork() {
  currentSlice = SliceContext();
  new (poolStorage) ThreadPool;
}

ThreadPool &ThreadPool::get() {
  // Never destroyed: workers stay parked in it until the process is gone.
  static ThreadPool *pool = [] {
    auto *created = new (poolStorage) ThreadPool;
    platform::onForkInChild(resetAfterFork);
    return created;
  }();
  return *pool;
}

struct ThreadPool::WorkerStart {
  ThreadPool *pool;
  int64_t worker;
};

void ThreadPool::ensureThreads(int64_t count) {
  while (threads < count) {
    auto *start = new (std::nothrow) WorkerStart{this, threads + 1};
    if (!start)
      return;
    if (!platform::startThread(workerMain, start)) {
      delete start; // fewer threads only cost time
      return;
    }
    ++threads;
  }
}

void ThreadPool::workerMain(void *pointer) {
  WorkerStart start = *static_cast<WorkerStart *>(pointer);
  delete static_cast<WorkerStart *>(pointer);
  start.pool->work(start.worker);
}

//===----------------------------------------------------------------------===//
// Workers
//===----------------------------------------------------------------------===//

void ThreadPool::work(int64_t worker) {
  uint32_t seen = 0; // generation of the last job joined, its low bits zero
  int64_t spinEnd = 0;
  for (uint32_t spins = 0;; ++spins) {
    uint32_t now = state.load(std::memory_order_acquire);
    uint32_t generation = now & ~(openBit | insideMask);
    if ((now & openBit) && generation != seen) {
      if (!state.compare_exchange_weak(now, now + 1, std::memory_order_acq_rel,
                                       std::memory_order_relaxed))
        continue;
      seen = generation;
      if (worker < current.participants)
        runSlices(current, worker);
      leave();
      spinEnd = 0;
      continue;
    }
    platform::relax();
    if (spins % 16 != 0)
      continue;
    int64_t time = platform::nanoseconds();
    if (spinEnd == 0)
      spinEnd = time + spinNanoseconds;
    if (time < spinEnd)
      continue;
    // The caller publishes, then reads `sleepers`; we count ourselves, then
    // the kernel compares `state`: one of the two sees the other.
    sleepers.fetch_add(1, std::memory_order_seq_cst);
    platform::waitOnWord(state, now, -1);
    sleepers.fetch_sub(1, std::memory_order_relaxed);
    spinEnd = 0;
  }
}

void ThreadPool::leave() {
  uint32_t before = state.fetch_sub(1, std::memory_order_seq_cst);
  if ((before & insideMask) != 1 || (before & openBit))
    return;
  if (callerSleeps.load(std::memory_order_seq_cst) &&
      callerSleeps.exchange(0, std::memory_order_seq_cst))
    platform::wakeWord(callerSleeps, 1);
}

/// Bounds of slice `index`; the product cannot overflow as it is at most n.
static void runSlice(const ThreadPool::Job &job, int64_t index, int64_t worker) {
  int64_t begin = index * job.chunk;
  int64_t end = job.n - begin > job.chunk ? begin + job.chunk : job.n;
  job.body(job.env, job.context, begin, end, worker);
}

/// Cuts the slices into shares of equal number, as far as that goes.
void ThreadPool::deal(const Job &job) {
  numShares = std::min({job.participants, job.slices, maxShares});
  int64_t least = job.slices / numShares, more = job.slices % numShares;
  int64_t begin = 0;
  for (int64_t i = 0; i < numShares; ++i) {
    shares[i].next.store(begin, std::memory_order_relaxed);
    begin += least + (i < more);
    shares[i].end = begin;
  }
}

/// Runs what is left of a share; false when the loop is to stop.
bool ThreadPool::runShare(const Job &job, Share &share, int64_t worker) {
  while (share.next.load(std::memory_order_relaxed) < share.end) {
    if (job.control->stopped())
      return false;
    int64_t index = share.next.fetch_add(1, std::memory_order_relaxed);
    if (index >= share.end)
      break;
    runSlice(job, index, worker);
    if (worker == 0)
      job.control->check();
  }
  return true;
}

void ThreadPool::runSlices(const Job &job, int64_t worker) {
  SliceContext outer = currentSlice;
  currentSlice = {job.env, worker};
  int64_t own = worker % numShares;
  for (int64_t i = 0; i < numShares; ++i) {
    int64_t share = own + i < numShares ? own + i : own + i - numShares;
    if (!runShare(job, shares[share], worker))
      break;
  }
  currentSlice = outer;
}

//===----------------------------------------------------------------------===//
// The caller
//===----------------------------------------------------------------------===//

void ThreadPool::waitForWorkers() {
  auto empty = [&] { return (state.load(std::memory_order_acquire) & insideMask) == 0; };
  int64_t spinEnd = 0;
  for (uint32_t spins = 0; !empty(); ++spins) {
    platform::relax();
    if (spins % 16 != 15)
      continue;
    int64_t time = platform::nanoseconds();
    if (spinEnd == 0)
      spinEnd = time + spinNanoseconds;
    if (time < spinEnd)
      continue;
    current.control->check();
    callerSleeps.store(1, std::memory_order_seq_cst);
    if ((state.load(std::memory_order_seq_cst) & insideMask) != 0)
      platform::waitOnWord(callerSleeps, 1, RunControl::pollInterval);
    callerSleeps.store(0, std::memory_order_seq_cst);
  }
}

void ThreadPool::run(const Job &job) {
  ensureThreads(job.participants - 1);
  current = job;
  deal(job);
  uint32_t generation =
      (state.load(std::memory_order_relaxed) & ~(openBit | insideMask)) + generationOne;
  state.store(generation | openBit, std::memory_order_seq_cst);
  if (sleepers.load(std::memory_order_seq_cst) > 0) {
    // Who sleeps is unknown; where some workers may not help, wake all.
    int64_t helpers = std::min(job.slices, job.participants) - 1;
    platform::wakeWord(state, threads < job.participants ? int32_t(helpers) : INT_MAX);
  }
  runSlices(current, 0);
  state.fetch_and(~openBit, std::memory_order_acq_rel);
  waitForWorkers();
}

static void runInline(const ThreadPool::Job &job, int64_t worker) {
  SliceContext outer = currentSlice;
  currentSlice = {job.env, worker};
  for (int64_t index = 0; index < job.slices; ++index) {
    if (job.control->stopped())
      break;
    runSlice(job, index, worker);
    if (worker == 0 && job.slices > 1)
      job.control->check();
  }
  currentSlice = outer;
}

void tenon::runtime::parallelFor(tenon_env *env, tenon_body body, void *context, int64_t n,
                                 int64_t chunk) noexcept {
  bool nested = currentSlice.env == env;
  if (n <= 0) { // only the calling thread watches, and it is worker 0
    auto *control = static_cast<RunControl *>(env->runtime);
    if (!nested || currentSlice.worker == 0)
      control->check();
    return;
  }
  chunk = std::max<int64_t>(chunk, 1);
  ThreadPool::Job job{env,
                      body,
                      context,
                      n,
                      chunk,
                      n <= chunk ? 1 : (n - 1) / chunk + 1,
                      env->num_workers,
                      static_cast<RunControl *>(env->runtime)};
  if (nested || job.slices == 1 || env->num_workers < 2)
    return runInline(job, nested ? currentSlice.worker : 0);
  ThreadPool &pool = ThreadPool::get();
  if (!pool.tryAcquire())
    return runInline(job, 0);
  pool.run(job);
  pool.release();
}
