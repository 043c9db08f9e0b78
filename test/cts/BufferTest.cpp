//===- BufferTest.cpp - device memory -------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocation, accounting and transfers on every driver.
//
//===----------------------------------------------------------------------===//
#include "test/cts/Cts.h"

#include <algorithm>
#include <cstring>
#include <numeric>

using namespace tenon::test;

namespace {
class BufferTest : public DriverTest {
protected:
  static std::vector<unsigned char> counting(size_t size) {
    std::vector<unsigned char> bytes(size);
    std::iota(bytes.begin(), bytes.end(), 1);
    return bytes;
  }
  static std::vector<unsigned char> contents(const BufferHandle &buffer) {
    std::vector<unsigned char> bytes(size_t(tenon_buffer_bytes(buffer.get())));
    EXPECT_OK(tenon_buffer_read(buffer.get(), 0, bytes.data(), int64_t(bytes.size())));
    return bytes;
  }
};
} // namespace

INSTANTIATE_TEST_SUITE_P(Drivers, BufferTest, ::testing::ValuesIn(allDrivers()), driverLabel);

TEST_P(BufferTest, CountsBytes) {
  BufferHandle small = allocate(100);
  EXPECT_EQ(tenon_device_bytes(device), bytesBefore + 100);
  BufferHandle large = allocate(10000000);
  EXPECT_EQ(tenon_device_bytes(device), bytesBefore + 10000100);
  small.reset();
  EXPECT_EQ(tenon_device_bytes(device), bytesBefore + 10000000);
  EXPECT_EQ(tenon_buffer_bytes(large.get()), 10000000);
  EXPECT_EQ(tenon_buffer_device(large.get()), device);
}

TEST_P(BufferTest, EmptyBuffer) {
  BufferHandle buffer = allocate(0);
  ASSERT_TRUE(buffer);
  EXPECT_EQ(tenon_buffer_bytes(buffer.get()), 0);
  EXPECT_OK(tenon_buffer_write(buffer.get(), 0, nullptr, 0));
  EXPECT_OK(tenon_buffer_read(buffer.get(), 0, nullptr, 0));
  EXPECT_OK(tenon_buffer_copy(buffer.get(), 0, buffer.get(), 0, 0));
}

TEST_P(BufferTest, HostAddressIsAligned) {
  for (int64_t bytes : {1, 63, 4096, 1 << 20, 5 << 20}) {
    BufferHandle buffer = allocate(bytes);
    void *data = tenon_buffer_data(buffer.get());
    if (GetParam() == "cpu")
      ASSERT_NE(data, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 64, 0u);
  }
}

TEST_P(BufferTest, ReferencesKeepItAlive) {
  tenon_buffer *buffer = allocate(64).release();
  tenon_buffer_retain(buffer);
  tenon_buffer_release(buffer);
  EXPECT_EQ(tenon_device_bytes(device), bytesBefore + 64);
  tenon_buffer_release(buffer);
  EXPECT_EQ(tenon_device_bytes(device), bytesBefore);
}

TEST_P(BufferTest, WritesAndReadsBack) {
  BufferHandle buffer = allocate(100);
  auto bytes = counting(100);
  ASSERT_OK(tenon_buffer_write(buffer.get(), 0, bytes.data(), 100));
  EXPECT_EQ(contents(buffer), bytes);
  unsigned char patch[2] = {200, 201};
  ASSERT_OK(tenon_buffer_write(buffer.get(), 98, patch, 2));
  unsigned char tail[3];
  ASSERT_OK(tenon_buffer_read(buffer.get(), 97, tail, 3));
  EXPECT_EQ(tail[0], 98);
  EXPECT_EQ(tail[1], 200);
  EXPECT_EQ(tail[2], 201);
}

TEST_P(BufferTest, MovesMoreThanIsStagedAtATime) {
  constexpr int64_t size = (33 << 20) + 5;
  BufferHandle buffer = allocate(size + 3);
  std::vector<unsigned char> bytes(size), back(size);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<unsigned char>(i * 2654435761u >> 24);
  for (int time = 0; time < 2; ++time) {
    ASSERT_OK(tenon_buffer_write(buffer.get(), 3, bytes.data(), size));
    ASSERT_OK(tenon_buffer_read(buffer.get(), 3, back.data(), size));
    EXPECT_TRUE(bytes == back);
    std::reverse(bytes.begin(), bytes.end());
  }
}

TEST_P(BufferTest, RefusesRangesOutOfBounds) {
  BufferHandle buffer = allocate(8), other = allocate(4);
  char bytes[16] = {};
  for (auto [offset, size] : std::vector<std::pair<int64_t, int64_t>>{
           {1, 8}, {9, 0}, {-1, 1}, {0, -1}, {8, INT64_MAX}, {INT64_MAX, 8}}) {
    EXPECT_ERROR(tenon_buffer_write(buffer.get(), offset, bytes, size), TENON_ERROR_ARGUMENT,
                 "write range out of bounds");
    EXPECT_ERROR(tenon_buffer_read(buffer.get(), offset, bytes, size), TENON_ERROR_ARGUMENT,
                 "of a buffer of 8 bytes");
  }
  EXPECT_ERROR(tenon_buffer_copy(other.get(), 0, buffer.get(), 0, 8), TENON_ERROR_ARGUMENT,
               "copy target range out of bounds");
  EXPECT_ERROR(tenon_buffer_copy(buffer.get(), 0, other.get(), 0, 8), TENON_ERROR_ARGUMENT,
               "copy source range out of bounds");
}

TEST_P(BufferTest, CopiesBetweenBuffers) {
  BufferHandle source = allocate(10), target = allocate(10);
  auto bytes = counting(10);
  ASSERT_OK(tenon_buffer_write(source.get(), 0, bytes.data(), 10));
  ASSERT_OK(tenon_buffer_write(target.get(), 0, bytes.data(), 10));
  ASSERT_OK(tenon_buffer_copy(target.get(), 7, source.get(), 0, 3));
  EXPECT_EQ(contents(target), (std::vector<unsigned char>{1, 2, 3, 4, 5, 6, 7, 1, 2, 3}));
}

TEST_P(BufferTest, CopiesOverlappingRanges) {
  BufferHandle buffer = allocate(6);
  auto bytes = counting(6);
  ASSERT_OK(tenon_buffer_write(buffer.get(), 0, bytes.data(), 6));
  ASSERT_OK(tenon_buffer_copy(buffer.get(), 1, buffer.get(), 0, 5));
  EXPECT_EQ(contents(buffer), (std::vector<unsigned char>{1, 1, 2, 3, 4, 5}));
}

TEST_P(BufferTest, CopiesBetweenDrivers) {
  for (const std::string &name : allDrivers()) {
    tenon_device *elsewhere = nullptr;
    ASSERT_OK(tenon_device_open(name.c_str(), 0, &elsewhere));
    tenon_buffer *raw = nullptr;
    // More than one piece of staging, and not a whole number of them.
    constexpr int64_t size = (3 << 20) + 5;
    ASSERT_OK(tenon_buffer_allocate(elsewhere, size, &raw));
    BufferHandle there(raw), here = allocate(size);
    auto bytes = counting(size);
    ASSERT_OK(tenon_buffer_write(here.get(), 0, bytes.data(), size));
    ASSERT_OK(tenon_buffer_copy(there.get(), 0, here.get(), 0, size));
    EXPECT_EQ(contents(there), bytes);
    std::vector<unsigned char> zeros(size);
    ASSERT_OK(tenon_buffer_write(here.get(), 0, zeros.data(), size));
    ASSERT_OK(tenon_buffer_copy(here.get(), 1, there.get(), 1, size - 1));
    bytes[0] = 0;
    EXPECT_EQ(contents(here), bytes);
  }
}

TEST_P(BufferTest, ReportsWhatWasAskedHeldAndFree) {
  BufferHandle held = allocate(1000);
  tenon_buffer *buffer = nullptr;
  EXPECT_ERROR(tenon_buffer_allocate(device, int64_t(1) << 60, &buffer), TENON_ERROR_MEMORY,
               "cannot allocate 1152921504606846976 bytes on device '" + GetParam() +
                   "': " + std::to_string(bytesBefore + 1000) + " bytes held");
  EXPECT_ERROR(tenon_buffer_allocate(device, INT64_MAX, &buffer), TENON_ERROR_MEMORY, "bytes free");
  EXPECT_EQ(buffer, nullptr);
  EXPECT_EQ(tenon_device_bytes(device), bytesBefore + 1000);
}

TEST_P(BufferTest, RefusesNegativeSize) {
  tenon_buffer *buffer = nullptr;
  EXPECT_ERROR(tenon_buffer_allocate(device, -1, &buffer), TENON_ERROR_ARGUMENT, "got -1");
}

TEST_P(BufferTest, NullArgumentsAreErrors) {
  BufferHandle buffer = allocate(8);
  EXPECT_ERROR(tenon_buffer_allocate(nullptr, 8, nullptr), TENON_ERROR_ARGUMENT,
               "'device' is NULL");
  EXPECT_ERROR(tenon_buffer_write(buffer.get(), 0, nullptr, 8), TENON_ERROR_ARGUMENT,
               "'source' is NULL");
  EXPECT_ERROR(tenon_buffer_read(nullptr, 0, nullptr, 8), TENON_ERROR_ARGUMENT, "'buffer' is NULL");
  EXPECT_ERROR(tenon_buffer_copy(buffer.get(), 0, nullptr, 0, 8), TENON_ERROR_ARGUMENT,
               "'source' is NULL");
  tenon_buffer_release(nullptr);
  EXPECT_EQ(tenon_buffer_bytes(nullptr), 0);
}
