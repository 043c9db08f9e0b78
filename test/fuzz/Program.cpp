//===- Program.cpp - Fuzzing the checks of programs -----------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The description of a program as an artifact holds it, with any numbers and any tables: it is
// refused, or an executable is made that answers questions about its results.
//
//===----------------------------------------------------------------------===//
#include "runtime/Validate.h"
#include "tenon/runtime.h"
#include "test/fuzz/Fuzz.h"

#include <algorithm>
#include <deque>
#include <fuzzer/FuzzedDataProvider.h>
#include <memory>
#include <vector>

using namespace tenon::test;

namespace {

void doNothing(tenon_env *, void *const *, const int64_t *) {}

/// Makes tables of what the bytes say. Tables have the length that is told: addresses are
/// the loader's to get right, numbers are the validator's.
class Maker {
public:
  Maker(const uint8_t *data, size_t size) : bytes(data, size) {}

  tenon_program program() {
    tenon_program result{};
    result.abi_version = TENON_ABI_VERSION + (number(0, 63) == 1);
    result.name = pick(names);
    result.num_symbols = number(-1, 3);
    result.inputs = table<tenon_port>(result.num_inputs, 3, [&] { return port(); });
    result.outputs = table<tenon_port>(result.num_outputs, 3, [&] { return port(); });
    result.kernels = table<tenon_kernel_desc>(result.num_kernels, 2, [&] { return kernel(); });
    result.slots = table<tenon_slot>(result.num_slots, 6, [&] {
      return tenon_slot{number(-1, 5), number(-1, 6), number(0, 7) ? names : nullptr,
                        number(-1, int64_t(sizeof names)), expr()};
    });
    result.steps = table<tenon_step>(result.num_steps, 4, [&] { return step(0); });
    result.arena_bytes = expr();
    result.checks = table<tenon_check>(result.num_checks, 2, [&] {
      return tenon_check{number(-1, 3), expr(), expr(), pick(names)};
    });
    return result;
  }

  int64_t number(int64_t low, int64_t high) { return bytes.ConsumeIntegralInRange(low, high); }
  int64_t anyNumber() { return bytes.ConsumeIntegral<int64_t>(); }

private:
  template <typename T, size_t N> T pick(T (&list)[N]) { return list[number(0, N - 1)]; }

  template <typename T, typename Make> const T *table(int64_t &count, int64_t most, Make make) {
    count = number(0, most);
    std::vector<T> entries;
    for (int64_t i = 0; i < count; ++i)
      entries.push_back(make());
    T *copy = static_cast<T *>(keep(entries.size() * sizeof(T)));
    std::copy(entries.begin(), entries.end(), copy);
    return copy;
  }
  /// Of the exact size, so that the sanitizer sees the end; null where there is nothing.
  void *keep(size_t size) {
    if (size == 0)
      return nullptr;
    return blocks.emplace_back(new char[size]).get();
  }

  tenon_expr expr() {
    tenon_expr result;
    if (number(0, 3)) { // mostly a small constant or a symbol
      tenon_expr_code code = {number(0, 3) == 1, number(-1, 64)};
      result.length = 1;
      result.code = static_cast<tenon_expr_code *>(keep(sizeof code));
      *const_cast<tenon_expr_code *>(result.code) = code;
      return result;
    }
    result.code = table<tenon_expr_code>(result.length, 7, [&] {
      int64_t op = number(-1, 10);
      return tenon_expr_code{op, number(0, 1) ? anyNumber() : number(-1, 4)};
    });
    return result;
  }

  tenon_port port() {
    tenon_port result{};
    result.name = pick(names);
    result.dtype = number(-1, 8);
    result.extents = table<tenon_expr>(result.rank, 4, [&] { return expr(); });
    if (number(0, 31) == 1)
      if (int64_t rank = anyNumber();
          rank < 0 || rank > tenon::runtime::maxRank) // else the table has to be as long
        result.rank = rank;
    result.donates = number(-1, 2);
    return result;
  }

  tenon_kernel_desc kernel() {
    tenon_kernel_desc result{};
    result.name = pick(names);
    result.location = pick(names);
    result.function = number(0, 3) == 1 ? nullptr : doNothing;
    result.flops = expr();
    result.bytes = expr();
    result.scratch_shared = expr();
    result.scratch_per_worker = expr();
    result.num_results = number(-1, 3);
    if (!result.function || number(0, 31) == 1)
      result.dispatches =
          table<tenon_dispatch>(result.num_dispatches, 2, [&] { return dispatch(); });
    return result;
  }

  tenon_dispatch dispatch() {
    tenon_dispatch result{};
    result.spirv_bytes = number(0, 8) * 4 + (number(0, 15) == 1);
    result.spirv = keep(size_t(result.spirv_bytes));
    result.entry = pick(names);
    result.bindings = table<int64_t>(result.num_bindings, 3, [&] { return number(-2, 3); });
    for (tenon_expr &groups : result.groups)
      groups = expr();
    result.subgroup_size = number(-1, 32);
    result.fragments = number(-1, 2);
    return result;
  }

  tenon_step step(int depth) {
    tenon_step result{};
    result.kind = number(-1, 4);
    result.kernel = number(-1, 2);
    auto slot = [&] { return number(-1, 6); };
    result.slots = table<int64_t>(result.num_slots, 3, slot);
    if (number(0, 7)) {
      auto *sizes = static_cast<tenon_expr *>(keep(size_t(result.num_slots) * sizeof(tenon_expr)));
      for (int64_t i = 0; i < result.num_slots; ++i)
        sizes[i] = expr();
      result.sizes = sizes;
    }
    result.extents = table<tenon_expr>(result.num_extents, 2, [&] { return expr(); });
    result.size = expr();
    result.trips = expr();
    result.reverse = number(0, 1);
    result.index_slot = slot();
    result.condition_slot = slot();
    if (depth >= 3)
      return result;
    result.carried = table<tenon_carried>(result.num_carried, 3, [&] {
      int64_t places[] = {slot(), slot(), slot(), slot()};
      return tenon_carried{places[0], places[1], places[2], places[3], expr()};
    });
    result.scanned = table<tenon_scanned>(result.num_scanned, 3, [&] {
      int64_t base = slot();
      return tenon_scanned{base, slot(), expr()};
    });
    result.body = table<tenon_step>(result.num_body, 3, [&] { return step(depth + 1); });
    if (result.kind == TENON_STEP_IF)
      result.else_body = table<tenon_step>(result.num_else, 3, [&] { return step(depth + 1); });
    return result;
  }

  static inline const char *names[] = {"x", "y", "", nullptr};
  FuzzedDataProvider bytes;
  std::deque<std::unique_ptr<char[]>> blocks;
};

/// Asks for the extents of all results, given any extents of the inputs.
void ask(Maker &maker, const tenon_program &program, tenon_executable *executable) {
  std::deque<std::vector<int64_t>> extents;
  std::vector<tenon_tensor> inputs;
  for (int64_t i = 0; i < program.num_inputs; ++i) {
    const tenon_port &port = program.inputs[i];
    std::vector<int64_t> &list = extents.emplace_back(size_t(port.rank));
    for (int64_t &extent : list)
      extent = maker.number(0, 7) ? maker.number(0, 64) : maker.anyNumber();
    inputs.push_back({nullptr, list.data(), tenon_dtype(port.dtype), port.rank, list.data()});
  }
  for (int64_t i = 0; i < program.num_outputs; ++i) {
    std::vector<int64_t> result(size_t(program.outputs[i].rank));
    tenon_status_free(tenon_executable_output_extents(executable, inputs.data(), program.num_inputs,
                                                      i, result.data()));
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static tenon_device *device = [] {
    tenon_device *opened = nullptr;
    require(!tenon_device_open("null", 0, &opened), "the null device can be opened");
    return opened;
  }();
  Maker maker(data, size);
  tenon_program program = maker.program();
  tenon_executable *executable = nullptr;
  if (tenon_status status =
          tenon_executable_create(device, &program, nullptr, nullptr, &executable)) {
    require(tenon_status_message(status)[0] != 0, "an error says something");
    tenon_status_free(status);
    return 0;
  }
  ask(maker, program, executable);
  tenon_executable_release(executable);
  return 0;
}
