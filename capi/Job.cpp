//===- Job.cpp - Compilations that their callers may leave ----------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "capi/Job.h"

#include "runtime/platform/Platform.h"

#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>

namespace tenon {

namespace platform = runtime::platform;

tenon_status cancelledStatus() {
  return tenon_status_make(TENON_ERROR_CANCELLED, "compilation was cancelled");
}

//===----------------------------------------------------------------------===//
// Jobs without a caller
//===----------------------------------------------------------------------===//

/// Jobs that were left and still run.
static std::atomic<uint32_t> leftJobs{0};

/// LLVM's static objects die when the process exits; nothing may use them then.
static void waitForLeftJobs() {
  while (uint32_t count = leftJobs.load())
    platform::waitOnWord(leftJobs, count, 10000000);
}

/// The threads of the parent do not exist in the child.
static void forgetLeftJobs() { leftJobs.store(0); }

static void noteLeftJob() {
  static const bool once = platform::onForkInChild(forgetLeftJobs);
  (void)once;
  leftJobs.fetch_add(1);
  // Each time: so it runs before the end of whatever came to be up to now.
  std::atexit(waitForLeftJobs);
}

//===----------------------------------------------------------------------===//
// Jobs
//===----------------------------------------------------------------------===//

namespace {

struct Job {
  Work work;
  CancelFlag cancelled{false};
  Compiled made;
  tenon_status status = nullptr;

  std::mutex lock; // of what follows
  std::condition_variable ended;
  bool done = false, left = false;

  ~Job() { tenon_status_free(status); }
};
using JobPtr = std::shared_ptr<Job>;

} // namespace

static void jobMain(void *argument) {
  JobPtr job = std::move(*static_cast<JobPtr *>(argument));
  delete static_cast<JobPtr *>(argument);
  job->status = job->work(&job->cancelled, job->made);
  job->work = nullptr; // what it owns is not to outlive the caller's data
  bool left;
  {
    std::lock_guard<std::mutex> guard(job->lock);
    job->done = true;
    left = job->left;
    job->ended.notify_all();
  }
  job.reset();
  if (left && leftJobs.fetch_sub(1) == 1)
    platform::wakeWord(leftJobs, 1);
}

/// Waits for the job's end; false if the caller is to leave.
static bool await(Job &job, Interruption &interruption) {
  for (;;) {
    if (interruption.requested()) {
      job.cancelled.store(true);
      std::lock_guard<std::mutex> guard(job.lock);
      if (!job.done) {
        job.left = true;
        noteLeftJob();
      }
      return false;
    }
    std::unique_lock<std::mutex> guard(job.lock);
    if (job.ended.wait_for(guard, Interruption::interval, [&] { return job.done; }))
      return true;
  }
}

tenon_status runJob(Work work, Interruption &interruption,
                    const std::function<void(Compiled &)> &take) {
  auto finish = [&](tenon_status status, Compiled &made) {
    if (!status)
      take(made);
    return status;
  };
  auto job = std::make_shared<Job>();
  if (interruption.possible()) {
    if (interruption.requested())
      return cancelledStatus();
    job->work = std::move(work);
    auto *argument = new JobPtr(job);
    if (platform::startThread(jobMain, argument)) {
      if (!await(*job, interruption))
        return cancelledStatus();
      return finish(std::exchange(job->status, nullptr), job->made);
    }
    delete argument; // no thread to be had: nobody can leave
    work = std::move(job->work);
  }
  tenon_status status = work(nullptr, job->made);
  return finish(status, job->made);
}

} // namespace tenon
