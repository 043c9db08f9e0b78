//===- ffi_grad.cpp - Entry points of the tape and of grad()
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "parameters.h"

#include <algorithm>

using tenon::infer::findOp;

namespace {

/// Whether with_grad_tape() records, so that backward() may ask for gradients by
/// parameters. Inside grad() a tape is open as well, but not for these.
bool parameterTape;

/// Whether the outermost grad() began a trace of its own.
bool freshTrace;

/// Whether `value` is computed from what a grad() differentiates by.
bool flowsFromLeaf(const Recorder &r, int32_t value) {
  static const int stop = findOp("stop_gradient");
  static std::vector<int32_t> open;
  static std::vector<char> seen;
  bool found = false;
  noThrow([&] {
    seen.assign(size_t(value) + 1, false);
    open.assign(1, value);
    while (!open.empty() && !found) {
      int32_t id = open.back();
      open.pop_back();
      if (id < 0 || seen[size_t(id)] || !(r.flags[size_t(id)] & kTaped))
        continue;
      seen[size_t(id)] = true;
      int32_t at = r.trace.definingNode(id);
      found = at < 0 && !parameterOf(VECTOR_ELT(r.slots, id));
      if (at < 0 || r.trace.node(at).op == stop)
        continue;
      const tenon_trace_node &node = r.trace.node(at);
      const int32_t *operands = r.trace.operands(node);
      open.insert(open.end(), operands, operands + node.num_operands);
    }
  });
  return found;
}

} // namespace

bool isDifferentiated(SEXP x) {
  static const int stop = findOp("stop_gradient");
  const Recorder &r = *current;
  if (!isValue(x))
    return false;
  if (!isIn(r, x))
    return parameterTape && isParam(x);
  int32_t id = indexOf(x), at = r.trace.definingNode(id);
  if (!parameterTape)
    return flowsFromLeaf(r, id);
  return (r.flags[size_t(id)] & kTaped) && (at < 0 || r.trace.node(at).op != stop);
}

extern "C" {

SEXP C_tape(SEXP open) {
  bool on = Rf_asLogical(open);
  Recorder &r = recorder();
  if (on && !tracing)
    flush(r, -1, true); // a new tape ends the old one
  recorder().tapeOpen = parameterTape = on;
  return R_NilValue;
}

/// zero_grad also ends the tape: nothing more can be differentiated on it.
SEXP C_zero_grad(SEXP params) {
  for (R_xlen_t i = 0; i < Rf_xlength(params); i++) {
    SEXP p = VECTOR_ELT(params, i);
    if (isValue(p) && isParam(p))
      SET_VECTOR_ELT(cellOf(p), kGrad, R_NilValue);
  }
  if (!recorder().tapeOpen)
    recorder().hasTape = false;
  return R_NilValue;
}

SEXP C_backward(SEXP loss) {
  static const int gradient = findOp("gradient"), add = findOp("add");
  expectValue(loss, "backward");
  Recorder &r = begin();
  int32_t at = indexOf(loss);
  if (!isIn(r, loss) || !(r.flags[size_t(at)] & kTaped) || r.trace.definingNode(at) < 0)
    fail(TENON_ERROR_ARGUMENT, "backward: the loss was not recorded on the current tape; compute "
                               "it from an ag_param inside with_grad_tape()");
  Type type = r.trace.type(at);
  if (countOf(type) != 1) {
    char text[120];
    fail(TENON_ERROR_SHAPE, "backward: expected a loss of 1x1, got %s",
         shapeText(type, text, sizeof text));
  }
  bool open = r.tapeOpen;
  r.tapeOpen = false;
  int32_t scalar = type.rank ? reshape(r, at, nullptr, 0) : at;
  r.flags[size_t(scalar)] |= kTaped;
  r.trace.reach(at);
  SEXP env = PROTECT(R_NewEnv(R_EmptyEnv, TRUE, 29));
  for (int32_t i = 0; i < at; i++) {
    SEXP param = parameterOf(VECTOR_ELT(r.slots, i));
    if (r.trace.definingNode(i) >= 0 || !(r.flags[size_t(i)] & kTaped) || !param ||
        !r.trace.reached(i))
      continue;
    nameParam(param);
    SEXP cell = cellOf(param), before = VECTOR_ELT(cell, kGrad);
    int32_t id = call(r, gradient, {scalar, i});
    SEXP value = result(r, id), sum = value;
    r.flags[size_t(id)] |= kKeep;
    PROTECT(value);
    if (SEXP other = gradientIn(env, param)) { // its data were assigned between
      int32_t both = call(r, add, {indexOf(R_altrep_data1(other)), id});
      SEXP joint = result(r, both);
      r.flags[size_t(both)] |= kKeep;
      Rf_defineVar(VECTOR_ELT(cell, kKey), PROTECT(lazyArray(joint)), env);
      UNPROTECT(1);
    } else {
      Rf_defineVar(VECTOR_ELT(cell, kKey), PROTECT(lazyArray(value)), env);
      UNPROTECT(1);
    }
    if (before != R_NilValue && !tracing) {
      int32_t old = use(r, before, r.trace.type(id).dtype);
      int32_t both = call(r, add, {old, id});
      sum = result(r, both);
      r.flags[size_t(both)] |= kKeep;
    }
    if (!tracing) // what is traced is not computed now
      SET_VECTOR_ELT(cell, kGrad, sum);
    UNPROTECT(1);
  }
  r.flags[size_t(at)] |= kUsed;
  r.tapeOpen = open;
  UNPROTECT(1);
  return env;
}

/// Begins a differentiation: returns whether a tape was open.
SEXP C_grad_begin() {
  if (gradDepth == 0)
    freshTrace = !tracing && !current->tapeOpen;
  if (gradDepth == 0 && freshTrace)
    flush(*current, -1, true);
  gradDepth++;
  Recorder &r = recorder();
  bool open = r.tapeOpen;
  r.tapeOpen = true;
  return Rf_ScalarLogical(open);
}

SEXP C_grad_end(SEXP open) {
  gradDepth = std::max(0, gradDepth - 1);
  recorder().tapeOpen = Rf_asLogical(open);
  if (gradDepth == 0 && freshTrace)
    current->hasTape = false; // reading may end this trace
  return R_NilValue;
}

/// x as something new to differentiate by: an input of its own that stands for x
/// until C_grad_finish; NULL for what has no gradient.
SEXP C_grad_leaf(SEXP x) {
  Recorder &r = begin();
  x = resolve(x);
  int dtype = isValue(x) || TYPEOF(x) == REALSXP || TYPEOF(x) == INTSXP || TYPEOF(x) == LGLSXP
                  ? dtypeOf(r, x)
                  : -3;
  if (dtype > TENON_BF16 || dtype < -1)
    return R_NilValue;
  if (freshTrace && !tracing && gradDepth == 1) { // nothing else refers to it
    SEXP storage = PROTECT(
        isValue(x) ? force(x) : storageOf(x, dtype == -1 ? defaultDtype : tenon_dtype(dtype)));
    SEXP leaf = PROTECT(newValue(storage));
    int32_t id = addInput(r, storageType(storage), leaf, kTaped);
    R_SetExternalPtrAddr(leaf, packPlace(r.generation, id));
    UNPROTECT(2);
    return leaf;
  }
  int32_t source = useFloat(r, x);
  Type type = r.trace.type(source);
  int32_t id = addInput(r, type, R_NilValue, kTaped | kAlias);
  r.hasAlias = true;
  SEXP leaf = PROTECT(result(r, id));
  SEXP pair = PROTECT(Rf_allocVector(VECSXP, 2)); // the leaf keeps what it stands for
  SET_VECTOR_ELT(pair, 0, leaf);
  SET_VECTOR_ELT(pair, 1, Rf_ScalarInteger(source));
  UNPROTECT(2);
  return pair;
}

/// The gradient of a loss by a leaf; sources: what the leaves stand for, or NULL.
SEXP C_grad_finish(SEXP loss, SEXP leafList, SEXP sources) {
  static const int gradient = findOp("gradient");
  Recorder &r = begin();
  loss = resolve(loss);
  if (!isValue(loss))
    fail(TENON_ERROR_ARGUMENT,
         "grad: expected the function to return a tensor of one element, got "
         "%s",
         Rf_type2char(TYPEOF(loss)));
  int32_t at = useFloat(r, loss);
  Type type = r.trace.type(at);
  if (countOf(type) != 1) {
    char text[120];
    fail(TENON_ERROR_SHAPE, "grad: expected the function to return a tensor of one element, got %s",
         shapeText(type, text, sizeof text));
  }
  bool open = r.tapeOpen;
  r.tapeOpen = gradDepth > 1; // an outer grad goes through the gradients of this one
  if (type.rank)
    at = reshape(r, at, nullptr, 0);
  R_xlen_t count = Rf_xlength(leafList);
  r.trace.reach(at);
  for (R_xlen_t i = 0; i < count; i++) {
    SEXP leaf = VECTOR_ELT(leafList, i), source = VECTOR_ELT(sources, i);
    if (source != R_NilValue && r.trace.reached(Rf_asInteger(source)) &&
        r.trace.reached(indexOf(leaf)))
      fail(TENON_ERROR_ARGUMENT,
           "grad: the function uses its argument %d and also the same tensor "
           "from outside; pass that as another argument, or through "
           "tenon_stop_gradient()",
           int(i) + 1);
  }
  SEXP list = PROTECT(Rf_allocVector(VECSXP, count));
  for (R_xlen_t i = 0; i < count; i++) {
    int32_t id = call(r, gradient, {at, indexOf(VECTOR_ELT(leafList, i))});
    SET_VECTOR_ELT(list, i, result(r, id));
    r.flags[size_t(id)] |= kKeep;
  }
  for (R_xlen_t i = 0; i < count; i++)
    if (VECTOR_ELT(sources, i) != R_NilValue)
      r.trace.replace(indexOf(VECTOR_ELT(leafList, i)), Rf_asInteger(VECTOR_ELT(sources, i)));
  r.tapeOpen = open;
  UNPROTECT(1);
  return list;
}
}
