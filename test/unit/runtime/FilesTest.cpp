//===- FilesTest.cpp - Files of tensors -----------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is refused, and why; the fuzz targets have the rest.
//
//===----------------------------------------------------------------------===//
#include "runtime/files/Npy.h"
#include "runtime/files/Safetensors.h"

#include <gtest/gtest.h>

using namespace tenon::files;

namespace {

std::string safetensors(const std::string &header, size_t dataBytes) {
  uint64_t length = header.size();
  std::string file(reinterpret_cast<const char *>(&length), sizeof length);
  return file + header + std::string(dataBytes, '\0');
}

std::string refused(const std::string &header, size_t dataBytes) {
  NamedTensors tensors;
  return parseSafetensors(safetensors(header, dataBytes), tensors);
}

std::string bytes(const std::string &name, const std::string &shape, const std::string &offsets) {
  return "\"" + name + "\":{\"dtype\":\"I8\",\"shape\":[" + shape + "],\"data_offsets\":[" +
         offsets + "]}";
}

TEST(SafetensorsTest, DataStandInAnyOrder) {
  NamedTensors tensors;
  std::string file =
      safetensors("{" + bytes("a", "2", "3,5") + "," + bytes("b", "3", "0,3") + "}", 5);
  file.back() = 7;
  EXPECT_EQ(parseSafetensors(file, tensors), "");
  EXPECT_EQ(tensors["a"].data()[1], 7);
  EXPECT_EQ(tensors["b"].numBytes(), 3);
}

TEST(SafetensorsTest, DataOfTwoTensorsMayNotOverlap) {
  EXPECT_EQ(refused("{" + bytes("a", "3", "0,3") + "," + bytes("b", "2", "2,4") + "}", 4),
            "tensor 'b': expected data from offset 3, where the data before it ends, got 2");
}

TEST(SafetensorsTest, NoDataMayBeLeftOver) {
  EXPECT_EQ(refused("{" + bytes("a", "1", "0,1") + "," + bytes("b", "1", "2,3") + "}", 3),
            "tensor 'b': expected data from offset 1, where the data before it ends, got 2");
  EXPECT_EQ(refused("{" + bytes("a", "1", "0,1") + "}", 3),
            "expected 1 bytes of data for all tensors, got 3");
}

TEST(SafetensorsTest, AKeyStandsOnce) {
  std::string wrong =
      refused("{\"a\":{\"dtype\":\"I8\",\"shape\":[2],\"shape\":[2],\"data_offsets\":[0,4]}}", 4);
  EXPECT_EQ(wrong.substr(0, 28), "'shape' stands there twice (");
}

TEST(SafetensorsTest, OffsetsAreTwoPlacesInOrder) {
  for (const char *offsets : {"", "0", "2,0", "0,3", "0,1,2"})
    EXPECT_EQ(refused("{" + bytes("a", "2", offsets) + "}", 2),
              "tensor 'a': expected data_offsets of two places in order among 2 bytes");
}

TEST(NpyTest, AShapeThatNoMemoryHoldsIsRefused) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': "
                       "(9223372036854775807, 9223372036854775807), }\n";
  std::string file = std::string("\x93NUMPY\x01\x00", 8) + char(header.size()) + '\0' + header;
  HostTensor tensor;
  EXPECT_EQ(parseNpy(file, tensor), "the data are cut short: expected more than 2^63 - 1 bytes "
                                    "for the shape in the header, got 0");
}

} // namespace
