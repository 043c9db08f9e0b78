//===- ReportChart.cpp - A memory plan as a picture -----------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/ReportChart.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace mlir;

namespace tenon {

namespace {

/// Where a program's chart lies, in pixels.
struct Chart {
  static constexpr double left = 90, right = 20, top = 34, bottom = 30, plotHeight = 320;
  static constexpr double height = top + plotHeight + bottom;

  double perStep, perByte;
  explicit Chart(const ProgramReport &program)
      : perStep(std::clamp(900. / double(std::max<int64_t>(program.steps, 1)), 2., 40.)),
        perByte(plotHeight / double(std::max<int64_t>(*program.arena.value, 1))) {}
};

} // namespace

static std::string escaped(llvm::StringRef text) {
  std::string result;
  for (char c : text)
    result += c == '<'   ? "&lt;"
              : c == '>' ? "&gt;"
              : c == '&' ? "&amp;"
              : c == '"' ? "&quot;"
                         : std::string(1, c);
  return result;
}

static void printText(llvm::raw_ostream &os, double x, double y, const char *anchor,
                      llvm::StringRef text) {
  os << llvm::formatv("<text x='{0:f1}' y='{1:f1}' text-anchor='{2}'>{3}</text>\n", x, y, anchor,
                      escaped(text));
}

static void printValue(const ValueReport &value, const Chart &chart, unsigned index,
                       llvm::raw_ostream &os) {
  static constexpr const char *colours[] = {"#8ecae6", "#ffb703", "#90be6d",
                                            "#f28482", "#b8a1d9", "#f4d58d"};
  double bottom = Chart::top + Chart::plotHeight;
  double height = std::max(double(*value.bytes.value) * chart.perByte, 1.);
  double y = bottom - double(*value.offset.value) * chart.perByte - height;
  os << llvm::formatv("<rect x='{0:f1}' y='{1:f1}' width='{2:f1}' height='{3:f1}' fill='{4}' "
                      "stroke='#333' stroke-width='.4'><title>{5} of {6}: {7} bytes at {8}, "
                      "steps {9} to {10}</title></rect>\n",
                      Chart::left + double(value.begin) * chart.perStep, y,
                      double(value.end - value.begin + 1) * chart.perStep, height,
                      colours[index % std::size(colours)], escaped(value.type),
                      escaped(value.maker), value.bytes.text, value.offset.text, value.begin,
                      value.end);
}

static void printAxes(const ProgramReport &program, const Chart &chart, llvm::raw_ostream &os) {
  double bottom = Chart::top + Chart::plotHeight;
  double right = Chart::left + double(program.steps) * chart.perStep;
  os << llvm::formatv("<path d='M{0:f1} {1:f1} V{2:f1} H{3:f1}' fill='none' stroke='#333'/>\n",
                      Chart::left, Chart::top, bottom, right);
  for (int quarter = 0; quarter <= 4; quarter++)
    printText(os, Chart::left - 6, bottom - quarter * Chart::plotHeight / 4 + 4, "end",
              std::to_string(*program.arena.value * quarter / 4));
  int64_t every = std::max<int64_t>(1, int64_t(60 / chart.perStep));
  for (int64_t step = 0; step < program.steps; step += every)
    printText(os, Chart::left + (double(step) + .5) * chart.perStep, bottom + 14, "middle",
              std::to_string(step));
}

llvm::Error printSvg(const Report &report, llvm::raw_ostream &os) {
  double width = 400;
  for (const ProgramReport &program : report.programs) {
    bool known = program.arena.value.has_value();
    for (const ValueReport &value : program.values)
      known &= value.offset.value && value.bytes.value;
    if (!known)
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "a picture of the memory of '" + program.name +
                                         "': expected values for the extents that are known at "
                                         "run time only");
    width = std::max(width,
                     Chart::left + double(program.steps) * Chart(program).perStep + Chart::right);
  }
  os << llvm::formatv("<svg xmlns='http://www.w3.org/2000/svg' width='{0:f0}' height='{1:f0}' "
                      "font-family='sans-serif' font-size='11'>\n",
                      width, Chart::height * double(report.programs.size()));
  for (auto [i, program] : llvm::enumerate(report.programs)) {
    Chart chart(program);
    os << llvm::formatv("<g transform='translate(0 {0:f0})'>\n", Chart::height * double(i));
    printText(os, Chart::left, 20, "start",
              program.name + ": arena of " + program.arena.text + " bytes by step");
    for (auto [index, value] : llvm::enumerate(program.values))
      printValue(value, chart, unsigned(index), os);
    printAxes(program, chart, os);
    os << "</g>\n";
  }
  os << "</svg>\n";
  return llvm::Error::success();
}

} // namespace tenon
