//===- jit_entry.cpp - Finding and running what a signature compiled to
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "jit.h"

using namespace jit;

namespace {

void dropEntry(SEXP pointer) {
  Entry *entry = static_cast<Entry *>(R_ExternalPtrAddr(pointer));
  if (entry && entry->compiled.executable)
    tenon_executable_release(entry->compiled.executable);
  delete entry;
  R_ClearExternalPtr(pointer);
}

bool sameStatics(SEXP list) {
  for (size_t i = 0; i < scratch.statics.size(); i++)
    if (VECTOR_ELT(list, R_xlen_t(i)) != scratch.statics[i] &&
        !R_compute_identical(VECTOR_ELT(list, R_xlen_t(i)), scratch.statics[i], 16))
      return false;
  return true;
}

SEXP build(const Entry &entry, size_t &at, SEXP keeps, SEXP results) {
  const Piece &piece = entry.pieces[at++];
  switch (piece.kind) {
  case Piece::Output:
    return VECTOR_ELT(results, piece.at);
  case Piece::Argument:
    return isValue(scratch.leaves[size_t(piece.at)].object)
               ? scratch.leaves[size_t(piece.at)].object
               : newValue(scratch.leaves[size_t(piece.at)].storage);
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
  const Leaf &leaf = scratch.leaves[size_t(at)];
  if (!leaf.donated || !isValue(leaf.object) || isParam(leaf.object) ||
      MAYBE_SHARED(leaf.storage) || !isWritable(leaf.storage, entry.compiled.onDevice))
    return false;
  for (size_t i = 0; i < scratch.leaves.size(); i++)
    if (int32_t(i) != at && scratch.leaves[i].storage == leaf.storage)
      return false;
  return true;
}

} // namespace

SEXP jit::newEntryPointer(SEXP keeps) {
  SEXP pointer = R_MakeExternalPtr(nullptr, R_NilValue, keeps);
  R_RegisterCFinalizer(pointer, dropEntry);
  return pointer;
}

SEXP jit::findEntry(SEXP self) {
  for (SEXP at = VECTOR_ELT(VECTOR_ELT(self, kEntries), 0); at != R_NilValue; at = CDR(at)) {
    Entry *entry = static_cast<Entry *>(R_ExternalPtrAddr(CAR(at)));
    if (entry && entry->signature == scratch.signature &&
        sameStatics(VECTOR_ELT(R_ExternalPtrProtected(CAR(at)), kStatics)))
      return CAR(at);
  }
  return nullptr;
}

SEXP jit::runEntry(SEXP pointer) {
  PROTECT(pointer);
  Entry &entry = *static_cast<Entry *>(R_ExternalPtrAddr(pointer));
  SEXP keeps = R_ExternalPtrProtected(pointer);
  const bool onDevice = entry.compiled.onDevice;
  for (Leaf &leaf : scratch.leaves) {
    if (leaf.donated && isValue(leaf.object))
      settleReaders(leaf.object);
    if (onDevice && isValue(leaf.object)) {
      moveToDevice(leaf.object);
      leaf.storage = force(leaf.object);
    }
  }
  noThrow([&] {
    scratch.inputs.resize(entry.sources.size()), scratch.outputs.resize(entry.donates.size());
  });
  for (size_t k = 0; k < scratch.inputs.size(); k++) {
    int32_t source = entry.sources[k];
    SEXP storage;
    if (source >= 0) {
      storage = scratch.leaves[size_t(source)].storage;
    } else if (source == -1) {
      keepAlive(storage = scalarStorage(drawSeed(), TENON_I64));
    } else {
      SEXP capture = VECTOR_ELT(VECTOR_ELT(keeps, kCaptures), -2 - source);
      storage = isValue(capture) ? force(capture) : capture;
      if (onDevice && isValue(capture)) {
        moveToDevice(capture);
        storage = force(capture);
      }
      Type type = storageType(storage);
      if (isValue(capture) && (type.dtype != entry.inputTypes[k].dtype ||
                               countOf(type) != countOf(entry.inputTypes[k])))
        fail(TENON_ERROR_SHAPE, "a tensor that the compiled function captured has changed type");
    }
    scratch.inputs[k] = argumentOf(storage, onDevice, entry.inputTypes[k]);
  }
  size_t count = scratch.outputs.size();
  SEXP results = PROTECT(Rf_allocVector(VECSXP, R_xlen_t(count)));
  for (size_t k = 0; k < count; k++) {
    SEXP storage = mayTake(entry, k) ? scratch.leaves[size_t(entry.donates[k])].storage
                                     : allocStorageOn(onDevice, entry.outputTypes[k]);
    SET_VECTOR_ELT(results, R_xlen_t(k), storage);
    willBeWritten(storage);
    scratch.outputs[k] = argumentOf(storage, onDevice, entry.outputTypes[k]);
  }
  if (entry.compiled.executable)
    check(run(entry.compiled.executable, scratch.inputs.data(), scratch.inputs.size(),
              scratch.outputs.data(), count));
  for (size_t k = 0; k < count; k++) {
    SEXP storage = VECTOR_ELT(results, R_xlen_t(k));
    if (entry.donates[k] >= 0 && storage == scratch.leaves[size_t(entry.donates[k])].storage)
      R_SetExternalPtrProtected(scratch.leaves[size_t(entry.donates[k])].object, donatedTag);
    SET_VECTOR_ELT(results, R_xlen_t(k), newValue(storage));
  }
  size_t at = 0;
  SEXP out = PROTECT(build(entry, at, keeps, results));
  for (size_t k = 0; k < count; k++) // or its counts would outlive the list
    SET_VECTOR_ELT(results, R_xlen_t(k), R_NilValue);
  UNPROTECT(3);
  return out;
}
