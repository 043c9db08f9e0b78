//===- Program.cpp - Building the description of a program ----------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/Program.h"

#include "ir/TenonDialect.h"
#include "passes/SymbolicShapes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tenon {

const char *Program::text(StringRef text) {
  char *copy = memory.Allocate<char>(text.size() + 1);
  std::copy(text.begin(), text.end(), copy);
  copy[text.size()] = 0;
  return copy;
}

tenon_expr Program::size(int64_t value) {
  return {copy<tenon_expr_code>({{TENON_EXPR_CONST, value}}), 1};
}

static void postfix(AffineExpr expr, SmallVectorImpl<tenon_expr_code> &code) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    code.push_back({TENON_EXPR_CONST, constant.getValue()});
    return;
  }
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    code.push_back({TENON_EXPR_SYMBOL, symbol.getPosition()});
    return;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  if (expr.getKind() == AffineExprKind::Mod) {
    AffineExpr a = binary.getLHS(), b = binary.getRHS();
    postfix(a, code);
    postfix(a.floorDiv(b), code);
    postfix(b, code);
    code.push_back({TENON_EXPR_MUL, 0});
    code.push_back({TENON_EXPR_SUB, 0});
    return;
  }
  postfix(binary.getLHS(), code);
  if (expr.getKind() == AffineExprKind::FloorDiv) { // as a quotient rounded up
    code.push_back({TENON_EXPR_CONST, 1});
    code.push_back({TENON_EXPR_ADD, 0});
    postfix(binary.getRHS(), code);
    code.push_back({TENON_EXPR_SUB, 0});
  }
  postfix(binary.getRHS(), code);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    code.push_back({TENON_EXPR_ADD, 0});
    break;
  case AffineExprKind::Mul:
    code.push_back({TENON_EXPR_MUL, 0});
    break;
  case AffineExprKind::CeilDiv:
  case AffineExprKind::FloorDiv:
    code.push_back({TENON_EXPR_CEILDIV, 0});
    break;
  default:
    llvm_unreachable("sizes are made of sums, products and quotients");
  }
}

tenon_expr Program::size(AffineExpr expr) {
  SmallVector<tenon_expr_code> code;
  postfix(expr, code);
  return {copy<tenon_expr_code>(code), int64_t(code.size())};
}

ArrayRef<char> Program::bytes(DenseElementsAttr elements) {
  Type type = elements.getElementType();
  int64_t size = elementBytes(type), count = elements.getNumElements();
  char *data = static_cast<char *>(memory.Allocate(size * count + 1, llvm::Align(64)));
  ArrayRef<char> result(data, size * count);
  if (type.isInteger(1)) {
    int64_t at = 0;
    for (bool element : elements.getValues<bool>())
      data[at++] = element;
    return result;
  }
  ArrayRef<char> raw = elements.getRawData();
  if (!elements.isSplat()) {
    std::copy(raw.begin(), raw.end(), data);
    return result;
  }
  for (int64_t i = 0; i < count; i++)
    std::copy_n(raw.begin(), size, data + i * size);
  return result;
}

tenon_port Program::port(StringRef name, Value value, const SymbolicShapes &shapes) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<tenon_expr> extents;
  for (AffineExpr extent : shapes.extents(value))
    extents.push_back(size(extent));
  return {text(name), *dtypeOf(type.getElementType()), type.getRank(), copy<tenon_expr>(extents),
          -1};
}

void Program::setPorts(Operation *op, const SymbolicShapes &shapes) {
  auto function = cast<func::FuncOp>(op);
  SmallVector<tenon_port> inputs, outputs;
  for (BlockArgument argument : function.getArguments()) {
    inputs.push_back(port(nameOfInput(function, argument.getArgNumber()), argument, shapes));
  }
  for (auto [i, value] :
       llvm::enumerate(function.getBody().front().getTerminator()->getOperands())) {
    auto name = function.getResultAttrOfType<StringAttr>(i, "tenon.name");
    outputs.push_back(port(name ? name.str() : "output" + std::to_string(i), value, shapes));
    if (auto donates = function.getResultAttrOfType<IntegerAttr>(i, "tenon.donates"))
      outputs.back().donates = donates.getInt();
  }
  SmallVector<tenon_check> checks;
  for (const ExtentCheck &check : shapes.checks())
    checks.push_back({check.kind, size(check.left), size(check.right), text(check.what)});
  program.num_checks = checks.size();
  program.checks = copy<tenon_check>(checks);
  program.name = text(function.getName());
  program.num_symbols = shapes.numSymbols();
  program.num_inputs = inputs.size();
  program.inputs = copy<tenon_port>(inputs);
  program.num_outputs = outputs.size();
  program.outputs = copy<tenon_port>(outputs);
}

} // namespace tenon
