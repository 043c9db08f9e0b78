//===- time-programs.cpp - How long programs take on a device -------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// time-programs [--cache=<folder>] [--scale=<number>] [--limit=<int>] [--steps=<int>]
//   [--seconds=<number>] <library> <entry>...: runs entries that were compiled ahead of time, with
// arguments and results in the memory of the first Vulkan device, for so many seconds each, and
// prints the median of a step, the least, the first run and the loading in milliseconds, and how
// many runs. Inputs are random, of [0, scale) or below the limit; rank 0 ones are a thousandth, or
// 1. A result that may take the place of an input does. Extents are known. For a file of one's own:
//
//   tenon-compile kernels.mlir --target=vulkan --emit=shared -o libkernels.so
//     --gpu-features=cooperative-matrix,shuffle,preserve
//
//===----------------------------------------------------------------------===//
#include "tenon/library.h"
#include "tenon/runtime.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

static void check(tenon_status status) {
  if (!status)
    return;
  std::fprintf(stderr, "time-programs: %s\n", tenon_status_message(status));
  std::exit(1);
}

static double milliseconds() {
  using namespace std::chrono;
  return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

namespace {
struct Options {
  const char *cache = nullptr;
  double scale = 1, seconds = 0.5;
  int64_t limit = 2, steps = 1;
  std::vector<const char *> names;
};
} // namespace

static bool parse(int argc, char **argv, Options &options) {
  for (int i = 1; i < argc; i++) {
    auto value = [&](const char *name) -> const char * {
      size_t length = std::strlen(name);
      return std::strncmp(argv[i], name, length) == 0 ? argv[i] + length : nullptr;
    };
    if (const char *text = value("--cache="))
      options.cache = text;
    else if (const char *text = value("--scale="))
      options.scale = std::atof(text);
    else if (const char *text = value("--seconds="))
      options.seconds = std::atof(text);
    else if (const char *text = value("--limit="))
      options.limit = std::max<int64_t>(std::atoll(text), 1);
    else if (const char *text = value("--steps="))
      options.steps = std::max<int64_t>(std::atoll(text), 1);
    else
      options.names.push_back(argv[i]);
  }
  return options.names.size() >= 2;
}

/// `count` elements, which repeat after a while.
static std::vector<char> randomBytes(tenon_dtype dtype, int64_t count, int64_t rank,
                                     const Options &options) {
  int64_t size = tenon_dtype_size(dtype);
  std::vector<char> bytes(size_t(count * size));
  std::mt19937 generator(7);
  auto put = [&](int64_t i, auto x) { std::memcpy(bytes.data() + i * size, &x, sizeof x); };
  int64_t own = std::min<int64_t>(count, 1 << 20);
  for (int64_t i = 0; i < own; i++) {
    uint32_t word = generator();
    double x = rank == 0 ? 0.001 : options.scale * (word >> 8) * 0x1p-24;
    int64_t n = rank == 0 ? 1 : int64_t(word) % options.limit;
    switch (dtype) {
    case TENON_F64:
      put(i, x);
      break;
    case TENON_F32:
      put(i, float(x));
      break;
    case TENON_F16:
      put(i, _Float16(x));
      break;
    case TENON_I64:
      put(i, n);
      break;
    case TENON_I32:
      put(i, int32_t(n));
      break;
    default: // zeros
      break;
    }
  }
  for (int64_t i = own; i < count; i += own)
    std::memcpy(bytes.data() + i * size, bytes.data(), size_t(std::min(own, count - i) * size));
  return bytes;
}

namespace {
/// Arguments or results on the device.
class Side {
public:
  explicit Side(tenon_device *device) : device(device) {}
  ~Side() {
    for (tenon_tensor &tensor : tensors)
      tenon_buffer_release(tensor.buffer);
  }
  void add(const tenon_port &port, const Options *options, tenon_buffer *place);

  std::vector<tenon_tensor> tensors;

private:
  tenon_device *device;
};
} // namespace

/// With options it is an input. `place`: another one's buffer, to be taken.
void Side::add(const tenon_port &port, const Options *options, tenon_buffer *place) {
  int64_t count = 1;
  for (int64_t i = 0; i < port.rank; i++) {
    if (port.extents[i].code[0].op != TENON_EXPR_CONST) {
      std::fprintf(stderr, "time-programs: '%s' has open extents\n", port.name);
      std::exit(1);
    }
    count *= port.extents[i].code[0].value;
  }
  auto dtype = tenon_dtype(port.dtype);
  tenon_tensor tensor = {place, nullptr, port.dtype, port.rank, nullptr};
  if (place)
    tenon_buffer_retain(place);
  else
    check(tenon_buffer_allocate(device, count * tenon_dtype_size(dtype), &tensor.buffer));
  if (options) {
    std::vector<char> bytes = randomBytes(dtype, count, port.rank, *options);
    check(tenon_buffer_write(tensor.buffer, 0, bytes.data(), int64_t(bytes.size())));
  }
  tensors.push_back(tensor);
}

static void time(tenon_device *device, tenon_library *library, const char *entry,
                 const Options &options) {
  tenon_executable *executable;
  double begin = milliseconds();
  check(tenon_library_executable(library, entry, "vulkan", &executable));
  double loading = milliseconds() - begin;
  const tenon_program &program = *tenon_executable_program(executable);
  Side inputs(device), outputs(device);
  for (int64_t i = 0; i < program.num_inputs; i++)
    inputs.add(program.inputs[i], &options, nullptr);
  for (int64_t i = 0; i < program.num_outputs; i++) {
    int64_t donor = program.outputs[i].donates;
    outputs.add(program.outputs[i], nullptr,
                donor < 0 ? nullptr : inputs.tensors[size_t(donor)].buffer);
  }
  auto run = [&] {
    double begin = milliseconds();
    check(tenon_executable_run(executable, inputs.tensors.data(), program.num_inputs,
                               outputs.tensors.data(), program.num_outputs, nullptr));
    return milliseconds() - begin;
  };
  double first = run();
  for (double until = milliseconds() + 300; milliseconds() < until;) // clocks rise
    run();
  std::vector<double> times;
  for (double until = milliseconds() + 1000 * options.seconds;
       times.size() < 5 || (milliseconds() < until && times.size() < 5000);)
    times.push_back(run());
  std::sort(times.begin(), times.end());
  double steps = double(options.steps);
  std::printf("%s: median %.5f least %.5f first %.3f load %.1f runs %zu\n", entry,
              times[times.size() / 2] / steps, times[0] / steps, first, loading, times.size());
  std::fflush(stdout);
  tenon_executable_release(executable);
}

int main(int argc, char **argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::fprintf(stderr, "usage: time-programs [options] <library> <entry>...\n");
    return 2;
  }
  if (options.cache)
    check(tenon_pipeline_cache_open(options.cache, 0));
  tenon_device *device;
  check(tenon_device_open("vulkan", 0, &device));
  tenon_library *library;
  check(tenon_library_open(options.names[0], &library));
  for (size_t i = 1; i < options.names.size(); i++)
    time(device, library, options.names[i], options);
  tenon_library_release(library);
  tenon_device_release(device);
  return 0;
}
