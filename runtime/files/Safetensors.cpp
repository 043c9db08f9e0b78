//===- Safetensors.cpp - Files of named tensors ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "runtime/files/Safetensors.h"

#include "runtime/platform/Platform.h"

#include <algorithm>
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
      if (c == '\\')
        escape(result);
      else
        result += c;
    }
    return result;
  }
  void escape(std::string &result) {
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *known = at < text.size() && text[at] ? std::strchr(from, text[at]) : nullptr;
    if (!known)
      return fail("expected an escape other than \\u");
    result += to[known - from];
    ++at;
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
  return "element type '" + description.dtype + "' is not supported";
}

/// The format lets data neither overlap nor leave gaps: a small file cannot ask for much memory.
/// Offsets have been checked one by one.
std::string checkCover(const std::map<std::string, Description> &descriptions, size_t size) {
  std::vector<std::pair<int64_t, int64_t>> parts;
  for (auto &[name, description] : descriptions)
    parts.emplace_back(description.offsets[0], description.offsets[1]);
  std::sort(parts.begin(), parts.end());
  int64_t at = 0;
  for (auto [begin, end] : parts) {
    if (begin != at)
      return "expected a tensor's data from byte " + std::to_string(at) +
             " on, where the data before it end, got byte " + std::to_string(begin);
    at = end;
  }
  return size_t(at) == size ? ""
                            : "expected " + std::to_string(at) +
                                  " bytes of data for all tensors, got " + std::to_string(size);
}

std::string quoted(const std::string &name) {
  std::string result = "\"";
  for (char c : name) {
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
