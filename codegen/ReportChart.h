//===- ReportChart.h - A memory plan as a picture ---------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One of the formats of printReport.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_CODEGEN_REPORTCHART_H
#define TENON_CODEGEN_REPORTCHART_H

#include "codegen/Report.h"

namespace tenon {

llvm::Error printSvg(const Report &report, llvm::raw_ostream &os);

} // namespace tenon

#endif // TENON_CODEGEN_REPORTCHART_H
