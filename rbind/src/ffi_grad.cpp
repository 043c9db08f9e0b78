//===- ffi_grad.cpp - Tape, grad(), parameters and optimizer steps
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "arguments.h"

#include <R_ext/Altrep.h>
#include <R_ext/Rdynload.h>
#include <algorithm>
#include <cstdio>
#include <cstring>

using tenon::infer::findOp;

namespace {

R_altrep_class_t lazyClass;

//===-- Lazy arrays ------------------------------------------------------------===//
// data1 = the value, data2 = the doubles once R has looked inside.

SEXP look(SEXP lazy) {
  SEXP seen = R_altrep_data2(lazy);
  if (seen != R_NilValue)
    return seen;
  SEXP storage = force(R_altrep_data1(lazy));
  SEXP array =
      PROTECT(TYPEOF(storage) == REALSXP ? storage : Rf_coerceVector(arrayOf(storage), REALSXP));
  R_set_altrep_data2(lazy, array);
  UNPROTECT(1);
  return array;
}

R_xlen_t lazyLength(SEXP lazy) {
  SEXP seen = R_altrep_data2(lazy);
  return seen != R_NilValue ? Rf_xlength(seen) : R_xlen_t(countOf(typeOf(R_altrep_data1(lazy))));
}
void *lazyData(SEXP lazy, Rboolean writable) { // R turns its collector off around this
  SEXP seen = look(lazy);
  if (writable && MAYBE_SHARED(seen)) { // the value or a pending reader holds it too
    seen = PROTECT(Rf_duplicate(seen));
    R_set_altrep_data2(lazy, seen);
    UNPROTECT(1);
  }
  return REAL(seen);
}
const void *lazyDataOrNull(SEXP lazy) {
  SEXP seen = R_altrep_data2(lazy);
  return seen != R_NilValue ? REAL(seen) : nullptr;
}
double lazyElement(SEXP lazy, R_xlen_t i) { return REAL(look(lazy))[i]; }

/// A variable of an environment, or null.
SEXP variable(SEXP env, SEXP name) {
#if R_VERSION >= R_Version(4, 5, 0)
  SEXP x = R_getVarEx(name, env, FALSE, R_UnboundValue);
#else
  SEXP x = Rf_findVarInFrame(env, name);
  if (TYPEOF(x) == PROMSXP)
    x = Rf_eval(x, env);
#endif
  return x == R_UnboundValue ? nullptr : x;
}

SEXP cellOf(SEXP param) { return R_ExternalPtrProtected(param); }

/// A parameter that comes from a file gets an id of this session.
int nextId = 1;
void nameParam(SEXP param) {
  if (placeOf(param) != 0)
    return;
  char key[16];
  snprintf(key, sizeof key, "%d", nextId);
  SEXP cell = cellOf(param);
  SET_VECTOR_ELT(cell, kKey, Rf_install(key));
  SET_VECTOR_ELT(cell, kId, Rf_ScalarInteger(nextId));
  R_SetExternalPtrAddr(param, packPlace(0, nextId++ & int(kPlaceMask)));
}

/// Data or a gradient that the user gives for a parameter, as storage of its type; a
/// vector is a column.
SEXP storageLike(SEXP data, const Type &type, const char *what) {
  data = resolve(data);
  if (isValue(data))
    data = arrayOf(force(data));
  PROTECT(data);
  Type got = arrayType(data);
  if (got.rank < 2 && type.rank == 2)
    got = Type::make(got.dtype, {1, got.rank ? got.dims[0] : 1});
  if (!tenon::infer::sameShape(got, type)) {
    char a[120], b[120];
    fail(TENON_ERROR_SHAPE, "%s: expected %s, got %s", what, shapeText(type, a, sizeof a),
         shapeText(got, b, sizeof b));
  }
  SEXP storage = PROTECT(storageOf(data, type.dtype));
  if (storage == data && Rf_getAttrib(data, R_DimSymbol) == R_NilValue && type.rank) {
    UNPROTECT(1);
    storage = PROTECT(Rf_duplicate(data));
    SEXP dim = PROTECT(dimOf(type));
    Rf_setAttrib(storage, R_DimSymbol, dim);
    UNPROTECT(1);
  } else if (storage != data) { // a vector's storage has its own shape
    SEXP fresh = PROTECT(allocStorage(type));
    memcpy(storageData(fresh), storageData(storage),
           size_t(countOf(type)) * size_t(tenon_dtype_size(type.dtype)));
    UNPROTECT(2);
    PROTECT(storage = fresh);
  }
  UNPROTECT(2);
  return storage;
}

/// What was recorded reads the data that a parameter had then: its slots get an owned
/// copy of the reference, and its next use is a new input.
void detach(SEXP param) {
  nameParam(param);
  SEXP cell = cellOf(param);
  SEXP slot = PROTECT(Rf_allocVector(VECSXP, kOwner + 1));
  SET_VECTOR_ELT(slot, kData, VECTOR_ELT(cell, kData));
  SET_VECTOR_ELT(slot, kOwner, param);
  for (Recorder *r : {current, previous})
    for (int32_t i = 0, n = r->trace.numValues(); i < n; i++)
      if (VECTOR_ELT(r->slots, i) == param)
        SET_VECTOR_ELT(r->slots, i, slot);
  R_SetExternalPtrAddr(param, packPlace(0, Rf_asInteger(VECTOR_ELT(cell, kId)) & int(kPlaceMask)));
  UNPROTECT(1);
}

/// The parameter behind an input of the trace, or null.
SEXP parameterOf(SEXP slot) {
  if (TYPEOF(slot) == VECSXP && Rf_xlength(slot) == kOwner + 1)
    slot = VECTOR_ELT(slot, kOwner);
  return isValue(slot) && isParam(slot) ? slot : nullptr;
}

} // namespace

SEXP lazyArray(SEXP value) {
  SEXP dim = PROTECT(dimOf(typeOf(value)));
  SEXP lazy = PROTECT(R_new_altrep(lazyClass, value, R_NilValue));
  if (Rf_xlength(dim))
    Rf_setAttrib(lazy, R_DimSymbol, dim);
  UNPROTECT(2);
  return lazy;
}

bool isLazyArray(SEXP x) { return ALTREP(x) && R_altrep_inherits(x, lazyClass); }

void initGradients(DllInfo *dll) {
  lazyClass = R_make_altreal_class("tenon_lazy", "tenon", dll);
  R_set_altrep_Length_method(lazyClass, lazyLength);
  R_set_altvec_Dataptr_method(lazyClass, lazyData);
  R_set_altvec_Dataptr_or_null_method(lazyClass, lazyDataOrNull);
  R_set_altreal_Elt_method(lazyClass, lazyElement);
}

/// Whether with_grad_tape() records, so that backward() may ask for gradients by
/// parameters. Inside grad() a tape is open as well, but not for these.
static bool parameterTape;

/// Whether `value` is computed from what a grad() differentiates by.
static bool flowsFromLeaf(const Recorder &r, int32_t value) {
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

SEXP C_device(SEXP name);

SEXP C_tensor(SEXP x, SEXP dtype, SEXP param) {
  tenon_dtype type = dtypeFromName(dtype);
  x = resolve(x);
  if (isValue(x))
    x = arrayOf(force(x));
  PROTECT(x);
  SEXP storage = storageOf(x, type);
  if (storage == x && ALTREP(x)) // ours must not change under us
    storage = Rf_duplicate(x);
  PROTECT(storage);
  if (!Rf_asLogical(param)) {
    SEXP value = newValue(storage);
    UNPROTECT(2);
    return value;
  }
  SEXP cell = PROTECT(Rf_allocVector(VECSXP, kCellSize));
  SET_VECTOR_ELT(cell, kData, storage);
  SEXP value = PROTECT(newValue(cell));
  R_SetExternalPtrAddr(value, nullptr);
  nameParam(value);
  UNPROTECT(4);
  return value;
}

SEXP C_is_param(SEXP x) { return Rf_ScalarLogical(isValue(x) && isParam(x)); }

SEXP C_field(SEXP x, SEXP name) {
  expectValue(x, "$");
  const char *field = CHAR(STRING_ELT(name, 0));
  bool param = isParam(x);
  if (param)
    nameParam(x);
  if (!strcmp(field, "data")) {
    SEXP data = matrixOf(force(x));
    // p$data[1] <- 0 writes into a matrix that only the cell counts; while ops are
    // pending that would change what they read, so make R copy.
    if (!param || current->trace.numValues() || previous->trace.numValues())
      MARK_NOT_MUTABLE(data);
    return data;
  }
  if (!strcmp(field, "requires_grad"))
    return Rf_ScalarLogical(param);
  if (!strcmp(field, "id"))
    return param ? VECTOR_ELT(cellOf(x), kId) : R_NilValue;
  if (!strcmp(field, "dtype"))
    return Rf_mkString(tenon_dtype_name(typeOf(x).dtype));
  if (!strcmp(field, "device"))
    return C_device(R_NilValue);
  if (!strcmp(field, "grad")) {
    SEXP grad = param ? VECTOR_ELT(cellOf(x), kGrad) : R_NilValue;
    return grad == R_NilValue ? grad : matrixOf(force(grad));
  }
  return R_NilValue;
}

SEXP C_set_data(SEXP x, SEXP data) {
  expectValue(x, "$data<-");
  if (!isParam(x))
    fail(TENON_ERROR_ARGUMENT, "$data<-: only the data of a parameter can be set");
  if (tracing)
    fail(TENON_ERROR_ARGUMENT, "$data<-: not while a function is traced");
  SEXP cell = cellOf(x);
  SEXP storage = PROTECT(storageLike(data, storageType(VECTOR_ELT(cell, kData)), "$data<-"));
  detach(x);
  SET_VECTOR_ELT(cell, kData, storage);
  UNPROTECT(1);
  return x;
}

SEXP C_set_grad(SEXP x, SEXP grad) {
  expectValue(x, "$grad<-");
  if (!isParam(x))
    fail(TENON_ERROR_ARGUMENT, "$grad<-: not a parameter");
  if (tracing)
    fail(TENON_ERROR_ARGUMENT, "$grad<-: not while a function is traced");
  SEXP value = resolve(grad);
  if (value != R_NilValue) {
    Type type = storageType(VECTOR_ELT(cellOf(x), kData));
    bool fits = isValue(value) && !isParam(value) && typeOf(value).dtype == type.dtype &&
                tenon::infer::sameShape(typeOf(value), type);
    if (!fits) // what fits may stay pending
      value = newValue(storageLike(value, type, "$grad<-"));
  }
  SET_VECTOR_ELT(cellOf(x), kGrad, value);
  return x;
}

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
    if (SEXP other = variable(env, VECTOR_ELT(cell, kKey))) { // its data were assigned between
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

SEXP C_lazy(SEXP value) { return isValue(value) ? lazyArray(value) : value; }

//===-- grad() ------------------------------------------------------------------------===//

/// Whether the outermost grad() began a trace of its own.
static bool freshTrace;

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

//===-- Optimizers ---------------------------------------------------------------===//
// state = list(params, moments: a list of lists of cells, kind, constants: mu or
//              beta1, beta2, eps, weight decay; count)

enum StateSlot { kParams, kMoments, kKind, kConstants, kCount, kStateSize };

SEXP C_optimizer(SEXP params, SEXP kind, SEXP constants) {
  int moments = Rf_asInteger(kind); // 0 sgd, 1 momentum, 2 adam
  R_xlen_t count = Rf_xlength(params);
  SEXP state = PROTECT(Rf_allocVector(VECSXP, kStateSize));
  SET_VECTOR_ELT(state, kParams, params);
  SET_VECTOR_ELT(state, kMoments, Rf_allocVector(VECSXP, moments));
  SET_VECTOR_ELT(state, kKind, kind);
  SET_VECTOR_ELT(state, kConstants, constants);
  SET_VECTOR_ELT(state, kCount, Rf_ScalarReal(0));
  for (R_xlen_t i = 0; i < count; i++)
    if (!isValue(VECTOR_ELT(params, i)) || !isParam(VECTOR_ELT(params, i)))
      fail(TENON_ERROR_ARGUMENT, "optimizer: expected a list of ag_param, element %d is none",
           int(i) + 1);
  for (int k = 0; k < moments; k++) {
    SEXP list = Rf_allocVector(VECSXP, count);
    SET_VECTOR_ELT(VECTOR_ELT(state, kMoments), k, list);
    for (R_xlen_t i = 0; i < count; i++) {
      SEXP cell = Rf_allocVector(VECSXP, kSpare + 1);
      SET_VECTOR_ELT(list, i, cell);
      Type type = storageType(known(VECTOR_ELT(params, i)));
      SEXP zeros = allocStorage(type);
      memset(storageData(zeros), 0, size_t(countOf(type)) * size_t(tenon_dtype_size(type.dtype)));
      SET_VECTOR_ELT(cell, kData, zeros);
    }
  }
  UNPROTECT(1);
  return state;
}

/// The gradient of a parameter: from the environment, or what has accumulated.
static SEXP gradientOf(SEXP param, SEXP grads) {
  nameParam(param);
  SEXP cell = cellOf(param);
  SEXP g = grads == R_NilValue ? VECTOR_ELT(cell, kGrad) : variable(grads, VECTOR_ELT(cell, kKey));
  return !g || g == R_NilValue ? nullptr : g;
}

/// Raises unless the gradient of a parameter, if there is one, can be used.
static void checkGradient(SEXP param, SEXP grads, int number) {
  SEXP g = gradientOf(param, grads);
  if (!g)
    return;
  g = resolve(g);
  Type type = storageType(known(param)), got;
  if (isValue(g)) {
    got = typeOf(g);
    if (!isIn(recorder(), g))
      force(g);
  } else {
    if (TYPEOF(g) != REALSXP && TYPEOF(g) != INTSXP && TYPEOF(g) != LGLSXP)
      fail(TENON_ERROR_DTYPE,
           "step: the gradient of parameter %d: expected a tensor or numbers, "
           "got %s",
           number, Rf_type2char(TYPEOF(g)));
    got = arrayType(g);
  }
  if (!tenon::infer::sameShape(got, type)) {
    char a[120], b[120];
    fail(TENON_ERROR_SHAPE, "step: the gradient of parameter %d: expected %s, got %s", number,
         shapeText(type, a, sizeof a), shapeText(got, b, sizeof b));
  }
}

SEXP C_step(SEXP state, SEXP grads, SEXP rate) {
  static const int sgd = findOp("sgd"), momentum = findOp("momentum"), adam = findOp("adam");
  if (TYPEOF(grads) != ENVSXP && grads != R_NilValue)
    fail(TENON_ERROR_ARGUMENT,
         "step: expected the environment that backward() returns or NULL, "
         "got %s",
         Rf_type2char(TYPEOF(grads)));
  double lr = numberOf(rate, "step: learning rate");
  SEXP params = VECTOR_ELT(state, kParams);
  int kind = Rf_asInteger(VECTOR_ELT(state, kKind));
  size_t count = size_t(Rf_xlength(params));
  // R's, as a finalizer may take another step.
  SEXP numbers = PROTECT(Rf_allocVector(INTSXP, R_xlen_t(2 * count)));
  int32_t *pairs = INTEGER(numbers);
  std::fill_n(pairs, 2 * count, -1);
  for (size_t j = 0; j < count; j++) // check everything before anything is recorded
    checkGradient(VECTOR_ELT(params, R_xlen_t(j)), grads, int(j) + 1);
  Recorder &r = begin();
  bool open = r.tapeOpen;
  r.tapeOpen = false;
  for (size_t j = 0; j < count; j++) {
    SEXP p = VECTOR_ELT(params, R_xlen_t(j)), g = gradientOf(p, grads);
    if (!g)
      continue;
    tenon_dtype dtype = storageType(known(p)).dtype;
    pairs[2 * j] = use(r, p, dtype), pairs[2 * j + 1] = use(r, g, dtype);
  }
  double *constants = REAL(VECTOR_ELT(state, kConstants));
  double step = Rf_asReal(VECTOR_ELT(state, kCount)) + 1;
  int32_t rates[4] = {-1, -1, -1, -1}, stepInput = -1;
  if (kind == 2)
    stepInput = addInput(r, Type::make(TENON_I64, {}), scalarStorage(step, TENON_I64), 0);
  for (size_t j = 0; j < count; j++) {
    int32_t ip = pairs[2 * j], ig = pairs[2 * j + 1];
    if (ip < 0)
      continue;
    SEXP param = VECTOR_ELT(params, R_xlen_t(j));
    Type type = r.trace.type(ip);
    int32_t &rateInput = rates[type.dtype];
    if (rateInput < 0)
      rateInput = addInput(r, Type::make(type.dtype, {}), scalarStorage(lr, type.dtype), 0);
    int32_t operands[6] = {ip, ig, rateInput}, moments[2] = {-1, -1};
    for (int k = 0; k < kind; k++) {
      SEXP cell = VECTOR_ELT(VECTOR_ELT(VECTOR_ELT(state, kMoments), k), R_xlen_t(j));
      moments[k] = operands[2 + k] = addInput(r, type, cell, 0);
    }
    operands[2 + kind] = rateInput;
    int32_t id;
    if (kind == 0)
      id = call(r, sgd, operands, 3);
    else if (kind == 1)
      id = call(r, momentum, operands, 4, AttrWords().real(constants[0]));
    else {
      operands[5] = stepInput;
      id = call(
          r, adam, operands, 6,
          AttrWords().real(constants[0]).real(constants[1]).real(constants[2]).real(constants[3]));
    }
    noThrow([&] {
      r.updates.push_back({id, ip, cellOf(param)});
      for (int k = 0; k < kind; k++)
        r.updates.push_back({id + 1 + k, moments[k], VECTOR_ELT(r.slots, moments[k])});
    });
  }
  r.tapeOpen = open;
  UNPROTECT(1);
  if (tracing) // shown, not run
    return Rf_ScalarLogical(TRUE);
  if (&r != current) {
    r.updates.clear();
    fail(TENON_ERROR_ARGUMENT, "a finalizer computed tensors while a step was recorded");
  }
  flush(r, -1, true);
  REAL(VECTOR_ELT(state, kCount))[0] = step;
  return Rf_ScalarLogical(TRUE);
}

/// A tensor with a copy of storage (an optimizer's moments).
SEXP C_copy(SEXP storage) { return newValue(Rf_duplicate(storage)); }

/// Puts a count of steps and moments (lists of tensors) into an optimizer's state.
SEXP C_load_optimizer(SEXP state, SEXP count, SEXP moments) {
  SEXP own = VECTOR_ELT(state, kMoments);
  for (int check = 1; check >= 0; check--) // everything is checked before anything changes
    for (R_xlen_t k = 0; k < Rf_xlength(own); k++)
      for (R_xlen_t j = 0; j < Rf_xlength(VECTOR_ELT(own, k)); j++) {
        SEXP list = VECTOR_ELT(moments, k), cell = VECTOR_ELT(VECTOR_ELT(own, k), j);
        if (TYPEOF(list) != VECSXP || Rf_xlength(list) != Rf_xlength(VECTOR_ELT(own, k)))
          fail(TENON_ERROR_ARGUMENT, "load_state: expected %d moments",
               int(Rf_xlength(VECTOR_ELT(own, k))));
        SEXP value = VECTOR_ELT(list, j);
        expectValue(value, "load_state");
        Type want = storageType(VECTOR_ELT(cell, kData)), got = storageType(force(value));
        char a[120], b[120];
        if (want.dtype != got.dtype || !tenon::infer::sameShape(want, got))
          fail(TENON_ERROR_SHAPE, "load_state: moment %d: expected %s %s, got %s %s", int(j) + 1,
               tenon_dtype_name(want.dtype), shapeText(want, a, sizeof a),
               tenon_dtype_name(got.dtype), shapeText(got, b, sizeof b));
        if (!check)
          SET_VECTOR_ELT(cell, kData, Rf_duplicate(force(value)));
      }
  REAL(VECTOR_ELT(state, kCount))[0] = Rf_asReal(count);
  return R_NilValue;
}
}
