//===- ffi_custom.cpp - Entry points of shaders of the user's
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "recorder.h"

#include <algorithm>
#include <string>
#include <unordered_set>

using tenon::infer::findOp;

namespace {

// Static: an R error may jump over them.
std::vector<int32_t> operands;
std::vector<int64_t> words;
std::vector<tenon_trace_value> values;
std::unordered_set<std::string> checked; ///< shaders with the types of what they bind

const char *textOf(SEXP x) { return x == R_NilValue ? "" : CHAR(STRING_ELT(x, 0)); }

void addValue(const Type &type) {
  tenon_trace_value value = {int32_t(type.dtype), type.rank, {}};
  std::copy(type.dims, type.dims + type.rank, value.extents);
  values.push_back(value);
}

/// Compiles a shader once for the types in `values`, of which the last are its results.
void checkOnce(const char *glsl, size_t numResults) {
  std::string *key = nullptr;
  bool isNew = false;
  noThrow([&] {
    static std::string known;
    known.assign(glsl).push_back('\0');
    known.append(reinterpret_cast<const char *>(values.data()), values.size() * sizeof values[0]);
    known.push_back(char(numResults));
    key = &known;
    isNew = !checked.count(known);
  });
  if (!isNew)
    return;
  size_t numInputs = values.size() - numResults;
  check(checkShader(glsl, values.data(), int32_t(numInputs), values.data() + numInputs,
                    int32_t(numResults)));
  noThrow([&] {
    if (checked.size() > 256)
      checked.clear();
    checked.insert(*key);
  });
}

} // namespace

extern "C" {

/// A tensor, or a gradient as one; NULL for what else there is.
SEXP C_custom_input(SEXP x) {
  x = resolve(x);
  return isValue(x) ? x : R_NilValue;
}

/// `results` are what the body computed of `inputs`; gives what the shader computes in their
/// place. Texts but `glsl` may be NULL.
SEXP C_custom(SEXP inputs, SEXP results, SEXP glsl, SEXP groups, SEXP backward,
              SEXP backwardGroups) {
  static const int op = findOp("custom");
  Recorder &r = begin();
  R_xlen_t numInputs = Rf_xlength(inputs), numResults = Rf_xlength(results);
  operands.clear(), values.clear(), words.clear();
  for (R_xlen_t i = 0; i < numInputs; i++)
    append(operands, useAny(r, VECTOR_ELT(inputs, i)));
  for (R_xlen_t i = 0; i < numResults; i++)
    append(operands, useAny(r, VECTOR_ELT(results, i)));
  noThrow([&] {
    for (int32_t id : operands)
      addValue(r.trace.type(id));
  });
  checkOnce(textOf(glsl), size_t(numResults));
  if (backward != R_NilValue) { // inputs, results, gradients of results; gradients of inputs
    size_t numGradients = 0;
    noThrow([&] {
      for (R_xlen_t i = 0; i < numResults; i++)
        addValue(r.trace.type(operands[size_t(numInputs + i)]));
      for (R_xlen_t i = 0; i < numInputs; i++)
        if (const Type &type = r.trace.type(operands[size_t(i)]); type.isFloat()) {
          addValue(type);
          numGradients++;
        }
    });
    checkOnce(textOf(backward), numGradients);
  }
  noThrow([&] {
    words.push_back(numInputs);
    for (SEXP text : {glsl, groups, backward, backwardGroups})
      tenon::appendText(words, textOf(text));
  });
  int32_t id = call(r, op, operands.data(), int(operands.size()), words.data(), int(words.size()));
  SEXP list = PROTECT(Rf_allocVector(VECSXP, numResults));
  for (R_xlen_t i = 0; i < numResults; i++)
    SET_VECTOR_ELT(list, i, result(r, id + int32_t(i)));
  UNPROTECT(1);
  return list;
}
}
