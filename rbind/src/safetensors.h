//===- safetensors.h - The header of a safetensors file
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file: 8 bytes of header length (little-endian), a JSON object of
// name -> {dtype, shape, data_offsets}, then the data. Shapes are row-major, so an
// R array's dim is the reverse. A header is hostile until it has been checked.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_R_SAFETENSORS_H
#define TENON_R_SAFETENSORS_H

#include "ir/infer/Infer.h"

#include <string>
#include <vector>

using tenon::infer::Type;

/// An error of a file: thrown where C++ objects live, raised after they are gone.
struct TensorFileError {
  std::string message;
};

[[noreturn]] inline void refuse(const std::string &message) { throw TensorFileError{message}; }

/// A tensor of the file; its data lie from `begin` to `end` after the header.
struct TensorEntry {
  std::string name;
  Type type;
  uint64_t begin = 0, end = 0;
};

/// Bytes of an entry's data; refuses more elements than R can hold.
uint64_t dataBytes(const TensorEntry &entry);

/// The tensors of a header, checked against the number of bytes that follow it.
std::vector<TensorEntry> parseHeader(const std::string &text, uint64_t dataSize);

/// The header of these tensors, padded to a multiple of 8 bytes.
std::string headerOf(const std::vector<TensorEntry> &entries);

#endif // TENON_R_SAFETENSORS_H
