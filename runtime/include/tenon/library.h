//===- library.h - programs compiled ahead of time --------------*- C -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tenon-compile writes into objects and shared libraries, and how they are
// called. The header that it generates next to one declares a typed function per
// entry; this is what stands behind those, and for callers that know no types
// beforehand. Conventions as in runtime.h.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_LIBRARY_H
#define TENON_LIBRARY_H

#include "tenon/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Version of this header's structures and of the note in files.
#define TENON_ARTIFACT_FORMAT 3
/// "TENONAOT" as a little-endian word.
#define TENON_ARTIFACT_MAGIC 0x544f414e4f4e4554

/// The program of an entry for one kind of processor.
typedef struct tenon_variant {
  const char *driver;    ///< whose first device runs it: "cpu", "vulkan"
  const char *processor; ///< "x86-64-v3"; "vulkan"
  const char *features;  ///< what the code needs, separated by blanks: "avx avx2 fma"
  const tenon_program *program;
} tenon_variant;

typedef struct tenon_artifact tenon_artifact;

/// A function of the compiled module.
typedef struct tenon_entry {
  const tenon_artifact *artifact;
  const char *name;
  int64_t num_variants;
  const tenon_variant *variants; ///< the first that runs here is taken
  void **cell;                   ///< the runtime's own, NULL at first
  const char *metadata;          ///< a text of the front end's, for its own callers; NULL if none
} tenon_entry;

/// What an object or a library holds. All fields are 8 bytes.
struct tenon_artifact {
  int64_t magic;
  int64_t format;      ///< TENON_ARTIFACT_FORMAT
  int64_t abi_version; ///< TENON_ABI_VERSION
  const char *name;
  const char *producer;     ///< "Tenon 0.1.0"
  const char *architecture; ///< "x86_64", "aarch64"
  int64_t num_entries;
  const tenon_entry *entries;
};

/// Runs an entry; generated functions call it. `arguments` are the addresses of inputs, then
/// outputs; `symbols` are the values of the program's dynamic extents. The first call
/// checks versions and makes the executable, as tenon_artifact_executable does without a driver;
/// it is kept.
TENON_API tenon_status tenon_entry_call(const tenon_entry *entry, void *const *arguments,
                                        const int64_t *symbols, const tenon_run_options *options);

/// An executable of an entry of what is linked into this process; `name` may be NULL where there
/// is one entry. `driver` says whose code is taken: "cpu", "vulkan". NULL: that of the
/// environment's TENON_DRIVER; without it, a GPU's if there is one that has what the code needs,
/// else the processor's, else that for a device which stands in for a GPU on the processor.
/// tenon_executable_device tells which it was. The artifact must stay loaded.
TENON_API tenon_status tenon_artifact_executable(const tenon_artifact *artifact, const char *name,
                                                 const char *driver, tenon_executable **executable);

/// The main function of what `tenon-compile --emit=executable` makes: reads inputs from the
/// files on the command line, writes outputs. In libtenon_main.a, not in the runtime's library.
int tenon_main(int argc, char **argv, const tenon_artifact *artifact);

/// A shared library that tenon-compile wrote.
typedef struct tenon_library tenon_library;

/// Loads a library. The file is looked at first: one that is cut short or changed, of another
/// version or for another processor is refused with the reason, before any of its code is
/// mapped; so is one that was written over another which the process still holds. That guards
/// against accidents, not against malice: a library is code.
TENON_API tenon_status tenon_library_open(const char *path, tenon_library **library);
TENON_API void tenon_library_retain(tenon_library *library);
/// Executables keep their library loaded.
TENON_API void tenon_library_release(tenon_library *library);
/// What it holds; valid while the library is.
TENON_API const tenon_artifact *tenon_library_artifact(tenon_library *library);
/// An executable of an entry; `name` and `driver` as for tenon_artifact_executable.
TENON_API tenon_status tenon_library_executable(tenon_library *library, const char *name,
                                                const char *driver, tenon_executable **executable);

#ifdef __cplusplus
}
#endif
#endif // TENON_LIBRARY_H
