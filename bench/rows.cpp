//===- rows.cpp - Elementwise, row and transpose kernels beside a copy ----===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The peer moves as many bytes as the kernel reads and writes: a copy of half of
// them, or, where nothing much is written, a read of all. One thread each, in turn, in
// processor time; the ratio is the median over rounds. Options: --quick and a part of
// the names of the rows to be run.
//
//===----------------------------------------------------------------------===//
#include "bench/LinkedKernel.h"
#include "bench/Stream.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

using namespace tenon;

namespace {

struct Work {
  const char *name;
  std::vector<std::string> inputs; ///< types; i64 ones are seeds
  std::string output;
  std::string body; ///< of operands %0, %1 ...; defines %y
  const char *target;
};

std::vector<Work> makeWorks() {
  std::vector<Work> works;
  std::string x = "tensor<16384x1024xf32>", v = "tensor<1024xf32>", i = "tensor<i64>";
  std::string d = "tensor<16384x512xf64>", flat = "tensor<16777216xf32>";
  auto unary = [&](const char *name, const char *op, const std::string &attributes,
                   const std::string &type) {
    works.push_back({name,
                     {type},
                     type,
                     "%y = " + std::string(op) + " %0 " + attributes + " : " + type,
                     ">= .8"});
  };
  auto softmax = [&](const char *name, const char *op, const std::string &type) {
    works.push_back({name,
                     {type},
                     type,
                     "%y = " + std::string(op) + " %0 {axis = 1 : i64} : (" + type + ") -> " + type,
                     ">= .8"});
  };
  softmax("softmax f32 16384 x 1024", "tenon.softmax", x);
  softmax("softmax f32 131072 x 128", "tenon.softmax", "tensor<131072x128xf32>");
  softmax("log_softmax f32 16384 x 1024", "tenon.log_softmax", x);
  softmax("softmax f64 16384 x 512", "tenon.softmax", d);
  works.push_back({"layer_norm f32 16384 x 1024",
                   {x, v, v},
                   x,
                   "%y = tenon.layer_norm %0, %1 bias %2 {eps = 1.0e-5 : f64} : (" + x + ", " + v +
                       ", " + v + ") -> " + x,
                   ">= .8"});
  unary("exp f32", "tenon.exp", "", flat);
  unary("gelu, tanh, f32", "tenon.gelu", "{approximate = true}", flat);
  unary("gelu, exact, f32", "tenon.gelu", "{approximate = false}", flat);
  works.push_back({"gelu(x + bias), exact, f32",
                   {x, v},
                   x,
                   "%b = tenon.broadcast %1 {shape = array<i64: 16384, 1024>, dims = array<i64: "
                   "1>} : (" +
                       v + ") -> " + x + "\n%s = tenon.add %0, %b : (" + x + ", " + x + ") -> " +
                       x + "\n%y = tenon.gelu %s : " + x,
                   ">= .8"});
  auto dropout = [&](const char *name, const std::string &type) {
    works.push_back({name,
                     {type, i, i},
                     type,
                     "%y = tenon.dropout %0, %1, %2 {rate = 0.1 : f64, stream = 5 : i64} : (" +
                         type + ", " + i + ", " + i + ") -> " + type,
                     ">= .8"});
  };
  dropout("dropout f32", flat);
  dropout("dropout f64", "tensor<8388608xf64>");
  auto transpose = [&](const char *name, const std::string &from, const std::string &to,
                       const char *permutation, const char *after) {
    works.push_back(
        {name,
         {from},
         to,
         "%t = tenon.transpose %0 {permutation = array<i64: " + std::string(permutation) +
             ">} : (" + from + ") -> " + to + "\n%y = " + after + " %t : " + to,
         ">= .5"});
  };
  transpose("-transpose f32 4096 x 4096", "tensor<4096x4096xf32>", "tensor<4096x4096xf32>", "1, 0",
            "tenon.neg");
  transpose("-transpose f32 4000 x 3001", "tensor<4000x3001xf32>", "tensor<3001x4000xf32>", "1, 0",
            "tenon.neg");
  transpose("-transpose f64 2048 x 4096", "tensor<2048x4096xf64>", "tensor<4096x2048xf64>", "1, 0",
            "tenon.neg");
  transpose("-transpose f32 64 x 512 x 512, 0 2 1", "tensor<64x512x512xf32>",
            "tensor<64x512x512xf32>", "0, 2, 1", "tenon.neg");
  works.push_back({"sum over rows f32 16384 x 1024 (read)",
                   {x},
                   v,
                   "%y = tenon.reduce_sum %0 {axes = array<i64: 0>} : (" + x + ") -> " + v,
                   "-"});
  works.push_back(
      {"sum of columns f32 16384 x 1024 (read)",
       {x},
       "tensor<16384xf32>",
       "%y = tenon.reduce_sum %0 {axes = array<i64: 1>} : (" + x + ") -> tensor<16384xf32>",
       "-"});
  return works;
}

std::string kernelText(const Work &w) {
  std::string arguments, names, types, inner;
  for (size_t i = 0; i < w.inputs.size(); i++) {
    std::string n = std::to_string(i), comma = i ? ", " : "";
    arguments += comma + "%a" + n + ": " + w.inputs[i];
    names += comma + "%a" + n;
    types += comma + w.inputs[i];
    inner += comma + "%" + n + ": " + w.inputs[i];
  }
  return "func.func @f(" + arguments + ") -> " + w.output + " {\n%r = tenon.kernel \"rows\"(" +
         names + ") : (" + types + ") -> " + w.output + " {\n^bb0(" + inner + "):\n" + w.body +
         "\ntenon.yield %y : " + w.output + "\n}\nreturn %r : " + w.output + "\n}";
}

size_t bytesOf(const std::string &type) {
  size_t count = 1, at = type.find('<') + 1;
  for (size_t x; (x = type.find('x', at)) != std::string::npos; at = x + 1)
    count *= std::stoul(type.substr(at, x - at));
  return count * (type[at + 1] == '6' ? 8 : 4); // f64, i64; f32
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// On lines of the cache, as those of the runtime.
struct Buffer {
  explicit Buffer(size_t bytes)
      : bytes((bytes + 63) / 64 * 64), data(std::aligned_alloc(64, this->bytes)) {
    std::memset(data, 0, this->bytes);
  }
  ~Buffer() { std::free(data); }
  Buffer(const Buffer &) = delete;
  size_t bytes;
  void *data;
};

void fill(Buffer &buffer, const std::string &type) {
  auto number = [] { return double(std::rand()) / RAND_MAX * 6 - 3; };
  if (type.find("f64") != std::string::npos)
    for (size_t i = 0; i < buffer.bytes / 8; i++)
      static_cast<double *>(buffer.data)[i] = number();
  else if (type.find("f32") != std::string::npos)
    for (size_t i = 0; i < buffer.bytes / 4; i++)
      static_cast<float *>(buffer.data)[i] = float(number());
}

void measure(const Work &w, bool quick) {
  std::vector<std::unique_ptr<Buffer>> buffers;
  std::vector<void *> addresses;
  size_t moved = 0;
  auto add = [&](const std::string &type) {
    buffers.push_back(std::make_unique<Buffer>(bytesOf(type)));
    fill(*buffers.back(), type);
    addresses.push_back(buffers.back()->data);
    moved += bytesOf(type);
  };
  for (const std::string &type : w.inputs)
    add(type);
  add(w.output);
  bool reads = buffers.back()->bytes * 16 < moved;
  size_t share = (reads ? moved : moved / 2) / 64 * 64;
  Buffer from(share), to(reads ? 64 : share);
  bench::LinkedKernel kernel(kernelText(w));
  float sum = 0;
  auto ours = [&] { kernel.run(addresses.data()); };
  auto theirs = [&] {
    if (reads)
      sum += bench::streamRead(from.data, share);
    else
      bench::streamCopy(to.data, from.data, share);
  };
  auto time = [&](auto call) {
    double start = bench::now();
    call();
    return bench::now() - start;
  };
  ours(), theirs();
  std::vector<double> mine, others, ratios;
  for (int round = 0; round < (quick ? 9 : 25); round++) {
    mine.push_back(time(ours));
    others.push_back(time(theirs));
    ratios.push_back(others.back() / mine.back());
  }
  if (sum != sum) // or the reading would be of no use
    std::fprintf(stderr, "not a number\n");
  std::printf("rows %s, GB/s\t%.3g\t%.3g\t%.3f\t%s\n", w.name, double(moved) / median(mine) / 1e9,
              double(moved) / median(others) / 1e9, median(ratios), w.target);
  std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv) {
  bool quick = false;
  std::string part;
  for (int i = 1; i < argc; i++) {
    if (std::strcmp(argv[i], "--quick") == 0)
      quick = true;
    else
      part = argv[i];
  }
  for (const Work &work : makeWorks())
    if (std::string(work.name).find(part) != std::string::npos)
      measure(work, quick);
  return 0;
}
