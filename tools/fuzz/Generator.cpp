//===- Generator.cpp - Random well-typed programs -------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tools/fuzz/Generator.h"

#include "reference/Interpreter.h"
#include "tools/fuzz/Models.h"

using namespace mlir;
using tenon::reference::Array;

#include "tools/fuzz/GenerateOpInterface.cpp.inc"

namespace tenon::fuzz {

void registerGenerators(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TenonDialect *) {
    attachAttention(context);
    attachControl(context);
    attachElementwise(context);
    attachLine(context);
    attachLinear(context);
    attachLoss(context);
    attachNorm(context);
    attachOptimizer(context);
    attachRandom(context);
    attachReduction(context);
    attachShape(context);
    attachWindow(context);
  });
}

bool isStructure(StringRef name) {
  return name == "tenon.kernel" || name == "tenon.yield" || name == "tenon.custom";
}

Generator::Generator(MLIRContext *context, uint64_t seed, GeneratorOptions options)
    : random(seed), options(std::move(options)), builder(context) {
  isDynamic = chance(0.3);
  mainType = oneOf({TENON_F32, TENON_F32, TENON_F32, TENON_F64, TENON_F16, TENON_BF16});
  for (RegisteredOperationName name : context->getRegisteredOperations())
    if (name.hasInterface<GenerateOpInterface>() &&
        (!this->options.isForGradients || name.getStringRef() != "tenon.gradient"))
      kinds.push_back(name);
  if (this->options.isDynamic)
    isDynamic = *this->options.isDynamic;
}

//===----------------------------------------------------------------------===//
// Chance
//===----------------------------------------------------------------------===//

// Not the distributions of <random>: their results differ between libraries, and a seed
// should mean the same program everywhere.
int64_t Generator::between(int64_t low, int64_t high) {
  return low + int64_t(random() % uint64_t(high - low + 1));
}

double Generator::real(double low, double high) {
  return low + (high - low) * double(random() >> 11) * 0x1p-53;
}

int64_t Generator::extent() {
  if (!options.extents.empty())
    return options.extents[extentsGiven++ % options.extents.size()];
  if (chance(0.02))
    return 0;
  return oneOf({1, 1, 2, 3, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33});
}

tenon_dtype Generator::floatType() {
  if (options.dtype)
    return *options.dtype <= TENON_BF16 ? *options.dtype : TENON_F32;
  return chance(0.8) ? mainType : oneOf({TENON_F32, TENON_F64, TENON_F16, TENON_BF16});
}

SmallVector<int64_t> Generator::permutation(int rank) {
  auto axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  for (int i = rank - 1; i > 0; i--)
    std::swap(axes[i], axes[between(0, i)]);
  return axes;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

bool Generator::isStatic(Value value) {
  return cast<RankedTensorType>(value.getType()).hasStaticShape();
}

Value Generator::find(Fits fits) {
  SmallVector<Value> found;
  for (Value value : pool)
    if (fits(value))
      found.push_back(value);
  if (found.empty())
    return {};
  size_t first = found.size() > 4 && chance(0.6) ? found.size() - 4 : 0;
  return found[between(first, found.size() - 1)];
}

Value Generator::findOr(Fits fits, function_ref<infer::Type()> make) {
  Value found = chance(0.9) ? find(fits) : Value();
  return found ? found : input(make());
}

Value Generator::anyFloat() {
  return findOr([&](Value v) { return type(v).isFloat(); },
                [&] { return randomType(floatType()); });
}

Value Generator::anyNumber() {
  return findOr([&](Value v) { return !type(v).isBool(); },
                [&] {
                  if (options.dtype)
                    return randomType(numberType());
                  tenon_dtype integer = oneOf({TENON_I32, TENON_I64, TENON_I8});
                  return randomType(chance(0.5) ? integer : floatType());
                });
}

Value Generator::positive(Value x) {
  auto isPositive = [&](Value v) {
    const Array &a = array(v);
    return v.getType() == x.getType() && llvm::all_of(a.reals, [](double e) { return e > 0.05; });
  };
  if (Value found = chance(0.5) ? find(isPositive) : Value())
    return found;
  return make("softplus", {x});
}

Value Generator::like(Value x, tenon_dtype dtype) {
  infer::Type wanted = type(x);
  wanted.dtype = dtype;
  auto fits = [&](Value v) {
    return type(v).dtype == dtype && infer::sameShape(type(v), wanted) &&
           infer::sameShape(*inferTypeOf(v.getType()), *inferTypeOf(x.getType()));
  };
  if (Value found = chance(0.8) ? find(fits) : Value())
    return found;
  if (isStatic(x) && !wanted.isScalar() && chance(0.5)) { // something smaller, repeated
    SmallVector<int64_t> dims;
    infer::Type small;
    small.dtype = dtype;
    for (int i = 0; i < wanted.rank; i++)
      if (chance(0.6)) {
        dims.push_back(i);
        small.dims[small.rank++] = chance(0.3) ? 1 : wanted.dims[i];
      }
    if (Value y = make("broadcast", {input(small), {}},
                       AttrWords().list(wanted.dims, wanted.rank).list(dims.data(), dims.size())))
      return y;
  }
  return input(wanted);
}

Value Generator::newInput(const infer::Type &type, double low, double high) {
  if (body) { // passed in from outside
    Body *inner = std::exchange(body, body->outer);
    Value outer = newInput(type, low, high);
    body = inner;
    body->captured.push_back(outer);
    Value argument = body->block->addArgument(outer.getType(), builder.getUnknownLoc());
    Array copy = array(outer);
    program.values[argument] = std::move(copy);
    return argument;
  }
  Array data(type);
  for (int64_t i = 0, size = data.size(); i < size; i++) {
    if (type.isFloat())
      data.set(i, reference::roundTo(type.dtype, real(low, high)));
    else
      data.set(i, type.isBool() ? between(0, 1) : between(int64_t(low), int64_t(high)));
  }
  infer::Type declared = type;
  for (int i = 0; isDynamic && i < type.rank; i++)
    if (options.isDynamic || (type.dims[i] != 1 && chance(0.3)))
      declared.dims[i] = infer::kDynamic;
  Value argument = program.function.getBody().front().addArgument(
      tensorTypeOf(builder.getContext(), declared), builder.getUnknownLoc());
  program.values[argument] = std::move(data);
  return argument;
}

Value Generator::input(const infer::Type &type, double low, double high) {
  Value value = newInput(type, low, high);
  pool.push_back(value);
  return value;
}

Value Generator::scalar(tenon_dtype dtype, double low, double high) {
  return input(infer::Type::make(dtype, {}), low, high);
}

Value Generator::ids(int64_t below, infer::Type wanted) {
  wanted.dtype = typeOf({TENON_I32, TENON_I64});
  auto fits = [&](Value v) {
    return type(v).dtype == wanted.dtype && infer::sameShape(type(v), wanted) &&
           llvm::all_of(array(v).integers, [&](int64_t id) { return id >= 0 && id < below; });
  };
  Value found = chance(0.5) ? find(fits) : Value();
  return found ? found : input(wanted, 0, double(below - 1));
}

infer::Type Generator::randomType(tenon_dtype dtype, int leastRank, int mostRank) {
  infer::Type type;
  type.dtype = dtype;
  type.rank = int(between(leastRank, mostRank));
  int64_t size = 1;
  for (int i = 0; i < type.rank; i++) {
    type.dims[i] = extent();
    if (size * type.dims[i] > options.mostElements)
      type.dims[i] = 1;
    size *= std::max<int64_t>(type.dims[i], 1);
  }
  return type;
}

bool Generator::isSmall(const infer::Type &type) const {
  double size = 1;
  for (int i = 0; i < type.rank; i++)
    size *= double(type.dims[i]);
  return size <= double(options.mostElements);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

bool Generator::keep(Operation *op) {
  auto isSmall = [&](const Array &array) {
    if (options.hasLargeResults)
      return array.size() <= options.mostElements;
    double most = array.type.dtype == TENON_F16 ? 100 : 1e4;
    return array.size() <= options.mostElements &&
           llvm::all_of(array.reals, [&](double x) { return std::fabs(x) <= most; });
  };
  ScopedDiagnosticHandler quiet(builder.getContext(), [](Diagnostic &) { return success(); });
  FailureOr<std::vector<Array>> results = reference::evaluateOn(op, program.values);
  if (failed(results) || !llvm::all_of(*results, isSmall)) {
    op->walk([&](Block *block) { // of a loop: others may come to stand at their addresses
      for (Value argument : block->getArguments())
        program.values.erase(argument);
      for (Operation &inner : *block)
        for (Value result : inner.getResults())
          program.values.erase(result);
    });
    op->erase();
    return false;
  }
  numKept[op->getName().getStringRef()]++;
  for (auto [value, array] : llvm::zip(op->getResults(), *results)) {
    program.values[value] = std::move(array);
    pool.push_back(value);
    if (body)
      body->made.push_back(value);
  }
  return true;
}

bool Generator::emit(StringRef mnemonic, ArrayRef<Value> operands, const AttrWords &attrs) {
  const infer::OpSpec &spec = infer::opSpec(infer::findOp(mnemonic.str().c_str()));
  SmallVector<infer::Type> types(operands.size());
  SmallVector<const infer::Type *> pointers;
  SmallVector<int32_t> segments;
  OperationState state(builder.getUnknownLoc(), ("tenon." + mnemonic).str());
  for (auto [i, operand] : llvm::enumerate(operands)) {
    segments.push_back(operand ? 1 : 0);
    pointers.push_back(operand ? &(types[i] = *inferTypeOf(operand.getType())) : nullptr);
    if (operand)
      state.operands.push_back(operand);
  }
  infer::Call call{};
  call.numOperands = pointers.size();
  call.operands = pointers.data();
  call.attrs = {spec.schema, attrs.data()};
  if (!infer::infer(spec, call))
    return false;
  for (const infer::Type &result : llvm::ArrayRef(call.results, call.numResults)) {
    int64_t size = 1;
    for (int i = 0; i < result.rank && size <= options.mostElements; i++)
      size *= std::max<int64_t>(result.dims[i], 1); // 1 for `?`
    if (size > options.mostElements)
      return false;
  }
  state.addAttributes(namedAttrs(builder.getContext(), spec.schema, attrs.data()));
  if (state.name.hasTrait<OpTrait::AttrSizedOperandSegments>()) {
    segments.resize(spec.maxOperands, 0);
    state.addAttribute("operandSegmentSizes", builder.getDenseI32ArrayAttr(segments));
  }
  for (int i = 0; i < call.numResults; i++)
    state.types.push_back(tensorTypeOf(builder.getContext(), call.results[i]));
  return keep(builder.create(state));
}

Value Generator::make(StringRef mnemonic, ArrayRef<Value> operands, const AttrWords &attrs) {
  if (!emit(mnemonic, operands, attrs))
    return {};
  return builder.getInsertionBlock()->back().getResult(0);
}

Generator::Body Generator::buildBody(ArrayRef<std::pair<Type, Array>> arguments, int numOps) {
  Body inner;
  inner.block = std::make_unique<Block>();
  inner.outer = body;
  SmallVector<Value> outerPool = std::exchange(pool, {});
  for (const auto &[type, array] : arguments) {
    Value argument = inner.block->addArgument(type, builder.getUnknownLoc());
    program.values[argument] = array;
    pool.push_back(argument);
  }
  body = &inner;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(inner.block.get());
    addOps(numOps);
  }
  body = inner.outer;
  pool = std::move(outerPool);
  return inner;
}

Value Generator::gradient(Value y, Value x) {
  Location loc = builder.getUnknownLoc();
  auto type = cast<RankedTensorType>(y.getType());
  if (type.getRank() > 0) {
    auto axes = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
    y = builder.create<ReduceSumOp>(loc, y, axes, false);
  }
  numKept["tenon.gradient"]++;
  return builder.create<GradientOp>(loc, x.getType(), y, x, Value());
}

bool Generator::differentiate() {
  auto isSource = [&](Value v) {
    return type(v).isFloat() && (isa<BlockArgument>(v) || v.getDefiningOp<WatchOp>());
  };
  Value y = find([&](Value v) { return type(v).isFloat() && !isa<BlockArgument>(v); });
  Value x = find(isSource), z = find(isSource);
  if (body || !y || !x)
    return false;
  Value first = gradient(y, x);
  gradients.push_back(first);
  if (chance(0.2)) {
    Value square = builder.create<MulOp>(builder.getUnknownLoc(), first, first);
    gradients.push_back(gradient(square, z));
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

void Generator::addOps(int count) {
  for (int kept = 0, tries = 0; kept < count && tries < 8 * count; tries++) {
    RegisteredOperationName name = kinds[between(0, kinds.size() - 1)];
    kept += name.getInterface<GenerateOpInterface>()->generate(*this);
  }
}

void Generator::begin() {
  MLIRContext *context = builder.getContext();
  program.module = ModuleOp::create(builder.getUnknownLoc());
  builder.setInsertionPointToEnd(program.module->getBody());
  program.function = builder.create<func::FuncOp>(builder.getUnknownLoc(), "f",
                                                  FunctionType::get(context, {}, {}));
  builder.setInsertionPointToEnd(program.function.addEntryBlock());
}

Program Generator::finish() {
  // Results are what nothing uses, and some of the rest.
  SmallVector<Value> results;
  for (Value value : pool)
    if (!isa<BlockArgument>(value) && (value.use_empty() || chance(0.1)))
      results.push_back(value);
  llvm::append_range(results, gradients);
  if (results.empty())
    results.push_back(pool.empty() ? input(randomType(mainType)) : pool.back());
  builder.create<func::ReturnOp>(builder.getUnknownLoc(), results);
  program.dropUnusedArguments();
  return std::move(program);
}

Program Generator::run(int numOps) {
  begin();
  addOps(numOps);
  return finish();
}

Program Generator::runOne(RegisteredOperationName kind) {
  constexpr int kTries = 20;
  begin();
  for (int tries = 0; tries < kTries && !numKept.contains(kind.getStringRef()); tries++)
    kind.getInterface<GenerateOpInterface>()->generate(*this);
  return numKept.contains(kind.getStringRef()) ? finish() : Program();
}

} // namespace tenon::fuzz
