//===- DeviceTest.cpp - drivers and devices -------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names, opening, and what a device says about itself.
//
//===----------------------------------------------------------------------===//
#include "test/cts/Cts.h"

using namespace tenon::test;

namespace {
class DeviceTest : public DriverTest {};
} // namespace

INSTANTIATE_TEST_SUITE_P(Drivers, DeviceTest, ::testing::ValuesIn(allDrivers()), driverLabel);

TEST(DriverTable, ListsCpuFirst) {
  EXPECT_EQ(allDrivers(), (std::vector<std::string>{"cpu", "null", "vulkan"}));
  EXPECT_EQ(tenon_driver_name(-1), nullptr);
  EXPECT_EQ(tenon_driver_name(tenon_driver_count()), nullptr);
}

TEST(DriverTable, RefusesUnknownDriver) {
  tenon_device *device = nullptr;
  EXPECT_ERROR(tenon_device_open("tpu", 0, &device), TENON_ERROR_ARGUMENT,
               "no driver 'tpu'; expected one of 'cpu', 'null', 'vulkan'");
  EXPECT_EQ(device, nullptr);
  int64_t count = -1;
  EXPECT_ERROR(tenon_device_count("tpu", &count), TENON_ERROR_ARGUMENT, "no driver 'tpu'");
  EXPECT_EQ(count, -1);
}

TEST(DriverTable, AbiVersion) { EXPECT_EQ(tenon_runtime_abi_version(), TENON_ABI_VERSION); }

TEST_P(DeviceTest, OpensTheSameObject) {
  tenon_device *again = nullptr;
  ASSERT_OK(tenon_device_open(GetParam().c_str(), 0, &again));
  EXPECT_EQ(again, device);
  tenon_device_retain(again);
  tenon_device_release(again);
  tenon_device_release(again);
}

TEST_P(DeviceTest, Counts) {
  int64_t count = 0;
  ASSERT_OK(tenon_device_count(GetParam().c_str(), &count));
  EXPECT_GE(count, 1);
  tenon_device *other = nullptr;
  EXPECT_ERROR(tenon_device_open(GetParam().c_str(), count, &other), TENON_ERROR_DEVICE,
               "has no device " + std::to_string(count));
}

TEST_P(DeviceTest, RefusesBadIndex) {
  tenon_device *other = nullptr;
  EXPECT_ERROR(tenon_device_open(GetParam().c_str(), 99, &other), TENON_ERROR_DEVICE,
               "has no device 99");
  EXPECT_ERROR(tenon_device_open(GetParam().c_str(), -1, &other), TENON_ERROR_DEVICE,
               "has no device -1");
}

TEST_P(DeviceTest, DescribesItself) {
  tenon_device_info info{};
  ASSERT_OK(tenon_device_info_get(device, &info));
  EXPECT_EQ(info.driver, GetParam());
  EXPECT_NE(std::string(info.description), "");
  EXPECT_GT(info.memory_total, 0);
  EXPECT_GT(info.memory_free, 0);
  EXPECT_LE(info.memory_free, info.memory_total);
  EXPECT_EQ(GetParam() == "vulkan", std::string(info.features) != "");
  EXPECT_NE(std::string(info.kind), "");
}

TEST_P(DeviceTest, NullArgumentsAreErrors) {
  EXPECT_ERROR(tenon_device_open(nullptr, 0, &device), TENON_ERROR_ARGUMENT, "'driver' is NULL");
  EXPECT_ERROR(tenon_device_info_get(device, nullptr), TENON_ERROR_ARGUMENT, "'info' is NULL");
  EXPECT_ERROR(tenon_device_count("cpu", nullptr), TENON_ERROR_ARGUMENT, "'count' is NULL");
  EXPECT_EQ(tenon_device_bytes(nullptr), 0);
}
