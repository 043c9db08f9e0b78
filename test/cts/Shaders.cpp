//===- Shaders.cpp - the suite's kernels for GPUs -------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each function of Cts.h is on a device that runs SPIR-V.
//
//===----------------------------------------------------------------------===//
#include "test/cts/Cts.h"

#include "shaders/accumulate.inc"
#include "shaders/add.inc"
#include "shaders/add_last.inc"
#include "shaders/add_one.inc"
#include "shaders/append_digit.inc"
#include "shaders/is_small.inc"
#include "shaders/sum_partials.inc"
#include "shaders/sum_slices.inc"

namespace tenon::test {

namespace {

struct Shader {
  const uint32_t *words;
  int64_t bytes;
  std::vector<int64_t> bindings;
  Expr groups; ///< rows of at most 1024 are laid along x
};

struct Kernel {
  tenon_kernel function;
  int64_t numResults;
  std::vector<Shader> shaders;
};

} // namespace

template <size_t N>
static Shader shader(const uint32_t (&words)[N], std::vector<int64_t> bindings, Expr groups) {
  return {words, sizeof words, std::move(bindings), std::move(groups)};
}

static const std::vector<Kernel> &kernels() {
  constexpr int64_t scratch = TENON_BINDING_SCRATCH;
  Expr n = Expr::symbol(0);
  auto per = [](const Expr &count, int64_t each) { return count.with(TENON_EXPR_CEILDIV, each); };
  static const std::vector<Kernel> list = {
      {addOne, 1, {shader(::add_one, {0, 1}, per(n, 64))}},
      {add, 1, {shader(::add, {0, 1, 2}, per(n, 64))}},
      {addLast, 1, {shader(::add_last, {0, 1, 2}, per(Expr::symbol(39), 64))}},
      {sum,
       1,
       {shader(::sum_slices, {0, scratch}, per(n, 64000)),
        shader(::sum_partials, {scratch, 1}, 1)}},
      {accumulate, 2, {shader(::accumulate, {0, 1, 2, 3}, 1)}},
      {appendDigit, 1, {shader(::append_digit, {0, 1, 2}, 1)}},
      {isSmall, 1, {shader(::is_small, {0, 1}, 1)}},
  };
  return list;
}

void useShaders(ProgramBuilder &builder) {
  for (tenon_kernel_desc &desc : builder.kernels)
    for (const Kernel &kernel : kernels()) {
      if (desc.function != kernel.function)
        continue;
      std::vector<tenon_dispatch> dispatches;
      for (const Shader &shader : kernel.shaders) {
        constexpr int64_t most = 1024;
        dispatches.push_back(
            {shader.words,
             shader.bytes,
             "main",
             int64_t(shader.bindings.size()),
             shader.bindings.data(),
             {builder.keep(shader.groups.with(TENON_EXPR_MIN, most)),
              builder.keep(shader.groups.with(TENON_EXPR_CEILDIV, most)), builder.keep(1)},
             0,
             0});
      }
      desc.function = nullptr;
      desc.num_results = kernel.numResults;
      builder.setDispatches(desc, std::move(dispatches));
      break;
    }
}

} // namespace tenon::test
