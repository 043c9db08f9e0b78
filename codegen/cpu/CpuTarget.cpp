//===- CpuTarget.cpp - What a processor can do ----------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/CpuTarget.h"

#include "runtime/platform/Processor.h"

#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include <mutex>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

using namespace llvm;

namespace tenon::cpu {

static void initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    InitializeNativeTargetAsmParser();
  });
}

/// Bytes of the host's data cache of this level, 0 if it does not say.
static int64_t hostCacheBytes(unsigned level) {
#if defined(__x86_64__)
  // Intel describes its caches in leaf 4, AMD in 0x8000001D, in the same format.
  for (unsigned leaf : {0x4u, 0x8000001Du}) {
    unsigned a, b, c, d;
    for (unsigned i = 0; i < 16 && __get_cpuid_count(leaf, i, &a, &b, &c, &d); ++i) {
      unsigned type = a & 31, cacheLevel = (a >> 5) & 7;
      if (type == 0)
        break;
      if (type == 2 /*instructions*/ || cacheLevel != level)
        continue;
      int64_t ways = (b >> 22) + 1, partitions = ((b >> 12) & 1023) + 1, line = (b & 4095) + 1;
      return ways * partitions * line * (int64_t(c) + 1);
    }
  }
#endif
  return 0;
}

static std::string hostFeatures() {
  SubtargetFeatures features;
  for (auto &feature : sys::getHostCPUFeatures())
    features.AddFeature(feature.first(), feature.second);
  return features.getString();
}

static Expected<std::unique_ptr<MCSubtargetInfo>> subtarget(const CpuTarget &target) {
  initializeTargets();
  std::string error;
  const Target *found = TargetRegistry::lookupTarget(target.triple, error);
  if (!found)
    return createStringError(inconvertibleErrorCode(), error.c_str());
  return std::unique_ptr<MCSubtargetInfo>(
      found->createMCSubtargetInfo(target.triple, target.cpu, target.features));
}

static Error readFeatures(CpuTarget &target, StringRef march) {
  // Asked with a processor that all targets know, or LLVM would warn on stderr.
  CpuTarget generic = target;
  generic.cpu = "";
  auto known = subtarget(generic);
  if (!known)
    return known.takeError();
  if (!(*known)->isCPUStringValid(target.cpu))
    return createStringError(inconvertibleErrorCode(),
                             "unknown processor '%s'; expected native, x86-64-v2, x86-64-v3, "
                             "x86-64-v4 or a name that LLVM knows",
                             march.str().c_str());
  auto info = subtarget(target);
  if (!info)
    return info.takeError();
  auto has = [&](StringRef features) { return (*info)->checkFeatures(features.str()); };
  Triple triple(target.triple);
  if (triple.isX86()) {
    if (!has("+sse4.1"))
      return createStringError(inconvertibleErrorCode(),
                               "processor '%s' lacks SSE4.1; the least that Tenon generates code "
                               "for is x86-64-v2",
                               march.str().c_str());
    bool avx512 = has("+avx512f,+avx512vl,+avx512bw,+avx512dq");
    bool avx2 = has("+avx2,+fma");
    target.vectorBytes = avx512 ? 64 : avx2 ? 32 : 16;
    target.vectorRegisters = avx512 ? 32 : 16;
    target.hasFma = has("+fma");
    target.hasF16 = has("+f16c");
    target.hasMaskedMemory = avx512;
  } else if (triple.isAArch64()) {
    target.vectorBytes = 16;
    target.vectorRegisters = 32;
    target.hasFma = target.hasF16 = true;
  }
  return Error::success();
}

Expected<CpuTarget> CpuTarget::get(StringRef march) {
  CpuTarget target;
  target.triple = sys::getProcessTriple();
  bool native = march.empty() || march == "native";
  target.cpu = native ? sys::getHostCPUName().str() : march.str();
  if (native) {
    target.features = hostFeatures();
    if (int64_t bytes = hostCacheBytes(1))
      target.l1Bytes = bytes;
    if (int64_t bytes = hostCacheBytes(2))
      target.l2Bytes = bytes;
  }
  if (Error error = readFeatures(target, native ? "native" : march))
    return std::move(error);
  return target;
}

bool CpuTarget::runsHere() const {
  static const StringMap<bool> host = [] {
    StringMap<bool> map;
    for (auto &feature : sys::getHostCPUFeatures())
      map[feature.first()] = feature.second;
    return map;
  }();
  if (Triple(triple).getArch() != Triple(sys::getProcessTriple()).getArch())
    return false;
  auto info = subtarget(*this);
  if (!info) {
    consumeError(info.takeError());
    return false;
  }
  // What the host does not report is tuning, or there on all processors.
  for (auto &feature : host)
    if (!feature.second && (*info)->checkFeatures(("+" + feature.first()).str()))
      return false;
  return true;
}

std::string CpuTarget::neededFeatures() const {
  auto info = subtarget(*this);
  if (!info) {
    consumeError(info.takeError());
    return "";
  }
  std::string needed;
  for (const char *name : runtime::platform::knownFeatures(Triple(triple).getArchName().str()))
    if ((*info)->checkFeatures("+" + std::string(name)))
      needed += (needed.empty() ? "" : " ") + std::string(name);
  return needed;
}

int CpuTarget::lanes(mlir::Type elementType) const {
  if (elementType.isF16() || elementType.isBF16())
    return vectorBytes / 4;
  int bits = elementType.isIndex() ? 64 : int(elementType.getIntOrFloatBitWidth());
  return vectorBytes / std::max(1, bits / 8);
}

} // namespace tenon::cpu
