//===- recorder.h - Values, traces and how R refers to them
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value is an external pointer of class "ag_tensor" and nothing else:
//   address    generation << 24 | value: where it stands in the trace of that generation
//   tag        a private symbol, by which our own pointers are known
//   protected  NULL while pending | storage | a parameter's cell | a recompute
//              record | a symbol: donated
// No C++ object stands behind it and it has no finalizer, so that a value costs
// R's collector no more than two list cells, and a known value serialises.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_R_RECORDER_H
#define TENON_R_RECORDER_H

#ifndef R_NO_REMAP
#define R_NO_REMAP
#endif
#ifndef STRICT_R_HEADERS
#define STRICT_R_HEADERS
#endif
#include <R.h>
#include <R_ext/Rdynload.h>
#include <Rinternals.h>
#include <Rversion.h>

#include "frontend/Trace.h"
#include "status.h"

#include <new>
#include <unordered_map>
#include <vector>

static_assert(sizeof(void *) == 8, "a value's place is packed into a pointer");

using tenon::AttrWords;
using tenon::Need;
using tenon::Trace;
using tenon::infer::Type;

//===-- Storage (storage.cpp) ----------------------------------------------===//
// Where elements lie: an R double array (f64), an R integer array (i32), a raw vector
// that starts with a header (every other dtype), or memory of a device.

bool isStorage(SEXP x);
Type storageType(SEXP storage);
/// Their address. Those on a device are copied once, and only read.
void *storageData(SEXP storage);
/// Raises for more elements than R's integers count.
void refuseLong(const Type &type);
/// In R's memory.
SEXP allocStorage(const Type &type);
/// A new scalar of a dtype.
SEXP scalarStorage(double value, tenon_dtype dtype);
/// R numbers as storage of a dtype; doubles as f64 are taken as they are.
SEXP storageOf(SEXP numbers, tenon_dtype dtype);
/// An R array for the user; f64 storage is returned as it is.
SEXP arrayOf(SEXP storage);
/// The same with two axes whatever the rank (1x1, one column).
SEXP matrixOf(SEXP storage);
/// R's dim of a type (reversed), as an integer vector.
SEXP dimOf(const Type &type);
/// "[3,4]" in R's order.
const char *shapeText(const Type &type, char *text, int size);
/// Type of R numbers: f64, i32 or i1 by their R type; a vector has one axis, a
/// number none.
Type arrayType(SEXP numbers);
/// The codes of a factor are no numbers.
void refuseFactor(SEXP x);
/// Raises the error for what is neither a tensor nor numbers.
[[noreturn]] void refuseOther(SEXP x);
/// Makes a lazily stored R vector (ALTREP) a plain one.
void expand(SEXP x);
int64_t countOf(const Type &type);
/// Of all elements, without a header.
size_t bytesOf(const Type &type);

//===-- Storage on a device (device_storage.cpp) ----------------------------===//

/// The device that "vulkan" stands for; raises where there is none.
tenon_device *openGpu();
void initDeviceStorage(DllInfo *dll);
bool isOnDevice(SEXP storage);
/// Whether a program that runs there or here can write it.
bool isWritable(SEXP storage, bool onDevice);
Type deviceStorageType(SEXP storage);
SEXP allocDeviceStorage(const Type &type);
inline SEXP allocStorageOn(bool onDevice, const Type &type) {
  return onDevice ? allocDeviceStorage(type) : allocStorage(type);
}
/// Storage with the same elements in R's memory, and on the device; itself where it lies there.
SEXP hostStorage(SEXP storage);
SEXP deviceStorage(SEXP storage);
/// Moves the elements of a known value, or a cell's. What else refers to their storage keeps it.
void moveToDevice(SEXP holder);
/// Before a program writes storage that was there before.
void willBeWritten(SEXP storage);
/// Buffer or data of an argument of a run.
tenon_tensor elementsOf(SEXP storage, bool onDevice);

//===-- Values -------------------------------------------------------------===//

enum CellSlot { kData, kSpare, kKey, kId, kGrad, kCellSize }; // a parameter
/// A slot whose parameter has got other data since: a list of kOwner + 1 with the old
/// storage in kData and the parameter in kOwner.
constexpr int kOwner = kCellSize;
constexpr uintptr_t kPlaceMask = 0xffffff;

extern SEXP valueTag, recordTag, donatedTag, packageEnv;

inline bool isValue(SEXP x) { return TYPEOF(x) == EXTPTRSXP && R_ExternalPtrTag(x) == valueTag; }
inline uintptr_t placeOf(SEXP value) { return (uintptr_t)R_ExternalPtrAddr(value); }
inline int32_t indexOf(SEXP value) { return int32_t(placeOf(value) & kPlaceMask); }
inline void *packPlace(uint64_t generation, int32_t index) {
  return (void *)(uintptr_t)(generation << 24 | uint64_t(index));
}
inline bool isParam(SEXP value) { return TYPEOF(R_ExternalPtrProtected(value)) == VECSXP; }
/// Storage of a value, null while there is none.
SEXP known(SEXP value);
/// A new value in no trace; `protect` as above.
SEXP newValue(SEXP protect);
/// Storage of a value, computed if need be.
SEXP force(SEXP value);
/// False while a value is one of a function that is traced, or differentiated inside of
/// another grad(): it cannot be computed before that ends.
bool isReadable(SEXP value);
/// Type of a value without computing it.
Type typeOf(SEXP value);
/// A gradient matrix (ALTREP) stands for its value while R has not looked inside;
/// everything else for itself.
SEXP resolve(SEXP x);
/// Checks that x is a value.
void expectValue(SEXP x, const char *what);

//===-- The trace ----------------------------------------------------------===//

enum Flag : uint8_t {
  kTaped = 1, ///< gradients flow through it
  kUsed = 2,  ///< something consumes it
  kKeep = 4,  ///< an output at any size while R refers to it (gradients)
  kAlias = 8, ///< an input that stands for another value inside grad()
  kLost = 16, ///< computed from an alias whose grad() ended with an error
};

/// What an optimizer step writes: result `value` replaces the data of `cell`, a
/// VECSXP whose slots kData and kSpare are two buffers; `leaf` is the old data.
struct Update {
  int32_t value, leaf;
  SEXP cell; ///< also held by the leaf's slot
};

/// A trace and the R objects behind its values. slots[i] holds value i's external
/// pointer (for an input: value, storage or cell) strongly: at a flush a count
/// above this one reference means that R still sees it.
struct Recorder {
  Trace trace;
  SEXP holder = nullptr; ///< a list of one: the slots
  SEXP slots = nullptr;
  std::vector<uint8_t> flags;
  std::vector<Update> updates;
  uint64_t generation = 0;
  bool tapeOpen = false, hasTape = false, hasAlias = false;
  int32_t step = -1; ///< an input of random ops, once there are some
  // Only while a function is traced: the other input, and the number of the next random op.
  int32_t seed = -1;
  int64_t stream = 0;
  // Only while a function is traced:
  std::unordered_map<SEXP, int32_t> captures;
};

extern Recorder *current;  ///< of lazy values
extern Recorder *previous; ///< the last closed one, for values on R's stack alone
extern Recorder tracer;    ///< of the function being traced
extern bool tracing;
extern int gradDepth;
inline Recorder &recorder() { return tracing ? tracer : *current; }
inline bool isIn(const Recorder &r, SEXP value) { return placeOf(value) >> 24 == r.generation; }
/// Where x stands in the trace; -1 when it is no value or does not stand there yet.
inline int32_t standing(const Recorder &r, SEXP x) {
  if (!isValue(x))
    return -1;
  uintptr_t place = placeOf(x);
  return place >> 24 == r.generation ? int32_t(place & kPlaceMask) : -1;
}

/// One draw from R's generator: the seed of a random op, or of all in a traced function.
double drawSeed();

void initRecorder();
void renew(Recorder &r);
/// Runs what R can still see. `want` (or -1) is a value being read; `closing` ends
/// the trace, and keeps it for values on R's stack unless something was updated.
void flush(Recorder &r, int32_t want, bool closing);
/// Raises inside of a flush, where only foreign code can ask: see flush.cpp.
void refuseWhileRunning();
/// Ends the current trace for good: nothing of it may be computed later.
void closeForGood();
/// Before storage of these values is overwritten: runs what still reads them.
void settleReaders(SEXP value);

/// The recorder for the next op; an untaped trace is flushed when it is long.
Recorder &begin();
int32_t addInput(Recorder &r, const Type &type, SEXP slot, uint8_t flags);
int32_t call(Recorder &r, int op, const int32_t *operands, int count, const int64_t *words,
             int numWords);
inline int32_t call(Recorder &r, int op, const int32_t *operands, int count,
                    const AttrWords &attrs = AttrWords()) {
  return call(r, op, operands, count, attrs.data(), attrs.size());
}
inline int32_t call(Recorder &r, int op, std::initializer_list<int32_t> operands,
                    const AttrWords &attrs = AttrWords()) {
  return call(r, op, operands.begin(), int(operands.size()), attrs);
}
/// Wraps a recorded value for R.
SEXP result(Recorder &r, int32_t id);

/// The dtype that x brings to an op: that of a value; -1 for R doubles, -2 for R
/// integers, -3 for R logicals, which adapt.
int dtypeOf(Recorder &r, SEXP x);
/// The dtype in which an op computes: of its values, else the default.
tenon_dtype promote(Recorder &r, SEXP x, SEXP y, bool toFloat);
/// x as a value of the trace, cast to a dtype.
int32_t use(Recorder &r, SEXP x, tenon_dtype dtype);
/// x with its own dtype (R doubles: the default dtype; integers i32; logicals i1).
int32_t useAny(Recorder &r, SEXP x);
/// As a float value; R numbers get the default dtype.
int32_t useFloat(Recorder &r, SEXP x);
/// With two axes: a vector is a column, a number 1x1.
int32_t asMatrix(Recorder &r, int32_t id);
int32_t cast(Recorder &r, int32_t id, tenon_dtype dtype);
int32_t reshape(Recorder &r, int32_t id, const int64_t *dims, int rank);
int32_t constant(Recorder &r, double value, const Type &type);
int32_t broadcastTo(Recorder &r, int32_t id, const Type &shape);
/// The common shape of two values, broadcast both ways from the first R axis.
bool commonShape(const Type &a, const Type &b, Type &shape);

extern tenon_dtype defaultDtype;
inline bool isLow(tenon_dtype dtype) { return dtype == TENON_F16 || dtype == TENON_BF16; }
/// What programs compute products of f32 values in: the default dtype if that is a low one, else
/// null.
inline const char *mixedPrecision() {
  return isLow(defaultDtype) ? tenon_dtype_name(defaultDtype) : nullptr;
}
void setDefaultDtype(tenon_dtype dtype);
tenon_dtype dtypeFromName(SEXP name);

//===-- Programs (program.cpp) ----------------------------------------------===//

struct Compiled {
  tenon_executable *executable = nullptr;
  bool onDevice = false; ///< it runs in a device's memory
};

struct Program : Compiled {
  Trace::Slice slice;
  int target; ///< programTarget() that it was asked for
};

/// Finds or compiles the program of a slice; null: `status` says why there is none.
Program *findProgram(Trace::Slice &slice, tenon_status *status);
tenon_status compileSlice(const Trace::Slice &slice, const tenon_compile_options *options,
                          Compiled &compiled);
/// Says, once for each reason, why a program runs on the CPU though a GPU was asked for. To be
/// called when what was compiled is kept: a handler may jump.
void tellFallback();
/// As tenon_check_shader.
tenon_status checkShader(const char *glsl, const tenon_trace_value *inputs, int32_t numInputs,
                         const tenon_trace_value *results, int32_t numResults);
/// Writes functions into a file; device, processors and features of a GPU as in
/// tenon_compile_options.
tenon_status compileArtifact(const tenon_artifact_function *functions, int64_t count,
                             const char *device, const char *march, const char *features,
                             const char *path);
tenon_status run(tenon_executable *executable, const tenon_tensor *inputs, size_t numInputs,
                 const tenon_tensor *outputs, size_t numOutputs);
/// An argument of a run, during which `type` must stay where it is.
tenon_tensor argumentOf(SEXP storage, bool onDevice, const Type &type);
tenon_tensor argumentOf(SEXP storage, bool onDevice, const tenon_trace_value &type);
Type typeOfTrace(const tenon_trace_value &value);
/// IR of a slice after a phase, as an R string.
SEXP printSlice(const Trace::Slice &slice, const char *phase);

/// Folder of the compiler library.
const char *libraryFolder();
void setLibraryFolder(const char *folder);
/// What programs are compiled for. While dtypes are the device's own, the default one goes with it.
enum DeviceNumber { kCpu, kReference, kVulkan };
extern int deviceNumber;
const char *deviceName();
int deviceFromName(const char *name);
/// For the session: what is pending is computed on the old one.
void setDevice(int device);
/// For the time of a call.
void switchDevice(int device);
/// Of programs that are compiled from now on: bytes for intermediate values, 0 for no limit.
/// Setting it returns what it was.
int64_t memoryBudget();
int64_t setMemoryBudget(int64_t bytes);
/// Counts of the compiler's cache; zeros while the compiler is not open.
tenon_cache_info compilerCache();
/// Opens the compiler's disk cache; null turns it off. Raises an R error if that fails.
void openDiskCache(const char *path, int64_t limit);
tenon_disk_cache_info diskCache();
/// Why its last failure was: a string, or none.
SEXP diskCacheProblem();
/// Forgets the programs of slices and all that the compiler has cached.
void clearPrograms();

struct Statistics {
  int64_t launches = 0, compiles = 0, outputs = 0;
};
extern Statistics statistics;

//===-- Gradients (ffi_grad.cpp, lazy_array.cpp) ----------------------------===//

/// Whether a gradient may be asked for that flows through x.
bool isDifferentiated(SEXP x);

/// An ALTREP double array that computes `value` when R looks inside.
SEXP lazyArray(SEXP value);
bool isLazyArray(SEXP x);

/// Runs f and turns an exhausted heap into an R error; nothing in it may jump.
template <typename F> void noThrow(F f) {
  bool ok = true;
  try {
    f();
  } catch (const std::bad_alloc &) {
    ok = false;
  }
  if (!ok)
    fail(TENON_ERROR_MEMORY, "out of memory");
}

template <typename T> void append(std::vector<T> &list, const T &x) {
  noThrow([&] { list.push_back(x); });
}

#endif // TENON_R_RECORDER_H
