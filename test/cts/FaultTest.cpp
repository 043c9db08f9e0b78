//===- FaultTest.cpp - no memory, lost devices, checkpoints ---------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// After a fault the device is of use again, and what was on it is told to be lost.
//
//===----------------------------------------------------------------------===//
#include "test/cts/Cts.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <deque>

using namespace tenon::test;

namespace {

const Expr n = Expr::symbol(0);

class CheckpointTest : public DriverTest {
protected:
  BufferHandle holding(float value) {
    BufferHandle buffer = allocate(4);
    EXPECT_OK(tenon_buffer_write(buffer.get(), 0, &value, 4));
    return buffer;
  }
  static float valueOf(const BufferHandle &buffer) {
    float value = -1;
    EXPECT_OK(tenon_buffer_read(buffer.get(), 0, &value, 4));
    return value;
  }
};

/// A test that has the Vulkan driver fail.
class FaultTest : public CheckpointTest {
protected:
  void TearDown() override {
    inject("");
    DriverTest::TearDown();
  }
  /// From now on.
  void inject(const char *faults) {
    for (const char *text : {"", faults}) {
      setenv("TENON_FAULT", text, 1);
      ASSERT_OK(tenon_device_open(GetParam().c_str(), 0, &device));
    }
  }
  std::string description() {
    tenon_device_info info;
    EXPECT_OK(tenon_device_info_get(device, &info));
    return info.description;
  }
  void lose() {
    inject("lost@1");
    float value = 0;
    EXPECT_ERROR(tenon_buffer_write(allocate(4).get(), 0, &value, 4), TENON_ERROR_DEVICE,
                 "was lost, with all that was on it; what is new opens it again: work could not be "
                 "submitted: VK_ERROR_DEVICE_LOST");
  }
  /// y = x + 1 + constant
  ExecutableHandle addThree() {
    static const float two[] = {2, 2, 2};
    ProgramBuilder &b = programs.emplace_back("three", 1);
    int64_t x = b.input("x", TENON_F32, {n}), y = b.output("y", TENON_F32, {n});
    int64_t between = b.arena(0, n * 4);
    b.arenaBytes(n * 4);
    b.launch(b.kernel("add_one", addOne), {x, between}, {n});
    b.launch(b.kernel("add", add), {between, b.constant(two, 3), y}, {n});
    return create(b);
  }
  static tenon_status runOn(const ExecutableHandle &e, const BufferHandle &x,
                            const BufferHandle &y) {
    int64_t extent = 1;
    return run(e, {{x.get(), nullptr, TENON_F32, 1, &extent}},
               {{y.get(), nullptr, TENON_F32, 1, &extent}});
  }
  void expectWorks(const ExecutableHandle &e) {
    BufferHandle x = holding(4), y = allocate(4);
    EXPECT_OK(runOn(e, x, y));
    EXPECT_EQ(valueOf(y), 7);
  }

  std::deque<ProgramBuilder> programs;       ///< outlive their executables
  static constexpr int64_t large = 10 << 20; ///< has memory of its own
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Drivers, CheckpointTest, ::testing::ValuesIn(allDrivers()), driverLabel);
INSTANTIATE_TEST_SUITE_P(Drivers, FaultTest, ::testing::Values("vulkan"), driverLabel);

TEST_P(CheckpointTest, RestoresWhatBuffersHeld) {
  BufferHandle a = holding(1), b = holding(2), other = holding(3), empty = allocate(0);
  tenon_buffer *kept[] = {a.get(), b.get(), empty.get()};
  ASSERT_OK(tenon_device_checkpoint(device, kept, 3));
  const float eight = 8;
  for (const BufferHandle *buffer : {&a, &b, &other})
    ASSERT_OK(tenon_buffer_write(buffer->get(), 0, &eight, 4));
  b.reset(); // its copy goes with it
  ASSERT_OK(tenon_device_restore(device));
  EXPECT_EQ(valueOf(a), 1);
  EXPECT_EQ(valueOf(other), 8);
  tenon_buffer *instead = other.get();
  ASSERT_OK(tenon_device_checkpoint(device, &instead, 1));
  ASSERT_OK(tenon_buffer_write(a.get(), 0, &eight, 4));
  ASSERT_OK(tenon_device_restore(device));
  EXPECT_EQ(valueOf(a), 8);
  EXPECT_OK(tenon_device_checkpoint(device, nullptr, 0));
}

TEST_P(CheckpointTest, AFailedOneKeepsTheLast) {
  BufferHandle a = holding(1);
  tenon_buffer *kept[] = {a.get(), nullptr};
  ASSERT_OK(tenon_device_checkpoint(device, kept, 1));
  const float eight = 8;
  ASSERT_OK(tenon_buffer_write(a.get(), 0, &eight, 4));
  EXPECT_ERROR(tenon_device_checkpoint(device, kept, 2), TENON_ERROR_ARGUMENT, "'buffer' is NULL");
  EXPECT_ERROR(tenon_device_checkpoint(device, nullptr, 1), TENON_ERROR_ARGUMENT,
               "'buffers' is NULL");
  tenon_device *other = nullptr;
  ASSERT_OK(tenon_device_open(GetParam() == "null" ? "cpu" : "null", 0, &other));
  EXPECT_ERROR(tenon_device_checkpoint(other, kept, 1), TENON_ERROR_ARGUMENT,
               "expected buffers of device '");
  ASSERT_OK(tenon_device_restore(device));
  EXPECT_EQ(valueOf(a), 1);
}

TEST_P(FaultTest, RefusesWhatIsNone) {
  for (const char *text : {"oom", "oom@", "oom@0", "lost@3-2", "slow@1", "oom@1;lost@1"}) {
    setenv("TENON_FAULT", text, 1);
    EXPECT_ERROR(tenon_device_open("vulkan", 0, &device), TENON_ERROR_ARGUMENT,
                 "TENON_FAULT: expected oom@n, lost@n, buffer@n, storage@n or work@n, or a list of "
                 "them, got '" +
                     std::string(text) + "'");
  }
}

TEST_P(FaultTest, FreesWhatIsIdleAndTriesAgain) {
  ExecutableHandle e = addThree();
  // Free blocks, then what runs left, then constants.
  for (const char *faults : {"oom@1", "oom@1-2", "oom@1-3"}) {
    expectWorks(e);
    inject(faults);
    EXPECT_TRUE(allocate(large)) << faults;
    expectWorks(e);
  }
}

TEST_P(FaultTest, OutOfMemoryTellsHowMuch) {
  ExecutableHandle e = addThree();
  BufferHandle kept = holding(5);
  inject("oom@1-9");
  tenon_buffer *none = nullptr;
  EXPECT_ERROR(tenon_buffer_allocate(device, large, &none), TENON_ERROR_MEMORY,
               "cannot allocate 10485760 bytes on device 'vulkan': " +
                   std::to_string(tenon_device_bytes(device)) + " bytes held, ");
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(valueOf(kept), 5);
  inject("");
  EXPECT_TRUE(allocate(large));
  expectWorks(e);
}

TEST_P(FaultTest, LargerThanABuffer) {
  ExecutableHandle e = addThree();
  inject("buffer@1000");
  tenon_buffer *none = nullptr;
  EXPECT_ERROR(tenon_buffer_allocate(device, 1001, &none), TENON_ERROR_MEMORY,
               "bytes free; one buffer has at most 1000");
  EXPECT_EQ(none, nullptr);
  EXPECT_TRUE(allocate(1000));
  // An arena is one buffer, too, of whole cache lines.
  Tensor<float> in{std::vector<float>(250)}, out = in;
  EXPECT_ERROR(run(e, {in.argument()}, {out.argument()}), TENON_ERROR_MEMORY,
               "cannot allocate 1024 bytes on device 'vulkan'");
  expectWorks(e);
}

TEST_P(FaultTest, LargerThanWhatAKernelSees) {
  ExecutableHandle e = addThree();
  inject("storage@1000");
  Tensor<float> in{std::vector<float>(251)}, out = in;
  EXPECT_ERROR(
      run(e, {in.argument()}, {out.argument()}), TENON_ERROR_DEVICE,
      "kernel 'add_one': a tensor of 1004 bytes; a storage buffer has at most 1000 (device "
      "'vulkan': " +
          description() + ")");
  expectWorks(e);
}

TEST_P(FaultTest, RunsGetAlongWithFewerCommandBuffers) {
  // A loop of more launches than a command buffer takes; none but the first has memory.
  ProgramBuilder b("count", 1);
  b.input("trips", TENON_F32, {n});
  int64_t x = b.input("x", TENON_F32, {1}), y = b.output("y", TENON_F32, {1});
  int64_t body = b.arena(0), next = b.arena(64);
  b.arenaBytes(128);
  int64_t k = b.kernel("add_one", addOne);
  b.add(b.loopStep(n, {{x, body, next, y, 4}}, {}, {b.launchStep(k, {body, next}, {1})}));
  ExecutableHandle e = create(b);
  int64_t trips = 3000, one = 1;
  BufferHandle count = allocate(trips * 4), in = holding(1), out = holding(0);
  inject("oom@2-99");
  ASSERT_OK(run(
      e, {{count.get(), nullptr, TENON_F32, 1, &trips}, {in.get(), nullptr, TENON_F32, 1, &one}},
      {{out.get(), nullptr, TENON_F32, 1, &one}}));
  EXPECT_EQ(valueOf(out), 3001);
}

TEST_P(FaultTest, WhatMayTakeLongIsCut) {
  std::vector<float> values(64 * 1024 * 2 + 5, 1); // three rows of workgroups, the last of one
  int64_t extent = int64_t(values.size()), bytes = extent * 4;
  // The result of y = x + 1 or, by a kernel that asks for the number of workgroups, y = x + x.
  auto runWith = [&](const std::string &faults, bool divisible = true) {
    inject("work@1000");
    ProgramBuilder b("p", 1);
    int64_t x = b.input("x", TENON_F32, {n}), y = b.output("y", TENON_F32, {n});
    if (divisible)
      b.launch(b.kernel("add_one", addOne), {x, y}, {n});
    else
      b.launch(b.kernel("add", add), {x, x, y}, {n});
    b.kernels[0].flops = b.keep(n);
    ExecutableHandle e = create(b);
    BufferHandle in = allocate(bytes), out = allocate(bytes);
    EXPECT_OK(tenon_buffer_write(in.get(), 0, values.data(), bytes));
    inject(faults.c_str());
    for (int time = 0; time < 2; ++time) { // a repeated run, too
      if (tenon_status status = run(e, {{in.get(), nullptr, TENON_F32, 1, &extent}},
                                    {{out.get(), nullptr, TENON_F32, 1, &extent}}))
        return status;
      std::vector<float> result(values.size());
      EXPECT_OK(tenon_buffer_read(out.get(), 0, result.data(), bytes));
      EXPECT_EQ(std::count(result.begin(), result.end(), 2), extent);
    }
    return tenon_status(nullptr);
  };
  EXPECT_OK(runWith("work@1")); // single workgroups, then more of them, then whole rows
  EXPECT_ERROR(runWith("work@1,lost@4"), TENON_ERROR_DEVICE, "was lost");
  EXPECT_OK(runWith("work@100000"));        // a row is less
  EXPECT_OK(runWith("work@200000,lost@5")); // runs and reads: one submission each
  EXPECT_OK(runWith("work@1,lost@5", /*divisible=*/false));
}

TEST_P(FaultTest, ALostDeviceOpensForNewWork) {
  ExecutableHandle e = addThree();
  expectWorks(e);
  lose();
  expectWorks(e); // the program is brought there again
  expectWorks(addThree());
}

TEST_P(FaultTest, LostDuringARun) {
  ExecutableHandle e = addThree();
  BufferHandle x = holding(4), y = allocate(4);
  inject("lost@1");
  EXPECT_ERROR(runOn(e, x, y), TENON_ERROR_DEVICE, "was lost");
  EXPECT_ERROR(runOn(e, x, y), TENON_ERROR_DEVICE,
               "input 'x': its buffer was lost with device 'vulkan'");
  expectWorks(e);
}

TEST_P(FaultTest, LostUnderSeveralThreads) {
  ExecutableHandle e = addThree();
  expectWorks(e);
  // Every step of a round is right, or the device was lost.
  auto round = [&]() -> tenon_status {
    float value = 4;
    BufferHandle buffers[2];
    for (BufferHandle &each : buffers) {
      tenon_buffer *buffer = nullptr;
      if (tenon_status status = tenon_buffer_allocate(device, 4, &buffer))
        return status;
      each.reset(buffer);
    }
    if (tenon_status status = tenon_buffer_write(buffers[0].get(), 0, &value, 4))
      return status;
    if (tenon_status status = runOn(e, buffers[0], buffers[1]))
      return status;
    if (tenon_status status = tenon_buffer_read(buffers[1].get(), 0, &value, 4))
      return status;
    EXPECT_EQ(value, 7);
    return nullptr;
  };
  inject("lost@50,lost@100,lost@150-152");
  std::atomic<int> losses{0};
  onThreads(4, [&](size_t) {
    for (int i = 0; i < 30; ++i)
      if (tenon_status status = round()) {
        ++losses;
        EXPECT_ERROR(status, TENON_ERROR_DEVICE, "lost");
      }
  });
  EXPECT_GE(losses, 5);
  inject("");
  expectWorks(e);
}

TEST_P(FaultTest, LostDuringATransfer) {
  std::vector<char> bytes(30 << 20);
  for (const char *fault : {"lost@1", "lost@3", "lost@6"}) {
    BufferHandle buffer = allocate(int64_t(bytes.size()));
    inject(fault);
    EXPECT_ERROR(tenon_buffer_write(buffer.get(), 0, bytes.data(), int64_t(bytes.size())),
                 TENON_ERROR_DEVICE, "was lost");
    buffer = allocate(int64_t(bytes.size()));
    inject(fault);
    EXPECT_ERROR(tenon_buffer_read(buffer.get(), 0, bytes.data(), int64_t(bytes.size())),
                 TENON_ERROR_DEVICE, "was lost");
    inject("");
    expectWorks(addThree());
  }
}

TEST_P(FaultTest, LostBuffersAreErrors) {
  BufferHandle lost = holding(1), empty = allocate(0);
  EXPECT_EQ(tenon_buffer_lost(lost.get()), 0);
  lose();
  EXPECT_EQ(tenon_buffer_lost(lost.get()), 1);
  EXPECT_EQ(tenon_buffer_lost(empty.get()), 0);
  BufferHandle alive = holding(2);
  float value = 3;
  const std::string what = ": a buffer of 4 bytes, which was lost with device 'vulkan'";
  EXPECT_ERROR(tenon_buffer_read(lost.get(), 0, &value, 4), TENON_ERROR_DEVICE, "read" + what);
  EXPECT_ERROR(tenon_buffer_write(lost.get(), 0, &value, 4), TENON_ERROR_DEVICE, "write" + what);
  EXPECT_ERROR(tenon_buffer_copy(alive.get(), 0, lost.get(), 0, 4), TENON_ERROR_DEVICE,
               "copy source" + what);
  EXPECT_ERROR(tenon_buffer_copy(lost.get(), 0, alive.get(), 0, 4), TENON_ERROR_DEVICE,
               "copy target" + what);
  ExecutableHandle e = addThree();
  EXPECT_ERROR(runOn(e, alive, lost), TENON_ERROR_DEVICE,
               "output 'y': its buffer was lost with device 'vulkan'");
  EXPECT_EQ(tenon_buffer_bytes(lost.get()), 4);
  EXPECT_EQ(valueOf(alive), 2);
}

TEST_P(FaultTest, CheckpointsSurvive) {
  BufferHandle kept = holding(4), other = holding(2), y = allocate(4);
  tenon_buffer *list[] = {kept.get()};
  ASSERT_OK(tenon_device_checkpoint(device, list, 1));
  lose();
  ASSERT_OK(tenon_device_restore(device));
  EXPECT_EQ(valueOf(kept), 4);
  EXPECT_EQ(tenon_buffer_lost(other.get()), 1);
  BufferHandle fresh = allocate(4);
  ASSERT_OK(runOn(addThree(), kept, fresh));
  EXPECT_EQ(valueOf(fresh), 7);
}

TEST_P(FaultTest, LostAgainAndAgain) {
  ExecutableHandle e = addThree();
  BufferHandle x = holding(4);
  tenon_buffer *list[] = {x.get()};
  ASSERT_OK(tenon_device_checkpoint(device, list, 1));
  for (int time = 0; time < 3; ++time) {
    BufferHandle y = allocate(4);
    ASSERT_OK(tenon_device_restore(device));
    ASSERT_OK(runOn(e, x, y));
    ASSERT_OK(runOn(e, x, y)); // the same commands again
    inject("lost@1");
    EXPECT_ERROR(runOn(e, x, y), TENON_ERROR_DEVICE, "was lost");
  }
  expectWorks(e);
}
