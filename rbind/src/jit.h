//===- jit.h - Compiled functions: what their parts share
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call walks its arguments once into words (the signature) and leaves (where their
// elements lie; jit_signature.cpp), finds the entry of that signature, runs it and
// builds the results from a template (jit_entry.cpp). The function itself runs only
// for a new signature (jit_trace.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef TENON_R_JIT_H
#define TENON_R_JIT_H

#include "recorder.h"

namespace jit {

//===-- A call (jit_signature.cpp) -------------------------------------------===//

struct Leaf {
  SEXP object; ///< value or R array, as given
  SEXP storage;
  bool donated;
};

/// What a call works with.
struct Scratch {
  std::vector<uint64_t> signature;
  std::vector<Leaf> leaves;
  std::vector<SEXP> statics;
  std::vector<tenon_tensor> inputs, outputs;
  SEXP keep;             ///< holder of a list: storage made for this call
  int deviceBefore = -1; ///< where the call has switched to another
};
/// Of the innermost call. An allocation may run a finalizer that calls a traced
/// function too; the outer call's is then put aside.
extern Scratch scratch;

void initScratch();
void enter();
void leave(void *);
/// Protects x until the call ends.
void keepAlive(SEXP x);
/// Walks the arguments of a call; `self` says which are donated.
void walkArguments(SEXP self, SEXP args);
/// Whether an argument is part of the program: single logicals are, and what is no
/// number; other numbers are its inputs.
bool isStatic(SEXP x);
/// Storage of an R array that is an input: integers with NA become doubles.
SEXP storageOfArray(SEXP x);
/// Whether argument i (from 0) is among R's positions.
bool contains(SEXP positions, R_xlen_t i);

//===-- Entries (jit_entry.cpp) ----------------------------------------------===//

/// A function object, a named list for R. `trips` > 0 for a loop; `entries` is a list
/// of one pairlist.
enum FunctionSlot { kFunction, kDonate, kEntries, kTrips, kStaticArgs, kDevice };
inline int64_t tripsOf(SEXP self) { return int64_t(Rf_asReal(VECTOR_ELT(self, kTrips))); }

/// How a result is put together, read in order.
struct Piece {
  enum Kind { List, Output, Argument, Capture, Constant } kind;
  int32_t at; ///< number of elements, of the output, leaf, capture or constant
};

/// What the function compiled to for one signature.
struct Entry {
  std::vector<uint64_t> signature;
  std::vector<Piece> pieces;
  std::vector<Type> inputTypes, outputTypes;
  std::vector<int32_t> donates; ///< per output: the leaf whose storage it may take, or -1
  std::vector<int32_t> sources; ///< per input: leaf >= 0, -1 seed, -2 - k capture k
  Compiled compiled;            ///< no executable where only arguments and constants come back
};
/// What an entry keeps of R's, protected by its external pointer.
enum EntrySlot { kStatics, kCaptures, kConstants, kNames, kEntrySize };

/// An external pointer for an entry, which it will own, and for what it keeps.
SEXP newEntryPointer(SEXP keeps);
/// The entry of `self` for the signature of this call, or null.
SEXP findEntry(SEXP self);
/// Runs an entry on the arguments of this call.
SEXP runEntry(SEXP pointer);

/// Pairs outputs of the tracer with donated arguments of their type, in order: each
/// argument serves once, and is taken out of `donated`.
void pairDonations(const std::vector<int32_t> &outputs, const std::vector<int32_t> &arguments,
                   std::vector<uint8_t> &donated, Trace::Slice &slice);

} // namespace jit

#endif // TENON_R_JIT_H
