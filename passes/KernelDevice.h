//===- KernelDevice.h - Where kernels run ------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tenon-place writes on kernels.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_PASSES_KERNELDEVICE_H
#define TENON_PASSES_KERNELDEVICE_H

#include "ir/TenonOps.h"

namespace tenon {

inline constexpr llvm::StringLiteral deviceAttr = "tenon.device", reasonAttr = "tenon.reason";
/// The strategy of kernels that move a value to their device.
inline constexpr llvm::StringLiteral transferStrategy = "transfer";

/// "cpu", "vulkan"; empty for a kernel that has not been placed.
llvm::StringRef deviceOf(KernelOp kernel);
/// Why it is not on the target's device; empty if it is.
llvm::StringRef placementReason(KernelOp kernel);

} // namespace tenon

#endif // TENON_PASSES_KERNELDEVICE_H
