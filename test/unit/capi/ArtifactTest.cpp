//===- ArtifactTest.cpp - Traces as files through the C API ---------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "frontend/Trace.h"
#include "tenon/compiler.h"
#include "tenon/library.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

using namespace tenon;
using infer::Type;

namespace {

std::string take(tenon_status status) {
  std::string text = tenon_status_message(status);
  tenon_status_free(status);
  return text;
}

/// next = k * x, which takes the place of x.
class ArtifactTest : public testing::Test {
protected:
  void SetUp() override {
    std::string model = testing::TempDir() + "tenon-artifact-XXXXXX";
    ASSERT_NE(mkdtemp(model.data()), nullptr);
    folder = model;
    path = folder + "/libscale.so";
    int32_t k = trace.input(Type::make(TENON_F32, {3}));
    int32_t x = trace.input(Type::make(TENON_F32, {3}));
    int32_t y = trace.record(infer::findOp("mul"), {k, x});
    trace.slice({y}, {k, x}, {}, slice, [](int32_t, Need) { return false; });
    slice.donates = {1};
    view = slice.view();
    function = {"scale", &view, inputs, outputs, constants, "about"};
    tenon_compile_options_init(&options);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  tenon_status compile() { return tenon_compile_artifact(&function, 1, &options, path.c_str()); }
  std::string failure(tenon_code code) {
    tenon_status status = compile();
    EXPECT_EQ(tenon_status_code(status), code);
    EXPECT_TRUE(std::filesystem::is_empty(folder)); // nothing is left behind
    return take(status);
  }

  Trace trace;
  Trace::Slice slice;
  tenon_trace view;
  std::string folder, path;
  float factors[3] = {2, 3, 4};
  const char *inputs[2] = {"k", "x"}, *outputs[1] = {"next"};
  const void *constants[2] = {factors, nullptr};
  tenon_artifact_function function;
  tenon_compile_options options;
};

TEST_F(ArtifactTest, ConstantsAreNoInputsAndStateKeepsItsPartner) {
  tenon_status status = compile();
  ASSERT_EQ(status, nullptr) << take(status);
  factors[0] = 0; // the file has its own
  tenon_library *library = nullptr;
  status = tenon_library_open(path.c_str(), &library);
  ASSERT_EQ(status, nullptr) << take(status);
  EXPECT_STREQ(tenon_library_artifact(library)->entries[0].metadata, "about");
  tenon_executable *executable = nullptr;
  status = tenon_library_executable(library, "scale", nullptr, &executable);
  ASSERT_EQ(status, nullptr) << take(status);
  const tenon_program *program = tenon_executable_program(executable);
  ASSERT_EQ(program->num_inputs, 1);
  EXPECT_STREQ(program->inputs[0].name, "x");
  EXPECT_STREQ(program->outputs[0].name, "next");
  EXPECT_EQ(program->outputs[0].donates, 0);
  float x[3] = {1, 1, 1};
  tenon_tensor tensor = {nullptr, x, TENON_F32, 1, nullptr};
  status = tenon_executable_run(executable, &tensor, 1, &tensor, 1, nullptr);
  EXPECT_EQ(status, nullptr) << take(status);
  EXPECT_EQ(x[0], 2);
  EXPECT_EQ(x[2], 4);
  tenon_executable_release(executable);
  tenon_library_release(library);
}

TEST_F(ArtifactTest, SignalsStayTheHosts) {
  struct sigaction action;
  stack_t before, after;
  sigaltstack(nullptr, &before);
  tenon_status status = compile();
  ASSERT_EQ(status, nullptr) << take(status);
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) {
    ASSERT_EQ(sigaction(signal, nullptr, &action), 0);
    EXPECT_EQ(action.sa_handler, SIG_DFL) << signal;
  }
  sigaltstack(nullptr, &after);
  EXPECT_EQ(after.ss_sp, before.ss_sp);
}

// On Mesa's driver, which stands in for a GPU: the processor's code comes first.
TEST_F(ArtifactTest, OneFileForBothDevices) {
  options.device = "vulkan,cpu";
  options.gpu_features = "preserve";
  tenon_status status = compile();
  ASSERT_EQ(status, nullptr) << take(status);
  tenon_library *library = nullptr;
  ASSERT_EQ(tenon_library_open(path.c_str(), &library), nullptr);
  const tenon_entry &entry = tenon_library_artifact(library)->entries[0];
  ASSERT_EQ(entry.num_variants, 2);
  EXPECT_STREQ(entry.variants[0].driver, "vulkan");
  EXPECT_STREQ(entry.variants[1].driver, "cpu");
  for (const char *driver : {"cpu", "vulkan"}) {
    tenon_executable *executable = nullptr;
    status = tenon_library_executable(library, nullptr, driver, &executable);
    ASSERT_EQ(status, nullptr) << take(status);
    tenon_device_info info = {};
    ASSERT_EQ(tenon_device_info_get(tenon_executable_device(executable), &info), nullptr);
    EXPECT_STREQ(info.driver, driver);
    float x[3] = {1, 1, 1}, y[3] = {};
    tenon_tensor in = {nullptr, x, TENON_F32, 1, nullptr},
                 out = {nullptr, y, TENON_F32, 1, nullptr};
    status = tenon_executable_run(executable, &in, 1, &out, 1, nullptr);
    EXPECT_EQ(status, nullptr) << take(status);
    EXPECT_EQ(y[2], 4) << driver;
    tenon_executable_release(executable);
  }
  tenon_library_release(library);
}

TEST_F(ArtifactTest, WritesObjectsAndHeaders) {
  path = folder + "/scale.o";
  tenon_status status = compile();
  ASSERT_EQ(status, nullptr) << take(status);
  std::ifstream header(folder + "/scale.h");
  std::ostringstream text;
  text << header.rdbuf();
  EXPECT_NE(text.str().find("scale_scale(const float *x, float *next, "), std::string::npos)
      << text.str();
}

TEST_F(ArtifactTest, RefusesWhatIsNoFunction) {
  EXPECT_EQ(take(tenon_compile_artifact(nullptr, 1, &options, path.c_str())),
            "tenon_compile_artifact: expected at least one function, got 0");
  EXPECT_EQ(take(tenon_compile_artifact(&function, 1, &options, "")),
            "tenon_compile_artifact: expected a path, got none");
  const tenon_artifact_function twice[] = {function, function};
  EXPECT_EQ(take(tenon_compile_artifact(twice, 2, &options, path.c_str())),
            "tenon_compile_artifact: two functions are called 'scale'");
  function.name = nullptr;
  EXPECT_EQ(failure(TENON_ERROR_ARGUMENT),
            "tenon_compile_artifact: function 0: expected a name, a trace and names of its inputs "
            "and outputs, got NULL");
}

TEST_F(ArtifactTest, RefusesConstantsThatAreState) {
  slice.donates = {0};
  view = slice.view();
  EXPECT_EQ(failure(TENON_ERROR_ARGUMENT),
            "tenon_compile_artifact: function 0: output 0 donates input 0, which is a constant");
}

TEST_F(ArtifactTest, RefusesOptionsOfOtherPrograms) {
  options.march = "pentium9";
  EXPECT_NE(failure(TENON_ERROR_ARGUMENT).find("unknown processor 'pentium9'"), std::string::npos);
  options.march = nullptr;
  options.loop_trips = 3;
  EXPECT_EQ(failure(TENON_ERROR_ARGUMENT), "tenon_compile_artifact: loop_trips: expected 0, got 3");
  options.loop_trips = 0;
  options.device = "reference";
  EXPECT_EQ(failure(TENON_ERROR_ARGUMENT),
            "tenon_compile_artifact: device: expected \"cpu\", \"vulkan\" or \"vulkan,cpu\"");
  options.device = "vulkan";
  options.gpu_features = "shuffle,wings";
  EXPECT_EQ(failure(TENON_ERROR_ARGUMENT), "gpu_features: expected some of cooperative-matrix, "
                                           "fragments, shuffle, preserve and "
                                           "debug-info, got 'wings'");
  options.device = "cpu";
  EXPECT_EQ(failure(TENON_ERROR_ARGUMENT), "gpu_features: expected NULL but for code for "
                                           "\"vulkan\" ahead of time, got \"shuffle,wings\"");
  options.device = "vulkan,cpu";
  options.gpu_features = nullptr;
  tenon_executable *executable = nullptr; // in the process it is one device
  EXPECT_EQ(tenon_status_code(tenon_compile_trace(&view, &options, &executable)),
            TENON_ERROR_DEVICE);
}

TEST_F(ArtifactTest, ACancelledCompilationWritesNothing) {
  int32_t cancel = 1;
  options.cancel = &cancel;
  failure(TENON_ERROR_CANCELLED);
}

TEST_F(ArtifactTest, AFolderThatIsNotThere) {
  path = folder + "/none/libscale.so";
  EXPECT_NE(failure(TENON_ERROR_IO).find("No such file or directory"), std::string::npos);
}

TEST_F(ArtifactTest, WhatIsLoadedStaysWhenItsFileIsReplaced) {
  tenon_library *first = nullptr, *second = nullptr;
  ASSERT_EQ(compile(), nullptr);
  ASSERT_EQ(tenon_library_open(path.c_str(), &first), nullptr);
  factors[1] = 7;
  ASSERT_EQ(compile(), nullptr);
  std::string message = take(tenon_library_open(path.c_str(), &second));
  EXPECT_NE(message.find("still holds another library"), std::string::npos) << message;
  EXPECT_STREQ(tenon_library_artifact(first)->entries[0].name, "scale");
  tenon_library_release(first);
  EXPECT_EQ(tenon_library_open(path.c_str(), &second), nullptr);
  tenon_library_release(second);
}

} // namespace
