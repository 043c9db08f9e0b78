//===- Signature.cpp - An entry as a C function ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/aot/Signature.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tenon::aot {

std::string cName(StringRef name) {
  std::string result;
  for (char c : name)
    result += isAlnum(c) ? c : '_';
  if (result.empty() || isDigit(result[0]))
    result = "_" + result;
  // Words of C and C++, and names that the header's own types use.
  static const StringSet<> taken = {
      "alignas",  "alignof",  "and",      "asm",      "auto",     "bool",      "break",
      "case",     "catch",    "char",     "class",    "concept",  "const",     "continue",
      "default",  "delete",   "do",       "double",   "else",     "enum",      "explicit",
      "export",   "extern",   "false",    "float",    "for",      "friend",    "goto",
      "if",       "inline",   "int",      "long",     "mutable",  "namespace", "new",
      "not",      "operator", "options",  "or",       "private",  "protected", "public",
      "register", "requires", "restrict", "return",   "short",    "signed",    "sizeof",
      "static",   "struct",   "switch",   "template", "this",     "throw",     "true",
      "try",      "typedef",  "typename", "union",    "unsigned", "using",     "virtual",
      "void",     "volatile", "while",    "xor",      "linux",    "unix",      "int64_t",
      "uint16_t", "int32_t",  "int8_t",   "uint8_t",  "NULL"};
  return taken.contains(result) ? result + "_" : result;
}

static bool isLoneSymbol(const tenon_expr &expr, int64_t symbol) {
  return expr.length == 1 && expr.code[0].op == TENON_EXPR_SYMBOL && expr.code[0].value == symbol;
}

Signature::Signature(const tenon_program &program) : program(program) {
  StringSet<> used;
  auto unique = [&](const std::string &wanted) {
    std::string name = wanted;
    for (unsigned i = 2; !used.insert(name).second; ++i)
      name = wanted + "_" + std::to_string(i);
    return name;
  };
  for (int64_t i = 0; i < program.num_inputs; ++i)
    inputs.push_back(unique(cName(program.inputs[i].name)));
  for (int64_t i = 0; i < program.num_outputs; ++i)
    outputs.push_back(unique(cName(program.outputs[i].name)));
  // A symbol is called after the first axis that it is the extent of.
  symbols.resize(program.num_symbols);
  for (int64_t i = 0; i < program.num_inputs; ++i)
    for (int64_t d = 0; d < program.inputs[i].rank; ++d)
      for (int64_t symbol = 0; symbol < program.num_symbols; ++symbol)
        if (symbols[symbol].empty() && isLoneSymbol(program.inputs[i].extents[d], symbol))
          symbols[symbol] = unique(inputs[i] + "_extent" + std::to_string(d));
}

//===----------------------------------------------------------------------===//
// Header
//===----------------------------------------------------------------------===//

static const char *const introduction = R"(
 * Tensors are dense and row-major: the last axis is contiguous. i1 takes a byte, 0 or 1;
 * f16 and bf16 are passed as their bits.
 *
 * Memory    All of it is the caller's; nothing is kept after a call. Inputs are only read.
 *           Outputs are written whole and must not overlap other arguments, but for this:
 *           an output that "replaces" an input may be given the very address of that
 *           input, which is then updated in place. Alignment to 64 bytes is fastest.
 * Threads   Any thread may call, several at a time. A call uses the process's pool:
 *           TENON_NUM_THREADS, or as many threads as it may use processors. The number of
 *           threads does not change the results.
 * Errors    NULL when all is well, else a status to read (tenon_status_message) and to
 *           free (tenon_status_free); the outputs are undefined then. The first call
 *           checks that this processor and this runtime run the code.
 * options   Cancels long runs, see tenon/runtime.h; may be NULL.
)";

static const char *cType(int64_t dtype) {
  switch (dtype) {
  case TENON_F64:
    return "double";
  case TENON_F32:
    return "float";
  case TENON_F16:
  case TENON_BF16:
    return "uint16_t";
  case TENON_I64:
    return "int64_t";
  case TENON_I32:
    return "int32_t";
  case TENON_I8:
    return "int8_t";
  default:
    return "uint8_t";
  }
}

static const char *dtypeName(int64_t dtype) {
  static const char *const names[] = {"f64", "f32", "f16", "bf16", "i64", "i32", "i8", "i1"};
  return names[dtype];
}

/// An expression as people write it.
static std::string text(const tenon_expr &expr, ArrayRef<std::string> symbols) {
  SmallVector<std::string> stack;
  for (const tenon_expr_code &code : ArrayRef(expr.code, expr.length)) {
    if (code.op == TENON_EXPR_CONST || code.op == TENON_EXPR_SYMBOL) {
      stack.push_back(code.op == TENON_EXPR_CONST ? std::to_string(code.value)
                                                  : symbols[code.value]);
      continue;
    }
    if (code.op == TENON_EXPR_THREADS) {
      stack.push_back("threads");
      continue;
    }
    std::string right = stack.pop_back_val(), left = stack.pop_back_val();
    const char *sign = code.op == TENON_EXPR_ADD   ? " + "
                       : code.op == TENON_EXPR_SUB ? " - "
                       : code.op == TENON_EXPR_MUL ? " * "
                                                   : nullptr;
    const char *function = code.op == TENON_EXPR_CEILDIV ? "ceildiv"
                           : code.op == TENON_EXPR_ALIGN ? "align"
                           : code.op == TENON_EXPR_MAX   ? "max"
                                                         : "min";
    stack.push_back(sign ? "(" + left + sign + right + ")"
                         : function + ("(" + left + ", " + right + ")"));
  }
  std::string result = stack.empty() ? "0" : stack.back();
  // The outermost brackets say nothing.
  return result.front() == '(' ? result.substr(1, result.size() - 2) : result;
}

static void describe(raw_ostream &os, const tenon_port &port, StringRef name, size_t width,
                     const Signature &signature, bool isOutput) {
  os << " *   " << left_justify(name, width) << "  " << (isOutput ? "out  " : "in   ")
     << dtypeName(port.dtype) << " [";
  for (int64_t d = 0; d < port.rank; ++d)
    os << (d ? ", " : "") << text(port.extents[d], signature.symbols);
  os << "]";
  if (isOutput && port.donates >= 0)
    os << "  replaces " << signature.inputs[port.donates];
  os << "\n";
}

/// Is it that a symbol has to be a multiple of a number?
static bool isMultiple(const tenon_check &check, int64_t symbol) {
  return check.kind == TENON_CHECK_MULTIPLE && isLoneSymbol(check.left, symbol) &&
         check.right.length == 1 && check.right.code[0].op == TENON_EXPR_CONST;
}

/// Comment and declaration of an entry.
static void declare(raw_ostream &os, const HeaderEntry &entry) {
  const tenon_program &program = *entry.program;
  Signature signature(program);
  size_t width = 0;
  for (auto *names : {&signature.symbols, &signature.inputs, &signature.outputs})
    for (const std::string &name : *names)
      width = std::max(width, name.size());
  os << "\n/* " << program.name << "\n *\n";
  std::string parameters;
  ArrayRef<tenon_check> checks(program.checks, program.num_checks);
  for (auto [symbol, name] : enumerate(signature.symbols)) {
    os << " *   " << left_justify(name, width) << "  in   extent, at least 0";
    for (const tenon_check &check : checks)
      if (isMultiple(check, symbol))
        os << ", a multiple of " << check.right.code[0].value;
    os << "\n";
    parameters += "int64_t " + name + ", ";
  }
  for (int64_t i = 0; i < program.num_inputs; ++i) {
    describe(os, program.inputs[i], signature.inputs[i], width, signature, false);
    parameters +=
        std::string("const ") + cType(program.inputs[i].dtype) + " *" + signature.inputs[i] + ", ";
  }
  for (int64_t i = 0; i < program.num_outputs; ++i) {
    describe(os, program.outputs[i], signature.outputs[i], width, signature, true);
    parameters += std::string(cType(program.outputs[i].dtype)) + " *" + signature.outputs[i] + ", ";
  }
  static const char *const signs[] = {" == ", " >= ", " is a multiple of "};
  auto isTold = [&](const tenon_check &check) {
    return any_of(seq<int64_t>(0, program.num_symbols),
                  [&](int64_t symbol) { return isMultiple(check, symbol); });
  };
  for (const tenon_check &check : make_filter_range(checks, std::not_fn(isTold)))
    os << " *   Needed: " << text(check.left, signature.symbols) << signs[check.kind]
       << text(check.right, signature.symbols) << " (" << check.what << ")\n";
  os << " */\ntenon_status " << entry.function << "(" << parameters
     << "const tenon_run_options *options);\n";
}

std::string headerText(StringRef prefix, StringRef target, ArrayRef<HeaderEntry> entries) {
  std::string result;
  raw_string_ostream os(result);
  std::string guard = "TENON_GENERATED_" + StringRef(prefix).upper() + "_H";
  os << "/* Made by tenon-compile for " << target << "; changes here are lost.\n *" << introduction
     << " */\n#ifndef " << guard << "\n#define " << guard
     << "\n\n#include <tenon/library.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
  for (const HeaderEntry &entry : entries)
    declare(os, entry);
  os << "\n/* All of the above for callers that know no types beforehand, see tenon/library.h. */\n"
     << "extern const tenon_artifact " << prefix
     << "_artifact;\n\n#ifdef __cplusplus\n}\n#endif\n#endif /* " << guard << " */\n";
  return result;
}

} // namespace tenon::aot
