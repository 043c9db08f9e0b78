//===- Npy.cpp - Files of NumPy arrays ------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tools/run/Npy.h"

#include "llvm/ADT/APFloat.h"

#include <cstring>
#include <fstream>

namespace tenon::run {

HostTensor::HostTensor(tenon_dtype dtype, std::vector<int64_t> dims)
    : dtype(dtype), extents(std::move(dims)) {
  // One byte more, so that an empty tensor has an address.
  bytes.resize(size_t(size() * tenon_dtype_size(dtype) + 1));
}

int64_t HostTensor::size() const {
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  return count;
}

template <typename T> static T load(const char *data) {
  T value;
  memcpy(&value, data, sizeof value);
  return value;
}

template <typename T> static void store(char *data, double value) {
  T converted = T(value);
  memcpy(data, &converted, sizeof converted);
}

static const llvm::fltSemantics &semanticsOf(tenon_dtype dtype) {
  return dtype == TENON_F16 ? llvm::APFloat::IEEEhalf() : llvm::APFloat::BFloat();
}

double HostTensor::at(int64_t i) const {
  const char *data = bytes.data() + i * tenon_dtype_size(dtype);
  switch (dtype) {
  case TENON_F64:
    return load<double>(data);
  case TENON_F32:
    return load<float>(data);
  case TENON_F16:
  case TENON_BF16: {
    bool lossy;
    llvm::APFloat value(semanticsOf(dtype), llvm::APInt(16, load<uint16_t>(data)));
    value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lossy);
    return value.convertToDouble();
  }
  case TENON_I64:
    return double(load<int64_t>(data));
  case TENON_I32:
    return load<int32_t>(data);
  default:
    return load<int8_t>(data);
  }
}

void HostTensor::set(int64_t i, double value) {
  char *data = bytes.data() + i * tenon_dtype_size(dtype);
  switch (dtype) {
  case TENON_F64:
    return store<double>(data, value);
  case TENON_F32:
    return store<float>(data, value);
  case TENON_F16:
  case TENON_BF16: {
    bool lossy;
    llvm::APFloat rounded(value);
    rounded.convert(semanticsOf(dtype), llvm::APFloat::rmNearestTiesToEven, &lossy);
    uint16_t bits = uint16_t(rounded.bitcastToAPInt().getZExtValue());
    memcpy(data, &bits, sizeof bits);
    return;
  }
  case TENON_I64:
    return store<int64_t>(data, value);
  case TENON_I32:
    return store<int32_t>(data, value);
  default:
    return store<int8_t>(data, value);
  }
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static const struct {
  tenon_dtype dtype;
  const char *code;
} codes[] = {{TENON_F64, "<f8"}, {TENON_F32, "<f4"}, {TENON_F16, "<f2"}, {TENON_BF16, "|V2"},
             {TENON_I64, "<i8"}, {TENON_I32, "<i4"}, {TENON_I8, "|i1"},  {TENON_I1, "|b1"}};

/// The text after `key` in a header, up to one of `ends`.
static std::string field(const std::string &header, const std::string &key, const char *ends) {
  size_t at = header.find("'" + key + "'");
  if (at == std::string::npos || (at = header.find(':', at)) == std::string::npos)
    return "";
  at = header.find_first_not_of(" '(", at + 1);
  size_t end = at == std::string::npos ? at : header.find_first_of(ends, at);
  return end == std::string::npos ? "" : header.substr(at, end - at);
}

static bool parseShape(const std::string &text, std::vector<int64_t> &extents) {
  for (const char *at = text.c_str(); *at;) {
    if (*at == ' ' || *at == ',') {
      at++;
      continue;
    }
    char *end;
    extents.push_back(strtoll(at, &end, 10));
    if (end == at || extents.back() < 0)
      return false;
    at = end;
  }
  return true;
}

bool readNpy(const std::string &path, HostTensor &tensor, std::string &error) {
  auto fail = [&](const std::string &reason) {
    error = path + ": " + reason;
    return false;
  };
  std::ifstream file(path, std::ios::binary);
  char magic[8] = {};
  if (!file || !file.read(magic, 8) || memcmp(magic, "\x93NUMPY", 6))
    return fail("expected a .npy file");
  uint32_t length = 0;
  file.read(reinterpret_cast<char *>(&length), magic[6] == 1 ? 2 : 4);
  if (length > (1 << 20))
    return fail("header too long");
  std::string header(length, ' ');
  if (!file.read(header.data(), length))
    return fail("the header is cut short");
  if (field(header, "fortran_order", ",}") != "False")
    return fail("expected an array in C order");
  std::string code = field(header, "descr", "'");
  std::vector<int64_t> extents;
  size_t open = header.find('('), close = header.find(')');
  if (open == std::string::npos || close == std::string::npos ||
      !parseShape(header.substr(open + 1, close - open - 1), extents))
    return fail("no shape in the header");
  for (auto &known : codes)
    if (code == known.code) {
      tensor = HostTensor(known.dtype, extents);
      std::streamsize size = std::streamsize(tensor.bytes.size()) - 1;
      return file.read(tensor.bytes.data(), size) ? true : fail("the data are cut short");
    }
  return fail("element type '" + code + "' is not supported");
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
  std::ofstream file(path, std::ios::binary);
  file.write("\x93NUMPY\x01\x00", 8);
  file.write(reinterpret_cast<char *>(&length), 2);
  file << header;
  file.write(tensor.bytes.data(), std::streamsize(tensor.bytes.size()) - 1);
  if (file)
    return true;
  error = path + ": cannot be written";
  return false;
}

} // namespace tenon::run
