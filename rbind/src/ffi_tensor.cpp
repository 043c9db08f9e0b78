//===- ffi_tensor.cpp - Tensors in safetensors files
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file: 8 bytes of header length (little-endian), a JSON object of
// name -> {dtype, shape, data_offsets}, then the data. Shapes are row-major, so an
// R array's dim is the reverse. A file is hostile until it has been checked.
//
//===----------------------------------------------------------------------===//
#include <cpp11.hpp>
#include <cpp11/declarations.hpp>

#include "recorder.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace {

/// An error of this file: thrown where C++ objects live, raised after they are gone.
struct TensorFileError {
  std::string message;
};

[[noreturn]] void refuse(const std::string &message) { throw TensorFileError{message}; }

struct Entry {
  std::string name;
  Type type;
  uint64_t begin = 0, end = 0;
};

const struct {
  const char *name;
  tenon_dtype dtype;
} fileDtypes[] = {{"F64", TENON_F64}, {"F32", TENON_F32}, {"F16", TENON_F16}, {"BF16", TENON_BF16},
                  {"I64", TENON_I64}, {"I32", TENON_I32}, {"I8", TENON_I8},   {"BOOL", TENON_I1}};

/// A strict parser of the header's JSON.
class Header {
public:
  Header(const char *begin, const char *end) : at(begin), end(end) {}

  std::vector<Entry> parse() {
    std::vector<Entry> entries;
    expect('{');
    if (!accept('}'))
      do {
        std::string name = string();
        expect(':');
        if (name == "__metadata__")
          skipStrings();
        else
          entries.push_back(entry(name));
      } while (more('}'));
    space();
    if (at != end)
      refuse("the header goes on after its end");
    return entries;
  }

private:
  const char *at, *end;

  void space() {
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r'))
      at++;
  }
  bool accept(char c) {
    space();
    if (at < end && *at == c)
      return at++, true;
    return false;
  }
  void expect(char c) {
    if (!accept(c))
      refuse(std::string("the header is no JSON object of tensors: expected '") + c + "'");
  }
  bool more(char closing) {
    if (accept(closing))
      return false;
    expect(',');
    return true;
  }

  unsigned hex4() {
    unsigned value = 0;
    for (int i = 0; i < 4; i++, at++) {
      if (at >= end || !isxdigit(static_cast<unsigned char>(*at)))
        refuse("a name has a bad \\u escape");
      char c = *at;
      value = value * 16 + unsigned(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
    }
    return value;
  }

  static void append(std::string &text, unsigned code) {
    if (code < 0x80) {
      text += char(code);
    } else if (code < 0x800) {
      text += char(0xc0 | code >> 6), text += char(0x80 | (code & 63));
    } else if (code < 0x10000) {
      text += char(0xe0 | code >> 12), text += char(0x80 | (code >> 6 & 63));
      text += char(0x80 | (code & 63));
    } else {
      text += char(0xf0 | code >> 18), text += char(0x80 | (code >> 12 & 63));
      text += char(0x80 | (code >> 6 & 63)), text += char(0x80 | (code & 63));
    }
  }

  std::string string() {
    expect('"');
    std::string text;
    while (at < end && *at != '"') {
      unsigned char c = static_cast<unsigned char>(*at++);
      if (c < 0x20)
        refuse("a name has a control character");
      if (c != '\\') {
        text += char(c);
        continue;
      }
      if (at >= end)
        break;
      switch (char escape = *at++) {
      case '"':
      case '\\':
      case '/':
        text += escape;
        break;
      case 'n':
        text += '\n';
        break;
      case 't':
        text += '\t';
        break;
      case 'r':
        text += '\r';
        break;
      case 'b':
        text += '\b';
        break;
      case 'f':
        text += '\f';
        break;
      case 'u': {
        unsigned code = hex4();
        if (code >= 0xd800 && code < 0xdc00) {
          if (end - at < 6 || at[0] != '\\' || at[1] != 'u')
            refuse("a name has half a surrogate pair");
          at += 2;
          unsigned low = hex4();
          if (low < 0xdc00 || low >= 0xe000)
            refuse("a name has half a surrogate pair");
          code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        } else if (code == 0 || (code >= 0xdc00 && code < 0xe000)) {
          refuse("a name has a bad \\u escape");
        }
        append(text, code);
        break;
      }
      default:
        refuse("a name has a bad escape");
      }
    }
    if (at >= end)
      refuse("the header ends inside a string");
    at++;
    return text;
  }

  uint64_t number() {
    space();
    if (at >= end || *at < '0' || *at > '9')
      refuse("expected a whole number in the header");
    uint64_t value = 0;
    for (; at < end && *at >= '0' && *at <= '9'; at++) {
      if (value > (UINT64_MAX - 9) / 10)
        refuse("a number in the header is too large");
      value = value * 10 + uint64_t(*at - '0');
    }
    return value;
  }

  /// Metadata: an object of strings, not used.
  void skipStrings() {
    expect('{');
    if (accept('}'))
      return;
    do {
      string();
      expect(':');
      string();
    } while (more('}'));
  }

  std::vector<uint64_t> numbers() {
    std::vector<uint64_t> list;
    expect('[');
    if (!accept(']'))
      do
        list.push_back(number());
      while (more(']'));
    return list;
  }

  Entry entry(const std::string &name) {
    Entry entry;
    entry.name = name;
    bool hasType = false, hasShape = false, hasOffsets = false;
    expect('{');
    do {
      std::string key = string();
      expect(':');
      if (key == "dtype" && !hasType) {
        std::string text = string();
        for (auto &known : fileDtypes)
          if (text == known.name)
            entry.type.dtype = known.dtype, hasType = true;
        if (!hasType)
          refuse("tensor \"" + name + "\": dtype " + text + " is not supported");
      } else if (key == "shape" && !hasShape) {
        std::vector<uint64_t> shape = numbers();
        if (shape.size() > size_t(tenon::infer::kMaxRank))
          refuse("tensor \"" + name + "\": more than 8 axes");
        for (uint64_t extent : shape) {
          if (extent > INT_MAX)
            refuse("tensor \"" + name + "\": an extent is 2^31 or more");
          entry.type.dims[entry.type.rank++] = int64_t(extent);
        }
        hasShape = true;
      } else if (key == "data_offsets" && !hasOffsets) {
        std::vector<uint64_t> offsets = numbers();
        if (offsets.size() != 2)
          refuse("tensor \"" + name + "\": expected two data_offsets");
        entry.begin = offsets[0], entry.end = offsets[1], hasOffsets = true;
      } else {
        refuse("tensor \"" + name + "\": unexpected or repeated key " + key);
      }
    } while (more('}'));
    if (!hasType || !hasShape || !hasOffsets)
      refuse("tensor \"" + name + "\": expected dtype, shape and data_offsets");
    return entry;
  }
};

uint64_t bytesOf(const Entry &entry) {
  double count = 1;
  for (int i = 0; i < entry.type.rank; i++)
    count *= double(entry.type.dims[i]);
  if (count > INT_MAX)
    refuse("tensor \"" + entry.name + "\": 2^31 elements or more");
  return uint64_t(countOf(entry.type)) * uint64_t(tenon_dtype_size(entry.type.dtype));
}

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

/// The format lets data neither overlap nor leave gaps.
void checkCover(std::vector<Entry> entries, uint64_t size) {
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  uint64_t at = 0;
  for (const Entry &entry : entries) {
    if (entry.begin != at)
      refuse("tensor \"" + entry.name + "\": expected data from offset " + std::to_string(at) +
             ", where the data before it ends, got " + std::to_string(entry.begin));
    at = entry.end;
  }
  if (at != size)
    refuse("expected " + std::to_string(at) + " bytes of data for all tensors, got " +
           std::to_string(size));
}

/// Reads and checks the header; the file stands at the data, `size` bytes of it.
std::vector<Entry> readHeader(FILE *file, uint64_t &size) {
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
  size = total - 8 - length;
  std::vector<Entry> entries = Header(header.data(), header.data() + header.size()).parse();
  std::unordered_map<std::string, int> names;
  for (const Entry &entry : entries) {
    if (names[entry.name]++)
      refuse("tensor \"" + entry.name + "\" is there twice");
    if (entry.begin > entry.end || entry.end > size || entry.end - entry.begin != bytesOf(entry))
      refuse("tensor \"" + entry.name + "\": expected " + std::to_string(bytesOf(entry)) +
             " bytes of data, got offsets " + std::to_string(entry.begin) + " to " +
             std::to_string(entry.end) + " of " + std::to_string(size));
  }
  checkCover(entries, size);
  return entries;
}

std::string quoted(const char *text) {
  std::string out = "\"";
  for (; *text; text++) {
    unsigned char c = static_cast<unsigned char>(*text);
    char escape[8];
    if (c == '"' || c == '\\')
      out += '\\', out += char(c);
    else if (c < 0x20)
      snprintf(escape, sizeof escape, "\\u%04x", c), out += escape;
    else
      out += char(c);
  }
  return out + "\"";
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
  std::string header = "{";
  uint64_t offset = 0;
  for (R_xlen_t i = 0; i < Rf_xlength(tensors); i++) {
    Entry entry;
    entry.type = storageType(VECTOR_ELT(tensors, i));
    entry.begin = offset;
    entry.end = offset += bytesOf(entry);
    header += (i ? "," : "") + quoted(names[i]) + ":{\"dtype\":\"";
    for (auto &known : fileDtypes)
      if (known.dtype == entry.type.dtype)
        header += known.name;
    header += "\",\"shape\":[";
    for (int k = 0; k < entry.type.rank; k++)
      header += (k ? "," : "") + std::to_string(entry.type.dims[k]);
    header += "],\"data_offsets\":[" + std::to_string(entry.begin) + "," +
              std::to_string(entry.end) + "]}";
  }
  header += "}";
  header.append((8 - header.size() % 8) % 8, ' ');
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
    Type type = storageType(storage);
    size_t bytes = size_t(countOf(type)) * size_t(tenon_dtype_size(type.dtype));
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
  uint64_t size = 0;
  std::vector<Entry> entries = readHeader(file.get(), size);
  off_t data = ftello(file.get());
  cpp11::writable::list list(R_xlen_t(entries.size()));
  cpp11::writable::strings names(R_xlen_t(entries.size()));
  for (size_t i = 0; i < entries.size(); i++) {
    const Entry &entry = entries[i];
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
                   isValue(x)            ? force(x)
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
