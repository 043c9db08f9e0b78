//===- Generator.h - Random well-typed programs -----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each op is evaluated by the reference interpreter when it is added, on the inputs that
// the program is going to be run on: one whose results are not finite, or large, is taken
// back. So later ops may ask for what values really are ("positive ones").
//
//===----------------------------------------------------------------------===//
#ifndef TENON_TOOLS_FUZZ_GENERATOR_H
#define TENON_TOOLS_FUZZ_GENERATOR_H

#include "frontend/Trace.h"
#include "tools/fuzz/Program.h"

#include "mlir/IR/Builders.h"
#include <optional>
#include <random>

namespace tenon::fuzz {

/// What programs are made of.
struct GeneratorOptions {
  std::optional<tenon_dtype> dtype; ///< of floats, and of all that may have any dtype
  /// The only extents, in the order in which they are asked for and then by chance; empty:
  /// likely ones.
  std::vector<int64_t> extents;
  std::optional<bool> isDynamic; ///< all extents of inputs are `?`, or none
  bool isForGradients = false;   ///< no gradient among ops, and slopes that are finite
  bool hasLargeResults = false;  ///< not finite ones, too
  int64_t mostElements = 4096;
};

class Generator {
public:
  Generator(mlir::MLIRContext *context, uint64_t seed, GeneratorOptions options = {});

  /// A program of about so many ops, with gradients among its results.
  Program run(int numOps);
  /// A program of one op of this kind and of what it needs; without a module if nothing that
  /// was tried fits.
  Program runOne(mlir::RegisteredOperationName kind);

  //===-- Chance ----------------------------------------------------------===//

  int64_t between(int64_t low, int64_t high); ///< both included
  double real(double low, double high);
  bool chance(double probability) { return real(0, 1) < probability; }
  template <typename T> T oneOf(std::initializer_list<T> choices) {
    return choices.begin()[between(0, int64_t(choices.size()) - 1)];
  }
  /// A likely extent: small, odd, at the edge of a vector; now and then 0.
  int64_t extent();
  tenon_dtype floatType();
  /// The dtype that is asked for if it is among these, else one of them.
  tenon_dtype typeOf(std::initializer_list<tenon_dtype> choices) {
    if (options.dtype && llvm::is_contained(choices, *options.dtype))
      return *options.dtype;
    return oneOf(choices);
  }
  /// Are gradients of what is made looked at, and so to be finite?
  bool isForGradients() const { return options.isForGradients; }
  bool isAllDynamic() const { return options.isDynamic && *options.isDynamic; }
  /// Of a value that may be anything.
  tenon_dtype anyType() { return options.dtype ? *options.dtype : floatType(); }
  /// Of a value that may be any number.
  tenon_dtype numberType() { return anyType() == TENON_I1 ? floatType() : anyType(); }
  llvm::SmallVector<int64_t> permutation(int rank);

  //===-- Values ----------------------------------------------------------===//

  const reference::Array &array(mlir::Value value) const {
    return program.values.find(value)->second;
  }
  /// The type at run time: `?` has an extent.
  const infer::Type &type(mlir::Value value) const { return array(value).type; }
  static bool isStatic(mlir::Value value);

  using Fits = llvm::function_ref<bool(mlir::Value)>;
  /// A value of the pool that fits, recent ones more often; null if there is none.
  mlir::Value find(Fits fits);
  /// The same, or a new input that `make` gives the type of.
  mlir::Value findOr(Fits fits, llvm::function_ref<infer::Type()> make);
  mlir::Value anyFloat();
  mlir::Value anyNumber();
  mlir::Value positive(mlir::Value x); ///< elements above 0, of x's type
  /// A value of these extents and this dtype, of the pool or new.
  mlir::Value like(mlir::Value x, tenon_dtype dtype);
  mlir::Value like(mlir::Value x) { return like(x, type(x).dtype); }

  /// A new argument of the program; in the body of a loop a value that is passed in. Its
  /// extents may be `?`.
  mlir::Value input(const infer::Type &type, double low = -2, double high = 2);
  mlir::Value scalar(tenon_dtype dtype, double low, double high);
  /// Integers from 0 to `below` - 1 of these extents, of the pool or new.
  mlir::Value ids(int64_t below, infer::Type wanted);
  infer::Type randomType(tenon_dtype dtype, int leastRank = 0, int mostRank = 4);
  /// Has it no more elements than a value may have?
  bool isSmall(const infer::Type &type) const;

  //===-- Ops -------------------------------------------------------------===//

  /// Adds an op, null operands being absent ones. False, and nothing was added, if it does
  /// not fit its operands or gives what is not finite. Results are in the pool.
  bool emit(llvm::StringRef mnemonic, llvm::ArrayRef<mlir::Value> operands,
            const AttrWords &attrs = AttrWords());
  /// The same, and its first result; null if there is none.
  mlir::Value make(llvm::StringRef mnemonic, llvm::ArrayRef<mlir::Value> operands,
                   const AttrWords &attrs = AttrWords());
  /// Evaluates an op that stands at the end of the block, and keeps it or takes it back.
  bool keep(mlir::Operation *op);

  /// Builds the body of a loop at hand: `arguments` with what they are in one trip.
  struct Body {
    std::unique_ptr<mlir::Block> block;
    llvm::SmallVector<mlir::Value> captured; ///< for the arguments behind the given ones
    llvm::SmallVector<mlir::Value> made;     ///< by the ops in it
    Body *outer = nullptr;                   ///< of a loop around it
  };
  Body buildBody(llvm::ArrayRef<std::pair<mlir::Type, reference::Array>> arguments, int numOps);
  /// Differentiates a value by an argument. The reference tells no gradients of single ops:
  /// they go to the results of the program.
  bool differentiate();
  mlir::OpBuilder &ops() { return builder; }

  /// How often each kind of op was kept.
  const llvm::StringMap<int> &counts() const { return numKept; }

private:
  void begin();
  void addOps(int count);
  Program finish();
  mlir::Value newInput(const infer::Type &type, double low, double high);
  mlir::Value gradient(mlir::Value y, mlir::Value x);

  std::mt19937_64 random;
  GeneratorOptions options;
  size_t extentsGiven = 0;
  mlir::OpBuilder builder;
  Program program;
  llvm::SmallVector<mlir::Value> pool, gradients;
  Body *body = nullptr; ///< of the loop that is being built
  bool isDynamic;
  tenon_dtype mainType;
  llvm::StringMap<int> numKept;
  llvm::SmallVector<mlir::RegisteredOperationName> kinds;
};

/// Models of GenerateOpInterface for the whole dialect.
void registerGenerators(mlir::DialectRegistry &registry);
/// Is it made by passes alone, or the end of a region?
bool isStructure(llvm::StringRef name);

} // namespace tenon::fuzz

#endif // TENON_TOOLS_FUZZ_GENERATOR_H
