//===- recorder.cpp - Recording ops on values
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "recorder.h"

#include <cstdio>

using tenon::infer::findOp;

SEXP valueTag, recordTag, donatedTag, packageEnv;
Recorder *current, *previous;
Recorder tracer;
bool tracing;
int gradDepth;
tenon_dtype defaultDtype = TENON_F64;

namespace {

constexpr int32_t kMaxValues = 1024; // an untaped trace is flushed at this length: more
                                     // pending values slow R's allocator
constexpr int32_t kMaxTaped = 1 << 17;
uint64_t nextGeneration = 1;
uint64_t beganAt; // generation at begin(): a finalizer may flush inside an allocation
SEXP valueClass;

/// Arrays that were used lately: the same matrix is one input.
struct Recent {
  SEXP array;
  int32_t id;
  uint64_t generation;
} recent[4];
int recentAt;

void room(Recorder &r) {
  size_t size = size_t(r.trace.numValues()) + 8, capacity = size_t(Rf_xlength(r.slots));
  if (size <= capacity)
    return;
  size_t wider = 2 * size;
  if (wider > kPlaceMask)
    fail(TENON_ERROR_MEMORY, "the trace is too long (%.0f values); read a value or take a step",
         double(size));
  SEXP wide = PROTECT(Rf_allocVector(VECSXP, R_xlen_t(wider)));
  for (size_t i = 0; i < capacity; i++) {
    SET_VECTOR_ELT(wide, R_xlen_t(i), VECTOR_ELT(r.slots, R_xlen_t(i)));
    SET_VECTOR_ELT(r.slots, R_xlen_t(i), R_NilValue); // a dropped list leaves its counts behind
  }
  SET_VECTOR_ELT(r.holder, 0, r.slots = wide);
  UNPROTECT(1);
}

[[noreturn]] void failToRecord(const Trace &trace) {
  using tenon::infer::Fault;
  if (trace.fault() == Fault::Argument)
    fail(TENON_ERROR_ARGUMENT, "%s", trace.error());
  fail(trace.fault() == Fault::Dtype ? TENON_ERROR_DTYPE : TENON_ERROR_SHAPE,
       "%s (shapes here are row-major: the reverse of dim())", trace.error());
}

} // namespace

void renew(Recorder &r) {
  for (int32_t i = 0, n = r.trace.numValues(); i < n && i < Rf_xlength(r.slots); i++)
    SET_VECTOR_ELT(r.slots, i, R_NilValue);
  r.trace.clear();
  r.flags.clear();
  r.updates.clear();
  r.captures.clear();
  r.generation = nextGeneration++;
  r.tapeOpen = r.hasTape = r.hasAlias = false;
  r.seed = r.step = -1;
  r.stream = 0;
}

void initRecorder() {
  valueTag = Rf_install("tenon:value");
  recordTag = Rf_install("tenon:record");
  donatedTag = Rf_install("tenon:donated");
  R_PreserveObject(valueClass = Rf_allocVector(STRSXP, 2));
  SET_STRING_ELT(valueClass, 0, Rf_mkChar("ag_tensor"));
  SET_STRING_ELT(valueClass, 1, Rf_mkChar("tenon_tensor"));
  MARK_NOT_MUTABLE(valueClass);
  static Recorder lazy[2];
  current = &lazy[0], previous = &lazy[1];
  for (Recorder *r : {current, previous, &tracer}) {
    R_PreserveObject(r->holder = Rf_allocVector(VECSXP, 1));
    SET_VECTOR_ELT(r->holder, 0, r->slots = Rf_allocVector(VECSXP, kMaxValues + 64));
    r->flags.reserve(kMaxValues + 64);
    renew(*r);
  }
}

SEXP newValue(SEXP protect) {
  static int32_t next;
  PROTECT(protect);
  SEXP value = PROTECT(R_MakeExternalPtr(nullptr, valueTag, protect));
  Rf_classgets(value, valueClass);
  next = next % int32_t(kPlaceMask) + 1;
  R_SetExternalPtrAddr(value, packPlace(0, next)); // generation 0: in no trace
  UNPROTECT(2);
  return value;
}

SEXP known(SEXP value) {
  SEXP p = R_ExternalPtrProtected(value);
  switch (TYPEOF(p)) {
  case REALSXP:
  case INTSXP:
  case RAWSXP:
    return p;
  case EXTPTRSXP:
    return isOnDevice(p) ? p : nullptr;
  case VECSXP:
    return VECTOR_ELT(p, kData);
  case SYMSXP:
    fail(TENON_ERROR_ARGUMENT, "this tensor was donated to a compiled function, which has taken "
                               "its storage; use the result instead");
  default:
    return nullptr;
  }
}

void expectValue(SEXP x, const char *what) {
  if (!isValue(x))
    fail(TENON_ERROR_ARGUMENT, "%s: expected a tensor, got %s", what,
         TYPEOF(x) == NILSXP ? "NULL" : Rf_type2char(TYPEOF(x)));
}

SEXP resolve(SEXP x) {
  if (TYPEOF(x) != REALSXP || !isLazyArray(x))
    return x;
  SEXP value = R_altrep_data1(x), looked = R_altrep_data2(x);
  // Once R has looked inside it may have changed what it saw.
  return looked != R_NilValue ? looked : value;
}

Recorder &begin() {
  refuseWhileRunning();
  Recorder &r = recorder();
  if (!tracing && !r.tapeOpen && gradDepth == 0 &&
      r.trace.numValues() >= (r.hasTape ? kMaxTaped : kMaxValues))
    flush(r, -1, true);
  beganAt = r.generation;
  return r;
}

int32_t addInput(Recorder &r, const Type &type, SEXP slot, uint8_t flags) {
  PROTECT(slot);
  room(r);
  UNPROTECT(1);
  int32_t id = -1;
  noThrow([&] {
    id = r.trace.input(type);
    r.flags.resize(size_t(id) + 1, 0);
  });
  r.flags[size_t(id)] = flags;
  SET_VECTOR_ELT(r.slots, id, slot);
  return id;
}

int32_t call(Recorder &r, int op, const int32_t *operands, int count, const int64_t *words,
             int numWords) {
  room(r);
  int32_t id = -1;
  noThrow([&] {
    id = r.trace.record(op, operands, count, words, numWords);
    r.flags.resize(size_t(r.trace.numValues()), 0);
  });
  if (id < 0)
    failToRecord(r.trace);
  uint8_t taped = 0;
  for (int i = 0; i < count; i++)
    if (operands[i] >= 0) {
      taped |= r.flags[size_t(operands[i])] & kTaped;
      r.flags[size_t(operands[i])] |= kUsed;
    }
  if (taped && r.tapeOpen) {
    for (size_t i = size_t(id); i < r.flags.size(); i++)
      r.flags[i] |= kTaped;
    r.hasTape = true;
  }
  return id;
}

SEXP result(Recorder &r, int32_t id) {
  SEXP value = PROTECT(R_MakeExternalPtr(packPlace(r.generation, id), valueTag, R_NilValue));
  Rf_classgets(value, valueClass);
  if (r.generation != beganAt)
    fail(TENON_ERROR_ARGUMENT, "a finalizer computed tensors while an op was recorded");
  SET_VECTOR_ELT(r.slots, id, value);
  UNPROTECT(1);
  return value;
}

//===-- Operands -------------------------------------------------------------===//

/// Where a value stands in the trace; a new input if it does not yet.
static int32_t place(Recorder &r, SEXP value) {
  if (isIn(r, value))
    return indexOf(value);
  if (tracing) { // captured by the traced function: read at every call
    auto it = r.captures.find(value);
    if (it != r.captures.end())
      return it->second;
    Type type = storageType(force(value));
    int32_t id = addInput(r, type, value, isParam(value) ? kTaped : 0);
    noThrow([&] { r.captures.emplace(value, id); });
    return id;
  }
  Type type = storageType(force(value));
  int32_t id = addInput(r, type, value, isParam(value) ? kTaped : 0);
  R_SetExternalPtrAddr(value, packPlace(r.generation, id)); // the next use finds it
  return id;
}

int32_t cast(Recorder &r, int32_t id, tenon_dtype dtype) {
  static const int op = findOp("cast");
  if (r.trace.type(id).dtype == dtype)
    return id;
  return call(r, op, {id}, AttrWords().dtype(dtype));
}

int32_t constant(Recorder &r, double value, const Type &type) {
  static const int op = findOp("fill");
  return call(r, op, nullptr, 0,
              AttrWords().list(type.dims, type.rank).real(value).dtype(type.dtype));
}

/// R numbers as an input that is used in place where their R type allows it.
static int32_t numbers(Recorder &r, SEXP x, tenon_dtype dtype) {
  if (TYPEOF(x) != REALSXP && TYPEOF(x) != INTSXP && TYPEOF(x) != LGLSXP)
    refuseOther(x);
  Type type = arrayType(x);
  if (type.rank == 0 && (tracing || dtype == TENON_F64 || dtype == TENON_F32)) {
    type.dtype = dtype;
    if (tracing)
      return constant(r, Rf_asReal(x), type);
    SEXP storage = PROTECT(
        dtype == TENON_F64 && TYPEOF(x) == REALSXP ? x : scalarStorage(Rf_asReal(x), dtype));
    int32_t id = addInput(r, type, storage, 0);
    UNPROTECT(1);
    return id;
  }
  bool isFloat = dtype <= TENON_BF16;
  tenon_dtype stored = isFloat && deviceNumber != kVulkan ? TENON_F64 : dtype;
  for (const Recent &known : recent)
    if (known.array == x && known.generation == r.generation &&
        r.trace.type(known.id).dtype == stored)
      return cast(r, known.id, dtype);
  SEXP storage = stored == TENON_F64 ? (TYPEOF(x) == REALSXP ? x : Rf_coerceVector(x, REALSXP))
                                     : storageOf(x, stored);
  expand(storage); // now: a flush must not run foreign code
  PROTECT(storage);
  type.dtype = stored;
  int32_t id = addInput(r, type, storage, 0); // our reference makes R copy before it writes
  UNPROTECT(1);
  if (storage == x) // held by its slot, so the address stays x's
    recent[recentAt++ & 3] = {x, id, r.generation};
  return cast(r, id, dtype);
}

int dtypeOf(Recorder &r, SEXP x) {
  if (isValue(x))
    return isIn(r, x) ? r.trace.type(indexOf(x)).dtype : storageType(force(x)).dtype;
  switch (TYPEOF(x)) {
  case REALSXP:
    return -1;
  case INTSXP:
    refuseFactor(x);
    return -2;
  case LGLSXP:
    return -3;
  default:
    refuseOther(x);
  }
}

tenon_dtype promote(Recorder &r, SEXP x, SEXP y, bool toFloat) {
  int a = dtypeOf(r, x), b = dtypeOf(r, y);
  if (a < 0 && b < 0)
    return defaultDtype;
  if (a < 0 || b < 0) { // numbers adapt to the tensor
    int tensor = a < 0 ? b : a, other = a < 0 ? a : b;
    if (tensor <= TENON_BF16)
      return tenon_dtype(tensor);
    if (other == -1 || toFloat)
      return defaultDtype;
    return tensor == TENON_I1 ? (other == -3 ? TENON_I1 : TENON_I32) : tenon_dtype(tensor);
  }
  int wider = std::min(a, b), other = std::max(a, b);
  if (wider > TENON_BF16)
    return toFloat ? defaultDtype : tenon_dtype(wider);
  if (wider == TENON_F16 && other == TENON_BF16)
    return TENON_F32;
  return tenon_dtype(wider);
}

int32_t use(Recorder &r, SEXP x, tenon_dtype dtype) {
  x = resolve(x);
  return isValue(x) ? cast(r, place(r, x), dtype) : numbers(r, x, dtype);
}

int32_t useAny(Recorder &r, SEXP x) {
  x = resolve(x);
  if (isValue(x))
    return place(r, x);
  int dtype = dtypeOf(r, x);
  return numbers(r, x, dtype == -1 ? defaultDtype : dtype == -2 ? TENON_I32 : TENON_I1);
}

int32_t useFloat(Recorder &r, SEXP x) {
  x = resolve(x);
  int dtype = dtypeOf(r, x);
  return use(r, x, dtype >= 0 && dtype <= TENON_BF16 ? tenon_dtype(dtype) : defaultDtype);
}

int32_t reshape(Recorder &r, int32_t id, const int64_t *dims, int rank) {
  static const int op = findOp("reshape");
  return call(r, op, {id}, AttrWords().list(dims, rank));
}

int32_t asMatrix(Recorder &r, int32_t id) {
  const Type &type = r.trace.type(id);
  int64_t dims[2] = {1, type.rank ? type.dims[0] : 1};
  return type.rank < 2 ? reshape(r, id, dims, 2) : id;
}

int32_t broadcastTo(Recorder &r, int32_t id, const Type &shape) {
  static const int op = findOp("broadcast");
  const Type &type = r.trace.type(id);
  if (tenon::infer::sameShape(type, shape))
    return id;
  int64_t dims[tenon::infer::kMaxRank];
  for (int i = 0; i < type.rank; i++)
    dims[i] = shape.rank - type.rank + i;
  return call(r, op, {id}, AttrWords().list(shape.dims, shape.rank).list(dims, type.rank));
}

bool commonShape(const Type &a, const Type &b, Type &shape) {
  shape = a.rank >= b.rank ? a : b;
  for (int i = 1; i <= std::min(a.rank, b.rank); i++) {
    int64_t x = a.dims[a.rank - i], y = b.dims[b.rank - i];
    if (x != y && x != 1 && y != 1)
      return false;
    shape.dims[shape.rank - i] = x == 1 ? y : x;
  }
  return true;
}
