//===- Cts.h - the conformance suite of drivers -----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fixtures, handles that release themselves, and hand-written kernels. Only the
// public headers are used: a driver passes or fails as its users would see it.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_TEST_CTS_CTS_H
#define TENON_TEST_CTS_CTS_H

#include "tenon/runtime.h"
#include "test/cts/ProgramBuilder.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace tenon::test {

/// Takes a status, frees it, and reports anything but success.
inline ::testing::AssertionResult isOk(tenon_status status) {
  if (!status)
    return ::testing::AssertionSuccess();
  auto result = ::testing::AssertionFailure() << tenon_code_name(tenon_status_code(status)) << ": "
                                              << tenon_status_message(status);
  tenon_status_free(status);
  return result;
}

/// Takes a status, frees it, and wants a code and a part of the message.
inline ::testing::AssertionResult isError(tenon_status status, tenon_code code,
                                          const std::string &part) {
  std::string message = tenon_status_message(status);
  tenon_code got = tenon_status_code(status);
  tenon_status_free(status);
  if (got == code && message.find(part) != std::string::npos)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << "got " << tenon_code_name(got) << ": " << message << "\nwanted "
         << tenon_code_name(code) << ": ..." << part << "...";
}

#define ASSERT_OK(expression) ASSERT_TRUE(::tenon::test::isOk(expression))
#define EXPECT_OK(expression) EXPECT_TRUE(::tenon::test::isOk(expression))
#define EXPECT_ERROR(expression, code, part)                                                       \
  EXPECT_TRUE(::tenon::test::isError(expression, code, part))

template <auto Release> struct Releaser {
  template <typename T> void operator()(T *object) const { Release(object); }
};
using BufferHandle = std::unique_ptr<tenon_buffer, Releaser<tenon_buffer_release>>;
using ExecutableHandle = std::unique_ptr<tenon_executable, Releaser<tenon_executable_release>>;

/// Host data with extents, to be passed as an argument.
template <typename T> tenon_dtype dtypeOf();
template <> inline tenon_dtype dtypeOf<float>() { return TENON_F32; }
template <> inline tenon_dtype dtypeOf<double>() { return TENON_F64; }
template <> inline tenon_dtype dtypeOf<int64_t>() { return TENON_I64; }

template <typename T> struct Tensor {
  explicit Tensor(std::vector<T> values)
      : values(std::move(values)), extents{int64_t(this->values.size())} {}
  Tensor(std::vector<T> values, std::vector<int64_t> extents)
      : values(std::move(values)), extents(std::move(extents)) {}

  tenon_tensor argument() {
    return {nullptr, values.data(), dtypeOf<T>(), int64_t(extents.size()), extents.data()};
  }

  std::vector<T> values;
  std::vector<int64_t> extents;
};

/// Puts shaders in the place of the functions below.
void useShaders(ProgramBuilder &builder);

/// Runs `body(thread)` on so many threads at once.
template <typename Body> void onThreads(size_t count, Body body) {
  std::vector<std::thread> threads;
  for (size_t i = 0; i < count; ++i)
    threads.emplace_back(body, i);
  for (std::thread &thread : threads)
    thread.join();
}

/// A test on one driver.
class DriverTest : public ::testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    threadsBefore = tenon_num_threads();
    ASSERT_OK(tenon_device_open(GetParam().c_str(), 0, &device));
    bytesBefore = tenon_device_bytes(device);
  }
  void TearDown() override {
    EXPECT_OK(tenon_set_num_threads(threadsBefore));
    if (device)
      EXPECT_EQ(tenon_device_bytes(device), bytesBefore) << "device memory leaked";
  }

  BufferHandle allocate(int64_t bytes) {
    tenon_buffer *buffer = nullptr;
    EXPECT_OK(tenon_buffer_allocate(device, bytes, &buffer));
    return BufferHandle(buffer);
  }
  ExecutableHandle create(ProgramBuilder &builder) {
    if (GetParam() == "vulkan")
      useShaders(builder);
    tenon_executable *executable = nullptr;
    EXPECT_OK(tenon_executable_create(device, &builder.build(), nullptr, nullptr, &executable));
    return ExecutableHandle(executable);
  }
  static tenon_status run(const ExecutableHandle &executable, std::vector<tenon_tensor> inputs,
                          std::vector<tenon_tensor> outputs,
                          const tenon_run_options *options = nullptr) {
    return tenon_executable_run(executable.get(), inputs.data(), int64_t(inputs.size()),
                                outputs.data(), int64_t(outputs.size()), options);
  }

  tenon_device *device = nullptr;
  int64_t bytesBefore = 0;
  int64_t threadsBefore = 1;
};

/// Tests of results run on the drivers that compute; those with kernels that no GPU has, on the
/// ones that call functions.
std::vector<std::string> allDrivers();
std::vector<std::string> computingDrivers();
std::vector<std::string> functionDrivers();
std::string driverLabel(const ::testing::TestParamInfo<std::string> &info);

//===-- Kernels, each a function and in Shaders.cpp --------------------===//

/// y[i] = x[i] + 1, extents: n.
void addOne(tenon_env *env, void *const *buffers, const int64_t *extents);
/// z[i] = x[i] + y[i], extents: n.
void add(tenon_env *env, void *const *buffers, const int64_t *extents);
/// The same; n is the last of 40 extents.
void addLast(tenon_env *env, void *const *buffers, const int64_t *extents);
/// y = sum of x in partial sums of 1000, by way of shared scratch; extents: n.
/// Wants ceil(n / 1000) * 8 bytes of it.
void sum(tenon_env *env, void *const *buffers, const int64_t *extents);
/// next = history = total + x: buffers x, total, next, history, of one element.
void accumulate(tenon_env *env, void *const *buffers, const int64_t *extents);
/// y = 10 x + index: buffers x, index (i64), y, of one element.
void appendDigit(tenon_env *env, void *const *buffers, const int64_t *extents);
/// y (i1): x is below 3, of one element.
void isSmall(tenon_env *env, void *const *buffers, const int64_t *extents);

} // namespace tenon::test

#endif // TENON_TEST_CTS_CTS_H
