//===- jit_trace.cpp - Running a function once to compile what it does
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "jit.h"

#include <algorithm>

using namespace jit;

namespace {

/// What the trace of a function needs beside the recorder.
Trace::Slice slice;
std::vector<int32_t> argumentIds, outputIds, tripIds;
int64_t trips; // of the loop being traced
size_t stateLeaves;

SEXP traceArgument(SEXP x, size_t &leaf, bool scanned) {
  x = resolve(x);
  bool isLeaf = isValue(x) || (TYPEOF(x) != VECSXP && x != R_NilValue && !isStatic(x));
  if (!isLeaf && TYPEOF(x) != VECSXP)
    return x;
  if (!isLeaf) {
    SEXP list = PROTECT(Rf_shallow_duplicate(x));
    for (R_xlen_t i = 0; i < Rf_xlength(x); i++)
      SET_VECTOR_ELT(list, i, traceArgument(VECTOR_ELT(x, i), leaf, scanned));
    UNPROTECT(1);
    return list;
  }
  Type type = storageType(scratch.leaves[leaf].storage);
  bool array = !isValue(x);
  leaf++;
  if (scanned) {
    if (type.rank < 1 || type.dims[0] != trips) {
      char text[120];
      fail(TENON_ERROR_SHAPE,
           "loop: expected data whose last extent is the number of steps, %lld, "
           "got dim %s",
           (long long)trips, shapeText(type, text, sizeof text));
    }
    type.rank--;
    std::copy(type.dims + 1, type.dims + type.rank + 1, type.dims);
  }
  Recorder &r = begin();
  int32_t id = addInput(r, type, R_NilValue, 0);
  append(argumentIds, id);
  if (array && type.dtype == TENON_F64)
    id = cast(r, id, defaultDtype);
  return result(r, id);
}

/// Collects outputs and pieces from what the function returned.
void takeApart(SEXP x, std::vector<Piece> &pieces, SEXP constants) {
  x = resolve(x);
  auto constant = [&](SEXP value) {
    SETCDR(constants, Rf_cons(value, CDR(constants)));
    return int32_t(Rf_length(CDR(constants)) - 1);
  };
  if (isValue(x) && isIn(tracer, x)) {
    int32_t id = indexOf(x);
    if (trips == 0 && tracer.trace.definingNode(id) < 0) {
      auto it = std::find(argumentIds.begin(), argumentIds.end(), id);
      if (it != argumentIds.end()) {
        append(pieces, {Piece::Argument, int32_t(it - argumentIds.begin())});
        return;
      }
    }
    auto it = std::find(outputIds.begin(), outputIds.end(), id);
    if (it == outputIds.end() || trips > 0) {
      append(outputIds, id);
      it = outputIds.end() - 1;
    }
    append(pieces, {Piece::Output, int32_t(it - outputIds.begin())});
  } else if (TYPEOF(x) == VECSXP && !Rf_inherits(x, "data.frame")) {
    append(pieces, {Piece::List, int32_t(Rf_xlength(x))});
    SEXP model = R_NilValue;
    if (ATTRIB(x) != R_NilValue) {
      model = PROTECT(Rf_shallow_duplicate(x));
      for (R_xlen_t i = 0; i < Rf_xlength(model); i++)
        SET_VECTOR_ELT(model, i, R_NilValue);
      append(pieces, {Piece::Constant, constant(model)});
      UNPROTECT(1);
    } else {
      append(pieces, {Piece::Constant, constant(R_NilValue)});
    }
    for (R_xlen_t i = 0; i < Rf_xlength(x); i++)
      takeApart(VECTOR_ELT(x, i), pieces, constants);
  } else if (trips > 0) { // every value of a loop is one of its program
    Recorder &r = begin();
    int32_t id = useAny(r, x);
    append(outputIds, id);
    append(pieces, {Piece::Output, int32_t(outputIds.size()) - 1});
  } else {
    append(pieces, {Piece::Constant, constant(x)});
  }
}

/// Turns the finished trace into `slice`.
void cutTrace() {
  tripIds.clear();
  if (trips > 0)
    tripIds.push_back(tracer.step);
  tracer.trace.slice(outputIds, argumentIds, tripIds, slice, [](int32_t, Need) { return false; });
}

/// Fills an entry's sources and captures from the slice's inputs.
void bindSources(Entry &entry, SEXP captures) {
  for (size_t k = 0; k < slice.inputs.size(); k++) {
    int32_t id = slice.inputs[k];
    if (trips > 0 && id == tracer.step)
      continue; // the runtime's
    Type type = typeOfTrace(slice.values[k]);
    append(entry.inputTypes, type);
    if (k < argumentIds.size()) {
      append(entry.sources, int32_t(k));
    } else if (id == tracer.seed) {
      append(entry.sources, -1);
    } else {
      append(entry.sources, -2 - int32_t(Rf_length(CDR(captures))));
      SETCDR(captures, Rf_cons(VECTOR_ELT(tracer.slots, id), CDR(captures)));
    }
  }
}

/// A pairlist built back to front as a list in order.
SEXP listOf(SEXP cells) {
  int count = Rf_length(CDR(cells));
  SEXP list = Rf_allocVector(VECSXP, count);
  SEXP at = CDR(cells);
  for (int i = count; i-- > 0; at = CDR(at))
    SET_VECTOR_ELT(list, i, CAR(at));
  return list;
}

void checkLoopState(size_t outputsOfState) {
  if (outputsOfState != stateLeaves)
    fail(TENON_ERROR_ARGUMENT,
         "loop: the new state must have the %d tensors of the old one, got %d", int(stateLeaves),
         int(outputsOfState));
  for (size_t i = 0; i < stateLeaves; i++) {
    const Type &a = tracer.trace.type(argumentIds[i]), &b = tracer.trace.type(outputIds[i]);
    char s[120], t[120];
    if (a.dtype != b.dtype || !tenon::infer::sameShape(a, b))
      fail(TENON_ERROR_SHAPE, "loop: tensor %d of the new state: expected %s %s, got %s %s",
           int(i) + 1, tenon_dtype_name(a.dtype), shapeText(a, s, sizeof s),
           tenon_dtype_name(b.dtype), shapeText(b, t, sizeof t));
  }
}

/// Outputs of a loop get one more axis.
void checkStacked() {
  for (size_t k = stateLeaves; k < outputIds.size(); k++)
    if (tracer.trace.type(outputIds[k]).rank == tenon::infer::kMaxRank)
      fail(TENON_ERROR_SHAPE,
           "loop: expected outputs of at most %d axes, as they are stacked along "
           "a new one, got %d",
           tenon::infer::kMaxRank - 1, tenon::infer::kMaxRank);
}

/// The names that a signature refers to by address must stay.
void keepNames(SEXP x, SEXP list) {
  if (TYPEOF(x) != VECSXP)
    return;
  SEXP names = Rf_getAttrib(x, R_NamesSymbol);
  if (names != R_NilValue)
    SETCDR(list, Rf_cons(names, CDR(list)));
  for (R_xlen_t i = 0; i < Rf_xlength(x); i++)
    keepNames(VECTOR_ELT(x, i), list);
}

/// Takes what a step returned apart: list(state, out).
void takeLoopApart(SEXP out, std::vector<Piece> &pieces, SEXP constants) {
  if (TYPEOF(out) != VECSXP || Rf_xlength(out) != 2)
    fail(TENON_ERROR_ARGUMENT, "loop: the step must return list(state, out)");
  auto constant = [&](SEXP value) {
    SETCDR(constants, Rf_cons(value, CDR(constants)));
    append(pieces, {Piece::Constant, int32_t(Rf_length(CDR(constants)) - 1)});
  };
  append(pieces, {Piece::List, 2});
  SEXP model = PROTECT(Rf_shallow_duplicate(out));
  SET_VECTOR_ELT(model, 0, R_NilValue), SET_VECTOR_ELT(model, 1, R_NilValue);
  constant(model);
  UNPROTECT(1);
  takeApart(VECTOR_ELT(out, 0), pieces, constants);
  checkLoopState(outputIds.size());
  if (VECTOR_ELT(out, 1) == R_NilValue)
    constant(R_NilValue);
  else
    takeApart(VECTOR_ELT(out, 1), pieces, constants);
  checkStacked();
}

/// Which leaf's storage each output may take.
void bindDonations(const std::vector<Piece> &pieces) {
  static std::vector<uint8_t> donated;
  if (trips > 0) { // state i comes back as output i
    for (size_t i = 0; i < stateLeaves; i++)
      slice.donates[i] = int32_t(i);
  } else {
    donated.assign(argumentIds.size(), 0);
    for (size_t i = 0; i < donated.size(); i++)
      donated[i] = scratch.leaves[i].donated;
    pairDonations(outputIds, argumentIds, donated, slice);
  }
  for (const Piece &piece : pieces) // an argument that is returned as it is stays
    if (piece.kind == Piece::Argument)
      for (int32_t &donation : slice.donates)
        donation = donation == piece.at ? -1 : donation;
}

/// The type of one step's part, for all steps of a loop.
Type stacked(Type type) {
  std::copy_backward(type.dims, type.dims + type.rank, type.dims + type.rank + 1);
  type.dims[0] = trips;
  type.rank++;
  return type;
}

/// Types as the caller of the program gives them; inputs have those of a step so far.
void bindTypes(Entry &entry) {
  for (size_t k = 0; k < slice.outputs.size(); k++) {
    Type type = typeOfTrace(slice.values[size_t(slice.outputs[k])]);
    entry.outputTypes.push_back(trips > 0 && k >= stateLeaves ? stacked(type) : type);
  }
  if (trips > 0)
    for (size_t k = stateLeaves; k < argumentIds.size(); k++)
      entry.inputTypes[k] = stacked(entry.inputTypes[k]);
}

void compileEntry(Entry &entry) {
  if (slice.outputs.empty())
    return;
  tenon_compile_options options = {};
  options.loop_trips = trips;
  options.loop_state = int64_t(stateLeaves);
  options.loop_invariant = int64_t(slice.inputs.size() - argumentIds.size()) - (trips > 0);
  check(compileSlice(slice, trips > 0 ? &options : nullptr, entry.compiled));
}

/// What an entry keeps of this call's arguments.
void keepArguments(SEXP keeps, SEXP args) {
  SEXP fixed = Rf_allocVector(VECSXP, R_xlen_t(scratch.statics.size()));
  SET_VECTOR_ELT(keeps, kStatics, fixed);
  for (size_t i = 0; i < scratch.statics.size(); i++)
    SET_VECTOR_ELT(fixed, R_xlen_t(i), scratch.statics[i]);
  SEXP names = Rf_cons(Rf_getAttrib(args, R_NamesSymbol), R_NilValue);
  SET_VECTOR_ELT(keeps, kNames, names);
  for (R_xlen_t i = 0; i < Rf_xlength(args); i++)
    keepNames(VECTOR_ELT(args, i), names);
}

} // namespace

void jit::pairDonations(const std::vector<int32_t> &outputs, const std::vector<int32_t> &arguments,
                        std::vector<uint8_t> &donated, Trace::Slice &slice) {
  for (size_t k = 0; k < outputs.size(); k++)
    for (size_t i = 0; i < arguments.size(); i++) {
      const Type &a = tracer.trace.type(outputs[k]), &b = tracer.trace.type(arguments[i]);
      if (!donated[i] || a.dtype != b.dtype || !tenon::infer::sameShape(a, b))
        continue;
      donated[i] = 0;
      slice.donates[k] = int32_t(i);
      break;
    }
}

extern "C" {

SEXP C_trace_begin() {
  if (tracing)
    fail(TENON_ERROR_ARGUMENT, "a function is already being traced");
  renew(tracer);
  tracing = true;
  argumentIds.clear(), outputIds.clear();
  trips = 0;
  stateLeaves = 0;
  return R_NilValue;
}

SEXP C_trace_end() {
  if (tracing)
    renew(tracer);
  tracing = false;
  return R_NilValue;
}

/// The arguments with placeholders for their numbers.
SEXP C_trace_arguments(SEXP self, SEXP args) {
  tracing = false; // what they hold is computed now
  walkArguments(self, args);
  tracing = true;
  trips = tripsOf(self);
  SEXP fixed = VECTOR_ELT(self, kStaticArgs);
  SEXP traced = PROTECT(Rf_shallow_duplicate(args));
  size_t leaf = 0;
  for (R_xlen_t i = 0; i < Rf_xlength(args); i++) {
    if (contains(fixed, i))
      continue;
    SET_VECTOR_ELT(traced, i, traceArgument(VECTOR_ELT(args, i), leaf, trips > 0 && i == 1));
    if (i == 0)
      stateLeaves = leaf;
  }
  UNPROTECT(1);
  return traced;
}

/// The number of the current trip of a loop, from 1.
SEXP C_trip() {
  static const int add = tenon::infer::findOp("add");
  Recorder &r = begin();
  Type type = Type::make(TENON_I64, {});
  r.step = addInput(r, type, R_NilValue, 0);
  return result(r, call(r, add, {r.step, constant(r, 1, type)}));
}

/// Compiles what was traced into an entry of `self`; `out` is what the function
/// returned (a loop: list(state, out)).
SEXP C_trace_finish(SEXP self, SEXP args, SEXP out) {
  static std::vector<Piece> pieces;
  SEXP constants = PROTECT(Rf_cons(R_NilValue, R_NilValue));
  SEXP captures = PROTECT(Rf_cons(R_NilValue, R_NilValue));
  pieces.clear();
  if (trips > 0)
    takeLoopApart(out, pieces, constants);
  else
    takeApart(out, pieces, constants);
  if (!tracer.updates.empty())
    fail(TENON_ERROR_ARGUMENT, "$step() cannot run inside jit(): use tenon_sgd() or tenon_adam() "
                               "on the parameters that the function takes and returns");
  SEXP keeps = PROTECT(Rf_allocVector(VECSXP, kEntrySize));
  SEXP pointer = PROTECT(newEntryPointer(keeps));
  Entry *entry = nullptr;
  noThrow([&] {
    cutTrace();
    entry = new Entry;
    entry->signature = scratch.signature;
    entry->pieces = pieces;
  });
  R_SetExternalPtrAddr(pointer, entry);
  bindSources(*entry, captures);
  noThrow([&] {
    bindDonations(pieces);
    entry->donates = slice.donates;
    bindTypes(*entry);
  });
  compileEntry(*entry);
  keepArguments(keeps, args);
  SET_VECTOR_ELT(keeps, kCaptures, listOf(captures));
  SET_VECTOR_ELT(keeps, kConstants, listOf(constants));
  SEXP cell = VECTOR_ELT(self, kEntries);
  SET_VECTOR_ELT(cell, 0, Rf_cons(pointer, VECTOR_ELT(cell, 0)));
  tellFallback();
  UNPROTECT(4);
  return R_NilValue;
}

/// IR of what was traced, after a phase.
SEXP C_trace_print(SEXP out, SEXP phase) {
  static std::vector<Piece> pieces;
  SEXP constants = PROTECT(Rf_cons(R_NilValue, R_NilValue));
  pieces.clear();
  if (TYPEOF(out) == ENVSXP)
    out = PROTECT(Rf_eval(PROTECT(Rf_lang2(Rf_install("as.list.environment"), out)), R_BaseEnv));
  else
    PROTECT(out), PROTECT(out);
  takeApart(out, pieces, constants);
  noThrow([&] {
    for (const Update &update : tracer.updates)
      outputIds.push_back(update.value);
    cutTrace();
  });
  if (slice.nodes.empty())
    fail(TENON_ERROR_ARGUMENT, "tenon_ir: the function computed no tensor");
  for (size_t k = 0; k < slice.outputs.size(); k++)
    for (const Update &update : tracer.updates)
      if (slice.origin[size_t(slice.outputs[k])] == update.value)
        slice.donates[k] =
            int32_t(std::find(slice.inputs.begin(), slice.inputs.end(), update.leaf) -
                    slice.inputs.begin());
  SEXP text = printSlice(slice, CHAR(STRING_ELT(phase, 0)));
  UNPROTECT(3);
  return text;
}
}
