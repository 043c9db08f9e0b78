//===- ProfilerTest.cpp - traces of launches ------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The JSON parses, and holds what ran between start and stop.
//
//===----------------------------------------------------------------------===//
#include "tenon/runtime.h"
#include "test/cts/ProgramBuilder.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <fstream>
#include <string>
#include <thread>

using namespace tenon::test;

namespace {

class ProfilerTest : public ::testing::Test {
protected:
  void SetUp() override {
    path = ::testing::TempDir() + "tenon-profile-" +
           ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".json";
    ASSERT_EQ(tenon_device_open("cpu", 0, &device), nullptr);
  }
  void TearDown() override { std::remove(path.c_str()); }

  /// Runs a program of one kernel of this name `times` times.
  void runKernel(const char *name, int times) {
    ProgramBuilder b("program");
    int64_t k = b.kernel(name, [](tenon_env *, void *const *, const int64_t *) {});
    b.launch(k, {});
    tenon_executable *executable = nullptr;
    ASSERT_EQ(tenon_executable_create(device, &b.build(), nullptr, nullptr, &executable), nullptr);
    for (int i = 0; i < times; ++i)
      ASSERT_EQ(tenon_executable_run(executable, nullptr, 0, nullptr, 0, nullptr), nullptr);
    tenon_executable_release(executable);
  }
  nlohmann::json events() {
    std::ifstream file(path);
    return nlohmann::json::parse(file).at("traceEvents");
  }
  static std::string codeAndFree(tenon_status status) {
    std::string name = tenon_code_name(tenon_status_code(status));
    tenon_status_free(status);
    return name;
  }

  std::string path;
  tenon_device *device = nullptr;
};

} // namespace

TEST_F(ProfilerTest, RecordsLaunches) {
  runKernel("before", 1);
  ASSERT_EQ(tenon_profile_start(), nullptr);
  runKernel("matmul", 3);
  runKernel("softmax", 1);
  ASSERT_EQ(tenon_profile_stop(path.c_str()), nullptr);
  runKernel("after", 1);
  nlohmann::json all = events();
  ASSERT_EQ(all.size(), 4u);
  double end = 0;
  for (const auto &event : all) {
    EXPECT_EQ(event.at("ph"), "X");
    EXPECT_EQ(event.at("name"), &event == &all[3] ? "softmax" : "matmul");
    EXPECT_GE(event.at("ts").get<double>(), end);
    EXPECT_GE(event.at("dur").get<double>(), 0);
    end = event.at("ts").get<double>() + event.at("dur").get<double>();
    EXPECT_EQ(event.at("args").at("flops"), 7);
    EXPECT_EQ(event.at("args").at("bytes"), 9);
    EXPECT_EQ(event.at("args").at("location"), "test.cpp");
    EXPECT_EQ(event.at("args").at("program"), "program");
    EXPECT_TRUE(event.at("tid").is_number_integer());
  }
}

TEST_F(ProfilerTest, EmptySessionIsValid) {
  ASSERT_EQ(tenon_profile_start(), nullptr);
  ASSERT_EQ(tenon_profile_stop(path.c_str()), nullptr);
  EXPECT_EQ(events().size(), 0u);
}

TEST_F(ProfilerTest, AnyNameIsValidJson) {
  const char *name = "a \"b\" \\ \n\t\x01 \xc3\xa9 \xff\xfe \xed\xa0\x80 \xe2\x82";
  ASSERT_EQ(tenon_profile_start(), nullptr);
  runKernel(name, 1);
  ASSERT_EQ(tenon_profile_stop(path.c_str()), nullptr);
  std::string got = events().at(0).at("name");
  EXPECT_EQ(got.rfind("a \"b\" \\ \n\t\x01 \xc3\xa9 ", 0), 0u);
}

TEST_F(ProfilerTest, SessionsAreApart) {
  for (const char *name : {"first", "second"}) {
    ASSERT_EQ(tenon_profile_start(), nullptr);
    runKernel(name, 1);
    ASSERT_EQ(tenon_profile_stop(path.c_str()), nullptr);
    ASSERT_EQ(events().size(), 1u);
    EXPECT_EQ(events().at(0).at("name"), name);
  }
}

TEST_F(ProfilerTest, ThreadsAreTold) {
  ASSERT_EQ(tenon_profile_start(), nullptr);
  runKernel("here", 1);
  std::thread([&] { runKernel("there", 1); }).join();
  ASSERT_EQ(tenon_profile_stop(path.c_str()), nullptr);
  EXPECT_NE(events().at(0).at("tid"), events().at(1).at("tid"));
}

TEST_F(ProfilerTest, MisuseIsAnError) {
  EXPECT_EQ(codeAndFree(tenon_profile_stop(path.c_str())), "argument");
  ASSERT_EQ(tenon_profile_start(), nullptr);
  EXPECT_EQ(codeAndFree(tenon_profile_start()), "argument");
  EXPECT_EQ(codeAndFree(tenon_profile_stop(nullptr)), "argument");
  runKernel("kept", 1);
  EXPECT_EQ(codeAndFree(tenon_profile_stop("/no such folder/x.json")), "io");
  ASSERT_EQ(tenon_profile_stop(path.c_str()), nullptr);
  EXPECT_EQ(events().size(), 1u);
}
