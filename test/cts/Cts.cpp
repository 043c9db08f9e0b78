//===- Cts.cpp - the conformance suite of drivers -------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists of drivers, and kernels that tests share.
//
//===----------------------------------------------------------------------===//
#include "test/cts/Cts.h"

#include <algorithm>
#include <cstdlib>

namespace tenon::test {

/// The Vulkan driver that runs on the processor, with every call checked, unless the caller wants
/// another. Before the driver is asked for anything.
[[maybe_unused]] static const bool prepared = [] {
  setenv("TENON_VULKAN_VALIDATION", "1", 0);
  for (const char *name : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"})
    setenv(name, TENON_TEST_VULKAN_DRIVER, 0);
  return true;
}();

std::vector<std::string> allDrivers() {
  std::vector<std::string> names;
  for (int64_t i = 0; i < tenon_driver_count(); ++i)
    names.push_back(tenon_driver_name(i));
  return names;
}

std::vector<std::string> computingDrivers() {
  std::vector<std::string> names = allDrivers();
  names.erase(std::remove(names.begin(), names.end(), "null"), names.end());
  return names;
}

std::vector<std::string> functionDrivers() { return {"cpu"}; }

std::string driverLabel(const ::testing::TestParamInfo<std::string> &info) { return info.param; }

static void addOneSlice(tenon_env *, void *context, int64_t begin, int64_t end, int64_t) {
  void *const *buffers = static_cast<void *const *>(context);
  const auto *x = static_cast<const float *>(buffers[0]);
  auto *y = static_cast<float *>(buffers[1]);
  for (int64_t i = begin; i < end; ++i)
    y[i] = x[i] + 1;
}

void addOne(tenon_env *env, void *const *buffers, const int64_t *extents) {
  env->parallel_for(env, addOneSlice, const_cast<void **>(buffers), extents[0], 16);
}

static void addSlice(tenon_env *, void *context, int64_t begin, int64_t end, int64_t) {
  void *const *buffers = static_cast<void *const *>(context);
  const auto *x = static_cast<const float *>(buffers[0]);
  const auto *y = static_cast<const float *>(buffers[1]);
  auto *z = static_cast<float *>(buffers[2]);
  for (int64_t i = begin; i < end; ++i)
    z[i] = x[i] + y[i];
}

void add(tenon_env *env, void *const *buffers, const int64_t *extents) {
  env->parallel_for(env, addSlice, const_cast<void **>(buffers), extents[0], 16);
}

void addLast(tenon_env *env, void *const *buffers, const int64_t *extents) {
  add(env, buffers, extents + 39);
}

static void sumSlice(tenon_env *env, void *context, int64_t begin, int64_t end, int64_t) {
  const auto *x = static_cast<const double *>(context);
  double partial = 0;
  for (int64_t i = begin; i < end; ++i)
    partial += x[i];
  reinterpret_cast<double *>(env->scratch)[begin / 1000] = partial;
}

void sum(tenon_env *env, void *const *buffers, const int64_t *extents) {
  env->parallel_for(env, sumSlice, buffers[0], extents[0], 1000);
  double total = 0;
  for (int64_t i = 0; i * 1000 < extents[0]; ++i)
    total += reinterpret_cast<double *>(env->scratch)[i];
  *static_cast<double *>(buffers[1]) = total;
}

void accumulate(tenon_env *, void *const *b, const int64_t *) {
  float total = *static_cast<float *>(b[1]) + *static_cast<float *>(b[0]);
  *static_cast<float *>(b[2]) = total;
  *static_cast<float *>(b[3]) = total;
}

void appendDigit(tenon_env *, void *const *b, const int64_t *) {
  *static_cast<float *>(b[2]) =
      10 * *static_cast<float *>(b[0]) + float(*static_cast<int64_t *>(b[1]));
}

void isSmall(tenon_env *, void *const *b, const int64_t *) {
  *static_cast<char *>(b[1]) = *static_cast<float *>(b[0]) < 3;
}

} // namespace tenon::test
