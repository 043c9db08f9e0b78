//===- ffi_io.cpp - Saving and loading tensors
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files in the safetensors format; safetensors.h says which that is.
//
//===----------------------------------------------------------------------===//
#include <cpp11.hpp>
#include <cpp11/declarations.hpp>

#include "recorder.h"
#include "safetensors.h"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace {

struct Closer {
  void operator()(FILE *file) const { fclose(file); }
};
using File = std::unique_ptr<FILE, Closer>;

File open(const char *path, const char *mode) {
  File file(fopen(path, mode));
  if (!file)
    refuse(std::string(path) + ": " + strerror(errno));
  return file;
}

/// What lies at a path that is there; refuses all but regular files.
bool statFile(const std::string &path, struct stat &status) {
  if (stat(path.c_str(), &status) != 0)
    return false;
  const char *what = S_ISDIR(status.st_mode)    ? "a directory"
                     : S_ISFIFO(status.st_mode) ? "a pipe"
                     : S_ISSOCK(status.st_mode) ? "a socket"
                                                : "a device";
  if (!S_ISREG(status.st_mode))
    refuse(path + ": expected a regular file, got " + what);
  return true;
}

/// Where links lead, which may be a file that is not there yet.
std::string followLinks(std::string path) {
  for (int links = 0; links < 40; links++) {
    char to[PATH_MAX];
    ssize_t length = readlink(path.c_str(), to, sizeof to);
    if (length < 0)
      return path;
    std::string target(to, size_t(length));
    path = target[0] == '/' ? target : path.substr(0, path.rfind('/') + 1) + target;
  }
  refuse(path + ": " + strerror(ELOOP));
}

/// Reads and checks the header; the file then stands at the data.
std::vector<TensorEntry> readHeader(FILE *file) {
  unsigned char head[8];
  if (fread(head, 1, 8, file) != 8)
    refuse("not a safetensors file: shorter than 8 bytes");
  uint64_t length = 0;
  for (int i = 7; i >= 0; i--)
    length = length << 8 | head[i];
  fseeko(file, 0, SEEK_END);
  uint64_t total = uint64_t(ftello(file));
  if (length > 100u << 20 || length + 8 > total)
    refuse("not a safetensors file: its header would have " + std::to_string(length) +
           " bytes of " + std::to_string(total));
  fseeko(file, 8, SEEK_SET);
  std::string header(size_t(length), '\0');
  if (fread(&header[0], 1, header.size(), file) != header.size())
    refuse("the header could not be read");
  return parseHeader(header, total - 8 - length);
}

/// A file that is removed unless it gets its name.
struct Draft {
  std::string path;
  bool named = false;
  ~Draft() {
    if (!named)
      unlink(path.c_str());
  }
};

/// Storage of a list's elements, computed and checked before the file is touched; an
/// old file stays until the new one is whole. Nothing here raises an R error.
void write(const char *path, SEXP tensors, const char *const *names) {
  std::vector<TensorEntry> entries;
  uint64_t offset = 0;
  for (R_xlen_t i = 0; i < Rf_xlength(tensors); i++) {
    TensorEntry entry;
    entry.name = names[i];
    entry.type = storageType(VECTOR_ELT(tensors, i));
    entry.begin = offset;
    entry.end = offset += dataBytes(entry);
    entries.push_back(entry);
  }
  std::string header = headerOf(entries);
  std::string target = followLinks(path);
  struct stat old;
  bool replaces = statFile(target, old);
  Draft draft{target + ".tmp" + std::to_string(getpid())};
  File file = open(draft.path.c_str(), "wb");
  if (replaces)
    fchmod(fileno(file.get()), old.st_mode & 07777);
  unsigned char head[8];
  for (int i = 0; i < 8; i++)
    head[i] = static_cast<unsigned char>(uint64_t(header.size()) >> 8 * i);
  bool ok = fwrite(head, 1, 8, file.get()) == 8 &&
            fwrite(header.data(), 1, header.size(), file.get()) == header.size();
  for (R_xlen_t i = 0; ok && i < Rf_xlength(tensors); i++) {
    SEXP storage = VECTOR_ELT(tensors, i);
    size_t bytes = bytesOf(storageType(storage));
    ok = fwrite(storageData(storage), 1, bytes, file.get()) == bytes;
  }
  int reason = errno; // closing may succeed after a write that did not
  if (ok && (fclose(file.release()) != 0 || rename(draft.path.c_str(), target.c_str()) != 0))
    ok = false, reason = errno;
  if (!ok)
    refuse(std::string(path) + ": " + strerror(reason));
  draft.named = true;
}

cpp11::sexp read(const char *path) {
  struct stat status;
  statFile(path, status); // before it is opened: a pipe would wait
  File file = open(path, "rb");
  std::vector<TensorEntry> entries = readHeader(file.get());
  off_t data = ftello(file.get());
  cpp11::writable::list list(R_xlen_t(entries.size()));
  cpp11::writable::strings names(R_xlen_t(entries.size()));
  for (size_t i = 0; i < entries.size(); i++) {
    const TensorEntry &entry = entries[i];
    cpp11::sexp storage = cpp11::safe[allocStorage](entry.type);
    fseeko(file.get(), data + off_t(entry.begin), SEEK_SET);
    size_t bytes = size_t(entry.end - entry.begin);
    if (fread(storageData(storage), 1, bytes, file.get()) != bytes)
      refuse("tensor \"" + entry.name + "\": its data could not be read");
    list[R_xlen_t(i)] = cpp11::safe[newValue](storage);
    names[R_xlen_t(i)] = cpp11::r_string(
        cpp11::safe[Rf_mkCharLenCE](entry.name.data(), int(entry.name.size()), CE_UTF8));
  }
  list.names() = names;
  return list;
}

char failure[1000];

} // namespace

extern "C" {

/// tensors: a named list of values and R arrays.
SEXP C_save_tensors(SEXP path, SEXP tensors) {
  SEXP storage = PROTECT(Rf_allocVector(VECSXP, Rf_xlength(tensors)));
  for (R_xlen_t i = 0; i < Rf_xlength(tensors); i++) {
    SEXP x = resolve(VECTOR_ELT(tensors, i));
    SET_VECTOR_ELT(storage, i,
                   isValue(x)            ? hostStorage(force(x))
                   : TYPEOF(x) == LGLSXP ? storageOf(x, TENON_I1)
                   : TYPEOF(x) == INTSXP ? storageOf(x, TENON_I32)
                                         : storageOf(x, TENON_F64));
  }
  const char *name = R_ExpandFileName(Rf_translateChar(STRING_ELT(path, 0)));
  SEXP given = Rf_getAttrib(tensors, R_NamesSymbol);
  auto names =
      reinterpret_cast<const char **>(R_alloc(size_t(Rf_xlength(tensors)), sizeof(char *)));
  for (R_xlen_t i = 0; i < Rf_xlength(tensors); i++) {
    names[i] = Rf_translateCharUTF8(STRING_ELT(given, i));
    storageType(VECTOR_ELT(storage, i)); // raises for a damaged one
  }
  failure[0] = 0;
  try {
    write(name, storage, names);
  } catch (const TensorFileError &error) {
    snprintf(failure, sizeof failure, "%s", error.message.c_str());
  } catch (const std::bad_alloc &) {
    snprintf(failure, sizeof failure, "out of memory");
  }
  UNPROTECT(1);
  if (failure[0])
    fail(TENON_ERROR_IO, "tenon_save_tensors: %s", failure);
  return R_NilValue;
}

static SEXP loadTensors(const char *name) {
  BEGIN_CPP11
  try {
    return read(name);
  } catch (const TensorFileError &error) {
    snprintf(failure, sizeof failure, "%s", error.message.c_str());
  }
  return R_NilValue;
  END_CPP11
}

SEXP C_load_tensors(SEXP path) {
  failure[0] = 0;
  SEXP list = PROTECT(loadTensors(R_ExpandFileName(Rf_translateChar(STRING_ELT(path, 0)))));
  UNPROTECT(1);
  if (failure[0])
    fail(TENON_ERROR_IO, "tenon_load_tensors: %s", failure);
  return list;
}
}
