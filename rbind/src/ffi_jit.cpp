//===- ffi_jit.cpp - Traced functions: jit, compile_loop, tenon_ir
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call walks its arguments once into words (the signature) and leaves (where
// their elements lie), finds the entry of that signature, runs it and builds the
// results from a template. The function itself runs only for a new signature.
//
//===----------------------------------------------------------------------===//
#include "recorder.h"

#include <algorithm>
#include <cstring>

namespace {

//===-- Signatures ---------------------------------------------------------------===//

enum Mark : uint64_t { kTensorMark = 1, kListMark, kNullMark, kStaticMark };

uint64_t word(Mark mark, uint64_t low) { return uint64_t(mark) << 56 | low; }

struct Leaf {
  SEXP object; ///< value or R array, as given
  SEXP storage;
  bool donated;
};

/// What a call works with. An allocation may run a finalizer that calls a traced
/// function too; the outer call's is then put aside.
struct Scratch {
  std::vector<uint64_t> signature;
  std::vector<Leaf> leaves;
  std::vector<SEXP> statics;
  std::vector<tenon_tensor> inputs, outputs;
  SEXP keep; ///< holder of a list: storage made for this call
};
constexpr int kMaxDepth = 8;
Scratch scratch, outer[kMaxDepth];
int depth; // of calls that are running
auto &signature = scratch.signature;
auto &leaves = scratch.leaves;
auto &statics = scratch.statics;
auto &inputs = scratch.inputs, &outputs = scratch.outputs;

void enter() {
  if (depth == kMaxDepth)
    fail(TENON_ERROR_ARGUMENT, "compiled functions call each other more than %d deep", kMaxDepth);
  if (depth > 0)
    std::swap(scratch, outer[depth - 1]);
  depth++;
}

void leave(void *) {
  SET_VECTOR_ELT(scratch.keep, 0, R_NilValue);
  if (--depth > 0)
    std::swap(scratch, outer[depth - 1]);
}

void keepAlive(SEXP x) {
  SEXP cell = PROTECT(Rf_cons(x, VECTOR_ELT(scratch.keep, 0)));
  SET_VECTOR_ELT(scratch.keep, 0, cell);
  UNPROTECT(1);
}

void addLeaf(SEXP object, SEXP storage, bool donated) {
  Type type = storageType(storage);
  append(signature, word(kTensorMark, uint64_t(type.dtype) << 8 | uint64_t(type.rank)));
  for (int i = 0; i < type.rank; i++)
    append(signature, uint64_t(type.dims[i]));
  append(leaves, {object, storage, donated});
}

bool hasNA(SEXP x) {
  const int *at = INTEGER(x);
  for (R_xlen_t i = 0, n = Rf_xlength(x); i < n; i++)
    if (at[i] == NA_INTEGER)
      return true;
  return false;
}

/// Logical flags are part of the program; other numbers are its inputs.
bool isStatic(SEXP x) {
  switch (TYPEOF(x)) {
  case REALSXP:
    return false;
  case INTSXP:
    return Rf_inherits(x, "factor");
  case LGLSXP:
    return Rf_xlength(x) == 1 && Rf_getAttrib(x, R_DimSymbol) == R_NilValue;
  default:
    return true;
  }
}

/// Storage of an R array that is an input: integers with NA become doubles.
SEXP storageOfArray(SEXP x) {
  return TYPEOF(x) == LGLSXP               ? storageOf(x, TENON_I1)
         : TYPEOF(x) == INTSXP && hasNA(x) ? Rf_coerceVector(x, REALSXP)
                                           : x;
}

void walk(SEXP x, bool donated) {
  x = resolve(x);
  if (isValue(x)) {
    addLeaf(x, force(x), donated);
  } else if (TYPEOF(x) == VECSXP) {
    R_xlen_t count = Rf_xlength(x);
    SEXP names = Rf_getAttrib(x, R_NamesSymbol);
    append(signature, word(kListMark, uint64_t(count) << 1 | (names != R_NilValue)));
    for (R_xlen_t i = 0; i < count; i++) {
      if (names != R_NilValue)
        append(signature, uint64_t(uintptr_t(STRING_ELT(names, i))));
      walk(VECTOR_ELT(x, i), donated);
    }
  } else if (x == R_NilValue) {
    append(signature, word(kNullMark, 0));
  } else if (isStatic(x)) {
    append(signature, word(kStaticMark, 0));
    append(statics, x);
  } else {
    SEXP storage = storageOfArray(x);
    if (storage != x)
      keepAlive(storage);
    expand(storage);
    addLeaf(x, storage, donated);
  }
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

//===-- Entries --------------------------------------------------------------------===//

/// How a result is put together, read in order.
struct Piece {
  enum Kind { List, Output, Argument, Capture, Constant } kind;
  int32_t at; ///< number of elements, of the output, leaf, capture or constant
};

struct Entry {
  std::vector<uint64_t> signature;
  std::vector<Piece> pieces;
  std::vector<Type> inputTypes, outputTypes;
  std::vector<int32_t> donates; ///< per output: the leaf whose storage it may take, or -1
  std::vector<int32_t> sources; ///< per input: leaf >= 0, -1 seed, -2 - k capture k
  tenon_executable *executable = nullptr;
};
enum EntrySlot { kStatics, kCaptures, kConstants, kNames, kEntrySize };

// A function object: list(f, donate, entries (a list of one pairlist), trips,
// static): trips > 0 for a loop.
enum FunctionSlot { kFunction, kDonate, kEntries, kTrips, kStaticArgs, kFunctionSize };

void dropEntry(SEXP pointer) {
  Entry *entry = static_cast<Entry *>(R_ExternalPtrAddr(pointer));
  if (entry && entry->executable)
    tenon_executable_release(entry->executable);
  delete entry;
  R_ClearExternalPtr(pointer);
}

bool sameStatics(SEXP list) {
  for (size_t i = 0; i < statics.size(); i++)
    if (VECTOR_ELT(list, R_xlen_t(i)) != statics[i] &&
        !R_compute_identical(VECTOR_ELT(list, R_xlen_t(i)), statics[i], 16))
      return false;
  return true;
}

SEXP findEntry(SEXP self) {
  for (SEXP at = VECTOR_ELT(VECTOR_ELT(self, kEntries), 0); at != R_NilValue; at = CDR(at)) {
    Entry *entry = static_cast<Entry *>(R_ExternalPtrAddr(CAR(at)));
    if (entry && entry->signature == signature &&
        sameStatics(VECTOR_ELT(R_ExternalPtrProtected(CAR(at)), kStatics)))
      return CAR(at);
  }
  return nullptr;
}

/// Whether argument i (from 0) is among R's positions.
bool contains(SEXP positions, R_xlen_t i) {
  const int *begin = INTEGER(positions), *end = begin + Rf_xlength(positions);
  return std::find(begin, end, int(i) + 1) != end;
}

/// Walks the arguments of a call; `self` says which are donated.
void walkArguments(SEXP self, SEXP args) {
  signature.clear(), leaves.clear(), statics.clear();
  SET_VECTOR_ELT(scratch.keep, 0, R_NilValue);
  SEXP donate = VECTOR_ELT(self, kDonate), names = Rf_getAttrib(args, R_NamesSymbol);
  SEXP fixed = VECTOR_ELT(self, kStaticArgs);
  append(signature, uint64_t(deviceNumber) << 8 | uint64_t(defaultDtype));
  for (R_xlen_t i = 0; i < Rf_xlength(args); i++) {
    append(signature, names == R_NilValue ? 0 : uint64_t(uintptr_t(STRING_ELT(names, i))));
    if (contains(fixed, i)) {
      append(signature, word(kStaticMark, 1));
      append(statics, VECTOR_ELT(args, i));
    } else {
      walk(VECTOR_ELT(args, i), contains(donate, i));
    }
  }
}

SEXP build(const Entry &entry, size_t &at, SEXP keeps, SEXP results) {
  const Piece &piece = entry.pieces[at++];
  switch (piece.kind) {
  case Piece::Output:
    return VECTOR_ELT(results, piece.at);
  case Piece::Argument:
    return isValue(leaves[size_t(piece.at)].object) ? leaves[size_t(piece.at)].object
                                                    : newValue(leaves[size_t(piece.at)].storage);
  case Piece::Capture:
    return VECTOR_ELT(VECTOR_ELT(keeps, kCaptures), piece.at);
  case Piece::Constant:
    return VECTOR_ELT(VECTOR_ELT(keeps, kConstants), piece.at);
  case Piece::List:
    break;
  }
  SEXP list = PROTECT(Rf_allocVector(VECSXP, piece.at));
  SEXP model = VECTOR_ELT(VECTOR_ELT(keeps, kConstants), entry.pieces[at++].at);
  for (R_xlen_t i = 0; i < Rf_xlength(list); i++)
    SET_VECTOR_ELT(list, i, build(entry, at, keeps, results));
  if (model != R_NilValue) {
    SEXP names = Rf_getAttrib(model, R_NamesSymbol);
    if (names != R_NilValue)
      Rf_setAttrib(list, R_NamesSymbol, names);
    Rf_copyMostAttrib(model, list);
  }
  UNPROTECT(1);
  return list;
}

/// Whether output k may be written over the storage of the leaf that it donates.
bool mayTake(const Entry &entry, size_t k) {
  int32_t at = entry.donates[k];
  if (at < 0)
    return false;
  const Leaf &leaf = leaves[size_t(at)];
  if (!leaf.donated || !isValue(leaf.object) || isParam(leaf.object) || MAYBE_SHARED(leaf.storage))
    return false;
  for (size_t i = 0; i < leaves.size(); i++)
    if (int32_t(i) != at && leaves[i].storage == leaf.storage)
      return false;
  return true;
}

SEXP runEntry(SEXP pointer) {
  PROTECT(pointer);
  Entry &entry = *static_cast<Entry *>(R_ExternalPtrAddr(pointer));
  SEXP keeps = R_ExternalPtrProtected(pointer);
  for (Leaf &leaf : leaves)
    if (leaf.donated && isValue(leaf.object))
      settleReaders(leaf.object);
  noThrow([&] { inputs.resize(entry.sources.size()), outputs.resize(entry.donates.size()); });
  for (size_t k = 0; k < inputs.size(); k++) {
    int32_t source = entry.sources[k];
    SEXP storage;
    if (source >= 0) {
      storage = leaves[size_t(source)].storage;
    } else if (source == -1) {
      keepAlive(storage = scalarStorage(drawSeed(), TENON_I64));
    } else {
      SEXP capture = VECTOR_ELT(VECTOR_ELT(keeps, kCaptures), -2 - source);
      storage = isValue(capture) ? force(capture) : capture;
      Type type = storageType(storage);
      if (isValue(capture) && (type.dtype != entry.inputTypes[k].dtype ||
                               countOf(type) != countOf(entry.inputTypes[k])))
        fail(TENON_ERROR_SHAPE, "a tensor that the compiled function captured has changed type");
    }
    inputs[k] = argumentOf(storageData(storage), entry.inputTypes[k]);
  }
  size_t count = outputs.size();
  SEXP results = PROTECT(Rf_allocVector(VECSXP, R_xlen_t(count)));
  for (size_t k = 0; k < count; k++) {
    SEXP storage = mayTake(entry, k) ? leaves[size_t(entry.donates[k])].storage
                                     : allocStorage(entry.outputTypes[k]);
    SET_VECTOR_ELT(results, R_xlen_t(k), storage);
    outputs[k] = argumentOf(storageData(storage), entry.outputTypes[k]);
  }
  if (entry.executable) // none when only arguments and constants come back
    check(run(entry.executable, inputs.data(), inputs.size(), outputs.data(), count));
  for (size_t k = 0; k < count; k++) {
    SEXP storage = VECTOR_ELT(results, R_xlen_t(k));
    if (entry.donates[k] >= 0 && storage == leaves[size_t(entry.donates[k])].storage)
      R_SetExternalPtrProtected(leaves[size_t(entry.donates[k])].object, donatedTag);
    SET_VECTOR_ELT(results, R_xlen_t(k), newValue(storage));
  }
  size_t at = 0;
  SEXP out = PROTECT(build(entry, at, keeps, results));
  for (size_t k = 0; k < count; k++) // or its counts would outlive the list
    SET_VECTOR_ELT(results, R_xlen_t(k), R_NilValue);
  UNPROTECT(3);
  return out;
}

//===-- Tracing --------------------------------------------------------------------===//

/// What the trace of a function needs beside the recorder.
Trace::Slice slice;
std::vector<int32_t> argumentIds, outputIds, tripIds, empty;
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
  Type type = storageType(leaves[leaf].storage);
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

/// Pairs outputs with donated leaves of their type, in order.
void pairDonations(const std::vector<bool> &donated) {
  static std::vector<uint8_t> taken;
  taken.assign(argumentIds.size(), 0);
  for (size_t k = 0; k < outputIds.size(); k++)
    for (size_t i = 0; i < argumentIds.size(); i++) {
      const Type &a = tracer.trace.type(outputIds[k]), &b = tracer.trace.type(argumentIds[i]);
      if (taken[i] || !donated[i] || a.dtype != b.dtype || !tenon::infer::sameShape(a, b))
        continue;
      taken[i] = 1;
      slice.donates[k] = int32_t(i);
      break;
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

//===-- Gradients through a call -----------------------------------------------------===//

bool differentiating() { return gradDepth > 0 || current->tapeOpen; }

/// An argument of a function that is simply called: R arrays are tensors there too.
SEXP inlineArgument(SEXP x) {
  x = resolve(x);
  if (isValue(x))
    return x;
  if (TYPEOF(x) == VECSXP) {
    SEXP list = PROTECT(Rf_shallow_duplicate(x));
    for (R_xlen_t i = 0; i < Rf_xlength(x); i++)
      SET_VECTOR_ELT(list, i, inlineArgument(VECTOR_ELT(x, i)));
    UNPROTECT(1);
    return list;
  }
  if (x == R_NilValue || isStatic(x))
    return x;
  SEXP storage = PROTECT(storageOfArray(x));
  if (TYPEOF(storage) == REALSXP)
    storage = storageOf(storage, defaultDtype);
  SEXP value = newValue(storage);
  UNPROTECT(1);
  return value;
}

SEXP inlineArguments(SEXP self, SEXP args) {
  SEXP list = PROTECT(Rf_shallow_duplicate(args));
  for (R_xlen_t i = 0; i < Rf_xlength(args); i++)
    if (!contains(VECTOR_ELT(self, kStaticArgs), i))
      SET_VECTOR_ELT(list, i, inlineArgument(VECTOR_ELT(args, i)));
  UNPROTECT(1);
  return list;
}

/// A loop is one program, which the trace of gradients does not look into.
void refuseTaped(SEXP entry) {
  SEXP captures = VECTOR_ELT(R_ExternalPtrProtected(entry), kCaptures);
  bool taped = false;
  for (const Leaf &leaf : leaves)
    taped |= isDifferentiated(leaf.object);
  for (R_xlen_t k = 0; k < Rf_xlength(captures); k++)
    taped |= isDifferentiated(VECTOR_ELT(captures, k));
  if (taped)
    fail(TENON_ERROR_ARGUMENT,
         "loop: gradients do not flow through compile_loop(): take them inside "
         "its step with grad() or value_and_grad(), write the steps as an R "
         "loop, or pass tenon_stop_gradient() of what needs none");
}

} // namespace

void initJit() {
  R_PreserveObject(scratch.keep = Rf_allocVector(VECSXP, 1));
  for (Scratch &each : outer)
    R_PreserveObject(each.keep = Rf_allocVector(VECSXP, 1));
}

extern "C" {

SEXP C_function(SEXP f, SEXP donate, SEXP fixed, SEXP count) {
  SEXP self = PROTECT(Rf_allocVector(VECSXP, kFunctionSize));
  SET_VECTOR_ELT(self, kFunction, f);
  SET_VECTOR_ELT(self, kDonate, donate);
  SET_VECTOR_ELT(self, kEntries, Rf_allocVector(VECSXP, 1));
  SET_VECTOR_ELT(self, kTrips, count);
  SET_VECTOR_ELT(self, kStaticArgs, fixed);
  UNPROTECT(1);
  return self;
}

static SEXP callEntry(void *data) {
  SEXP self = static_cast<SEXP *>(data)[0], args = static_cast<SEXP *>(data)[1];
  bool loop = Rf_asReal(VECTOR_ELT(self, kTrips)) > 0;
  noThrow([] { signature.reserve(256), leaves.reserve(64); });
  walkArguments(self, args);
  SEXP entry = findEntry(self);
  if (!entry) {
    SEXP make = PROTECT(Rf_lang3(Rf_install("trace_call"), self, args));
    Rf_eval(make, packageEnv);
    UNPROTECT(1);
    walkArguments(self, args);
    entry = findEntry(self);
    if (!entry)
      fail(TENON_ERROR_ARGUMENT, "the arguments changed while the function was traced");
  }
  if (loop && differentiating())
    refuseTaped(entry);
  return runEntry(entry);
}

/// The hot path of jit and compile_loop.
SEXP C_call(SEXP self, SEXP args) {
  bool loop = Rf_asReal(VECTOR_ELT(self, kTrips)) > 0;
  if (tracing || (differentiating() && !loop)) { // a program would hide what is in it
    SEXP given = PROTECT(tracing ? args : inlineArguments(self, args));
    SEXP inlined = PROTECT(Rf_lang3(Rf_install("call_inline"), self, given));
    SEXP out = Rf_eval(inlined, packageEnv);
    UNPROTECT(2);
    return out;
  }
  SEXP data[] = {self, args};
  enter();
  return R_ExecWithCleanup(callEntry, data, leave, nullptr);
}

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
  trips = int64_t(Rf_asReal(VECTOR_ELT(self, kTrips)));
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
  static std::vector<bool> donated;
  SEXP constants = PROTECT(Rf_cons(R_NilValue, R_NilValue));
  SEXP captures = PROTECT(Rf_cons(R_NilValue, R_NilValue));
  pieces.clear();
  if (trips > 0) {
    if (TYPEOF(out) != VECSXP || Rf_xlength(out) != 2)
      fail(TENON_ERROR_ARGUMENT, "loop: the step must return list(state, out)");
    SEXP both = PROTECT(Rf_allocVector(VECSXP, 2)); // names of the pair do not matter
    SET_VECTOR_ELT(both, 0, VECTOR_ELT(out, 0));
    SET_VECTOR_ELT(both, 1, VECTOR_ELT(out, 1));
    append(pieces, {Piece::List, 2});
    SETCDR(constants, Rf_cons(out, CDR(constants)));
    append(pieces, {Piece::Constant, 0});
    SEXP model = PROTECT(Rf_shallow_duplicate(out));
    SET_VECTOR_ELT(model, 0, R_NilValue), SET_VECTOR_ELT(model, 1, R_NilValue);
    SETCAR(CDR(constants), model);
    takeApart(VECTOR_ELT(both, 0), pieces, constants);
    checkLoopState(outputIds.size());
    if (VECTOR_ELT(both, 1) == R_NilValue) {
      SETCDR(constants, Rf_cons(R_NilValue, CDR(constants)));
      append(pieces, {Piece::Constant, int32_t(Rf_length(CDR(constants)) - 1)});
    } else {
      takeApart(VECTOR_ELT(both, 1), pieces, constants);
    }
    UNPROTECT(2);
    checkStacked();
  } else {
    takeApart(out, pieces, constants);
  }
  if (!tracer.updates.empty())
    fail(TENON_ERROR_ARGUMENT, "$step() cannot run inside jit(): use tenon_sgd() or tenon_adam() "
                               "on the parameters that the function takes and returns");
  SEXP keeps = PROTECT(Rf_allocVector(VECSXP, kEntrySize));
  SEXP pointer = PROTECT(R_MakeExternalPtr(nullptr, R_NilValue, keeps));
  R_RegisterCFinalizer(pointer, dropEntry);
  Entry *entry = nullptr;
  noThrow([&] {
    cutTrace();
    entry = new Entry;
    entry->signature = signature;
    entry->pieces = pieces;
  });
  R_SetExternalPtrAddr(pointer, entry);
  bindSources(*entry, captures);
  noThrow([&] {
    donated.assign(argumentIds.size(), false);
    for (size_t i = 0; i < donated.size(); i++)
      donated[i] = trips > 0 ? i < stateLeaves : leaves[i].donated;
    if (trips > 0) // state i comes back as output i
      for (size_t i = 0; i < stateLeaves; i++)
        slice.donates[i] = int32_t(i);
    else
      pairDonations(donated);
    for (const Piece &piece : pieces) // an argument that is returned as it is stays
      if (piece.kind == Piece::Argument)
        for (int32_t &donation : slice.donates)
          donation = donation == piece.at ? -1 : donation;
    entry->donates = slice.donates;
    for (size_t k = 0; k < slice.outputs.size(); k++) {
      Type type = typeOfTrace(slice.values[size_t(slice.outputs[k])]);
      if (trips > 0 && k >= stateLeaves) {
        std::copy_backward(type.dims, type.dims + type.rank, type.dims + type.rank + 1);
        type.dims[0] = trips;
        type.rank++;
      }
      entry->outputTypes.push_back(type);
    }
    if (trips > 0)
      for (size_t k = stateLeaves; k < argumentIds.size(); k++) { // scanned: given whole
        Type &type = entry->inputTypes[k];
        std::copy_backward(type.dims, type.dims + type.rank, type.dims + type.rank + 1);
        type.dims[0] = trips;
        type.rank++;
      }
  });
  tenon_compile_options options = {};
  options.loop_trips = trips;
  options.loop_state = int64_t(stateLeaves);
  options.loop_invariant = int64_t(slice.inputs.size() - argumentIds.size()) - (trips > 0);
  if (!slice.outputs.empty())
    check(compileSlice(slice, trips > 0 ? &options : nullptr, &entry->executable));
  SEXP fixed = Rf_allocVector(VECSXP, R_xlen_t(statics.size()));
  SET_VECTOR_ELT(keeps, kStatics, fixed);
  for (size_t i = 0; i < statics.size(); i++)
    SET_VECTOR_ELT(fixed, R_xlen_t(i), statics[i]);
  SET_VECTOR_ELT(keeps, kCaptures, listOf(captures));
  SET_VECTOR_ELT(keeps, kConstants, listOf(constants));
  SEXP names = PROTECT(Rf_cons(Rf_getAttrib(args, R_NamesSymbol), R_NilValue));
  for (R_xlen_t i = 0; i < Rf_xlength(args); i++)
    keepNames(VECTOR_ELT(args, i), names);
  SET_VECTOR_ELT(keeps, kNames, names);
  SEXP cell = VECTOR_ELT(self, kEntries);
  SET_VECTOR_ELT(cell, 0, Rf_cons(pointer, VECTOR_ELT(cell, 0)));
  UNPROTECT(5);
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
