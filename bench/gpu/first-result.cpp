//===- first-result.cpp - From opening the device to a first result -------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// first-result <library> <entry> [<cache folder>]: opens the first Vulkan device, makes the
// executable of an entry that was compiled ahead of time, runs it and prints how long each
// took, in milliseconds, and what another run takes; with TENON_TIMING=1 also what these consist
// of. With a folder, pipelines are kept there: the first call is cold, the second is warm. Inputs
// are zeros, extents known.
//
// A driver may have a cache of its own on disk; NVIDIA's is off with __GL_SHADER_DISK_CACHE=0.
//
//===----------------------------------------------------------------------===//
#include "tenon/library.h"
#include "tenon/runtime.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(tenon_status status) {
  if (!status)
    return;
  std::fprintf(stderr, "first-result: %s\n", tenon_status_message(status));
  std::exit(1);
}

static double milliseconds() {
  using namespace std::chrono;
  return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

/// Zeros for each of some ports.
static std::vector<tenon_tensor> zeros(const tenon_port *ports, int64_t count) {
  std::vector<tenon_tensor> tensors;
  for (int64_t i = 0; i < count; ++i) {
    int64_t bytes = tenon_dtype_size(tenon_dtype(ports[i].dtype));
    for (int64_t d = 0; d < ports[i].rank; ++d) {
      if (ports[i].extents[d].code[0].op != TENON_EXPR_CONST) {
        std::fprintf(stderr, "first-result: '%s' has open extents\n", ports[i].name);
        std::exit(1);
      }
      bytes *= ports[i].extents[d].code[0].value;
    }
    tensors.push_back({nullptr, std::calloc(size_t(bytes) + 1, 1), ports[i].dtype, ports[i].rank,
                       nullptr}); // for good
  }
  return tensors;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: first-result <library> <entry> [<cache folder>]\n");
    return 2;
  }
  tenon_library *library;
  check(tenon_library_open(argv[1], &library));
  if (argc > 3)
    check(tenon_pipeline_cache_open(argv[3], 0));
  double begin = milliseconds();
  tenon_device *device;
  check(tenon_device_open("vulkan", 0, &device));
  double opened = milliseconds();
  tenon_executable *executable;
  check(tenon_library_executable(library, argv[2], "vulkan", &executable));
  double made = milliseconds();
  const tenon_program *program = tenon_executable_program(executable);
  auto inputs = zeros(program->inputs, program->num_inputs);
  auto outputs = zeros(program->outputs, program->num_outputs);
  auto run = [&] {
    check(tenon_executable_run(executable, inputs.data(), program->num_inputs, outputs.data(),
                               program->num_outputs, nullptr));
    return milliseconds();
  };
  double done = run(), again = run();
  int64_t pipelines = 0;
  for (int64_t i = 0; i < program->num_kernels; ++i)
    pipelines += program->kernels[i].num_dispatches;
  tenon_pipeline_cache_info info;
  tenon_pipeline_cache_info_get(&info);
  tenon_device_info is;
  check(tenon_device_info_get(device, &is));
  std::printf("%s, %d pipelines, %s: %.1f ms (device %.1f, pipelines %.1f, run %.1f; "
              "another run %.1f) on %s\n",
              argv[2], int(pipelines), info.loaded ? "warm" : "cold", done - begin, opened - begin,
              made - opened, done - made, again - done, is.description);
  tenon_executable_release(executable);
  tenon_library_release(library);
  return 0;
}
