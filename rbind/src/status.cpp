//===- status.cpp - From a status to an R condition
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "recorder.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

static char text[2000];

[[noreturn]] static void raise(tenon_code code) {
  SEXP name =
      PROTECT(Rf_mkString(code == TENON_ERROR_CANCELLED ? "interrupt" : tenon_code_name(code)));
  SEXP message = PROTECT(Rf_ScalarString(Rf_mkCharCE(text, CE_UTF8)));
  Rf_eval(PROTECT(Rf_lang3(Rf_install("raise_error"), name, message)), packageEnv);
  Rf_error("%s", text); // not reached: raise_error() does not return
}

void fail(tenon_code code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  raise(code);
}

void check(tenon_status status) {
  if (!status)
    return;
  tenon_code code = tenon_status_code(status);
  snprintf(text, sizeof text, "%s", tenon_status_message(status));
  tenon_status_free(status);
  raise(code);
}
