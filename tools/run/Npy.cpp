//===- Npy.cpp - Files of NumPy arrays ------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tools/run/Npy.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using llvm::StringRef;

namespace tenon::run {

std::optional<int64_t> bytesOf(tenon_dtype dtype, const std::vector<int64_t> &extents) {
  int64_t bytes = tenon_dtype_size(dtype);
  for (int64_t extent : extents)
    if (llvm::MulOverflow(bytes, extent, bytes))
      return std::nullopt;
  return bytes;
}

bool HostTensor::allocate(tenon_dtype type, std::vector<int64_t> dims, std::string &error) {
  std::optional<int64_t> wanted = bytesOf(type, dims);
  if (!wanted) {
    error = "a tensor has more bytes than 64 bits can count";
    return false;
  }
  // One byte more, so that an empty tensor has an address.
  bytes.reset(static_cast<char *>(std::calloc(size_t(*wanted) + 1, 1)));
  if (!bytes) {
    error = "no memory for a tensor of " + std::to_string(*wanted) + " bytes";
    return false;
  }
  dtype = type;
  extents = std::move(dims);
  return true;
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
  const char *from = data() + i * tenon_dtype_size(dtype);
  switch (dtype) {
  case TENON_F64:
    return load<double>(from);
  case TENON_F32:
    return load<float>(from);
  case TENON_F16:
  case TENON_BF16: {
    bool lossy;
    llvm::APFloat value(semanticsOf(dtype), llvm::APInt(16, load<uint16_t>(from)));
    value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lossy);
    return value.convertToDouble();
  }
  case TENON_I64:
    return double(load<int64_t>(from));
  case TENON_I32:
    return load<int32_t>(from);
  default:
    return load<int8_t>(from);
  }
}

void HostTensor::set(int64_t i, double value) {
  char *to = data() + i * tenon_dtype_size(dtype);
  switch (dtype) {
  case TENON_F64:
    return store<double>(to, value);
  case TENON_F32:
    return store<float>(to, value);
  case TENON_F16:
  case TENON_BF16: {
    bool lossy;
    llvm::APFloat rounded(value);
    rounded.convert(semanticsOf(dtype), llvm::APFloat::rmNearestTiesToEven, &lossy);
    uint16_t bits = uint16_t(rounded.bitcastToAPInt().getZExtValue());
    memcpy(to, &bits, sizeof bits);
    return;
  }
  case TENON_I64:
    return store<int64_t>(to, value);
  case TENON_I32:
    return store<int32_t>(to, value);
  default:
    return store<int8_t>(to, value);
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
static StringRef field(StringRef header, StringRef key, const char *ends) {
  size_t at = header.find(("'" + key + "'").str());
  if (at == StringRef::npos || (at = header.find(':', at)) == StringRef::npos)
    return "";
  StringRef text = header.drop_front(at + 1).ltrim(" '(");
  size_t end = text.find_first_of(ends);
  return end == StringRef::npos ? "" : text.take_front(end);
}

static bool parseShape(StringRef header, std::vector<int64_t> &extents) {
  size_t open = header.find('('), close = header.find(')');
  if (open == StringRef::npos || close == StringRef::npos || close < open)
    return false;
  llvm::SmallVector<StringRef> numbers;
  header.slice(open + 1, close).split(numbers, ',', -1, /*KeepEmpty=*/false);
  for (StringRef number : numbers) {
    number = number.trim();
    if (number.empty())
      continue;
    // Fails for what 64 bits cannot hold, too.
    if (number.getAsInteger(10, extents.emplace_back()) || extents.back() < 0)
      return false;
  }
  return true;
}

/// Splits a file into header and data; "" or what is wrong.
static std::string splitFile(StringRef file, StringRef &header, StringRef &data) {
  if (!file.consume_front("\x93NUMPY") || file.size() < 4)
    return "expected a .npy file";
  unsigned major = uint8_t(file[0]), minor = uint8_t(file[1]);
  if (major < 1 || major > 3 || minor != 0)
    return "expected version 1.0, 2.0 or 3.0, got " + std::to_string(major) + "." +
           std::to_string(minor);
  size_t lengthBytes = major == 1 ? 2 : 4;
  file = file.drop_front(2);
  if (file.size() < lengthBytes)
    return "the header is cut short";
  uint32_t length = 0;
  memcpy(&length, file.data(), lengthBytes);
  file = file.drop_front(lengthBytes);
  if (file.size() < length)
    return "the header is cut short";
  header = file.take_front(length);
  data = file.drop_front(length);
  return "";
}

/// "" or what is wrong.
static std::string parseFile(StringRef file, HostTensor &tensor) {
  StringRef header, data;
  if (std::string wrong = splitFile(file, header, data); !wrong.empty())
    return wrong;
  if (field(header, "fortran_order", ",}") != "False")
    return "expected an array in C order";
  StringRef code = field(header, "descr", "'");
  auto known = llvm::find_if(codes, [&](auto &each) { return code == each.code; });
  if (known == std::end(codes))
    return "element type '" + code.str() + "' is not supported";
  std::vector<int64_t> extents;
  if (!parseShape(header, extents))
    return "expected a shape of numbers from 0 to 2^63 - 1 in the header";
  // Before memory is asked for: a header may claim anything.
  std::optional<int64_t> bytes = bytesOf(known->dtype, extents);
  if (!bytes || size_t(*bytes) > data.size())
    return "the data are cut short: expected " +
           (bytes ? std::to_string(*bytes) : std::string("more than 2^63 - 1")) +
           " bytes for the shape in the header, got " + std::to_string(data.size());
  std::string error;
  if (!tensor.allocate(known->dtype, std::move(extents), error))
    return error;
  memcpy(tensor.data(), data.data(), size_t(*bytes));
  return "";
}

bool readNpy(const std::string &path, HostTensor &tensor, std::string &error) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  std::string wrong =
      buffer ? parseFile((*buffer)->getBuffer(), tensor) : buffer.getError().message();
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
  std::error_code failure;
  llvm::raw_fd_ostream file(path, failure);
  if (!failure) {
    file << StringRef("\x93NUMPY\x01\x00", 8);
    file.write(reinterpret_cast<char *>(&length), 2);
    file << header;
    file.write(tensor.data(), size_t(tensor.numBytes()));
    file.close(); // a full disk shows here
    failure = file.error();
    file.clear_error();
  }
  if (failure)
    error = path + ": " + failure.message();
  return !failure;
}

} // namespace tenon::run
