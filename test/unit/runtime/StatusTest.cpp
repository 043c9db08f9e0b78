//===- StatusTest.cpp - status objects ------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of any length, names, and the guard against exceptions.
//
//===----------------------------------------------------------------------===//
#include "runtime/Status.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

using namespace tenon::runtime;

TEST(Status, HoldsCodeAndMessage) {
  tenon_status status = tenon_status_make(TENON_ERROR_SHAPE, "%s %d", "got", 7);
  EXPECT_EQ(tenon_status_code(status), TENON_ERROR_SHAPE);
  EXPECT_STREQ(tenon_status_message(status), "got 7");
  tenon_status_free(status);
}

TEST(Status, LongMessage) {
  std::string text(10000, 'x');
  tenon_status status = tenon_status_make(TENON_ERROR_IO, "%s", text.c_str());
  EXPECT_EQ(tenon_status_message(status), text);
  tenon_status_free(status);
}

TEST(Status, NullIsSuccess) {
  EXPECT_EQ(tenon_status_code(nullptr), TENON_OK);
  EXPECT_STREQ(tenon_status_message(nullptr), "");
  tenon_status_free(nullptr);
}

TEST(Status, NamesOfCodes) {
  const char *names[] = {"ok",     "shape", "dtype",   "argument", "device",
                         "memory", "io",    "compile", "cancelled"};
  for (int code = TENON_OK; code <= TENON_ERROR_CANCELLED; ++code)
    EXPECT_STREQ(tenon_code_name(tenon_code(code)), names[code]);
}

TEST(Status, DtypeNamesAndSizes) {
  const char *names[] = {"f64", "f32", "f16", "bf16", "i64", "i32", "i8", "i1"};
  const int64_t sizes[] = {8, 4, 2, 2, 8, 4, 1, 1};
  for (int dtype = TENON_F64; dtype <= TENON_I1; ++dtype) {
    EXPECT_STREQ(tenon_dtype_name(tenon_dtype(dtype)), names[dtype]);
    EXPECT_EQ(tenon_dtype_size(tenon_dtype(dtype)), sizes[dtype]);
  }
  EXPECT_EQ(dtypeSize(TENON_I1 + 1), 0);
  EXPECT_EQ(dtypeSize(-1), 0);
  EXPECT_STREQ(dtypeName(77), "unknown");
}

TEST(Status, ExceptionsBecomeStatuses) {
  tenon_status memory = guarded([]() -> tenon_status { throw std::bad_alloc(); });
  EXPECT_EQ(tenon_status_code(memory), TENON_ERROR_MEMORY);
  tenon_status_free(memory);
  tenon_status other = guarded([]() -> tenon_status { throw std::runtime_error("why"); });
  EXPECT_STREQ(tenon_status_message(other), "unexpected failure: why");
  tenon_status_free(other);
}
