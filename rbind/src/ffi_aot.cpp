//===- ffi_aot.cpp - Entry points of compilation ahead of time
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// R takes nested lists apart and puts them together; here arguments and results are
// flat. What was traced waits in an R object until all functions of a file are there.
//
//===----------------------------------------------------------------------===//
#include "jit.h"

#include <algorithm>
#include <string>

namespace {

std::vector<int32_t> argumentIds, outputIds, none;
std::vector<uint8_t> returned; ///< by argument: it comes back as it is

/// A traced function that waits for its compilation. The R object that holds it protects
/// the storage of its constants.
struct Traced {
  Trace::Slice slice;
  std::string name, metadata;
  std::vector<std::string> inputNames, outputNames;
  std::vector<const void *> constants; ///< by input, null: an input of the program
};

void dropTraced(SEXP pointer) {
  delete static_cast<Traced *>(R_ExternalPtrAddr(pointer));
  R_ClearExternalPtr(pointer);
}

std::vector<std::string> namesOf(SEXP strings) {
  std::vector<std::string> names;
  for (R_xlen_t i = 0; i < Rf_xlength(strings); i++)
    names.push_back(CHAR(STRING_ELT(strings, i)));
  return names;
}

} // namespace

extern "C" {

/// Between C_trace_begin and C_trace_end: arguments with placeholders for their numbers. Where a
/// GPU may run the program, R's doubles come in the default dtype: there may be no f64.
SEXP C_ahead_arguments(SEXP leaves, SEXP gpu) {
  R_xlen_t count = Rf_xlength(leaves);
  Type *types = reinterpret_cast<Type *>(R_alloc(size_t(count) + 1, sizeof(Type)));
  tracing = false; // what they hold is computed now
  for (R_xlen_t i = 0; i < count; i++) {
    SEXP x = resolve(VECTOR_ELT(leaves, i));
    types[i] = isValue(x) ? storageType(force(x)) : arrayType(x);
    if (Rf_asLogical(gpu) && !isValue(x) && types[i].dtype == TENON_F64)
      types[i].dtype = defaultDtype;
  }
  tracing = true;
  argumentIds.clear(), outputIds.clear(), returned.clear();
  SEXP traced = PROTECT(Rf_allocVector(VECSXP, count));
  for (R_xlen_t i = 0; i < count; i++) {
    Recorder &r = begin();
    int32_t id = addInput(r, types[i], R_NilValue, 0);
    append(argumentIds, id);
    append(returned, uint8_t(0));
    if (types[i].dtype == TENON_F64 && !isValue(resolve(VECTOR_ELT(leaves, i))))
      id = cast(r, id, defaultDtype);
    SET_VECTOR_ELT(traced, i, result(r, id));
  }
  UNPROTECT(1);
  return traced;
}

/// A tensor that the function returned: c(output = k), or c(argument = i) that comes back
/// as it is; both from 1.
SEXP C_ahead_output(SEXP x) {
  x = resolve(x);
  Recorder &r = begin();
  int32_t id = useAny(r, x);
  auto place = [](const char *kind, size_t index) {
    const char *names[] = {kind, ""};
    SEXP x = Rf_mkNamed(INTSXP, names);
    INTEGER(x)[0] = int(index) + 1;
    return x;
  };
  auto argument = std::find(argumentIds.begin(), argumentIds.end(), id);
  if (argument != argumentIds.end()) {
    size_t i = size_t(argument - argumentIds.begin());
    returned[i] = 1;
    return place("argument", i);
  }
  size_t k = size_t(std::find(outputIds.begin(), outputIds.end(), id) - outputIds.begin());
  if (k == outputIds.size())
    append(outputIds, id);
  return place("output", k);
}

/// What was traced, as an object for C_ahead_compile. What the function took from elsewhere
/// becomes a constant.
SEXP C_ahead_finish(SEXP name, SEXP inputNames, SEXP outputNames, SEXP donated, SEXP metadata) {
  if (!tracer.updates.empty())
    fail(TENON_ERROR_ARGUMENT, "$step() cannot run inside tenon_compile(): use tenon_sgd() or "
                               "tenon_adam() on the parameters that the function takes and "
                               "returns");
  if (outputIds.empty())
    fail(TENON_ERROR_ARGUMENT, "tenon_compile: the function computed no tensor");
  Traced *traced = nullptr;
  noThrow([&] { traced = new Traced; });
  SEXP pointer = PROTECT(R_MakeExternalPtr(traced, R_NilValue, R_NilValue));
  R_RegisterCFinalizer(pointer, dropTraced);
  Trace::Slice &slice = traced->slice;
  noThrow([&] {
    tracer.trace.slice(outputIds, argumentIds, none, slice, [](int32_t, Need) { return false; });
    std::vector<uint8_t> mayTake(argumentIds.size());
    for (size_t i = 0; i < mayTake.size(); i++)
      mayTake[i] = LOGICAL(donated)[i] && !returned[i];
    jit::pairDonations(outputIds, argumentIds, mayTake, slice);
    traced->name = CHAR(STRING_ELT(name, 0));
    traced->metadata = CHAR(STRING_ELT(metadata, 0));
    traced->inputNames = namesOf(inputNames);
    traced->outputNames = namesOf(outputNames);
    traced->inputNames.resize(slice.inputs.size(), "seed");
    traced->constants.resize(slice.inputs.size(), nullptr);
  });
  SEXP constants = PROTECT(Rf_allocVector(VECSXP, R_xlen_t(slice.inputs.size())));
  R_SetExternalPtrProtected(pointer, constants);
  tracing = false; // constants are computed now
  for (size_t k = argumentIds.size(); k < slice.inputs.size(); k++) {
    if (slice.inputs[k] == tracer.seed)
      continue;
    SEXP capture = VECTOR_ELT(tracer.slots, slice.inputs[k]);
    SEXP storage = isValue(capture) ? force(capture) : capture;
    SET_VECTOR_ELT(constants, R_xlen_t(k), storage);
    traced->constants[k] = storageData(storage);
  }
  tracing = true;
  UNPROTECT(2);
  return pointer;
}

/// For the device "cpu", "vulkan" or "vulkan,cpu"; `march` and `features` may be NULL.
SEXP C_ahead_compile(SEXP functions, SEXP device, SEXP march, SEXP features, SEXP path) {
  R_xlen_t count = Rf_xlength(functions);
  auto *views = reinterpret_cast<tenon_artifact_function *>(
      R_alloc(size_t(count), sizeof(tenon_artifact_function)));
  auto *traces = reinterpret_cast<tenon_trace *>(R_alloc(size_t(count), sizeof(tenon_trace)));
  auto texts = [](const std::vector<std::string> &names) {
    auto *list = reinterpret_cast<const char **>(R_alloc(names.size() + 1, sizeof(char *)));
    for (size_t i = 0; i < names.size(); i++)
      list[i] = names[i].c_str();
    return list;
  };
  for (R_xlen_t i = 0; i < count; i++) {
    auto &traced = *static_cast<Traced *>(R_ExternalPtrAddr(VECTOR_ELT(functions, i)));
    traces[i] = traced.slice.view();
    views[i] = {traced.name.c_str(),      &traces[i],
                texts(traced.inputNames), texts(traced.outputNames),
                traced.constants.data(),  traced.metadata.c_str()};
  }
  auto text = [](SEXP x) { return x == R_NilValue ? nullptr : CHAR(STRING_ELT(x, 0)); };
  check(compileArtifact(views, int64_t(count), text(device), text(march), text(features),
                        text(path)));
  return R_NilValue;
}
}
