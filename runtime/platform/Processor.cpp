//===- Processor.cpp - What instructions there are ------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "runtime/platform/Processor.h"

#include <algorithm>
#include <cstdint>
#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

namespace tenon::runtime::platform {

const char *architecture() {
#if defined(__x86_64__)
  return "x86_64";
#elif defined(__aarch64__)
  return "aarch64";
#else
  return "unknown";
#endif
}

namespace {

enum Register { A, B, C, D };
/// Registers that the operating system must save for an extension.
enum State { None = 0, Ymm = 0x6, Zmm = 0xe6 };

/// A bit of what the cpuid instruction answers.
struct X86Feature {
  const char *name;
  uint32_t leaf, subleaf;
  Register place;
  int bit;
  State state;
};

// Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2A, CPUID; leaf
// 0x80000001: AMD64 Architecture Programmer's Manual, volume 3, appendix E.
const X86Feature x86Features[] = {
    {"sse3", 1, 0, C, 0, None},
    {"pclmul", 1, 0, C, 1, None},
    {"ssse3", 1, 0, C, 9, None},
    {"fma", 1, 0, C, 12, Ymm},
    {"cx16", 1, 0, C, 13, None},
    {"sse4.1", 1, 0, C, 19, None},
    {"sse4.2", 1, 0, C, 20, None},
    {"movbe", 1, 0, C, 22, None},
    {"popcnt", 1, 0, C, 23, None},
    {"aes", 1, 0, C, 25, None},
    {"avx", 1, 0, C, 28, Ymm},
    {"f16c", 1, 0, C, 29, Ymm},
    {"bmi", 7, 0, B, 3, None},
    {"avx2", 7, 0, B, 5, Ymm},
    {"bmi2", 7, 0, B, 8, None},
    {"avx512f", 7, 0, B, 16, Zmm},
    {"avx512dq", 7, 0, B, 17, Zmm},
    {"adx", 7, 0, B, 19, None},
    {"avx512ifma", 7, 0, B, 21, Zmm},
    {"avx512cd", 7, 0, B, 28, Zmm},
    {"sha", 7, 0, B, 29, None},
    {"avx512bw", 7, 0, B, 30, Zmm},
    {"avx512vl", 7, 0, B, 31, Zmm},
    {"avx512vbmi", 7, 0, C, 1, Zmm},
    {"avx512vbmi2", 7, 0, C, 6, Zmm},
    {"gfni", 7, 0, C, 8, None},
    {"vaes", 7, 0, C, 9, Ymm},
    {"vpclmulqdq", 7, 0, C, 10, Ymm},
    {"avx512vnni", 7, 0, C, 11, Zmm},
    {"avx512bitalg", 7, 0, C, 12, Zmm},
    {"avx512vpopcntdq", 7, 0, C, 14, Zmm},
    {"movdiri", 7, 0, C, 27, None},
    {"avx512vp2intersect", 7, 0, D, 8, Zmm},
    {"avx512fp16", 7, 0, D, 23, Zmm},
    {"avxvnni", 7, 1, A, 4, Ymm},
    {"avx512bf16", 7, 1, A, 5, Zmm},
    {"avxifma", 7, 1, A, 23, Ymm},
    {"avxvnniint8", 7, 1, D, 4, Ymm},
    {"avxneconvert", 7, 1, D, 5, Ymm},
    {"avxvnniint16", 7, 1, D, 10, Ymm},
    {"avx10.1-256", 7, 1, D, 19, Ymm},
    {"sahf", 0x80000001, 0, C, 0, None},
    {"lzcnt", 0x80000001, 0, C, 5, None},
    {"sse4a", 0x80000001, 0, C, 6, None},
    {"prfchw", 0x80000001, 0, C, 8, None},
    {"xop", 0x80000001, 0, C, 11, Ymm},
    {"fma4", 0x80000001, 0, C, 16, Ymm},
    {"tbm", 0x80000001, 0, C, 21, None},
};

/// Bits of AT_HWCAP, and of AT_HWCAP2 where `second`; all of `bits` are needed.
struct ArmFeature {
  const char *name;
  bool second;
  uint64_t bits;
};

// Linux, Documentation/arch/arm64/elf_hwcaps.rst.
const ArmFeature armFeatures[] = {
    {"fp-armv8", false, 1 << 0}, {"neon", false, 1 << 1},    {"aes", false, 1 << 3},
    {"sha2", false, 1 << 6},     {"crc", false, 1 << 7},     {"lse", false, 1 << 8},
    {"fullfp16", false, 3 << 9}, // FPHP and ASIMDHP
    {"rdm", false, 1 << 12},     {"jsconv", false, 1 << 13}, {"complxnum", false, 1 << 14},
    {"rcpc", false, 1 << 15},    {"sha3", false, 1 << 17},   {"sm4", false, 1 << 19},
    {"dotprod", false, 1 << 20}, {"sve", false, 1 << 22},    {"fp16fml", false, 1 << 23},
    {"sve2", true, 1 << 1},      {"fptoint", true, 1 << 8},  {"i8mm", true, 1 << 13},
    {"bf16", true, 1 << 14},
};

#if defined(__x86_64__)

uint64_t savedState() {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 27 & 1)) // OSXSAVE
    return 0;
  asm volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
  return uint64_t(d) << 32 | a;
}

bool has(const X86Feature &feature) {
  unsigned registers[4];
  if (!__get_cpuid_count(feature.leaf, feature.subleaf, &registers[A], &registers[B], &registers[C],
                         &registers[D]))
    return false;
  static const uint64_t saved = savedState();
  return (registers[feature.place] >> feature.bit & 1) &&
         (saved & feature.state) == uint64_t(feature.state);
}

#endif

template <typename Feature, size_t N>
std::vector<const char *> namesOf(const Feature (&features)[N]) {
  std::vector<const char *> names;
  for (const Feature &feature : features)
    names.push_back(feature.name);
  return names;
}

} // namespace

const std::vector<const char *> &knownFeatures(std::string_view architecture) {
  static const std::vector<const char *> x86 = namesOf(x86Features), arm = namesOf(armFeatures),
                                         none;
  return architecture == "x86_64" ? x86 : architecture == "aarch64" ? arm : none;
}

bool processorHas(std::string_view name) {
#if defined(__x86_64__)
  for (const X86Feature &feature : x86Features)
    if (name == feature.name)
      return has(feature);
#elif defined(__aarch64__) && defined(__linux__)
  for (const ArmFeature &feature : armFeatures)
    if (name == feature.name)
      return (getauxval(feature.second ? AT_HWCAP2 : AT_HWCAP) & feature.bits) == feature.bits;
#endif
  return false;
}

std::string missingFeatures(std::string_view features) {
  std::string missing;
  while (!features.empty()) {
    size_t end = std::min(features.find(' '), features.size());
    std::string_view feature = features.substr(0, end);
    if (!feature.empty() && !processorHas(feature))
      missing += (missing.empty() ? "" : " ") + std::string(feature);
    features.remove_prefix(std::min(end + 1, features.size()));
  }
  return missing;
}

} // namespace tenon::runtime::platform
