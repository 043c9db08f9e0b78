//===- Safetensors.cpp - Files of named tensors ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "runtime/files/Safetensors.h"

#include "runtime/platform/Platform.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>

namespace tenon::files {
namespace {

const struct {
  tenon_dtype dtype;
  const char *name;
} dtypes[] = {{TENON_F64, "F64"}, {TENON_F32, "F32"}, {TENON_F16, "F16"}, {TENON_BF16, "BF16"},
              {TENON_I64, "I64"}, {TENON_I32, "I32"}, {TENON_I8, "I8"},   {TENON_I1, "BOOL"}};

/// What the header says of a tensor.
struct Description {
  std::string dtype;
  std::vector<int64_t> shape, offsets;
};

/// Reads the part of JSON that headers are made of. The first thing that is wrong stays in
/// `error`, after which nothing more is read.
class HeaderReader {
public:
  HeaderReader(std::string_view text) : text(text) {}

  std::string error;

  bool read(std::map<std::string, Description> &tensors) {
    members([&](const std::string &name) {
      if (name == "__metadata__")
        return members([&](const std::string &) { string(); });
      auto [place, isNew] = tensors.try_emplace(name);
      if (!isNew)
        return fail("tensor '" + name + "' stands there twice");
      description(place->second);
    });
    blanks();
    if (at != text.size())
      fail("expected the end of the header");
    return error.empty();
  }

private:
  void fail(const std::string &message) {
    if (error.empty())
      error = message + " (byte " + std::to_string(at) + " of the header)";
  }
  void blanks() {
    while (at < text.size() && std::strchr(" \t\r\n", text[at]) && text[at])
      ++at;
  }
  bool next(char c) {
    blanks();
    if (!error.empty() || at >= text.size() || text[at] != c)
      return false;
    ++at;
    return true;
  }
  void expect(char c) {
    if (!next(c))
      fail(std::string("expected '") + c + "'");
  }

  /// { "name": ..., ... }
  template <typename Member> void members(Member member) {
    expect('{');
    if (next('}'))
      return;
    do {
      std::string name = string();
      expect(':');
      if (error.empty())
        member(name);
    } while (next(','));
    expect('}');
  }

  std::string string() {
    std::string result;
    expect('"');
    while (error.empty()) {
      if (at >= text.size()) {
        fail("expected '\"'");
        break;
      }
      char c = text[at++];
      if (c == '"')
        break;
      if (uint8_t(c) < 0x20)
        fail("expected no control character in a string");
      else if (c == '\\')
        escape(result);
      else
        result += c;
    }
    return result;
  }
  void escape(std::string &result) {
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (at < text.size() && text[at] == 'u')
      return ++at, unicode(result);
    const char *known = at < text.size() && text[at] ? std::strchr(from, text[at]) : nullptr;
    if (!known)
      return fail("expected one of \"\\/bfnrtu after a backslash");
    result += to[known - from];
    ++at;
  }

  unsigned hexDigits() {
    static const char digits[] = "0123456789abcdef";
    unsigned value = 0;
    for (int i = 0; i < 4; ++i, ++at) {
      const char *known = at < text.size() && text[at]
                              ? std::strchr(digits, text[at] | (text[at] >= 'A' ? 0x20 : 0))
                              : nullptr;
      if (!known) {
        fail("expected four hexadecimal digits after \\u");
        return 0;
      }
      value = value * 16 + unsigned(known - digits);
    }
    return value;
  }
  /// What follows \u, as UTF-8; a character beyond 16 bits is a pair of surrogates.
  void unicode(std::string &result) {
    unsigned code = hexDigits();
    bool isHigh = code >= 0xd800 && code < 0xdc00;
    if (isHigh && text.substr(at, 2) == "\\u") {
      at += 2;
      unsigned low = hexDigits();
      isHigh = low < 0xdc00 || low > 0xdfff;
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    if (isHigh || code == 0 || (code >= 0xdc00 && code < 0xe000))
      return fail("expected \\u of a character");
    int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned marks[] = {0, 0xc0, 0xe0, 0xf0};
    result += char(marks[more] | code >> 6 * more);
    while (more-- > 0)
      result += char(0x80 | (code >> 6 * more & 63));
  }

  int64_t number() {
    blanks();
    int64_t value = 0;
    size_t begin = at;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
      if (__builtin_mul_overflow(value, 10, &value) ||
          __builtin_add_overflow(value, text[at] - '0', &value)) {
        fail("expected a number below 2^63");
        return 0;
      }
    if (at == begin)
      fail("expected a number of at least 0");
    return value;
  }
  void numbers(std::vector<int64_t> &values) {
    expect('[');
    if (next(']'))
      return;
    do
      values.push_back(number());
    while (next(','));
    expect(']');
  }

  void description(Description &tensor) {
    std::set<std::string> keys;
    members([&](const std::string &key) {
      if (!keys.insert(key).second)
        fail("'" + key + "' stands there twice");
      else if (key == "dtype")
        tensor.dtype = string();
      else if (key == "shape")
        numbers(tensor.shape);
      else if (key == "data_offsets")
        numbers(tensor.offsets);
      else
        fail("expected dtype, shape or data_offsets, got '" + key + "'");
    });
    if (keys.size() != 3)
      fail("expected dtype, shape and data_offsets of a tensor");
  }

  std::string_view text;
  size_t at = 0;
};

/// "" or what is wrong.
std::string checkOffsets(const std::vector<int64_t> &offsets, size_t size) {
  if (offsets.size() == 2 && offsets[0] <= offsets[1] && size_t(offsets[1]) <= size)
    return "";
  return "expected data_offsets of two places in order among " + std::to_string(size) + " bytes";
}

std::string load(const Description &description, std::string_view data, HostTensor &tensor) {
  const auto &offsets = description.offsets;
  for (auto &known : dtypes)
    if (description.dtype == known.name)
      return fill(tensor, known.dtype, description.shape,
                  data.substr(size_t(offsets[0]), size_t(offsets[1] - offsets[0])),
                  /*exact=*/true);
  std::string names;
  for (auto &known : dtypes)
    names += std::string(names.empty() ? "" : ", ") + known.name;
  return "element type: expected one of " + names + ", got '" + description.dtype + "'";
}

/// "" or what is wrong: the format lets data neither overlap nor leave gaps, so that a small file
/// cannot ask for much memory. Offsets have been checked one by one.
std::string checkCover(const std::map<std::string, Description> &tensors, size_t size) {
  std::vector<std::pair<std::vector<int64_t>, std::string>> places;
  for (auto &[name, tensor] : tensors)
    places.emplace_back(tensor.offsets, name);
  std::sort(places.begin(), places.end());
  int64_t end = 0;
  for (auto &[offsets, name] : places) {
    if (offsets[0] != end)
      return "tensor '" + name + "': expected data from offset " + std::to_string(end) +
             ", where the data before it ends, got " + std::to_string(offsets[0]);
    end = offsets[1];
  }
  if (size_t(end) != size)
    return "expected " + std::to_string(end) + " bytes of data for all tensors, got " +
           std::to_string(size);
  return "";
}

std::string quoted(const std::string &name) {
  std::string result = "\"";
  for (char c : name) {
    char escape[8];
    if (uint8_t(c) < 0x20) {
      std::snprintf(escape, sizeof escape, "\\u%04x", c);
      result += escape;
      continue;
    }
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + "\"";
}

} // namespace

std::string parseSafetensors(std::string_view file, NamedTensors &tensors) {
  uint64_t length;
  if (file.size() < sizeof length)
    return "expected a safetensors file";
  std::memcpy(&length, file.data(), sizeof length);
  file.remove_prefix(sizeof length);
  if (length > file.size())
    return "the header is cut short: expected " + std::to_string(length) + " bytes, got " +
           std::to_string(file.size());
  HeaderReader reader(file.substr(0, length));
  std::map<std::string, Description> descriptions;
  if (!reader.read(descriptions))
    return reader.error;
  std::string_view data = file.substr(length);
  for (auto &[name, description] : descriptions)
    if (std::string wrong = checkOffsets(description.offsets, data.size()); !wrong.empty())
      return "tensor '" + name + "': " + wrong;
  if (std::string wrong = checkCover(descriptions, data.size()); !wrong.empty())
    return wrong;
  for (auto &[name, description] : descriptions)
    if (std::string wrong = load(description, data, tensors[name]); !wrong.empty())
      return "tensor '" + name + "': " + wrong;
  return "";
}

bool readSafetensors(const std::string &path, NamedTensors &tensors, std::string &error) {
  runtime::platform::FileView file;
  std::string wrong;
  if (file.open(path.c_str(), wrong))
    wrong = parseSafetensors({reinterpret_cast<const char *>(file.data()), file.size()}, tensors);
  error = path + ": " + wrong;
  return wrong.empty();
}

bool writeSafetensors(const std::string &path, const NamedTensors &tensors, std::string &error) {
  std::string header = "{", data;
  if (tensors.count("__metadata__")) {
    error = path + ": no tensor can be called '__metadata__', the format's own name";
    return false;
  }
  for (auto &[name, tensor] : tensors) {
    std::string shape, dtype;
    for (int64_t extent : tensor.extents)
      shape += (shape.empty() ? "" : ",") + std::to_string(extent);
    for (auto &known : dtypes)
      if (known.dtype == tensor.dtype)
        dtype = known.name;
    size_t begin = data.size();
    data.append(tensor.data(), size_t(tensor.numBytes()));
    header += (header.size() > 1 ? "," : "") + quoted(name) + ":{\"dtype\":\"" + dtype +
              "\",\"shape\":[" + shape + "],\"data_offsets\":[" + std::to_string(begin) + "," +
              std::to_string(data.size()) + "]}";
  }
  header += "}";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  uint64_t length = header.size();
  return writeFile(path, {{reinterpret_cast<const char *>(&length), sizeof length}, header, data},
                   error);
}

} // namespace tenon::files
