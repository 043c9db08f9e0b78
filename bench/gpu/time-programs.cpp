//===- time-programs.cpp - How long programs take on a device -------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// time-programs <device> <file.mlir> <function>...: compiles each function, keeps its
// arguments and results in the device's memory, runs it for a while and prints its name and
// the median of a run in milliseconds; the first run apart. Inputs are random, extents
// known. To build it:
//
//   clang++-19 -O2 -std=c++17 -Icapi/include -Iruntime/include bench/gpu/time-programs.cpp
//     -o time-programs -Lbuild/dev/lib -ltenon_compiler -ltenon_runtime -Wl,-rpath,build/dev/lib
//
//===----------------------------------------------------------------------===//
#include "tenon/compiler.h"
#include "tenon/runtime.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

static void check(tenon_status status) {
  if (!status)
    return;
  std::fprintf(stderr, "time-programs: %s\n", tenon_status_message(status));
  std::exit(1);
}

static double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

/// Random numbers of [0, 1) in any dtype of 2 or more bytes; of what is no float, zeros.
static std::vector<char> randomBytes(tenon_dtype dtype, int64_t count) {
  std::vector<char> bytes(size_t(count * tenon_dtype_size(dtype)));
  std::mt19937 generator(7);
  std::string name = tenon_dtype_name(dtype);
  for (int64_t i = 0; i < count; i++) {
    float x = float(generator() >> 8) * 0x1p-24f;
    if (name == "f32")
      reinterpret_cast<float *>(bytes.data())[i] = x;
    else if (name == "f64")
      reinterpret_cast<double *>(bytes.data())[i] = x;
    else if (name == "f16")
      reinterpret_cast<_Float16 *>(bytes.data())[i] = _Float16(x);
  }
  return bytes;
}

static void timeFunction(tenon_device *device, const char *name, const std::string &text,
                         const char *function) {
  tenon_compile_options options;
  tenon_compile_options_init(&options);
  options.device = name;
  tenon_executable *executable;
  double start = now();
  check(tenon_compile_mlir(text.data(), int64_t(text.size()), function, &options, &executable));
  double compiled = now() - start;
  const tenon_program &program = *tenon_executable_program(executable);
  std::vector<tenon_tensor> inputs, outputs;
  std::vector<std::vector<int64_t>> shapes;
  shapes.reserve(size_t(program.num_inputs + program.num_outputs));
  auto place = [&](const tenon_port &port, bool isInput) {
    std::vector<int64_t> &shape = shapes.emplace_back();
    int64_t count = 1;
    for (int64_t i = 0; i < port.rank; i++) {
      shape.push_back(port.extents[i].code[0].value);
      count *= shape.back();
    }
    tenon_tensor tensor = {};
    tensor.dtype = port.dtype;
    tensor.rank = port.rank;
    tensor.extents = shape.data();
    tenon_dtype dtype = tenon_dtype(port.dtype);
    check(tenon_buffer_allocate(device, count * tenon_dtype_size(dtype), &tensor.buffer));
    if (isInput) {
      std::vector<char> bytes = randomBytes(dtype, count);
      check(tenon_buffer_write(tensor.buffer, 0, bytes.data(), int64_t(bytes.size())));
    }
    return tensor;
  };
  for (int64_t i = 0; i < program.num_inputs; i++)
    inputs.push_back(place(program.inputs[i], true));
  for (int64_t i = 0; i < program.num_outputs; i++)
    outputs.push_back(place(program.outputs[i], false));
  auto run = [&] {
    double before = now();
    check(tenon_executable_run(executable, inputs.data(), int64_t(inputs.size()), outputs.data(),
                               int64_t(outputs.size()), nullptr));
    return now() - before;
  };
  double first = run();
  for (double until = now() + 0.3; now() < until;) // clocks rise
    run();
  std::vector<double> times;
  for (double until = now() + 0.5; times.size() < 9 || (now() < until && times.size() < 2000);)
    times.push_back(run());
  std::sort(times.begin(), times.end());
  std::printf("%-28s %10.4f ms  least %.4f  first %.1f  compile %.1f  runs %zu\n", function,
              times[times.size() / 2] * 1e3, times[0] * 1e3, first * 1e3, compiled * 1e3,
              times.size());
  std::fflush(stdout);
  for (tenon_tensor &tensor : inputs)
    tenon_buffer_release(tensor.buffer);
  for (tenon_tensor &tensor : outputs)
    tenon_buffer_release(tensor.buffer);
  tenon_executable_release(executable);
}

int main(int argc, char **argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: time-programs <device> <file.mlir> <function>...\n");
    return 2;
  }
  tenon_device *device;
  check(tenon_device_open(argv[1], 0, &device));
  std::stringstream text;
  text << std::ifstream(argv[2]).rdbuf();
  for (int i = 3; i < argc; i++)
    timeFunction(device, argv[1], text.str(), argv[i]);
  tenon_device_release(device);
  return 0;
}
