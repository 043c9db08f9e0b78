//===- AttentionHeads.h - Heads of attention brought together ---*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tenon-fuse-attention's second half: front ends write heads one by one, kernels
// want them in one op.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_PASSES_ATTENTIONHEADS_H
#define TENON_PASSES_ATTENTIONHEADS_H

#include "ir/TenonOps.h"

namespace tenon {

/// Keys and values that are repeated for each query head of a group are read as they
/// are. True if the op changed.
bool dropRepeatedHeads(AttentionOp op);

/// Replaces a concatenation of single-head attentions over neighbouring slices of the
/// same tensors by one attention over all heads. If not: false, with a reason when the
/// parts are attentions at all.
bool mergeHeads(ConcatOp join, std::string &reason);

} // namespace tenon

#endif // TENON_PASSES_ATTENTIONHEADS_H
