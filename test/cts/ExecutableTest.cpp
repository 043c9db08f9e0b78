//===- ExecutableTest.cpp - arguments and results of runs -----------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run accepts, refuses and computes.
//
//===----------------------------------------------------------------------===//
#include "test/cts/Cts.h"

#include <cstring>

using namespace tenon::test;

namespace {

/// y = x + 1 over `extent` elements, in one launch.
ProgramBuilder addOneProgram(const Expr &extent, int64_t symbols, int64_t donates = -1) {
  ProgramBuilder b("add_one", symbols);
  int64_t x = b.input("x", TENON_F32, {extent});
  int64_t y = b.output("y", TENON_F32, {extent}, donates);
  b.launch(b.kernel("add_one", addOne), {x, y}, {extent});
  return b;
}

/// Runs on every driver, whatever it computes.
class ArgumentTest : public DriverTest {};
/// Looks at results.
class ExecutableTest : public DriverTest {};
/// Looks from inside a kernel.
class FunctionTest : public DriverTest {};

} // namespace

INSTANTIATE_TEST_SUITE_P(Drivers, ArgumentTest, ::testing::ValuesIn(allDrivers()), driverLabel);
INSTANTIATE_TEST_SUITE_P(Drivers, ExecutableTest, ::testing::ValuesIn(computingDrivers()),
                         driverLabel);
INSTANTIATE_TEST_SUITE_P(Drivers, FunctionTest, ::testing::ValuesIn(functionDrivers()),
                         driverLabel);

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

TEST_P(ArgumentTest, NamesShapeMismatch) {
  ProgramBuilder b("p", 1);
  b.input("x", TENON_F32, {3, Expr::symbol(0)});
  ExecutableHandle e = create(b);
  Tensor<float> good(std::vector<float>(15), {3, 5});
  Tensor<float> bad(std::vector<float>(8), {4, 2});
  Tensor<float> flat{std::vector<float>(8)};
  EXPECT_OK(run(e, {good.argument()}, {}));
  EXPECT_ERROR(run(e, {bad.argument()}, {}), TENON_ERROR_SHAPE,
               "input 'x': expected tensor<3x?xf32>, got tensor<4x2xf32>");
  EXPECT_ERROR(run(e, {flat.argument()}, {}), TENON_ERROR_SHAPE,
               "input 'x': expected tensor<3x?xf32>, got tensor<8xf32>");
  EXPECT_OK(run(e, {good.argument()}, {}));
}

TEST_P(ArgumentTest, SecondUseOfASymbolIsChecked) {
  ProgramBuilder b("p", 1);
  b.input("x", TENON_F32, {Expr::symbol(0)});
  b.input("w", TENON_F32, {Expr::symbol(0), 2});
  b.output("y", TENON_F32, {Expr::symbol(0) * 2});
  ExecutableHandle e = create(b);
  Tensor<float> x{std::vector<float>(4)};
  Tensor<float> w(std::vector<float>(8), {4, 2});
  Tensor<float> bad(std::vector<float>(6), {3, 2});
  Tensor<float> y{std::vector<float>(8)}, shortY{std::vector<float>(7)};
  EXPECT_OK(run(e, {x.argument(), w.argument()}, {y.argument()}));
  EXPECT_ERROR(run(e, {x.argument(), bad.argument()}, {y.argument()}), TENON_ERROR_SHAPE,
               "input 'w': expected tensor<4x2xf32>, got tensor<3x2xf32>");
  EXPECT_ERROR(run(e, {x.argument(), w.argument()}, {shortY.argument()}), TENON_ERROR_SHAPE,
               "output 'y': expected tensor<8xf32>, got tensor<7xf32>");
}

TEST_P(ArgumentTest, NamesDtypeMismatch) {
  ProgramBuilder b = addOneProgram(2, 0);
  ExecutableHandle e = create(b);
  Tensor<float> x({1, 2}), y({0, 0});
  Tensor<double> wide({1, 2});
  EXPECT_ERROR(run(e, {wide.argument()}, {y.argument()}), TENON_ERROR_DTYPE,
               "input 'x': expected tensor<2xf32>, got tensor<2xf64>");
  EXPECT_ERROR(run(e, {x.argument()}, {wide.argument()}), TENON_ERROR_DTYPE,
               "output 'y': expected tensor<2xf32>, got tensor<2xf64>");
}

TEST_P(ArgumentTest, CountsArguments) {
  ProgramBuilder b = addOneProgram(2, 0);
  ExecutableHandle e = create(b);
  Tensor<float> x({1, 2}), y({0, 0});
  EXPECT_ERROR(run(e, {}, {y.argument()}), TENON_ERROR_ARGUMENT, "expected 1 inputs, got 0");
  EXPECT_ERROR(run(e, {x.argument()}, {y.argument(), y.argument()}), TENON_ERROR_ARGUMENT,
               "expected 1 outputs, got 2");
}

TEST_P(ArgumentTest, ExtentsMayBeLeftOutWhereStatic) {
  ProgramBuilder fixed = addOneProgram(2, 0);
  ProgramBuilder open = addOneProgram(Expr::symbol(0), 1);
  ExecutableHandle a = create(fixed), b = create(open);
  Tensor<float> x({1, 2}), y({0, 0});
  tenon_tensor bare = x.argument(), bareOut = y.argument();
  bare.extents = bareOut.extents = nullptr;
  EXPECT_OK(run(a, {bare}, {bareOut}));
  EXPECT_ERROR(run(b, {bare}, {y.argument()}), TENON_ERROR_ARGUMENT,
               "input 'x': extents are missing");
  EXPECT_ERROR(run(b, {x.argument()}, {bareOut}), TENON_ERROR_ARGUMENT,
               "output 'y': extents are missing");
}

TEST_P(ArgumentTest, ChecksStorage) {
  ProgramBuilder b = addOneProgram(2, 0);
  ExecutableHandle e = create(b);
  Tensor<float> x({1, 2}), y({0, 0});
  tenon_tensor none = x.argument();
  none.data = nullptr;
  EXPECT_ERROR(run(e, {none}, {y.argument()}), TENON_ERROR_ARGUMENT,
               "input 'x': neither buffer nor data is given");
  BufferHandle buffer = allocate(8), small = allocate(7);
  tenon_tensor both = x.argument();
  both.buffer = buffer.get();
  EXPECT_ERROR(run(e, {both}, {y.argument()}), TENON_ERROR_ARGUMENT,
               "input 'x': both buffer and data are given");
  tenon_tensor tight = none;
  tight.buffer = small.get();
  EXPECT_ERROR(run(e, {tight}, {y.argument()}), TENON_ERROR_ARGUMENT,
               "input 'x': expected a buffer of at least 8 bytes, got 7");
}

TEST_P(ArgumentTest, RefusesBufferOfAnotherDevice) {
  ProgramBuilder b = addOneProgram(2, 0);
  ExecutableHandle e = create(b);
  tenon_device *elsewhere = nullptr;
  ASSERT_OK(tenon_device_open(GetParam() == "cpu" ? "null" : "cpu", 0, &elsewhere));
  tenon_buffer *raw = nullptr;
  ASSERT_OK(tenon_buffer_allocate(elsewhere, 8, &raw));
  BufferHandle foreign(raw);
  Tensor<float> y({0, 0});
  EXPECT_ERROR(run(e, {{foreign.get(), nullptr, TENON_F32, 1, nullptr}}, {y.argument()}),
               TENON_ERROR_ARGUMENT, "expected a buffer of device '" + GetParam() + "'");
}

TEST_P(ArgumentTest, RefusesOverlap) {
  ProgramBuilder b("p");
  b.input("a", TENON_F32, {4});
  b.input("b", TENON_F32, {4});
  b.output("y", TENON_F32, {4}, 0);
  b.output("z", TENON_F32, {4});
  ExecutableHandle e = create(b);
  BufferHandle p = allocate(16), q = allocate(16), r = allocate(16);
  auto at = [](const BufferHandle &buffer) {
    return tenon_tensor{buffer.get(), nullptr, TENON_F32, 1, nullptr};
  };
  EXPECT_OK(run(e, {at(p), at(p)}, {at(q), at(r)}));
  EXPECT_OK(run(e, {at(p), at(q)}, {at(p), at(r)}));
  EXPECT_ERROR(run(e, {at(p), at(q)}, {at(q), at(r)}), TENON_ERROR_ARGUMENT,
               "output 'y' overlaps input 'b'");
  EXPECT_ERROR(run(e, {at(p), at(q)}, {at(r), at(p)}), TENON_ERROR_ARGUMENT,
               "output 'z' overlaps input 'a'");
  EXPECT_ERROR(run(e, {at(p), at(q)}, {at(r), at(r)}), TENON_ERROR_ARGUMENT,
               "output 'z' overlaps output 'y'");
  // In place, but the input is needed under its other name as well.
  EXPECT_ERROR(run(e, {at(p), at(p)}, {at(p), at(r)}), TENON_ERROR_ARGUMENT,
               "output 'y' overlaps input 'b'");
}

TEST_P(ArgumentTest, EvaluatesOutputExtents) {
  ProgramBuilder b("p", 2);
  b.input("x", TENON_F32, {Expr::symbol(0), Expr::symbol(1)});
  b.output("y", TENON_F32, {Expr::symbol(1) - 1, Expr::symbol(0) * Expr::symbol(1), 7});
  ExecutableHandle e = create(b);
  int64_t extents[2] = {3, 5}, got[3];
  tenon_tensor x{nullptr, nullptr, TENON_F32, 2, extents};
  ASSERT_OK(tenon_executable_output_extents(e.get(), &x, 1, 0, got));
  EXPECT_EQ(got[0], 4);
  EXPECT_EQ(got[1], 15);
  EXPECT_EQ(got[2], 7);
  extents[1] = 0;
  EXPECT_ERROR(tenon_executable_output_extents(e.get(), &x, 1, 0, got), TENON_ERROR_SHAPE,
               "extent 0 of output 'y' is negative for s0 = 3, s1 = 0");
  EXPECT_ERROR(tenon_executable_output_extents(e.get(), &x, 1, 1, got), TENON_ERROR_ARGUMENT,
               "no output 1");
  extents[0] = -3;
  EXPECT_ERROR(tenon_executable_output_extents(e.get(), &x, 1, 0, got), TENON_ERROR_SHAPE,
               "got tensor<-3x0xf32>");
}

TEST_P(ArgumentTest, ReportsOverflow) {
  Expr s = Expr::symbol(0);
  ProgramBuilder b("p", 1);
  b.input("x", TENON_I8, {s});
  b.arenaBytes(s * s * s);
  ExecutableHandle e = create(b);
  int64_t extent = int64_t(1) << 31;
  char byte;
  tenon_tensor x{nullptr, &byte, TENON_I8, 1, &extent};
  EXPECT_ERROR(run(e, {x}, {}), TENON_ERROR_SHAPE,
               "size of the arena overflows 64 bits for s0 = 2147483648");
  ProgramBuilder c("p", 2);
  c.input("x", TENON_F64, {Expr::symbol(0), Expr::symbol(1)});
  ExecutableHandle f = create(c);
  int64_t huge[2] = {int64_t(1) << 31, int64_t(1) << 31};
  EXPECT_ERROR(run(f, {{nullptr, &byte, TENON_F64, 2, huge}}, {}), TENON_ERROR_SHAPE,
               "size of input 'x' overflows 64 bits");
}

TEST_P(ArgumentTest, ReportsArenaThatDoesNotFit) {
  ProgramBuilder b("p");
  b.arenaBytes(int64_t(1) << 60);
  ExecutableHandle e = create(b);
  EXPECT_ERROR(run(e, {}, {}), TENON_ERROR_MEMORY, "cannot allocate");
  EXPECT_ERROR(run(e, {}, {}), TENON_ERROR_MEMORY, "cannot allocate");
}

TEST_P(ArgumentTest, ArenaIsCountedKeptAndGrown) {
  ProgramBuilder b("p", 1);
  b.input("x", TENON_I8, {Expr::symbol(0)});
  b.arenaBytes(Expr::symbol(0));
  ExecutableHandle e = create(b);
  EXPECT_EQ(tenon_device_bytes(device), bytesBefore);
  std::vector<char> data(6400);
  auto bytesAfterRun = [&](int64_t extent) {
    EXPECT_OK(run(e, {{nullptr, data.data(), TENON_I8, 1, &extent}}, {}));
    return tenon_device_bytes(device) - bytesBefore;
  };
  EXPECT_EQ(bytesAfterRun(640), 640);
  EXPECT_EQ(bytesAfterRun(64), 640);
  EXPECT_EQ(bytesAfterRun(6400), 6400);
  EXPECT_EQ(bytesAfterRun(640), 6400);
}

TEST_P(ArgumentTest, InPlaceIsInPlaceOnTheDevice) {
  // A program that writes nothing leaves what is there, on devices with memory of their own, too.
  ProgramBuilder b("nothing");
  b.input("x", TENON_F32, {3});
  b.output("y", TENON_F32, {3}, /*donates=*/0);
  ExecutableHandle e = create(b);
  Tensor<float> state({1, 2, 3});
  ASSERT_OK(run(e, {state.argument()}, {state.argument()}));
  EXPECT_EQ(state.values, (std::vector<float>{1, 2, 3}));
}

TEST_P(ArgumentTest, OwnerIsFreedOnce) {
  int freed = 0;
  auto count = [](void *owner) { ++*static_cast<int *>(owner); };
  ProgramBuilder b = addOneProgram(2, 0);
  if (GetParam() == "vulkan")
    useShaders(b);
  tenon_executable *raw = nullptr;
  ASSERT_OK(tenon_executable_create(device, &b.build(), &freed, count, &raw));
  EXPECT_EQ(tenon_executable_program(raw), &b.program);
  tenon_executable_retain(raw);
  tenon_executable_release(raw);
  EXPECT_EQ(freed, 0);
  tenon_executable_release(raw);
  EXPECT_EQ(freed, 1);
  b.program.abi_version = 99;
  EXPECT_ERROR(tenon_executable_create(device, &b.program, &freed, count, &raw),
               TENON_ERROR_ARGUMENT, "ABI version 99");
  EXPECT_EQ(freed, 2);
}

TEST(NullDriver, ComputesNothing) {
  tenon_device *device = nullptr;
  ASSERT_OK(tenon_device_open("null", 0, &device));
  ProgramBuilder b = addOneProgram(2, 0);
  tenon_executable *raw = nullptr;
  ASSERT_OK(tenon_executable_create(device, &b.build(), nullptr, nullptr, &raw));
  ExecutableHandle e(raw);
  Tensor<float> x({1, 2}), y({5, 5});
  tenon_tensor input = x.argument(), output = y.argument();
  ASSERT_OK(tenon_executable_run(raw, &input, 1, &output, 1, nullptr));
  EXPECT_EQ(y.values, (std::vector<float>{0, 0}));
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

TEST_P(ExecutableTest, RunsOnCallersData) {
  ProgramBuilder b = addOneProgram(3, 0);
  ExecutableHandle e = create(b);
  Tensor<float> x({1, 2, 3}), y({0, 0, 0});
  ASSERT_OK(run(e, {x.argument()}, {y.argument()}));
  EXPECT_EQ(y.values, (std::vector<float>{2, 3, 4}));
  EXPECT_EQ(x.values, (std::vector<float>{1, 2, 3}));
}

TEST_P(ExecutableTest, RunsOnBuffers) {
  ProgramBuilder b = addOneProgram(3, 0);
  ExecutableHandle e = create(b);
  BufferHandle x = allocate(12), y = allocate(12);
  float values[3] = {1, 2, 3};
  ASSERT_OK(tenon_buffer_write(x.get(), 0, values, 12));
  ASSERT_OK(run(e, {{x.get(), nullptr, TENON_F32, 1, nullptr}},
                {{y.get(), nullptr, TENON_F32, 1, nullptr}}));
  ASSERT_OK(tenon_buffer_read(y.get(), 0, values, 12));
  EXPECT_EQ(values[2], 4);
}

TEST_P(ExecutableTest, FollowsArgumentsFromRunToRun) {
  ProgramBuilder b = addOneProgram(Expr::symbol(0), 1);
  ExecutableHandle e = create(b);
  for (size_t n : {3, 100, 100, 0, 1, 1000}) {
    Tensor<float> x(std::vector<float>(n, 1)), y(std::vector<float>(n, 0));
    ASSERT_OK(run(e, {x.argument()}, {y.argument()}));
    EXPECT_EQ(y.values, std::vector<float>(n, 2));
  }
}

TEST_P(ExecutableTest, EmptyTensorsNeedNoAddress) {
  ProgramBuilder b = addOneProgram(Expr::symbol(0), 1);
  ExecutableHandle e = create(b);
  int64_t zero = 0;
  tenon_tensor empty{nullptr, nullptr, TENON_F32, 1, &zero};
  EXPECT_OK(run(e, {empty}, {empty}));
}

TEST_P(ExecutableTest, ChainsThroughArenaConstantsAndViews) {
  Expr n = Expr::symbol(0);
  static const float ones[4] = {1, 1, 1, 1};
  ProgramBuilder b("p", 1);
  int64_t x = b.input("x", TENON_F32, {n});
  int64_t y = b.output("y", TENON_F32, {n - 1});
  int64_t sumSlot = b.arena(64, n * 4);
  int64_t tail = b.view(sumSlot, 4);
  int64_t tailAgain = b.view(tail);
  b.arenaBytes(n * 4 + 64);
  int64_t k = b.kernel("add", add);
  b.launch(k, {x, b.constant(ones, 4), sumSlot}, {n});
  b.launch(k, {tailAgain, tail, y}, {n - 1});
  ExecutableHandle e = create(b);
  Tensor<float> in({1, 2, 3, 4}), out({0, 0, 0});
  ASSERT_OK(run(e, {in.argument()}, {out.argument()}));
  EXPECT_EQ(out.values, (std::vector<float>{6, 8, 10}));
}

TEST_P(ExecutableTest, CopiesSmallAndLarge) {
  Expr n = Expr::symbol(0);
  ProgramBuilder b("copy", 1);
  int64_t x = b.input("x", TENON_F64, {n});
  int64_t y = b.output("y", TENON_F64, {n});
  b.add(b.copyStep(y, x, n * 8));
  ExecutableHandle e = create(b);
  for (size_t size : {0, 1, 1000, 500001}) {
    Tensor<double> in{std::vector<double>(size)}, out = in;
    for (size_t i = 0; i < size; ++i)
      in.values[i] = double(i);
    ASSERT_OK(run(e, {in.argument()}, {out.argument()}));
    EXPECT_EQ(out.values, in.values);
  }
}

TEST_P(ExecutableTest, UpdatesDonatedInputInPlace) {
  ProgramBuilder b = addOneProgram(3, 0, /*donates=*/0);
  ExecutableHandle e = create(b);
  Tensor<float> state({1, 2, 3});
  for (int i = 0; i < 2; ++i)
    ASSERT_OK(run(e, {state.argument()}, {state.argument()}));
  EXPECT_EQ(state.values, (std::vector<float>{3, 4, 5}));
  // Donation is an offer: another address is as good.
  Tensor<float> other({0, 0, 0});
  ASSERT_OK(run(e, {state.argument()}, {other.argument()}));
  EXPECT_EQ(other.values, (std::vector<float>{4, 5, 6}));
  EXPECT_EQ(state.values, (std::vector<float>{3, 4, 5}));
}

TEST_P(FunctionTest, GivesScratchOfTheSizeAskedFor) {
  static int64_t shared, perWorker, workers;
  static uintptr_t misaligned;
  auto look = [](tenon_env *env, void *const *, const int64_t *) {
    shared = env->scratch_shared;
    perWorker = env->scratch_per_worker;
    workers = env->num_workers;
    misaligned = reinterpret_cast<uintptr_t>(env->scratch) % 64;
    std::memset(env->scratch, 1, size_t(shared + perWorker * workers));
  };
  ASSERT_OK(tenon_set_num_threads(3));
  ProgramBuilder b("p");
  b.launch(b.kernel("small", look, 10, 20), {});
  b.launch(b.kernel("large", look, 1000, Expr::threads() * 100), {});
  ExecutableHandle e = create(b);
  ASSERT_OK(run(e, {}, {}));
  EXPECT_GE(shared, 1000);
  EXPECT_GE(perWorker, 300);
  EXPECT_EQ(workers, 3);
  EXPECT_EQ(misaligned, 0u);
  // A change of the number of threads takes effect at the next run.
  ASSERT_OK(tenon_set_num_threads(5));
  ASSERT_OK(run(e, {}, {}));
  EXPECT_GE(perWorker, 500);
  EXPECT_EQ(workers, 5);
}
