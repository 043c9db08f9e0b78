//===- BoundsCheck.cpp - Accesses of kernels, checked ---------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first access outside makes the run fail with kernel, source ops and place.
//
//===----------------------------------------------------------------------===//
#include "runtime/BoundsCheck.h"

#include "runtime/RunControl.h"
#include "runtime/Status.h"

#include <memory>
#include <string>

using namespace tenon::runtime;

namespace {

using Region = RunControl::Region;

bool has(Region region, uintptr_t at, int64_t bytes) {
  return at >= region.begin && bytes <= region.bytes &&
         at - region.begin <= uint64_t(region.bytes - bytes);
}

Region scratchOf(const tenon_env &env) {
  return {reinterpret_cast<uintptr_t>(env.scratch),
          env.scratch_shared + env.scratch_per_worker * env.num_workers};
}

Region flagOf(const tenon_env &env) {
  return {reinterpret_cast<uintptr_t>(env.cancelled), int64_t(sizeof *env.cancelled)};
}

/// "buffer 2 of 64 bytes, at byte 64"
std::string placeOf(const std::string &what, Region region, uintptr_t at) {
  return what + " of " + std::to_string(region.bytes) + " bytes, at byte " +
         std::to_string(int64_t(at - region.begin));
}

std::string describe(const tenon_env &env, const std::vector<Region> &regions, uintptr_t at,
                     int64_t buffer) {
  if (buffer == TENON_CHECK_SCRATCH)
    return placeOf("its scratch", scratchOf(env), at);
  if (buffer >= 0 && buffer < int64_t(regions.size()))
    return placeOf("its buffer " + std::to_string(buffer), regions[size_t(buffer)], at);
  return "what is neither a buffer of its own nor scratch";
}

/// Where an access that was refused may do as it likes, before the address and behind it. Not in
/// the thread's own storage, of which a library that is loaded late gets a few hundred bytes.
char *harmless() {
  constexpr size_t half = TENON_CHECK_MOST_BYTES, alignment = 64;
  static thread_local std::unique_ptr<char[]> room;
  if (!room)
    room.reset(new char[2 * half + alignment]);
  uintptr_t middle = reinterpret_cast<uintptr_t>(room.get()) + half;
  return room.get() + half + (alignment - middle % alignment) % alignment;
}

} // namespace

void tenon::runtime::beginChecks(tenon_env *env, int64_t count, void *const *buffers,
                                 const int64_t *bytes) {
  std::vector<Region> &regions = static_cast<RunControl *>(env->runtime)->regions;
  regions.clear();
  for (int64_t i = 0; i < count; ++i)
    regions.push_back({reinterpret_cast<uintptr_t>(buffers[i]), bytes[i]});
}

void *tenon::runtime::checkAccess(tenon_env *env, void *address, int64_t bytes, int64_t buffer,
                                  int64_t writes) {
  if (bytes == 0)
    return address;
  auto &control = *static_cast<RunControl *>(env->runtime);
  const std::vector<Region> &regions = control.regions;
  auto at = reinterpret_cast<uintptr_t>(address);
  bool ok = false;
  if (buffer >= 0)
    ok = buffer < int64_t(regions.size()) && has(regions[size_t(buffer)], at, bytes);
  else
    ok = has(scratchOf(*env), at, bytes);
  if (buffer == TENON_CHECK_ANY) {
    ok = ok || (!writes && has(flagOf(*env), at, bytes));
    for (const Region &region : regions)
      ok = ok || has(region, at, bytes);
  }
  if (ok)
    return address;
  const tenon_kernel_desc &kernel = *control.kernel;
  control.fail(tenon_status_make(
      TENON_ERROR_MEMORY, "kernel '%s' (%s) %s %" PRId64 " bytes outside of %s", kernel.name,
      kernel.location ? kernel.location : "", writes ? "writes" : "reads", bytes,
      describe(*env, regions, at, buffer).c_str()));
  return harmless();
}
