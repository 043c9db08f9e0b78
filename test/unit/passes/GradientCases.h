//===- GradientCases.h - Functions whose gradients are tested ---*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table that finite differences and the coverage of backward rules are tested
// on: at least one function for each differentiable op.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_TEST_GRADIENTCASES_H
#define TENON_TEST_GRADIENTCASES_H

#include <string>
#include <vector>

namespace tenon {

struct GradientCase {
  std::string name;
  std::vector<std::string> arguments; ///< types of %a, %b, ...: "2x3xf64"
  std::string result;                 ///< type of %y
  std::string body;
  double low = -1, high = 1; ///< range of the arguments' elements
  bool second = true;        ///< test the second derivative too
};

std::vector<GradientCase> gradientCases();

} // namespace tenon

#endif // TENON_TEST_GRADIENTCASES_H
