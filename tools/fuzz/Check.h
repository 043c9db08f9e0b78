//===- Check.h - Is what was compiled right? --------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program is compiled in several ways; each result is compared with the reference
// interpreter's, within the bounds that it derives.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_TOOLS_FUZZ_CHECK_H
#define TENON_TOOLS_FUZZ_CHECK_H

#include "tools/fuzz/Program.h"

namespace tenon::fuzz {

/// A way to compile.
struct Variant {
  std::string name; ///< as flags of tenon-run
  int64_t optLevel = 2;
  std::string disabled; ///< passes to leave out
  std::string device = "cpu";
  std::string mixed = ""; ///< what products of f32 are computed in, here and in the reference
};

/// -O0, -O3, -O2 without each pass that may be left out, and mixed precision without the passes
/// before it, which the reference does not know.
std::vector<Variant> allVariants();
/// For a GPU.
Variant vulkanVariant();

struct Verdict {
  /// Broken: does not compile, ends with a signal or does not end.
  enum Kind { Right, Refused, Wrong, Broken } kind = Right;
  bool isFault() const { return kind == Wrong || kind == Broken; }
  int64_t elements = 0, undecided = 0; ///< compared; of an infinite bound
  size_t place = 0;                    ///< the inputs of what is not right
  std::string variant, message;        ///< of what is not right
};

/// Compiles in each way, and runs it on each of `inputs`. What is refused with an error is
/// right to be only where extents are known at run time.
Verdict check(const std::string &text, llvm::MutableArrayRef<Inputs> inputs,
              llvm::ArrayRef<Variant> variants, const std::string &function = "f");
inline Verdict check(Case &program, llvm::ArrayRef<Variant> variants) {
  return check(program.text, program.inputs, variants, program.function);
}

constexpr unsigned kSecondsAtMost = 120;

/// Checks in a process of its own, so that a crash or a hang is a verdict, too. What it has
/// started ends with it.
Verdict apart(llvm::function_ref<Verdict()> check, unsigned secondsAtMost = kSecondsAtMost);

} // namespace tenon::fuzz

#endif // TENON_TOOLS_FUZZ_CHECK_H
