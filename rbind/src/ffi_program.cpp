//===- ffi_program.cpp - Entry points of programs compiled ahead of time
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What loads and calls a program needs the runtime alone. Arguments and results are flat
// here; R knows the lists that they stand for.
//
//===----------------------------------------------------------------------===//
#include "recorder.h"
#include "tenon/library.h"

#include <algorithm>
#include <cstring>

static void dropExecutable(SEXP pointer) {
  if (auto *executable = static_cast<tenon_executable *>(R_ExternalPtrAddr(pointer)))
    tenon_executable_release(executable);
  R_ClearExternalPtr(pointer);
}

static bool isStatic(const tenon_expr &expr, int64_t &value) {
  value = expr.length == 1 && expr.code[0].op == TENON_EXPR_CONST ? expr.code[0].value : -1;
  return value >= 0;
}

/// What ports are, by field. An extent that is known at run time only is NA; `donates` is the
/// number of the input whose storage an output may take, from 1, or 0.
static SEXP describePorts(const tenon_port *ports, int64_t count) {
  const char *fields[] = {"name", "dtype", "dim", "donates", ""};
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, fields));
  SEXP names = PROTECT(Rf_allocVector(STRSXP, count));
  SEXP dtypes = PROTECT(Rf_allocVector(STRSXP, count));
  SEXP dims = PROTECT(Rf_allocVector(VECSXP, count));
  SEXP donates = PROTECT(Rf_allocVector(INTSXP, count));
  for (int64_t i = 0; i < count; i++) {
    const tenon_port &port = ports[i];
    SET_STRING_ELT(names, i, Rf_mkCharCE(port.name, CE_UTF8));
    SET_STRING_ELT(dtypes, i, Rf_mkChar(tenon_dtype_name(tenon_dtype(port.dtype))));
    SET_VECTOR_ELT(dims, i, Rf_allocVector(INTSXP, port.rank));
    for (int64_t d = 0; d < port.rank; d++) {
      int64_t extent;
      bool known = isStatic(port.extents[port.rank - 1 - d], extent);
      INTEGER(VECTOR_ELT(dims, i))[d] = known ? int(extent) : NA_INTEGER;
    }
    INTEGER(donates)[i] = int(port.donates) + 1;
  }
  SEXP parts[] = {names, dtypes, dims, donates};
  for (int i = 0; i < 4; i++)
    SET_VECTOR_ELT(list, i, parts[i]);
  UNPROTECT(5);
  return list;
}

/// Marks executables that run in a device's memory.
static SEXP deviceTag() { return Rf_install("tenon:device"); }

/// The entries of a library, each a list; `driver` says whose code is taken, or is NULL.
extern "C" SEXP C_program_open(SEXP path, SEXP driver) {
  tenon_library *library = nullptr;
  const char *file = CHAR(STRING_ELT(path, 0));
  if (tenon_status status = tenon_library_open(file, &library)) {
    if (tenon_status_code(status) == TENON_ERROR_IO) { // perhaps of a program that is garbage
      tenon_status_free(status);
      R_gc();
      status = tenon_library_open(file, &library);
    }
    check(status);
  }
  auto release = [](SEXP pointer) {
    tenon_library_release(static_cast<tenon_library *>(R_ExternalPtrAddr(pointer)));
    R_ClearExternalPtr(pointer);
  };
  SEXP holder = PROTECT(R_MakeExternalPtr(library, R_NilValue, R_NilValue));
  R_RegisterCFinalizer(holder, release);
  const tenon_artifact &artifact = *tenon_library_artifact(library);
  SEXP entries = PROTECT(Rf_allocVector(VECSXP, artifact.num_entries));
  for (int64_t i = 0; i < artifact.num_entries; i++) {
    const tenon_entry &entry = artifact.entries[i];
    tenon_executable *executable = nullptr;
    check(tenon_library_executable(library, entry.name,
                                   driver == R_NilValue ? nullptr : CHAR(STRING_ELT(driver, 0)),
                                   &executable));
    SEXP pointer = PROTECT(R_MakeExternalPtr(executable, R_NilValue, R_NilValue));
    R_RegisterCFinalizer(pointer, dropExecutable);
    tenon_device_info device = {};
    check(tenon_device_info_get(tenon_executable_device(executable), &device));
    if (strcmp(device.driver, "cpu") != 0)
      R_SetExternalPtrTag(pointer, deviceTag());
    const tenon_program &program = *tenon_executable_program(executable);
    const char *fields[] = {"executable", "name", "metadata", "inputs", "outputs", "device", ""};
    SEXP row = PROTECT(Rf_mkNamed(VECSXP, fields));
    SET_VECTOR_ELT(entries, i, row);
    SET_VECTOR_ELT(row, 0, pointer);
    SET_VECTOR_ELT(row, 1, Rf_mkString(entry.name));
    SET_VECTOR_ELT(row, 2, entry.metadata ? Rf_mkString(entry.metadata) : R_NilValue);
    SET_VECTOR_ELT(row, 3, describePorts(program.inputs, program.num_inputs));
    SET_VECTOR_ELT(row, 4, describePorts(program.outputs, program.num_outputs));
    SET_VECTOR_ELT(row, 5, Rf_mkString(device.driver));
    UNPROTECT(2);
  }
  release(holder); // executables keep the library
  UNPROTECT(2);
  return entries;
}

//===-- Calls -----------------------------------------------------------------------===//

/// Storage of an argument in the port's dtype.
static SEXP argumentStorage(SEXP x, const tenon_port &port) {
  auto dtype = tenon_dtype(port.dtype);
  if (isValue(x)) {
    SEXP storage = force(x);
    if (tenon_dtype got = storageType(storage).dtype; got != dtype)
      fail(TENON_ERROR_DTYPE, "%s: expected dtype %s, got %s", port.name, tenon_dtype_name(dtype),
           tenon_dtype_name(got));
    return storage;
  }
  refuseFactor(x);
  if (TYPEOF(x) != REALSXP && TYPEOF(x) != INTSXP && TYPEOF(x) != LGLSXP)
    fail(TENON_ERROR_DTYPE, "%s: expected a tensor or numbers, got %s", port.name,
         Rf_type2char(TYPEOF(x)));
  if (TYPEOF(x) != INTSXP || dtype != TENON_I32)
    x = storageOf(x, dtype);
  else if (const int *at = INTEGER(x), *end = at + Rf_xlength(x);
           std::find(at, end, NA_INTEGER) != end)
    fail(TENON_ERROR_ARGUMENT, "%s: expected whole numbers, got NA", port.name);
  PROTECT(x);
  expand(x);
  UNPROTECT(1);
  return x;
}

static void checkShape(const Type &type, const tenon_port &port) {
  bool fits = type.rank == port.rank;
  Type expected;
  expected.rank = int(port.rank);
  for (int d = 0; d < expected.rank; d++)
    if (isStatic(port.extents[d], expected.dims[d]))
      fits = fits && expected.dims[d] == type.dims[d];
  if (fits)
    return;
  char wanted[160], got[160];
  shapeText(expected, wanted, sizeof wanted);
  for (char *at; (at = strstr(wanted, "-1"));) // open: any extent
    *at = '?', memmove(at + 1, at + 2, strlen(at + 1));
  fail(TENON_ERROR_SHAPE, "%s: expected shape %s, got %s", port.name, wanted,
       shapeText(type, got, sizeof got));
}

namespace {

/// A call under way. Its memory is R's, as an error may end it at any place.
struct Call {
  tenon_executable *executable;
  bool onDevice; ///< tensors lie in its memory
  const tenon_program &program;
  SEXP *objects; ///< arguments, as given
  tenon_tensor *inputs, *outputs;
  Type *types; ///< of inputs, then outputs
  SEXP keep;   ///< what `inputs` point into
  SEXP out;    ///< storage of the outputs
};

} // namespace

template <typename T> static T *allocate(int64_t count) {
  return reinterpret_cast<T *>(R_alloc(size_t(count) + 1, sizeof(T)));
}

/// `leaves` are the inputs but for the seed of random numbers, which comes last.
static void bindInputs(Call &call, SEXP leaves) {
  bool differentiating = gradDepth > 0 || current->tapeOpen;
  int64_t given = Rf_xlength(leaves);
  for (int64_t i = 0; i < call.program.num_inputs; i++) {
    const tenon_port &port = call.program.inputs[i];
    SEXP x = i < given ? resolve(VECTOR_ELT(leaves, i)) : scalarStorage(drawSeed(), TENON_I64);
    SET_VECTOR_ELT(call.keep, i, x);
    call.objects[i] = x;
    if (differentiating && isDifferentiated(x))
      fail(TENON_ERROR_ARGUMENT,
           "%s: gradients do not flow through a loaded program: compile the gradient with it, or "
           "pass tenon_stop_gradient() of what needs none",
           port.name);
    SEXP storage = i < given ? argumentStorage(x, port) : x;
    if (!isValue(x))
      SET_VECTOR_ELT(call.keep, i, storage);
    call.types[i] = storageType(storage);
    checkShape(call.types[i], port);
    if (call.onDevice && isValue(x)) {
      moveToDevice(x);
      storage = force(x);
    }
    call.inputs[i] = argumentOf(storage, call.onDevice, call.types[i]);
  }
}

static bool sameElements(const tenon_tensor &a, const tenon_tensor &b) {
  return a.data == b.data && a.buffer == b.buffer;
}

/// Storage that output k may be written over: of the argument that it donates, where nothing
/// else sees it. NULL if there is none.
static SEXP takenStorage(const Call &call, int64_t k) {
  int64_t at = call.program.outputs[k].donates;
  if (at < 0 || !isValue(call.objects[at]) || isParam(call.objects[at]))
    return R_NilValue;
  SEXP storage = force(call.objects[at]);
  if (!isWritable(storage, call.onDevice))
    return R_NilValue;
  int uses = 0;
  for (int64_t i = 0; i < call.program.num_inputs; i++)
    uses += sameElements(call.inputs[i], call.inputs[at]);
  return uses == 1 && !MAYBE_SHARED(storage) ? storage : R_NilValue;
}

static void bindOutputs(Call &call) {
  const tenon_program &program = call.program;
  for (int64_t k = 0; k < program.num_outputs; k++)
    if (int64_t at = program.outputs[k].donates; at >= 0 && isValue(call.objects[at]))
      settleReaders(call.objects[at]);
  for (int64_t k = 0; k < program.num_outputs; k++) {
    const tenon_port &port = program.outputs[k];
    Type &type = call.types[program.num_inputs + k];
    type = Type();
    type.dtype = tenon_dtype(port.dtype);
    type.rank = int(port.rank);
    bool known = true;
    for (int d = 0; d < type.rank; d++)
      known = isStatic(port.extents[d], type.dims[d]) && known;
    if (!known)
      check(tenon_executable_output_extents(call.executable, call.inputs, program.num_inputs, k,
                                            type.dims));
    SEXP taken = takenStorage(call, k);
    SEXP storage = taken != R_NilValue ? taken : allocStorageOn(call.onDevice, type);
    SET_VECTOR_ELT(call.out, k, storage);
    willBeWritten(storage);
    call.outputs[k] = argumentOf(storage, call.onDevice, type);
  }
}

/// Runs a program on its inputs, but for the seed; its outputs in order.
extern "C" SEXP C_program_call(SEXP pointer, SEXP leaves) {
  auto *executable = static_cast<tenon_executable *>(R_ExternalPtrAddr(pointer));
  if (!executable)
    fail(TENON_ERROR_ARGUMENT, "this program was loaded in another session: load it again");
  const tenon_program &program = *tenon_executable_program(executable);
  int64_t count = program.num_inputs, results = program.num_outputs;
  Call call = {executable,
               R_ExternalPtrTag(pointer) == deviceTag(),
               program,
               allocate<SEXP>(count),
               allocate<tenon_tensor>(count),
               allocate<tenon_tensor>(results),
               allocate<Type>(count + results),
               PROTECT(Rf_allocVector(VECSXP, count)),
               PROTECT(Rf_allocVector(VECSXP, results))};
  bindInputs(call, leaves);
  bindOutputs(call);
  check(run(executable, call.inputs, size_t(count), call.outputs, size_t(results)));
  for (int64_t k = 0; k < results; k++) {
    SEXP storage = VECTOR_ELT(call.out, k);
    int64_t at = program.outputs[k].donates;
    if (at >= 0 && sameElements(call.inputs[at], call.outputs[k]))
      R_SetExternalPtrProtected(call.objects[at], donatedTag);
    SET_VECTOR_ELT(call.out, k, newValue(storage));
  }
  UNPROTECT(2);
  return call.out;
}
