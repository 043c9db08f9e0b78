//===- DispatchTest.cpp - launches as GPUs see them -----------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes at which dispatches, parameters and submissions change their form, and code
// that a device has to refuse.
//
//===----------------------------------------------------------------------===//
#include "test/cts/Cts.h"

#include <algorithm>
#include <cstdio>
#include <fstream>

using namespace tenon::test;

namespace {

class DispatchTest : public DriverTest {};

const Expr n = Expr::symbol(0);

/// Adds 1 to x as often as `trips` is long.
ProgramBuilder countingLoop() {
  ProgramBuilder b("count", 1);
  b.input("trips", TENON_F32, {n});
  int64_t x = b.input("x", TENON_F32, {1});
  int64_t y = b.output("y", TENON_F32, {1});
  int64_t body = b.arena(0), next = b.arena(64);
  b.arenaBytes(128);
  int64_t k = b.kernel("add_one", addOne);
  b.add(b.loopStep(n, {{x, body, next, y, 4}}, {}, {b.launchStep(k, {body, next}, {1})}));
  return b;
}

} // namespace

INSTANTIATE_TEST_SUITE_P(Drivers, DispatchTest, ::testing::ValuesIn(computingDrivers()),
                         driverLabel);

TEST_P(DispatchTest, MoreWorkgroupsThanAnAxisTakes) {
  ProgramBuilder b("p", 1);
  int64_t x = b.input("x", TENON_F32, {n}), y = b.output("y", TENON_F32, {n});
  b.launch(b.kernel("add_one", addOne), {x, y}, {n});
  ExecutableHandle e = create(b);
  Tensor<float> in{std::vector<float>(65536 * 64 + 5, 1)}, out = in;
  ASSERT_OK(run(e, {in.argument()}, {out.argument()}));
  EXPECT_EQ(std::count(out.values.begin(), out.values.end(), 2), int64_t(out.values.size()));
}

TEST_P(DispatchTest, MoreParametersThanArePushed) {
  ProgramBuilder b("p", 1);
  int64_t x = b.input("x", TENON_F32, {n}), y = b.output("y", TENON_F32, {n});
  int64_t between = b.arena(0, n * 4);
  b.arenaBytes(n * 4);
  std::vector<Expr> extents(39, 7);
  extents.push_back(n);
  int64_t k = b.kernel("add_last", addLast);
  b.launch(k, {x, x, between}, extents).launch(k, {between, x, y}, extents);
  ExecutableHandle e = create(b);
  Tensor<float> in({1, 2, 3}), out({0, 0, 0});
  ASSERT_OK(run(e, {in.argument()}, {out.argument()}));
  EXPECT_EQ(out.values, (std::vector<float>{3, 6, 9}));
}

TEST_P(DispatchTest, ParametersOfManyLaunches) {
  // More than one submission has room for.
  ProgramBuilder b("p", 1);
  b.input("trips", TENON_F32, {n});
  int64_t x = b.input("x", TENON_F32, {1}), y = b.output("y", TENON_F32, {1});
  int64_t body = b.arena(0), next = b.arena(64);
  b.arenaBytes(128);
  std::vector<Expr> extents(40, 1);
  b.add(b.loopStep(n, {{x, body, next, y, 4}}, {},
                   {b.launchStep(b.kernel("add_last", addLast), {body, x, next}, extents)}));
  ExecutableHandle e = create(b);
  Tensor<float> count{std::vector<float>(3000)}, in({1}), out({0});
  ASSERT_OK(run(e, {count.argument(), in.argument()}, {out.argument()}));
  EXPECT_EQ(out.values[0], 3001);
}

TEST_P(DispatchTest, RunsAgainWithTheSameBuffers) {
  for (size_t trips : {0, 5, 100, 1000}) {
    ProgramBuilder b = countingLoop();
    ExecutableHandle e = create(b);
    std::vector<float> zeros(trips);
    int64_t extent = int64_t(trips);
    BufferHandle count = allocate(extent * 4), in = allocate(4), out = allocate(4);
    BufferHandle other = allocate(4);
    auto start = [&](float value, const BufferHandle &target) {
      ASSERT_OK(tenon_buffer_write(in.get(), 0, &value, 4));
      ASSERT_OK(run(e,
                    {{count.get(), nullptr, TENON_F32, 1, &extent},
                     {in.get(), nullptr, TENON_F32, 1, nullptr}},
                    {{target.get(), nullptr, TENON_F32, 1, nullptr}}));
      float result = -1;
      ASSERT_OK(tenon_buffer_read(target.get(), 0, &result, 4));
      EXPECT_EQ(result, value + float(trips));
    };
    for (float value : {1, 2, 3, 4, 5, 6, 7})
      start(value, out);
    start(8, other);
    start(9, out);
    start(10, out);
  }
}

TEST_P(DispatchTest, RunsAgainWithOtherExtents) {
  ProgramBuilder b = countingLoop();
  ExecutableHandle e = create(b);
  BufferHandle count = allocate(400), in = allocate(4), out = allocate(4);
  const float one = 1;
  ASSERT_OK(tenon_buffer_write(in.get(), 0, &one, 4));
  for (int64_t trips : {3, 3, 0, 0, 3, 3, 90, 90, 2}) {
    ASSERT_OK(run(
        e,
        {{count.get(), nullptr, TENON_F32, 1, &trips}, {in.get(), nullptr, TENON_F32, 1, nullptr}},
        {{out.get(), nullptr, TENON_F32, 1, nullptr}}));
    float result = -1;
    ASSERT_OK(tenon_buffer_read(out.get(), 0, &result, 4));
    EXPECT_EQ(result, 1 + float(trips));
  }
}

TEST_P(DispatchTest, LongLoops) {
  ProgramBuilder b = countingLoop();
  ExecutableHandle e = create(b);
  for (size_t trips : {15, 16, 17, 5000}) {
    Tensor<float> count{std::vector<float>(trips)}, in({1}), out({0});
    ASSERT_OK(run(e, {count.argument(), in.argument()}, {out.argument()}));
    EXPECT_EQ(out.values[0], 1 + float(trips));
  }
}

TEST_P(DispatchTest, LongLoopsAreCancelled) {
  ProgramBuilder b = countingLoop();
  ExecutableHandle e = create(b);
  Tensor<float> count{std::vector<float>(10000000)}, in({0}), out({-1});
  tenon_run_options options{};
  options.poll = [](void *) { return 1; };
  tenon_status status = run(e, {count.argument(), in.argument()}, {out.argument()}, &options);
  std::string message = tenon_status_message(status);
  EXPECT_ERROR(status, TENON_ERROR_CANCELLED, "run of 'count' was cancelled after ");
  // As many trips as it says were done, and their result is there.
  EXPECT_EQ(std::stof(message.substr(message.find("after ") + 6)), out.values[0]);
  EXPECT_LT(out.values[0], 10000000);
}

TEST_P(DispatchTest, RefusesCodeForOthers) {
  ProgramBuilder b = countingLoop();
  if (GetParam() == "cpu")
    useShaders(b);
  tenon_executable *executable = nullptr;
  EXPECT_ERROR(tenon_executable_create(device, &b.build(), nullptr, nullptr, &executable),
               TENON_ERROR_DEVICE,
               GetParam() == "cpu"
                   ? "kernel 'add_one' is code for GPUs; device 'cpu' runs functions"
                   : "kernel 'add_one' is code for the processor (device '" + GetParam() + "'");
}

TEST(VulkanDispatch, RefusesWhatTheDeviceHasNot) {
  tenon_device *device = nullptr;
  ASSERT_OK(tenon_device_open("vulkan", 0, &device));
  auto instruction = [](uint32_t opcode, std::vector<uint32_t> operands) {
    operands.insert(operands.begin(), uint32_t(operands.size() + 1) << 16 | opcode);
    return operands;
  };
  auto expectRefused = [&](std::vector<std::vector<uint32_t>> instructions, std::string reason,
                           int64_t subgroupSize = 0, int64_t fragments = 0) {
    std::vector<uint32_t> module = {0x07230203, 0x00010500, 0, 100, 0};
    for (const std::vector<uint32_t> &each : instructions)
      module.insert(module.end(), each.begin(), each.end());
    ProgramBuilder b = countingLoop();
    int64_t bindings[] = {0, 1};
    tenon_expr one = b.keep(1);
    b.kernels[0].function = nullptr;
    b.setDispatches(b.kernels[0], {{module.data(),
                                    int64_t(module.size() * 4),
                                    "main",
                                    2,
                                    bindings,
                                    {one, one, one},
                                    subgroupSize,
                                    fragments}});
    tenon_executable *executable = nullptr;
    EXPECT_ERROR(tenon_executable_create(device, &b.build(), nullptr, nullptr, &executable),
                 TENON_ERROR_DEVICE, "kernel 'add_one' " + reason);
  };
  expectRefused({instruction(17, {5302})}, "needs the capability number 5302 (device 'vulkan': ");
  expectRefused({{0}}, "has code that is no SPIR-V");
  expectRefused({}, "was made for subgroups of 1000; the device's are of ", 1000);
  tenon_device_info info{};
  ASSERT_OK(tenon_device_info_get(device, &info));
  if (std::string(info.features).find("fragments") == std::string::npos)
    expectRefused({}, "was made for a device of which it is known how cooperative matrices lie", 0,
                  1);
  expectRefused({instruction(16, {1, 17, 1 << 20, 1, 1})},
                "needs 1048576 invocations in a workgroup; there are at most ");
  expectRefused({}, "has no compute shader 'main'");
  // float shared[1 << 20]
  expectRefused({instruction(22, {1, 32}), instruction(21, {2, 32, 0}),
                 instruction(43, {2, 3, 1 << 20}), instruction(28, {4, 1, 3}),
                 instruction(32, {5, 4, 4}), instruction(59, {5, 6, 4})},
                "needs 4194304 bytes of workgroup memory; there are at most ");
}

TEST(VulkanDispatch, ProfilesTellTheTimesOfTheDevice) {
  tenon_device *device = nullptr;
  ASSERT_OK(tenon_device_open("vulkan", 0, &device));
  ProgramBuilder b = countingLoop();
  useShaders(b);
  tenon_executable *raw = nullptr;
  ASSERT_OK(tenon_executable_create(device, &b.build(), nullptr, nullptr, &raw));
  ExecutableHandle e(raw);
  std::string path = ::testing::TempDir() + "tenon-device-profile.json";
  auto launchesOf = [&](size_t trips, int runs) {
    Tensor<float> count{std::vector<float>(trips)}, in({1}), out({0});
    tenon_tensor inputs[] = {count.argument(), in.argument()}, output = out.argument();
    EXPECT_OK(tenon_executable_run(e.get(), inputs, 2, &output, 1, nullptr)); // without
    EXPECT_OK(tenon_profile_start());
    for (int i = 0; i < runs; ++i)
      EXPECT_OK(tenon_executable_run(e.get(), inputs, 2, &output, 1, nullptr));
    EXPECT_OK(tenon_profile_stop(path.c_str()));
    EXPECT_OK(tenon_executable_run(e.get(), inputs, 2, &output, 1, nullptr));
    EXPECT_EQ(out.values[0], 1 + float(trips));
    std::ifstream file(path);
    std::string line, kernel = "{\"name\":\"add_one\",\"cat\":\"kernel\",\"ph\":\"X\"";
    size_t found = 0;
    while (std::getline(file, line))
      found += line.rfind(kernel, 0) == 0 && line.find("\"tid\":0,") != std::string::npos &&
               line.find("\"flops\":7,") != std::string::npos;
    return found;
  };
  EXPECT_EQ(launchesOf(3, 1), 3u);
  EXPECT_EQ(launchesOf(3, 4), 12u); // recorded once
  EXPECT_EQ(launchesOf(3000, 1), 3000u);
  std::remove(path.c_str());
}
