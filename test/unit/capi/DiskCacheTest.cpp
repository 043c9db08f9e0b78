//===- DiskCacheTest.cpp - Programs kept in a folder ----------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "test/unit/capi/CompileFixture.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <sys/stat.h>
#include <unistd.h>

using namespace tenon;
using namespace tenon::test;
namespace fs = std::filesystem;

namespace {

class DiskCacheTest : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    std::string model = testing::TempDir() + "tenon-disk-cache-XXXXXX";
    ASSERT_NE(mkdtemp(model.data()), nullptr);
    folder = model + "/cache";
    tenon_compile_options_init(&options);
    options.device = GetParam();
  }
  void TearDown() override {
    EXPECT_EQ(tenon_disk_cache_open(nullptr, 0), nullptr);
    fs::remove_all(fs::path(folder).parent_path());
  }

  std::string refused(const std::string &path, tenon_code code = TENON_ERROR_IO) {
    tenon_status status = tenon_disk_cache_open(path.c_str(), 0);
    EXPECT_EQ(tenon_status_code(status), code);
    return take(status);
  }
  tenon_disk_cache_info info() {
    tenon_disk_cache_info info;
    tenon_disk_cache_info_get(&info);
    return info;
  }
  /// As a new process would; checks what comes.
  void compileAnew(const Square &square, int64_t n) {
    tenon_cache_clear();
    tenon_trace view = square.slice.view();
    tenon_executable *executable = nullptr;
    tenon_status status = tenon_compile_trace(&view, &options, &executable);
    ASSERT_EQ(status, nullptr) << take(status);
    std::vector<float> x(n, 3), b(n, 1), y(n);
    std::vector<int64_t> extents{n};
    tenon_tensor inputs[] = {floats(x, extents), floats(b, extents)}, output = floats(y, extents);
    status = tenon_executable_run(executable, inputs, 2, &output, 1, nullptr);
    ASSERT_EQ(status, nullptr) << take(status);
    EXPECT_EQ(y, std::vector<float>(n, 10));
    tenon_executable_release(executable);
  }
  std::vector<fs::path> entries() {
    std::vector<fs::path> found;
    for (const auto &entry : fs::directory_iterator(folder))
      if (entry.path().extension() == ".so")
        found.push_back(entry.path());
    return found;
  }

  std::string folder;
  tenon_compile_options options;
};

INSTANTIATE_TEST_SUITE_P(Devices, DiskCacheTest, testing::Values("cpu", "vulkan"),
                         [](const auto &info) { return std::string(info.param); });

TEST_P(DiskCacheTest, IsOffUntilItIsOpened) {
  Square square(5);
  compileAnew(square, 5);
  tenon_disk_cache_info counts = info();
  EXPECT_EQ(counts.entries + counts.hits + counts.misses, 0);
}

TEST_P(DiskCacheTest, TakesFromTheFolderWhatIsThere) {
  ASSERT_EQ(tenon_disk_cache_open(folder.c_str(), 0), nullptr);
  Square square(7), other(8);
  compileAnew(square, 7);
  EXPECT_EQ(info().misses, 1);
  EXPECT_EQ(info().entries, 1);
  compileAnew(square, 7);
  EXPECT_EQ(info().hits, 1);
  EXPECT_EQ(info().misses, 1);
  compileAnew(other, 8);
  EXPECT_EQ(info().misses, 2);
  options.opt_level = 0; // another program
  compileAnew(square, 7);
  EXPECT_EQ(info().misses, 3);
  EXPECT_EQ(info().failures, 0);
  struct stat status;
  ASSERT_EQ(stat(folder.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  ASSERT_EQ(stat(entries()[0].c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_P(DiskCacheTest, IsByDevice) {
  ASSERT_EQ(tenon_disk_cache_open(folder.c_str(), 0), nullptr);
  Square square(10);
  for (const char *device : {"cpu", "vulkan"}) {
    options.device = device;
    compileAnew(square, 10);
  }
  EXPECT_EQ(info().misses, 2);
  EXPECT_EQ(info().entries, 2);
  compileAnew(square, 10);
  EXPECT_EQ(info().hits, 1);
}

TEST_P(DiskCacheTest, CompilesAnewWhatIsNotSound) {
  ASSERT_EQ(tenon_disk_cache_open(folder.c_str(), 0), nullptr);
  Square square(9);
  compileAnew(square, 9);
  fs::path entry = entries().at(0);
  auto size = fs::file_size(entry);
  tenon_cache_clear(); // nothing holds the file
  struct Damage {
    const char *what;
    std::function<void()> cause;
  } damages[] = {
      {"cut short", [&] { fs::resize_file(entry, size / 2); }},
      {"empty", [&] { fs::resize_file(entry, 0); }},
      {"a byte",
       [&] {
         std::fstream file(entry, std::ios::in | std::ios::out | std::ios::binary);
         file.seekg(long(size) / 2);
         char byte = char(file.get() ^ 1);
         file.seekp(long(size) / 2);
         file.put(byte);
       }},
      {"no library", [&] { std::ofstream(entry) << "no library"; }},
      {"open to others", [&] { fs::permissions(entry, fs::perms(0666)); }},
  };
  int64_t failures = 0;
  for (const Damage &damage : damages) {
    damage.cause();
    int64_t hits = info().hits;
    compileAnew(square, 9);
    EXPECT_EQ(info().failures, ++failures) << damage.what;
    EXPECT_EQ(info().hits, hits) << damage.what;
    char *problem = tenon_disk_cache_problem();
    ASSERT_NE(problem, nullptr);
    EXPECT_NE(std::string(problem).find(entry.filename()), std::string::npos) << problem;
    tenon_text_free(problem);
    compileAnew(square, 9);
    EXPECT_EQ(info().hits, hits + 1) << damage.what;
  }
}

TEST_P(DiskCacheTest, DeletesWhatWasNotUsedForLongest) {
  ASSERT_EQ(tenon_disk_cache_open(folder.c_str(), 0), nullptr);
  Square first(11), second(12), third(13);
  compileAnew(first, 11);
  int64_t bytes = info().bytes;
  compileAnew(second, 12);
  auto past = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (const fs::path &entry : entries())
    fs::last_write_time(entry, past);
  compileAnew(first, 11); // used now
  ASSERT_EQ(tenon_disk_cache_open(folder.c_str(), bytes * 5 / 2), nullptr);
  compileAnew(third, 13);
  EXPECT_EQ(info().entries, 2);
  compileAnew(first, 11);
  EXPECT_EQ(info().hits, 1);
  compileAnew(second, 12);
  EXPECT_EQ(info().misses, 2);
}

TEST_P(DiskCacheTest, DeletesWhatAProcessLeftUnfinished) {
  ASSERT_EQ(tenon_disk_cache_open(folder.c_str(), 0), nullptr);
  std::string old = folder + "/x.so.12345678.tmp", fresh = folder + "/y.so.12345678.tmp";
  std::ofstream(old) << "x";
  std::ofstream(fresh) << "y";
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(2));
  Square square(14);
  compileAnew(square, 14);
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(fresh));
}

TEST_P(DiskCacheTest, RefusesAFolderThatOthersMayEnter) {
  fs::create_directory(folder);
  fs::permissions(folder, fs::perms(0755));
  std::string error = refused(folder);
  EXPECT_NE(error.find("with mode 0700, got"), std::string::npos) << error;
  EXPECT_NE(error.find("mode 0755"), std::string::npos) << error;
  fs::remove(folder);
  std::ofstream(folder) << "a file";
  EXPECT_NE(refused(folder).find("expected a folder"), std::string::npos);
  EXPECT_NE(refused(folder + "/inside").find(folder), std::string::npos);
  tenon_status status = tenon_disk_cache_open(folder.c_str(), -1);
  EXPECT_EQ(tenon_status_code(status), TENON_ERROR_ARGUMENT);
  EXPECT_NE(take(status).find("got -1"), std::string::npos);
}

TEST_P(DiskCacheTest, RefusesWhatIsAnotherUsers) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can give files away";
  fs::create_directory(folder);
  fs::permissions(folder, fs::perms(0700));
  ASSERT_EQ(chown(folder.c_str(), 65534, 65534), 0);
  EXPECT_NE(refused(folder).find("expected a folder of user 0 with mode 0700, got"),
            std::string::npos);
  fs::remove(folder);
  ASSERT_EQ(tenon_disk_cache_open(folder.c_str(), 0), nullptr);
  Square square(16);
  compileAnew(square, 16);
  ASSERT_EQ(chown(entries().at(0).c_str(), 65534, 65534), 0);
  compileAnew(square, 16);
  EXPECT_EQ(info().failures, 1);
  EXPECT_EQ(info().hits, 0);
  char *problem = tenon_disk_cache_problem();
  ASSERT_NE(problem, nullptr);
  EXPECT_NE(std::string(problem).find("expected a file of user 0 that nobody else may write, got "
                                      "one of user 65534 with mode 0600"),
            std::string::npos)
      << problem;
  tenon_text_free(problem);
}

TEST_P(DiskCacheTest, AFolderThatIsGoneIsNoError) {
  ASSERT_EQ(tenon_disk_cache_open(folder.c_str(), 0), nullptr);
  fs::remove_all(folder);
  Square square(15);
  compileAnew(square, 15);
  EXPECT_EQ(info().failures, 1);
}

} // namespace
