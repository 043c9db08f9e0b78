//===- SpirvModule.h - what a module asks of a device -----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads of a SPIR-V module what must be known before a driver gets it: one that asks
// for more than there is may take the device away instead of giving an error.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_DRIVERS_VULKAN_SPIRVMODULE_H
#define TENON_RUNTIME_DRIVERS_VULKAN_SPIRVMODULE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tenon::runtime::vulkan {

struct ModuleNeeds {
  std::vector<uint32_t> capabilities;
  std::vector<std::string> shaders;  ///< compute entry points
  uint64_t localSize[3] = {1, 1, 1}; ///< of the last entry point, if it is a constant
  uint64_t sharedBytes = 0;          ///< memory of a workgroup, without padding
  bool countsGroups = false;         ///< asks how many workgroups there are
};

/// False where the words are no module.
bool readModule(const uint32_t *words, size_t count, ModuleNeeds &needs);

} // namespace tenon::runtime::vulkan

#endif // TENON_RUNTIME_DRIVERS_VULKAN_SPIRVMODULE_H
