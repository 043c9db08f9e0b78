//===- ProgramBuilder.h - programs written by hand --------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns the tables behind a tenon_program, so that a test reads like one.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_TEST_CTS_PROGRAMBUILDER_H
#define TENON_TEST_CTS_PROGRAMBUILDER_H

#include "tenon/artifact.h"

#include <deque>
#include <string>
#include <vector>

namespace tenon::test {

/// A size expression; plain integers convert.
struct Expr {
  Expr(int64_t value = 0) : code{{TENON_EXPR_CONST, value}} {}
  static Expr symbol(int64_t index) { return of({TENON_EXPR_SYMBOL, index}); }
  static Expr threads() { return of({TENON_EXPR_THREADS, 0}); }

  Expr with(tenon_expr_op op, const Expr &other) const {
    Expr result = *this;
    result.code.insert(result.code.end(), other.code.begin(), other.code.end());
    result.code.push_back({op, 0});
    return result;
  }
  Expr operator*(const Expr &other) const { return with(TENON_EXPR_MUL, other); }
  Expr operator+(const Expr &other) const { return with(TENON_EXPR_ADD, other); }
  Expr operator-(const Expr &other) const { return with(TENON_EXPR_SUB, other); }

  std::vector<tenon_expr_code> code;

private:
  static Expr of(tenon_expr_code code) {
    Expr result;
    result.code = {code};
    return result;
  }
};

struct Carried {
  int64_t init, body, next, result;
  Expr size;
};

struct Scanned {
  int64_t base, body;
  Expr stride;
};

class ProgramBuilder {
public:
  using Steps = std::vector<tenon_step>;

  explicit ProgramBuilder(const char *name = "test", int64_t symbols = 0) {
    program.abi_version = TENON_ABI_VERSION;
    program.name = name;
    program.num_symbols = symbols;
  }

  /// Add a port and the slot that stands for it; return the slot.
  int64_t input(const char *name, tenon_dtype dtype, std::vector<Expr> extents) {
    inputs.push_back(port(name, dtype, extents, -1));
    return slot(TENON_SLOT_INPUT, int64_t(inputs.size()) - 1, bytesOf(dtype, extents));
  }
  int64_t output(const char *name, tenon_dtype dtype, std::vector<Expr> extents,
                 int64_t donates = -1) {
    outputs.push_back(port(name, dtype, extents, donates));
    return slot(TENON_SLOT_OUTPUT, int64_t(outputs.size()) - 1, bytesOf(dtype, extents));
  }
  template <typename T> int64_t constant(const T *data, int64_t count = 1) {
    int64_t bytes = int64_t(sizeof(T)) * count;
    int64_t index = slot(TENON_SLOT_CONSTANT, 0, bytes, data);
    slots[size_t(index)].bytes = bytes;
    return index;
  }
  int64_t arena(const Expr &offset, const Expr &bytes = 64) {
    return slot(TENON_SLOT_ARENA, 0, bytes, nullptr, offset);
  }
  int64_t view(int64_t base, const Expr &offset = 0) {
    return view(base, offset, sizeOf(base) - offset);
  }
  int64_t view(int64_t base, const Expr &offset, const Expr &bytes) {
    return slot(TENON_SLOT_VIEW, base, bytes, nullptr, offset);
  }
  void arenaBytes(const Expr &size) { program.arena_bytes = keep(size); }

  int64_t kernel(const char *name, tenon_kernel function, const Expr &scratchShared = 0,
                 const Expr &scratchPerWorker = 0) {
    kernels.push_back({name, "test.cpp", function, keep(7), keep(9), keep(scratchShared),
                       keep(scratchPerWorker), 0, 0, nullptr});
    return int64_t(kernels.size()) - 1;
  }

  tenon_step launchStep(int64_t kernel, std::vector<int64_t> slots,
                        std::vector<Expr> extents = {}) {
    tenon_step step{};
    step.kind = TENON_STEP_LAUNCH;
    step.kernel = kernel;
    step.num_slots = int64_t(slots.size());
    step.slots = keep(slots);
    std::vector<Expr> sizes;
    for (int64_t slot : slots)
      sizes.push_back(sizeOf(slot));
    step.sizes = keep(sizes);
    step.num_extents = int64_t(extents.size());
    step.extents = keep(extents);
    return step;
  }
  tenon_step copyStep(int64_t target, int64_t source, const Expr &size) {
    tenon_step step{};
    step.kind = TENON_STEP_COPY;
    step.num_slots = 2;
    step.slots = keep(std::vector<int64_t>{target, source});
    step.size = keep(size);
    return step;
  }
  tenon_step loopStep(const Expr &trips, const std::vector<Carried> &carried,
                      const std::vector<Scanned> &scanned, const Steps &body,
                      int64_t indexSlot = -1, bool reverse = false) {
    tenon_step step{};
    step.kind = TENON_STEP_LOOP;
    step.trips = keep(trips);
    step.reverse = reverse;
    step.index_slot = indexSlot;
    std::vector<tenon_carried> carriedTable;
    for (const Carried &c : carried)
      carriedTable.push_back({c.init, c.body, c.next, c.result, keep(c.size)});
    step.num_carried = int64_t(carried.size());
    step.carried = carriedLists.emplace_back(carriedTable).data();
    std::vector<tenon_scanned> scannedTable;
    for (const Scanned &s : scanned)
      scannedTable.push_back({s.base, s.body, keep(s.stride)});
    step.num_scanned = int64_t(scanned.size());
    step.scanned = scannedLists.emplace_back(scannedTable).data();
    step.num_body = int64_t(body.size());
    step.body = stepLists.emplace_back(body).data();
    return step;
  }

  tenon_step ifStep(int64_t condition, const Steps &body, const Steps &elseBody) {
    tenon_step step{};
    step.kind = TENON_STEP_IF;
    step.condition_slot = condition;
    step.num_body = int64_t(body.size());
    step.body = stepLists.emplace_back(body).data();
    step.num_else = int64_t(elseBody.size());
    step.else_body = stepLists.emplace_back(elseBody).data();
    return step;
  }

  ProgramBuilder &add(const tenon_step &step) {
    steps.push_back(step);
    return *this;
  }
  ProgramBuilder &launch(int64_t kernel, std::vector<int64_t> slots,
                         std::vector<Expr> extents = {}) {
    return add(launchStep(kernel, slots, extents));
  }

  void setDispatches(tenon_kernel_desc &kernel, std::vector<tenon_dispatch> dispatches) {
    const auto &kept = dispatchLists.emplace_back(std::move(dispatches));
    kernel.num_dispatches = int64_t(kept.size());
    kernel.dispatches = kept.data();
  }

  /// The program so far; valid while the builder lives and nothing is added.
  tenon_program &build() {
    program.num_inputs = int64_t(inputs.size());
    program.inputs = inputs.data();
    program.num_outputs = int64_t(outputs.size());
    program.outputs = outputs.data();
    program.num_kernels = int64_t(kernels.size());
    program.kernels = kernels.data();
    program.num_slots = int64_t(slots.size());
    program.slots = slots.data();
    program.num_steps = int64_t(steps.size());
    program.steps = steps.data();
    return program;
  }

  tenon_expr keep(const Expr &expr) {
    const auto &code = codes.emplace_back(expr.code);
    return {code.data(), int64_t(code.size())};
  }

  // Open to tests of bad programs.
  std::vector<tenon_port> inputs, outputs;
  std::vector<tenon_kernel_desc> kernels;
  std::vector<tenon_slot> slots;
  std::vector<tenon_step> steps;
  tenon_program program{};

private:
  int64_t slot(tenon_slot_kind kind, int64_t index, const Expr &bytes, const void *data = nullptr,
               const Expr &offset = 0) {
    slots.push_back({kind, index, data, 0, keep(offset)});
    slotBytes.push_back(bytes);
    return int64_t(slots.size()) - 1;
  }
  static Expr bytesOf(tenon_dtype dtype, const std::vector<Expr> &extents) {
    constexpr int64_t elementBytes[] = {8, 4, 2, 2, 8, 4, 1, 1};
    Expr bytes = elementBytes[dtype];
    for (const Expr &extent : extents)
      bytes = bytes * extent;
    return bytes;
  }
  /// Of a slot that is not there nothing.
  Expr sizeOf(int64_t slot) const {
    return slot >= 0 && size_t(slot) < slotBytes.size() ? slotBytes[size_t(slot)] : 0;
  }
  tenon_port port(const char *name, tenon_dtype dtype, const std::vector<Expr> &extents,
                  int64_t donates) {
    return {name, dtype, int64_t(extents.size()), keep(extents), donates};
  }
  const int64_t *keep(const std::vector<int64_t> &list) {
    return indexLists.emplace_back(list).data();
  }
  const tenon_expr *keep(const std::vector<Expr> &list) {
    std::vector<tenon_expr> table;
    for (const Expr &expr : list)
      table.push_back(keep(expr));
    return exprLists.emplace_back(table).data();
  }

  // Deques: what is kept stays where it is.
  std::vector<Expr> slotBytes; ///< of what launches find in each slot
  std::deque<std::vector<tenon_expr_code>> codes;
  std::deque<std::vector<tenon_expr>> exprLists;
  std::deque<std::vector<int64_t>> indexLists;
  std::deque<std::vector<tenon_carried>> carriedLists;
  std::deque<std::vector<tenon_scanned>> scannedLists;
  std::deque<std::vector<tenon_step>> stepLists;
  std::deque<std::vector<tenon_dispatch>> dispatchLists;
};

} // namespace tenon::test

#endif // TENON_TEST_CTS_PROGRAMBUILDER_H
