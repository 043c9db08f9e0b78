//===- Library.cpp - programs compiled ahead of time ----------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From an artifact, linked in or loaded, to an executable and its runs.
//
//===----------------------------------------------------------------------===//
#include "tenon/library.h"

#include "runtime/ArtifactNote.h"
#include "runtime/DriverRegistry.h"
#include "runtime/Expr.h"
#include "runtime/Status.h"
#include "runtime/platform/Platform.h"
#include "runtime/platform/Processor.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

using namespace tenon::runtime;

//===----------------------------------------------------------------------===//
// Artifacts
//===----------------------------------------------------------------------===//

/// NULL if this runtime takes the artifact.
static tenon_status checkArtifact(const tenon_artifact &artifact) {
  if (artifact.magic != int64_t(TENON_ARTIFACT_MAGIC))
    return tenon_status_make(TENON_ERROR_ARGUMENT,
                             "artifact: expected one of tenon-compile, got other data");
  if (artifact.format != TENON_ARTIFACT_FORMAT)
    return tenon_status_make(TENON_ERROR_ARGUMENT,
                             "artifact: expected format version %d, got %" PRId64
                             ": compile it with this version of Tenon",
                             TENON_ARTIFACT_FORMAT, artifact.format);
  if (artifact.abi_version != TENON_ABI_VERSION)
    return tenon_status_make(TENON_ERROR_ARGUMENT,
                             "artifact '%s': expected ABI version %d, got %" PRId64
                             ": compile it with this version of Tenon",
                             artifact.name, TENON_ABI_VERSION, artifact.abi_version);
  return nullptr;
}

static tenon_status noProcessor(const char *artifact, const char *processor,
                                const std::string &missing) {
  return tenon_status_make(TENON_ERROR_DEVICE, "'%s' is compiled for %s: this processor has not %s",
                           artifact, processor, missing.c_str());
}

/// Whether the variant's device runs on the processor, in the place of a GPU.
static bool standsIn(const tenon_variant &variant) {
  if (std::strcmp(variant.driver, "cpu") == 0)
    return false;
  Device *device = nullptr;
  tenon_status none = openDevice(variant.driver, 0, device);
  tenon_status_free(none); // it is told when the variant is tried
  return device && std::strcmp(device->kind(), "cpu") == 0;
}

/// The variants for a driver (null: for any) in the order in which they are tried.
static tenon_status findVariants(const tenon_entry &entry, const char *driver,
                                 std::vector<const tenon_variant *> &variants) {
  std::string names;
  for (int64_t i = 0; i < entry.num_variants; ++i) {
    const tenon_variant &each = entry.variants[i];
    if (!driver || std::strcmp(each.driver, driver) == 0)
      variants.push_back(&each);
    names += (i ? ", " : "") + std::string(each.processor);
  }
  if (variants.empty())
    return tenon_status_make(TENON_ERROR_DEVICE, "'%s' is compiled for %s, not for driver '%s'",
                             entry.artifact->name, names.c_str(), driver ? driver : "cpu");
  if (variants.size() > 1)
    std::stable_partition(variants.begin(), variants.end(),
                          [](const tenon_variant *each) { return !standsIn(*each); });
  return nullptr;
}

/// An executable of a variant, which keeps `library` loaded if there is one.
static tenon_status tryVariant(const tenon_entry &entry, const tenon_variant &variant,
                               tenon_library *library, tenon_executable **executable) {
  if (std::string missing = platform::missingFeatures(variant.features); !missing.empty())
    return noProcessor(entry.artifact->name, variant.processor, missing);
  Device *device = nullptr;
  TENON_TRY(openDevice(variant.driver, 0, device));
  tenon_library_retain(library);
  auto release = [](void *owner) { tenon_library_release(static_cast<tenon_library *>(owner)); };
  return tenon_executable_create(device, variant.program, library, release, executable);
}

/// An executable of the first variant that runs here.
static tenon_status makeExecutable(const tenon_entry &entry, const char *driver,
                                   tenon_library *library, tenon_executable **executable) {
  if (const char *wanted = std::getenv("TENON_DRIVER"); !driver && wanted && *wanted)
    driver = wanted;
  std::vector<const tenon_variant *> variants;
  TENON_TRY(findVariants(entry, driver, variants));
  std::string reasons;
  for (const tenon_variant *variant : variants) {
    tenon_status status = tryVariant(entry, *variant, library, executable);
    if (variants.size() == 1 || tenon_status_code(status) != TENON_ERROR_DEVICE)
      return status;
    reasons += (reasons.empty() ? "" : "; ") + std::string(tenon_status_message(status));
    tenon_status_free(status);
  }
  return tenon_status_make(TENON_ERROR_DEVICE, "%s", reasons.c_str());
}

static tenon_status findEntry(const tenon_artifact &artifact, const char *name,
                              const tenon_entry *&entry) {
  std::string names;
  for (int64_t i = 0; i < artifact.num_entries; ++i) {
    const tenon_entry &each = artifact.entries[i];
    if (name ? std::string(name) == each.name : artifact.num_entries == 1) {
      entry = &each;
      return nullptr;
    }
    names += (i ? ", '" : "'") + std::string(each.name) + "'";
  }
  if (!name)
    return tenon_status_make(TENON_ERROR_ARGUMENT,
                             "entry: expected a name, as there are %" PRId64 ": %s",
                             artifact.num_entries, names.c_str());
  return tenon_status_make(TENON_ERROR_ARGUMENT, "entry: no '%s' among %s", name, names.c_str());
}

tenon_status tenon_artifact_executable(const tenon_artifact *artifact, const char *name,
                                       const char *driver, tenon_executable **executable) {
  if (!artifact || !executable)
    return nullArgument("tenon_artifact_executable", artifact ? "executable" : "artifact");
  return guarded([&]() -> tenon_status {
    TENON_TRY(checkArtifact(*artifact));
    const tenon_entry *entry = nullptr;
    TENON_TRY(findEntry(*artifact, name, entry));
    return makeExecutable(*entry, driver, nullptr, executable);
  });
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// The executable in the entry's cell.
static tenon_status executableOf(const tenon_entry &entry, tenon_executable *&executable) {
  auto load = [&] {
    return static_cast<tenon_executable *>(__atomic_load_n(entry.cell, __ATOMIC_ACQUIRE));
  };
  if ((executable = load()))
    return nullptr;
  static std::mutex lock;
  std::lock_guard<std::mutex> guard(lock);
  if ((executable = load()))
    return nullptr;
  TENON_TRY(checkArtifact(*entry.artifact));
  TENON_TRY(makeExecutable(entry, nullptr, nullptr, &executable));
  __atomic_store_n(entry.cell, static_cast<void *>(executable), __ATOMIC_RELEASE);
  return nullptr;
}

namespace {

/// The arguments of a call with their types. Extents stand in one block.
class Call {
public:
  Call(const tenon_program &program, void *const *addresses, const int64_t *symbols)
      : addresses(addresses), scope{symbols, 1}, hasSymbols(program.num_symbols > 0) {
    tensors.reserve(size_t(program.num_inputs + program.num_outputs));
  }

  tenon_status add(const tenon_port *ports, int64_t count) {
    size_t needed = 0;
    for (int64_t i = 0; i < count; ++i)
      needed += size_t(ports[i].rank);
    std::vector<int64_t> &block = extents.emplace_back(hasSymbols ? needed : 0);
    int64_t *at = block.data();
    for (int64_t i = 0; i < count; ++i) {
      const tenon_port &port = ports[i];
      void *data = addresses[tensors.size()];
      tensors.push_back({nullptr, data, port.dtype, port.rank, hasSymbols ? at : nullptr});
      for (int64_t d = 0; hasSymbols && d < port.rank; ++d)
        if (const char *reason = evaluateExpr(port.extents[d], scope, *at++))
          return tenon_status_make(TENON_ERROR_SHAPE, "'%s', extent %" PRId64 ": %s", port.name, d,
                                   reason);
    }
    return nullptr;
  }

  std::vector<tenon_tensor> tensors;

private:
  void *const *addresses;
  ExprScope scope;
  bool hasSymbols;
  std::vector<std::vector<int64_t>> extents;
};

} // namespace

tenon_status tenon_entry_call(const tenon_entry *entry, void *const *arguments,
                              const int64_t *symbols, const tenon_run_options *options) {
  return guarded([&]() -> tenon_status {
    tenon_executable *executable;
    TENON_TRY(executableOf(*entry, executable));
    const tenon_program &program = *tenon_executable_program(executable);
    Call call(program, arguments, symbols);
    TENON_TRY(call.add(program.inputs, program.num_inputs));
    TENON_TRY(call.add(program.outputs, program.num_outputs));
    const tenon_tensor *tensors = call.tensors.data();
    return tenon_executable_run(executable, tensors, program.num_inputs,
                                tensors + program.num_inputs, program.num_outputs, options);
  });
}

//===----------------------------------------------------------------------===//
// Libraries
//===----------------------------------------------------------------------===//

struct tenon_library {
  std::atomic<int64_t> references{1};
  void *handle = nullptr;
  const tenon_artifact *artifact = nullptr;

  ~tenon_library() {
    if (handle)
      platform::closeLibrary(handle);
  }
};

/// Reads the note and says whether this process can run the library.
static tenon_status checkFile(const char *path, ArtifactNote &note) {
  std::string error;
  platform::FileView file;
  if (!file.open(path, error))
    return tenon_status_make(TENON_ERROR_IO, "%s: %s", path, error.c_str());
  if (std::string wrong = readArtifactNote(file.data(), file.size(), note); !wrong.empty())
    return tenon_status_make(TENON_ERROR_IO, "%s: %s", path, wrong.c_str());
  std::string missing;
  for (const ArtifactNote::Variant &variant : note.variants)
    if ((missing = platform::missingFeatures(variant.features)).empty())
      return nullptr;
  return noProcessor(path, note.variants.back().processor.c_str(), missing);
}

/// Whether what the loader gave is the file that was checked: under a name that it knows already it
/// gives what it has.
static bool isLoaded(void *library, const ArtifactNote &note) {
  for (platform::LibraryNotes notes : platform::libraryNotes(library))
    if (uint64_t digest; readLoadedDigest(notes.data, notes.size, digest))
      return digest == note.digest;
  return false;
}

tenon_status tenon_library_open(const char *path, tenon_library **library) {
  if (!path || !library)
    return nullArgument("tenon_library_open", path ? "library" : "path");
  return guarded([&]() -> tenon_status {
    ArtifactNote note;
    TENON_TRY(checkFile(path, note));
    auto opened = std::make_unique<tenon_library>();
    std::string error;
    opened->handle = platform::openLibrary(path, error);
    if (!opened->handle)
      return tenon_status_make(TENON_ERROR_IO, "%s", error.c_str());
    if (!isLoaded(opened->handle, note))
      return tenon_status_make(TENON_ERROR_IO,
                               "%s: the process still holds another library that was loaded from "
                               "this path: release it before, or give the new one another name",
                               path);
    opened->artifact = static_cast<const tenon_artifact *>(
        platform::librarySymbol(opened->handle, note.symbol.c_str()));
    if (!opened->artifact)
      return tenon_status_make(TENON_ERROR_IO, "%s: its symbol '%s' is not there", path,
                               note.symbol.c_str());
    TENON_TRY(checkArtifact(*opened->artifact));
    *library = opened.release();
    return nullptr;
  });
}

void tenon_library_retain(tenon_library *library) {
  if (library)
    library->references.fetch_add(1, std::memory_order_relaxed);
}

void tenon_library_release(tenon_library *library) {
  if (library && library->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete library;
}

const tenon_artifact *tenon_library_artifact(tenon_library *library) {
  return library ? library->artifact : nullptr;
}

tenon_status tenon_library_executable(tenon_library *library, const char *name, const char *driver,
                                      tenon_executable **executable) {
  if (!library || !executable)
    return nullArgument("tenon_library_executable", library ? "executable" : "library");
  return guarded([&]() -> tenon_status {
    const tenon_entry *entry = nullptr;
    TENON_TRY(findEntry(*library->artifact, name, entry));
    return makeExecutable(*entry, driver, library, executable);
  });
}
