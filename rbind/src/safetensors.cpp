//===- safetensors.cpp - The header of a safetensors file
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "safetensors.h"

#include "tenon/runtime.h"

#include <algorithm>
#include <cctype>
#include <climits>
#include <cstdio>
#include <unordered_set>

namespace {

const struct {
  const char *name;
  tenon_dtype dtype;
} fileDtypes[] = {{"F64", TENON_F64}, {"F32", TENON_F32}, {"F16", TENON_F16}, {"BF16", TENON_BF16},
                  {"I64", TENON_I64}, {"I32", TENON_I32}, {"I8", TENON_I8},   {"BOOL", TENON_I1}};

/// A strict parser of the header's JSON.
class Parser {
public:
  Parser(const char *begin, const char *end) : at(begin), end(end) {}

  std::vector<TensorEntry> parse() {
    std::vector<TensorEntry> entries;
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

  TensorEntry entry(const std::string &name) {
    TensorEntry entry;
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

/// The format lets data neither overlap nor leave gaps.
void checkCover(std::vector<TensorEntry> entries, uint64_t size) {
  std::sort(entries.begin(), entries.end(), [](const TensorEntry &a, const TensorEntry &b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  uint64_t at = 0;
  for (const TensorEntry &entry : entries) {
    if (entry.begin != at)
      refuse("tensor \"" + entry.name + "\": expected data from offset " + std::to_string(at) +
             ", where the data before it ends, got " + std::to_string(entry.begin));
    at = entry.end;
  }
  if (at != size)
    refuse("expected " + std::to_string(at) + " bytes of data for all tensors, got " +
           std::to_string(size));
}

std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (char each : text) {
    unsigned char c = static_cast<unsigned char>(each);
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

} // namespace

uint64_t dataBytes(const TensorEntry &entry) {
  double count = 1;
  for (int i = 0; i < entry.type.rank; i++)
    count *= double(entry.type.dims[i]);
  if (count > INT_MAX)
    refuse("tensor \"" + entry.name + "\": 2^31 elements or more");
  return uint64_t(count) * uint64_t(tenon_dtype_size(entry.type.dtype));
}

std::vector<TensorEntry> parseHeader(const std::string &text, uint64_t dataSize) {
  std::vector<TensorEntry> entries = Parser(text.data(), text.data() + text.size()).parse();
  std::unordered_set<std::string> names;
  for (const TensorEntry &entry : entries) {
    if (!names.insert(entry.name).second)
      refuse("tensor \"" + entry.name + "\" is there twice");
    if (entry.begin > entry.end || entry.end > dataSize ||
        entry.end - entry.begin != dataBytes(entry))
      refuse("tensor \"" + entry.name + "\": expected " + std::to_string(dataBytes(entry)) +
             " bytes of data, got offsets " + std::to_string(entry.begin) + " to " +
             std::to_string(entry.end) + " of " + std::to_string(dataSize));
  }
  checkCover(entries, dataSize);
  return entries;
}

std::string headerOf(const std::vector<TensorEntry> &entries) {
  std::string header = "{";
  for (const TensorEntry &entry : entries) {
    header += (header.size() > 1 ? "," : "") + quoted(entry.name) + ":{\"dtype\":\"";
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
  return header;
}
