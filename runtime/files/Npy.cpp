//===- Npy.cpp - Files of NumPy arrays ------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "runtime/files/Npy.h"

#include "runtime/platform/Platform.h"

#include <algorithm>
#include <cstring>

using namespace std::literals;

namespace tenon::files {

static const struct {
  tenon_dtype dtype;
  const char *code;
} codes[] = {{TENON_F64, "<f8"}, {TENON_F32, "<f4"}, {TENON_F16, "<f2"}, {TENON_BF16, "|V2"},
             {TENON_I64, "<i8"}, {TENON_I32, "<i4"}, {TENON_I8, "|i1"},  {TENON_I1, "|b1"}};

/// The text after `key` in a header, up to one of `ends`.
static std::string_view field(std::string_view header, const std::string &key, const char *ends) {
  size_t at = header.find("'" + key + "'");
  if (at == std::string_view::npos || (at = header.find(':', at)) == std::string_view::npos)
    return "";
  std::string_view text = header.substr(at + 1);
  text.remove_prefix(std::min(text.find_first_not_of(" '("), text.size()));
  size_t end = text.find_first_of(ends);
  return end == std::string_view::npos ? "" : text.substr(0, end);
}

/// A number from 0 to 2^63 - 1, blanks around it.
static bool parseNumber(std::string_view text, int64_t &value) {
  size_t begin = text.find_first_not_of(' '), end = text.find_last_not_of(' ') + 1;
  value = 0;
  for (size_t i = begin; i < end; ++i)
    if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, text[i] - '0', &value))
      return false;
  return true;
}

static bool parseShape(std::string_view header, std::vector<int64_t> &extents) {
  size_t open = header.find('('), close = header.find(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open)
    return false;
  std::string_view numbers = header.substr(open + 1, close - open - 1);
  while (!numbers.empty()) {
    size_t end = std::min(numbers.find(','), numbers.size());
    std::string_view number = numbers.substr(0, end);
    if (number.find_first_not_of(' ') != std::string_view::npos &&
        !parseNumber(number, extents.emplace_back()))
      return false;
    numbers.remove_prefix(std::min(end + 1, numbers.size()));
  }
  return true;
}

/// Splits a file into header and data; "" or what is wrong.
static std::string splitFile(std::string_view file, std::string_view &header,
                             std::string_view &data) {
  if (file.substr(0, 6) != "\x93NUMPY" || file.size() < 10)
    return "expected a .npy file";
  unsigned major = uint8_t(file[6]), minor = uint8_t(file[7]);
  if (major < 1 || major > 3 || minor != 0)
    return "expected version 1.0, 2.0 or 3.0, got " + std::to_string(major) + "." +
           std::to_string(minor);
  size_t lengthBytes = major == 1 ? 2 : 4;
  file.remove_prefix(8);
  if (file.size() < lengthBytes)
    return "the header is cut short";
  uint32_t length = 0;
  std::memcpy(&length, file.data(), lengthBytes);
  file.remove_prefix(lengthBytes);
  if (file.size() < length)
    return "the header is cut short";
  header = file.substr(0, length);
  data = file.substr(length);
  return "";
}

std::string parseNpy(std::string_view file, HostTensor &tensor) {
  std::string_view header, data;
  if (std::string wrong = splitFile(file, header, data); !wrong.empty())
    return wrong;
  if (std::string_view order = field(header, "fortran_order", ",}"); order != "False")
    return "expected an array in C order, 'fortran_order': False, got '" + std::string(order) + "'";
  std::string_view code = field(header, "descr", "'");
  auto known = std::find_if(std::begin(codes), std::end(codes),
                            [&](auto &each) { return code == each.code; });
  std::string names;
  for (auto &each : codes)
    names += std::string(names.empty() ? "" : ", ") + each.code;
  if (known == std::end(codes))
    return "element type: expected one of " + names + ", got '" + std::string(code) + "'";
  std::vector<int64_t> extents;
  if (!parseShape(header, extents))
    return "expected a shape of numbers from 0 to 2^63 - 1 in the header";
  return fill(tensor, known->dtype, std::move(extents), data, /*exact=*/false);
}

bool readNpy(const std::string &path, HostTensor &tensor, std::string &error) {
  runtime::platform::FileView file;
  std::string wrong;
  if (file.open(path.c_str(), wrong))
    wrong = parseNpy({reinterpret_cast<const char *>(file.data()), file.size()}, tensor);
  error = path + ": " + wrong;
  return wrong.empty();
}

bool writeNpy(const std::string &path, const HostTensor &tensor, std::string &error) {
  std::string code, shape;
  for (auto &known : codes)
    if (known.dtype == tensor.dtype)
      code = known.code;
  for (int64_t extent : tensor.extents)
    shape += std::to_string(extent) + ", ";
  std::string header =
      "{'descr': '" + code + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 10 - 1, ' ');
  header += '\n';
  uint16_t length = uint16_t(header.size());
  return writeFile(path,
                   {"\x93NUMPY\x01\x00"sv,
                    {reinterpret_cast<const char *>(&length), 2},
                    header,
                    {tensor.data(), size_t(tensor.numBytes())}},
                   error);
}

} // namespace tenon::files
