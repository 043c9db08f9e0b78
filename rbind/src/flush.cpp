//===- flush.cpp - Running what R can still see
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scratch lives in globals because R's errors jump over destructors. Foreign code may run
// in the midst: R runs finalizers wherever it evaluates something (allocStorage does, for
// large ones), and handlers of events where it looks for interrupts. Invariant: from where
// a flush or a recomputation begins to where it ends or raises, nothing else is flushed,
// recomputed or recorded. exclusively() sees to it, and what foreign code asks for
// meanwhile is refused; so scratch, trace and updates stay as they are.
//
//===----------------------------------------------------------------------===//
#include "recorder.h"

#include <algorithm>

namespace {

constexpr int64_t kSmall = 4096; // elements; larger unread values are recomputed on demand

Trace::Slice slice;
std::vector<int32_t> wanted, big, where;
std::vector<tenon_tensor> inputs, outputs;

/// What is computed when a large value is read after its trace has ended: the
/// slice that makes it, and the storage that it reads. That storage is then
/// shared, so that a step does not overwrite it. The finalizer gives the counts
/// back: the collector itself never does.
struct Record {
  Trace::Slice slice;
  std::vector<int32_t> values; ///< per big value: its place in the trace
};
enum RecordSlot { kLeaves, kTypes, kRecordSize };

void dropRecord(SEXP pointer) {
  delete static_cast<Record *>(R_ExternalPtrAddr(pointer));
  R_ClearExternalPtr(pointer);
  SEXP leaves = R_ExternalPtrProtected(pointer);
  for (R_xlen_t i = 0; TYPEOF(leaves) == VECSXP && i < Rf_xlength(leaves); i++)
    SET_VECTOR_ELT(leaves, i, R_NilValue);
}

SEXP slotStorage(SEXP slot) {
  if (isValue(slot))
    return known(slot);
  if (TYPEOF(slot) == VECSXP)
    return VECTOR_ELT(slot, kData);
  return isStorage(slot) ? slot : nullptr;
}

[[noreturn]] void failGone() {
  fail(TENON_ERROR_ARGUMENT, "this tensor is gone: it was used only inside a nested expression, "
                             "or comes from another session; assign it to a variable and read it "
                             "before saving");
}

/// Cuts out of r what `values` need. Known values are inputs, except on a
/// gradient's way, where its derivation wants the operations.
void cut(Recorder &r, const std::vector<int32_t> &values) {
  noThrow([&] {
    r.trace.slice(values, slice, [&](int32_t value, Need need) {
      SEXP slot = VECTOR_ELT(r.slots, value);
      bool passes = need == Need::History && (r.flags[size_t(value)] & kTaped);
      return !passes && isValue(slot) && known(slot);
    });
  });
}

/// The storage of a slice's inputs as arguments; raises when one is gone. Tensors are moved to
/// where the program runs; R's own arrays are copied there for the run.
void bindInputs(Recorder &r, bool onDevice) {
  noThrow([&] { inputs.resize(slice.inputs.size()); });
  for (size_t k = 0; k < slice.inputs.size(); k++) {
    SEXP slot = VECTOR_ELT(r.slots, slice.inputs[k]);
    if (!slotStorage(slot))
      failGone();
    if (onDevice && !isStorage(slot))
      moveToDevice(slot);
    inputs[k] = argumentOf(slotStorage(slot), onDevice, slice.values[k]);
  }
}

/// Values of `big` get a record; overwrites `slice`.
void keepRecord(Recorder &r) {
  cut(r, big);
  SEXP leaves = PROTECT(Rf_allocVector(VECSXP, R_xlen_t(slice.inputs.size())));
  for (size_t k = 0; k < slice.inputs.size(); k++) {
    SEXP storage = slotStorage(VECTOR_ELT(r.slots, slice.inputs[k]));
    if (storage)
      SET_VECTOR_ELT(leaves, R_xlen_t(k), storage);
  }
  SEXP pointer = PROTECT(R_MakeExternalPtr(nullptr, recordTag, leaves));
  R_RegisterCFinalizer(pointer, dropRecord);
  Record *record = nullptr;
  noThrow([&] { record = new Record{slice, big}; });
  R_SetExternalPtrAddr(pointer, record);
  for (int32_t value : big)
    R_SetExternalPtrProtected(VECTOR_ELT(r.slots, value), pointer);
  UNPROTECT(2);
}

Record *recordOf(SEXP value, size_t *at) {
  SEXP pointer = R_ExternalPtrProtected(value);
  if (TYPEOF(pointer) != EXTPTRSXP || R_ExternalPtrTag(pointer) != recordTag)
    return nullptr;
  Record *record = static_cast<Record *>(R_ExternalPtrAddr(pointer));
  if (!record)
    return nullptr;
  auto it = std::find(record->values.begin(), record->values.end(), indexOf(value));
  *at = size_t(it - record->values.begin());
  return it == record->values.end() ? nullptr : record;
}

bool running, failed;

/// An update belongs to one step; what failed must not be done with the next flush.
void release(void *) {
  running = false;
  if (failed)
    for (Recorder *r : {current, previous, &tracer})
      r->updates.clear();
}

/// Calls run(data) with no other flush before its end, be that a jump.
SEXP exclusively(SEXP (*run)(void *), void *data) {
  refuseWhileRunning();
  running = failed = true;
  return R_ExecWithCleanup(run, data, release, nullptr);
}

/// Runs the program of the value's record into fresh storage for its one output.
SEXP recomputeAlone(void *data) {
  SEXP value = static_cast<SEXP>(data);
  size_t at;
  Record *record = recordOf(value, &at);
  if (!record)
    failGone();
  SEXP leaves = R_ExternalPtrProtected(R_ExternalPtrProtected(value));
  noThrow([&] {
    slice = record->slice;
    slice.outputs = {record->slice.outputs[at]};
    slice.donates = {-1};
    inputs.resize(slice.inputs.size());
    outputs.resize(1);
  });
  tenon_status failure = nullptr;
  Program *program = findProgram(slice, &failure);
  check(failure);
  size_t index =
      size_t(std::find(slice.outputs.begin(), slice.outputs.end(), record->slice.outputs[at]) -
             slice.outputs.begin());
  noThrow([&] { outputs.resize(slice.outputs.size()); });
  SEXP results = PROTECT(Rf_allocVector(VECSXP, R_xlen_t(slice.outputs.size())));
  for (size_t k = 0; k < slice.inputs.size(); k++) {
    SEXP storage = VECTOR_ELT(leaves, R_xlen_t(k));
    if (storage == R_NilValue)
      failGone();
    inputs[k] = argumentOf(storage, program->onDevice, slice.values[k]);
  }
  for (size_t k = 0; k < outputs.size(); k++) {
    Type type = typeOfTrace(slice.values[size_t(slice.outputs[k])]);
    SEXP storage = allocStorageOn(program->onDevice, type);
    SET_VECTOR_ELT(results, R_xlen_t(k), storage);
    outputs[k] = argumentOf(storage, program->onDevice, slice.values[size_t(slice.outputs[k])]);
  }
  check(run(program->executable, inputs.data(), inputs.size(), outputs.data(), outputs.size()));
  SEXP storage = VECTOR_ELT(results, R_xlen_t(index));
  R_SetExternalPtrProtected(value, storage);
  for (R_xlen_t k = 0; k < Rf_xlength(results); k++)
    SET_VECTOR_ELT(results, k, R_NilValue);
  UNPROTECT(1);
  failed = false;
  return storage;
}

SEXP recompute(SEXP value) { return exclusively(recomputeAlone, value); }

/// The buffer that an update writes: the old data when only its cell sees it,
/// else the cell's other buffer.
SEXP targetOf(const Update &update, const Type &type, bool onDevice) {
  SEXP data = VECTOR_ELT(update.cell, kData), spare = VECTOR_ELT(update.cell, kSpare);
  if (!MAYBE_SHARED(data) && isWritable(data, onDevice))
    return data;
  bool usable = spare != R_NilValue && !MAYBE_SHARED(spare) && isStorage(spare) &&
                isWritable(spare, onDevice);
  if (usable) {
    Type have = storageType(spare);
    usable = have.dtype == type.dtype && tenon::infer::sameShape(have, type);
  }
  if (!usable)
    SET_VECTOR_ELT(update.cell, kSpare, spare = allocStorageOn(onDevice, type));
  return spare;
}

const Update *updateOf(const Recorder &r, int32_t value) {
  for (const Update &update : r.updates)
    if (update.value == value)
      return &update;
  return nullptr;
}

[[noreturn]] void failLost() {
  fail(TENON_ERROR_ARGUMENT,
       gradDepth > 0 ? "the value of a tensor is not known while its function is differentiated "
                       "inside of another grad()"
                     : "this tensor was computed from an argument of a function that was "
                       "differentiated and has ended with an error");
}

/// Marks what cannot be computed: what uses an alias of an unfinished grad(). What one that has
/// finished left marked is computed from what its aliases stood for.
void markLost(Recorder &r) {
  for (int32_t i = 0, n = r.trace.numValues(); i < n; i++) {
    uint8_t &flags = r.flags[size_t(i)];
    int32_t at = r.trace.definingNode(i);
    flags &= ~kLost;
    if (at < 0) {
      flags |= flags & kAlias ? kLost : 0;
      continue;
    }
    const tenon_trace_node &node = r.trace.node(at);
    for (int k = 0; k < node.num_operands; k++) {
      int32_t operand = r.trace.operands(node)[k];
      if (operand >= 0 && r.flags[size_t(operand)] & kLost)
        flags |= kLost;
    }
  }
}

/// Chooses the outputs of a flush into `wanted` and `big`.
void choose(Recorder &r, int32_t want, bool closing) {
  wanted.clear(), big.clear();
  int32_t count = r.trace.numValues();
  noThrow([&] { wanted.reserve(size_t(count)), big.reserve(size_t(count)); });
  if (r.hasAlias)
    markLost(r);
  if (want >= 0 && r.flags[size_t(want)] & kLost)
    failLost();
  for (int32_t i = 0; i < count; i++) {
    SEXP value = VECTOR_ELT(r.slots, i);
    if (value == R_NilValue || r.trace.definingNode(i) < 0 || !isValue(value) ||
        R_ExternalPtrProtected(value) != R_NilValue)
      continue;
    uint8_t flags = r.flags[size_t(i)];
    if (flags & kLost)
      continue;
    bool seen = MAYBE_SHARED(value) || (closing && !(flags & kUsed));
    bool keep = (flags & kKeep) || countOf(r.trace.type(i)) <= kSmall;
    if (i == want || (seen && keep))
      wanted.push_back(i);
    else if (seen)
      big.push_back(i);
  }
}

/// Marks each update's output with the input it donates.
void bindDonations(const Recorder &r) {
  where.assign(size_t(r.trace.numValues()), -1);
  for (size_t k = 0; k < slice.inputs.size(); k++)
    where[size_t(slice.inputs[k])] = int32_t(k);
  for (size_t k = 0; k < slice.outputs.size(); k++)
    if (const Update *update = updateOf(r, slice.origin[size_t(slice.outputs[k])]))
      slice.donates[k] = where[size_t(update->leaf)];
}

/// After a failure. Cancelled: everything can still be computed. Else every later
/// flush would fail again.
[[noreturn]] void abandon(Recorder &r, tenon_status status) {
  r.updates.clear();
  if (tenon_status_code(status) != TENON_ERROR_CANCELLED) {
    bool open = r.tapeOpen;
    renew(r);
    r.tapeOpen = open;
  }
  check(status);
  failGone(); // not reached
}

/// Runs the slice and gives its outputs to their values and cells.
void execute(Recorder &r) {
  tenon_status failure = nullptr;
  Program *program = findProgram(slice, &failure);
  if (!program)
    abandon(r, failure);
  size_t count = slice.outputs.size();
  noThrow([&] { outputs.resize(count); });
  bindInputs(r, program->onDevice); // before targets are chosen: it moves data of cells
  SEXP results = PROTECT(Rf_allocVector(VECSXP, R_xlen_t(count)));
  for (size_t k = 0; k < count; k++) {
    Type type = typeOfTrace(slice.values[size_t(slice.outputs[k])]);
    const Update *update =
        r.updates.empty() ? nullptr : updateOf(r, slice.origin[size_t(slice.outputs[k])]);
    SEXP storage = update ? targetOf(*update, type, program->onDevice)
                          : allocStorageOn(program->onDevice, type);
    SET_VECTOR_ELT(results, R_xlen_t(k), storage);
    willBeWritten(storage);
    outputs[k] = argumentOf(storage, program->onDevice, slice.values[size_t(slice.outputs[k])]);
  }
  failure = run(program->executable, inputs.data(), inputs.size(), outputs.data(), count);
  if (failure)
    abandon(r, failure);
  for (size_t k = 0; k < count; k++) {
    int32_t origin = slice.origin[size_t(slice.outputs[k])];
    SEXP storage = VECTOR_ELT(results, R_xlen_t(k));
    if (const Update *update = r.updates.empty() ? nullptr : updateOf(r, origin)) {
      if (storage != VECTOR_ELT(update->cell, kData)) {
        SEXP old = PROTECT(VECTOR_ELT(update->cell, kData));
        SET_VECTOR_ELT(update->cell, kData, storage);
        SET_VECTOR_ELT(update->cell, kSpare, old);
        UNPROTECT(1);
      }
    } else {
      SEXP value = VECTOR_ELT(r.slots, origin);
      if (isValue(value) && R_ExternalPtrProtected(value) == R_NilValue)
        R_SetExternalPtrProtected(value, storage);
    }
    SET_VECTOR_ELT(results, R_xlen_t(k), R_NilValue);
  }
  UNPROTECT(1);
}

struct Flush {
  Recorder &r;
  int32_t want;
  bool closing;
};

SEXP flushAlone(void *data) {
  const Flush &flush = *static_cast<Flush *>(data);
  Recorder &r = flush.r; // a name that lambdas may capture in C++17
  bool closing = flush.closing;
  choose(r, flush.want, closing);
  bool updated = !r.updates.empty();
  if (closing && !big.empty())
    keepRecord(r); // before a step may write in place
  noThrow([&] {
    for (const Update &update : r.updates)
      wanted.push_back(update.value);
    std::sort(wanted.begin(), wanted.end());
  });
  if (!wanted.empty()) {
    cut(r, wanted);
    if (updated)
      noThrow([&] { bindDonations(r); });
    execute(r);
  }
  failed = false;
  if (!closing)
    return R_NilValue;
  if (&r == current) {
    bool open = current->tapeOpen;
    std::swap(current, previous); // values on R's stack alone can still be computed
    renew(*current);
    current->tapeOpen = open;
    previous->tapeOpen = false;
  }
  if (updated)
    renew(*previous); // what it reads has been overwritten
  return R_NilValue;
}

} // namespace

void refuseWhileRunning() {
  if (running)
    fail(TENON_ERROR_ARGUMENT, "a finalizer or a handler computed tensors while others were being "
                               "computed; it may read what has been read before");
}

void flush(Recorder &r, int32_t want, bool closing) {
  Flush data{r, want, closing};
  exclusively(flushAlone, &data);
}

void closeForGood() {
  flush(*current, -1, true);
  renew(*previous);
}

void settleReaders(SEXP value) {
  if (isIn(*current, value) && (current->flags[size_t(indexOf(value))] & kUsed))
    closeForGood();
  else if (isIn(*previous, value))
    renew(*previous);
}

bool isReadable(SEXP value) {
  if (known(value))
    return true;
  if (tracing && isIn(tracer, value))
    return false;
  if (!isIn(*current, value) || !current->hasAlias)
    return true;
  markLost(*current);
  return !(current->flags[size_t(indexOf(value))] & kLost);
}

SEXP force(SEXP value) {
  if (SEXP storage = known(value))
    return storage;
  if (tracing && isIn(tracer, value))
    fail(TENON_ERROR_ARGUMENT, "the value of a tensor is not known while its function is traced "
                               "(by jit(), compile_loop() or tenon_ir()); return it instead of "
                               "reading it");
  if (TYPEOF(R_ExternalPtrProtected(value)) == EXTPTRSXP)
    return recompute(value);
  if (isIn(*current, value) && indexOf(value) < current->trace.numValues())
    flush(*current, indexOf(value), !current->hasTape && gradDepth == 0); // backward() may come
  else if (isIn(*previous, value))
    flush(*previous, indexOf(value), false);
  if (SEXP storage = known(value))
    return storage;
  failGone();
}

Type typeOf(SEXP value) {
  for (Recorder *r : {&tracer, current, previous})
    if (isIn(*r, value) && indexOf(value) < r->trace.numValues())
      return r->trace.type(indexOf(value));
  size_t at;
  if (!known(value))
    if (Record *record = recordOf(value, &at))
      return typeOfTrace(record->slice.values[size_t(record->slice.outputs[at])]);
  return storageType(force(value));
}
