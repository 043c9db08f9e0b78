//===- LibraryTest.cpp - artifacts that are linked in ---------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is checked on the first call, which variant is taken, and who owns what.
//
//===----------------------------------------------------------------------===//
#include "tenon/library.h"
#include "test/cts/Cts.h"

#include <thread>

using namespace tenon::test;

namespace {

void addTwo(tenon_env *, void *const *buffers, const int64_t *extents) {
  for (int64_t i = 0; i < extents[0]; ++i)
    static_cast<float *>(buffers[1])[i] = static_cast<float *>(buffers[0])[i] + 2;
}

/// y = f(x) over as many elements as there are.
ProgramBuilder program(tenon_kernel function) {
  ProgramBuilder b("entry", 1);
  Expr n = Expr::symbol(0);
  int64_t x = b.input("x", TENON_F32, {n}), y = b.output("y", TENON_F32, {n});
  b.launch(b.kernel("f", function), {x, y}, {n});
  return b;
}

/// An artifact with the variants that a test gives.
class LibraryTest : public ::testing::Test {
protected:
  void add(const char *features, tenon_kernel function) {
    programs.push_back(program(function));
    features_.push_back(features);
  }
  tenon_status call(int64_t n = 2) {
    for (size_t i = variants.size(); i < programs.size(); ++i)
      variants.push_back({"cpu", "a processor", features_[i], &programs[i].build()});
    entry.num_variants = int64_t(variants.size());
    entry.variants = variants.data();
    void *arguments[] = {x, y};
    return tenon_entry_call(&entry, arguments, &n, nullptr);
  }
  ~LibraryTest() override { tenon_executable_release(static_cast<tenon_executable *>(cell)); }

  std::deque<ProgramBuilder> programs;
  std::vector<const char *> features_;
  std::vector<tenon_variant> variants;
  void *cell = nullptr;
  tenon_artifact artifact = {int64_t(TENON_ARTIFACT_MAGIC),
                             TENON_ARTIFACT_FORMAT,
                             TENON_ABI_VERSION,
                             "model",
                             "a test",
                             "",
                             1,
                             &entry};
  tenon_entry entry = {&artifact, "entry", 0, nullptr, &cell, nullptr};
  float x[2] = {1, 2}, y[2] = {};
};

} // namespace

TEST_F(LibraryTest, TakesTheFirstVariantThatRunsHere) {
  add("avx9 sve9", nullptr);
  add("", addOne);
  add("", addTwo);
  EXPECT_OK(call());
  EXPECT_EQ(y[0], 2);
  EXPECT_EQ(y[1], 3);
}

TEST_F(LibraryTest, NamesWhatTheProcessorLacks) {
  add("avx9 sve9", addOne);
  add("avx9", addOne);
  EXPECT_ERROR(call(), TENON_ERROR_DEVICE,
               "'model' is compiled for a processor: this processor has not avx9");
  EXPECT_EQ(cell, nullptr);
}

TEST_F(LibraryTest, RefusesOtherVersions) {
  add("", addOne);
  artifact.abi_version = TENON_ABI_VERSION + 1;
  EXPECT_ERROR(call(), TENON_ERROR_ARGUMENT,
               "artifact 'model': expected ABI version " + std::to_string(TENON_ABI_VERSION) +
                   ", got " + std::to_string(TENON_ABI_VERSION + 1));
  artifact.format = 9;
  EXPECT_ERROR(call(), TENON_ERROR_ARGUMENT, "expected format version 3, got 9");
  artifact.magic = 0;
  EXPECT_ERROR(call(), TENON_ERROR_ARGUMENT, "expected one of tenon-compile");
}

TEST_F(LibraryTest, OpensTheDriverOfTheVariant) {
  add("", addOne);
  EXPECT_OK(call(0)); // the tables
  tenon_executable_release(static_cast<tenon_executable *>(cell));
  cell = nullptr;
  variants[0].driver = "tpu";
  EXPECT_ERROR(call(), TENON_ERROR_ARGUMENT, "no driver 'tpu'");
}

/// The driver of the executable that the entry gets.
static std::string chosen(const tenon_artifact &artifact, const char *driver) {
  tenon_executable *executable = nullptr;
  EXPECT_OK(tenon_artifact_executable(&artifact, nullptr, driver, &executable));
  tenon_device_info info = {};
  EXPECT_OK(tenon_device_info_get(tenon_executable_device(executable), &info));
  tenon_executable_release(executable);
  return info.driver;
}

// "null" is of kind "cpu": it stands in for a GPU.
TEST_F(LibraryTest, ChoosesTheDriverThatIsAskedForAndStandInsLast) {
  add("", addOne);
  add("", addTwo);
  EXPECT_OK(call(0)); // the tables
  variants[0].driver = "null";
  EXPECT_EQ(chosen(artifact, nullptr), "cpu");
  EXPECT_EQ(chosen(artifact, "null"), "null");
  setenv("TENON_DRIVER", "null", 1);
  EXPECT_EQ(chosen(artifact, nullptr), "null");
  EXPECT_EQ(chosen(artifact, "cpu"), "cpu");
  unsetenv("TENON_DRIVER");
  variants[1].features = "avx9";
  EXPECT_EQ(chosen(artifact, nullptr), "null");
  tenon_executable *executable = nullptr;
  EXPECT_ERROR(tenon_artifact_executable(&artifact, nullptr, "vulkan", &executable),
               TENON_ERROR_DEVICE,
               "'model' is compiled for a processor, a processor, not for driver 'vulkan'");
}

TEST_F(LibraryTest, RefusesNegativeExtents) {
  add("", addOne);
  EXPECT_ERROR(call(-1), TENON_ERROR_SHAPE, "'x'");
}

TEST_F(LibraryTest, CalledFromManyThreadsMakesOneExecutable) {
  add("", addOne);
  EXPECT_OK(call(0)); // the tables
  tenon_executable_release(static_cast<tenon_executable *>(cell));
  cell = nullptr;
  std::vector<std::thread> threads;
  std::vector<std::vector<float>> results(8, std::vector<float>(2));
  for (auto &result : results)
    threads.emplace_back([&] {
      void *arguments[] = {x, result.data()};
      int64_t n = 2;
      EXPECT_OK(tenon_entry_call(&entry, arguments, &n, nullptr));
    });
  for (std::thread &thread : threads)
    thread.join();
  for (auto &result : results)
    EXPECT_EQ(result, (std::vector<float>{2, 3}));
}

TEST_F(LibraryTest, ExecutablesByName) {
  add("", addOne);
  EXPECT_OK(call());
  tenon_executable *executable = nullptr;
  EXPECT_OK(tenon_artifact_executable(&artifact, nullptr, nullptr, &executable));
  EXPECT_STREQ(tenon_executable_program(executable)->name, "entry");
  tenon_executable_release(executable);
  EXPECT_ERROR(tenon_artifact_executable(&artifact, "none", nullptr, &executable),
               TENON_ERROR_ARGUMENT, "entry: no 'none' among 'entry'");
  EXPECT_ERROR(tenon_artifact_executable(nullptr, "none", nullptr, &executable),
               TENON_ERROR_ARGUMENT, "'artifact' is NULL");
}

TEST(Library, RefusesWhatIsNoLibrary) {
  tenon_library *library = nullptr;
  EXPECT_ERROR(tenon_library_open("/nowhere/lib.so", &library), TENON_ERROR_IO,
               "/nowhere/lib.so: ");
  EXPECT_ERROR(tenon_library_open("/", &library), TENON_ERROR_IO, "expected a regular file");
  EXPECT_ERROR(tenon_library_open("/dev/null", &library), TENON_ERROR_IO,
               "expected a regular file");
  EXPECT_ERROR(tenon_library_open(nullptr, &library), TENON_ERROR_ARGUMENT, "'path' is NULL");
}
