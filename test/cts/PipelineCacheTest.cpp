//===- PipelineCacheTest.cpp - pipelines kept on disk ---------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device that was opened again, as in the next process, takes what was kept, if it is sound.
//
//===----------------------------------------------------------------------===//
#include "test/cts/Cts.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

using namespace tenon::test;
namespace fs = std::filesystem;

namespace {

class PipelineCacheTest : public DriverTest {
protected:
  void SetUp() override {
    DriverTest::SetUp();
    std::string pattern = ::testing::TempDir() + "tenon-pipelines-XXXXXX";
    ASSERT_TRUE(mkdtemp(pattern.data()));
    folder = pattern;
  }
  void TearDown() override {
    EXPECT_OK(tenon_pipeline_cache_open(nullptr, 0));
    fs::remove_all(folder);
    DriverTest::TearDown();
  }
  void open(int64_t most = 0) { ASSERT_OK(tenon_pipeline_cache_open(folder.c_str(), most)); }
  void openDeviceAgain() {
    for (const char *fault : {"lost@1", ""}) {
      setenv("TENON_FAULT", fault, 1);
      ASSERT_OK(tenon_device_open(GetParam().c_str(), 0, &device));
      BufferHandle buffer = allocate(1);
      char byte = 0;
      tenon_status status = tenon_buffer_write(buffer.get(), 0, &byte, 1);
      EXPECT_EQ(status != nullptr, *fault != '\0');
      tenon_status_free(status);
    }
  }
  /// Has a program compiled.
  void compile() {
    ProgramBuilder b("p");
    int64_t x = b.input("x", TENON_F32, {1}), y = b.output("y", TENON_F32, {1});
    b.launch(b.kernel("add_one", addOne), {x, y}, {1});
    ExecutableHandle e = create(b);
    Tensor<float> in({1}), out({0});
    EXPECT_OK(run(e, {in.argument()}, {out.argument()}));
    EXPECT_EQ(out.values[0], 2);
  }
  static tenon_pipeline_cache_info info() {
    tenon_pipeline_cache_info info;
    tenon_pipeline_cache_info_get(&info);
    return info;
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto &entry : fs::directory_iterator(folder))
      names.push_back(entry.path().string());
    return names;
  }
  /// Changes the file by `damage`, and wants it refused and written anew.
  template <typename Damage> void expectRefused(Damage damage) {
    ASSERT_EQ(files().size(), 1u);
    damage(files()[0]);
    tenon_pipeline_cache_info before = info();
    openDeviceAgain();
    compile();
    EXPECT_EQ(info().refused, before.refused + 1);
    EXPECT_EQ(info().loaded, before.loaded);
    EXPECT_EQ(info().saved, before.saved + 1);
    openDeviceAgain();
    compile();
    EXPECT_EQ(info().loaded, before.loaded + 1);
    EXPECT_EQ(info().failures, 0);
  }

  std::string folder;
};

void overwrite(const std::string &path, std::streamoff at, char byte) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(at);
  file.put(byte);
}

} // namespace

INSTANTIATE_TEST_SUITE_P(Drivers, PipelineCacheTest, ::testing::Values("vulkan"), driverLabel);

TEST_P(PipelineCacheTest, IsOffUntilItIsOpened) {
  openDeviceAgain();
  compile();
  EXPECT_EQ(files().size(), 0u);
}

TEST_P(PipelineCacheTest, KeepsAndTakes) {
  open(); // the device is open already
  compile();
  ASSERT_EQ(files().size(), 1u);
  EXPECT_EQ(info().saved, 1);
  struct stat file;
  ASSERT_EQ(stat(files()[0].c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777, 0600u);
  openDeviceAgain();
  compile();
  EXPECT_EQ(info().loaded, 1);
  EXPECT_EQ(files().size(), 1u);
}

TEST_P(PipelineCacheTest, RefusesWhatIsNotSound) {
  open();
  compile();
  expectRefused([](const std::string &path) { overwrite(path, 0, 'X'); });     // no such file
  expectRefused([](const std::string &path) { overwrite(path, 9, 'X'); });     // another driver
  expectRefused([](const std::string &path) { overwrite(path, 40, '\x7f'); }); // damaged
  expectRefused([](const std::string &path) { fs::resize_file(path, 50); });   // cut off
  expectRefused([](const std::string &path) { fs::resize_file(path, 0); });
  expectRefused([](const std::string &path) { chmod(path.c_str(), 0666); });
}

TEST_P(PipelineCacheTest, HasALimit) {
  open(8);
  openDeviceAgain();
  compile();
  EXPECT_EQ(files().size(), 0u);
  EXPECT_EQ(info().saved, 0);
}

TEST_P(PipelineCacheTest, RefusesFoldersOfOthers) {
  ASSERT_EQ(chmod(folder.c_str(), 0755), 0);
  EXPECT_ERROR(tenon_pipeline_cache_open(folder.c_str(), 0), TENON_ERROR_IO,
               "expected a folder of this user with mode 0700");
  EXPECT_ERROR(tenon_pipeline_cache_open((folder + "/a/b").c_str(), 0), TENON_ERROR_IO,
               "No such file");
  EXPECT_ERROR(tenon_pipeline_cache_open(folder.c_str(), -1), TENON_ERROR_ARGUMENT,
               "expected a limit of at least 0 bytes, got -1");
  compile();
  EXPECT_EQ(files().size(), 0u);
}

TEST_P(PipelineCacheTest, AFolderThatIsGoneIsNoError) {
  open();
  openDeviceAgain();
  fs::remove_all(folder);
  compile();
  EXPECT_EQ(info().failures, 1);
}
