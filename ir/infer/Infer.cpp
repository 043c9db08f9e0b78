//===- Infer.cpp - The table of ops and its helpers -----------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ir/infer/Infer.h"

#include "ir/infer/Attention.h"
#include "ir/infer/Control.h"
#include "ir/infer/Custom.h"
#include "ir/infer/Elementwise.h"
#include "ir/infer/Line.h"
#include "ir/infer/Linear.h"
#include "ir/infer/Loss.h"
#include "ir/infer/Norm.h"
#include "ir/infer/Optimizer.h"
#include "ir/infer/Random.h"
#include "ir/infer/Reduction.h"
#include "ir/infer/Shape.h"
#include "ir/infer/Window.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tenon::infer {

namespace {
struct Family {
  const OpSpec *ops;
  int size;
};
template <int N> constexpr Family family(const OpSpec (&ops)[N]) { return {ops, N}; }

// A new family is one line here; a new op none.
constexpr Family families[] = {
    family(elementwiseOps), family(shapeOps),     family(reductionOps), family(linearOps),
    family(normOps),        family(attentionOps), family(randomOps),    family(lossOps),
    family(optimizerOps),   family(controlOps),   family(windowOps),    family(lineOps),
    family(customOps),
};

const char *const dtypeNames[] = {"f64", "f32", "f16", "bf16", "i64", "i32", "i8", "i1"};
} // namespace

bool sameShape(const Type &a, const Type &b) {
  if (a.rank != b.rank)
    return false;
  for (int i = 0; i < a.rank; i++)
    if (!requireEqual(a.dims[i], b.dims[i]))
      return false;
  return true;
}

const char *print(const Type &type, char *text, int size) {
  int at = snprintf(text, size, "%s[", dtypeNames[type.dtype]);
  for (int i = 0; i < type.rank && at < size; i++)
    at += !isNumber(type.dims[i])
              ? snprintf(text + at, size - at, i ? ",?" : "?")
              : snprintf(text + at, size - at, i ? ",%lld" : "%lld", (long long)type.dims[i]);
  if (at < size)
    snprintf(text + at, size - at, "]");
  return text;
}

AttrSpec attrSpec(const char *schema, int index) {
  for (; index > 0; index--)
    schema = strchr(schema, ' ') + 1;
  const char *colon = strchr(schema, ':');
  return {schema, int(colon - schema), colon[1]};
}

int numAttrs(const char *schema) {
  int count = *schema ? 1 : 0;
  for (; *schema; schema++)
    count += *schema == ' ';
  return count;
}

/// The first word of attribute `index`.
static const int64_t *locate(const Attrs &attrs, int index) {
  const int64_t *word = attrs.words;
  const char *letter = attrs.schema;
  for (int i = 0; i < index; i++) {
    letter = strchr(letter, ':') + 1;
    word += 1 + wordsBehind(*letter, *word);
  }
  return word;
}

int64_t Attrs::integer(int index) const { return *locate(*this, index); }
double Attrs::real(int index) const {
  double value;
  memcpy(&value, locate(*this, index), sizeof value);
  return value;
}
std::string_view Attrs::text(int index) const {
  const int64_t *word = locate(*this, index);
  return {reinterpret_cast<const char *>(word + 1), size_t(*word)};
}
List Attrs::list(int index) const {
  const int64_t *word = locate(*this, index);
  return {word + 1, int(*word)};
}

bool Call::fail(const char *format, ...) {
  fault = Fault::Shape;
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  return false;
}

bool Call::fail(Fault kind, const char *format, ...) {
  fault = kind;
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  return false;
}

/// By op id. Recording and checks of traces ask for every node.
static const std::vector<const OpSpec *> &allOps() {
  static const auto *const table = [] {
    auto *specs = new std::vector<const OpSpec *>;
    for (const Family &f : families)
      for (int i = 0; i < f.size; i++)
        specs->push_back(&f.ops[i]);
    return specs;
  }();
  return *table;
}

int numOps() { return int(allOps().size()); }

const OpSpec &opSpec(int id) { return *allOps()[id]; }

int findOp(const char *name) {
  static const auto *const table = [] {
    auto *map = new std::unordered_map<std::string_view, int>;
    for (int id = 0; id < numOps(); id++)
      map->emplace(opSpec(id).name, id);
    return map;
  }();
  auto it = table->find(name);
  return it == table->end() ? -1 : it->second;
}

bool infer(const OpSpec &spec, Call &call) {
  call.op = spec.name;
  call.numResults = 0;
  if (call.numOperands < spec.minOperands ||
      (spec.maxOperands >= 0 && call.numOperands > spec.maxOperands))
    return call.fail(Fault::Argument, "expected %d operands, got %d", spec.minOperands,
                     call.numOperands);
  int required = spec.maxOperands < 0 ? call.numOperands : spec.minOperands;
  for (int i = 0; i < required; i++)
    if (!call.operands[i])
      return call.fail(Fault::Argument, "operand %d is missing", i);
  if (!spec.infer(call))
    return false;
  int64_t count;
  for (int i = 0; i < call.numResults; i++)
    if (!numElements(call, call.results[i], count))
      return false;
  return true;
}

} // namespace tenon::infer
