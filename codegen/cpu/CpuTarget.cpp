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
#include "llvm/TargetParser/AArch64TargetParser.h"
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

/// Code generators for other machines than this one, which few need.
static void initializeOtherTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    InitializeAllTargetInfos();
    InitializeAllTargets();
    InitializeAllTargetMCs();
    InitializeAllAsmPrinters();
    InitializeAllAsmParsers();
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
  if (Triple(target.triple).getArch() != Triple(sys::getProcessTriple()).getArch())
    initializeOtherTargets();
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
    return createStringError(
        inconvertibleErrorCode(),
        "unknown processor '%s'; expected native, %s or a name that LLVM knows",
        march.str().c_str(),
        Triple(target.triple).isAArch64() ? "armv8-a, armv8.2-a, armv9-a"
                                          : "x86-64-v2, x86-64-v3, x86-64-v4");
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

/// An architecture like "armv8.2-a" as features of a processor without tuning.
static Error readArchitecture(CpuTarget &target) {
  const AArch64::ArchInfo *architecture = AArch64::parseArch(target.name);
  if (!architecture || !Triple(target.triple).isAArch64())
    return createStringError(
        inconvertibleErrorCode(),
        "processor '%s': expected an architecture of AArch64 and a target that "
        "has it, as armv8.2-a for aarch64-linux-gnu, got %s",
        target.name.c_str(), target.triple.c_str());
  std::vector<StringRef> features;
  AArch64::getExtensionFeatures(architecture->DefaultExts, features);
  SubtargetFeatures all;
  all.AddFeature(architecture->ArchFeature);
  for (StringRef feature : features)
    all.AddFeature(feature);
  target.cpu = "generic";
  target.features = all.getString();
  return Error::success();
}

Expected<CpuTarget> CpuTarget::get(StringRef march, StringRef triple) {
  CpuTarget target;
  Triple host(sys::getProcessTriple());
  bool isArchitecture = march.starts_with("armv");
  if (!triple.empty())
    target.triple = Triple::normalize(triple);
  else if (isArchitecture && !host.isAArch64())
    target.triple = "aarch64-unknown-linux-gnu";
  else
    target.triple = host.str();
  bool other = Triple(target.triple).getArch() != host.getArch();
  if (other && !Triple(target.triple).isAArch64() &&
      Triple(target.triple).getArch() != Triple::x86_64)
    return createStringError(inconvertibleErrorCode(),
                             "expected a target that is x86-64 or AArch64, got %s",
                             target.triple.c_str());
  if (march.empty() && other) {
    march = Triple(target.triple).isX86() ? "x86-64-v2" : "armv8-a";
    isArchitecture = march == "armv8-a";
  }
  bool native = march.empty() || march == "native";
  if (native && other)
    return createStringError(
        inconvertibleErrorCode(),
        "expected the name of a processor for %s, got native: this machine is %s",
        target.triple.c_str(), host.getArchName().str().c_str());
  target.name = target.cpu = native ? sys::getHostCPUName().str() : march.str();
  if (native) {
    target.features = hostFeatures();
    if (int64_t bytes = hostCacheBytes(1))
      target.l1Bytes = bytes;
    if (int64_t bytes = hostCacheBytes(2))
      target.l2Bytes = bytes;
  }
  if (isArchitecture)
    if (Error error = readArchitecture(target))
      return std::move(error);
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
    return std::max(1, vectorBytes / 4);
  int bits = elementType.isIndex() ? 64 : int(elementType.getIntOrFloatBitWidth());
  return std::max(1, vectorBytes / std::max(1, bits / 8));
}

} // namespace tenon::cpu
