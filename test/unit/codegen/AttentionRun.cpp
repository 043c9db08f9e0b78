//===- AttentionRun.cpp - Attention kernels, compiled and run -------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "test/unit/codegen/AttentionRun.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <atomic>
#include <cstring>
#include <ostream>
#include <random>
#include <thread>

using namespace mlir;

namespace tenon::test {

std::ostream &operator<<(std::ostream &out, const AttentionProblem &p) {
  out << "b=" << p.b << " h=" << p.h << " g=" << p.g << " n=" << p.n << " m=" << p.m << " d=" << p.d
      << " e=" << p.width() << " " << p.dtype;
  if (p.causal)
    out << " causal";
  if (p.masked())
    out << " mask " << p.maskBatch << "x" << p.maskHeads << " " << p.mask;
  out << (p.maskGrad ? " grad" : "") << (p.split ? " split" : "") << (p.dynamic ? " dynamic" : "");
  return out << " " << p.march;
}

//===-- Elements ----------------------------------------------------------===//

static const llvm::fltSemantics &semanticsOf(const std::string &dtype) {
  return dtype == "f16" ? llvm::APFloat::IEEEhalf() : llvm::APFloat::BFloat();
}

static int64_t bytesOf(const std::string &dtype) {
  return dtype == "f64" ? 8 : dtype == "f32" ? 4 : dtype == "i1" ? 1 : 2;
}

std::vector<char> pack(const std::vector<double> &values, const std::string &dtype) {
  std::vector<char> bytes;
  auto put = [&](auto x) {
    const char *p = reinterpret_cast<const char *>(&x);
    bytes.insert(bytes.end(), p, p + sizeof x);
  };
  for (double x : values) {
    if (dtype == "f64")
      put(x);
    else if (dtype == "f32")
      put(float(x));
    else if (dtype == "i1")
      put(char(x != 0));
    else {
      bool lost;
      llvm::APFloat y(x);
      y.convert(semanticsOf(dtype), llvm::APFloat::rmNearestTiesToEven, &lost);
      put(uint16_t(y.bitcastToAPInt().getZExtValue()));
    }
  }
  return bytes;
}

std::vector<double> unpack(const std::vector<char> &bytes, const std::string &dtype) {
  int64_t size = bytesOf(dtype), count = bytes.size() / size;
  std::vector<double> values;
  for (int64_t i = 0; i < count; i++) {
    const char *p = bytes.data() + i * size;
    auto get = [&](auto x) {
      std::memcpy(&x, p, sizeof x);
      return x;
    };
    if (dtype == "f64")
      values.push_back(get(double()));
    else if (dtype == "f32")
      values.push_back(get(float()));
    else if (dtype == "i1")
      values.push_back(*p);
    else {
      bool lost;
      llvm::APFloat y(semanticsOf(dtype), llvm::APInt(16, get(uint16_t())));
      y.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lost);
      values.push_back(y.convertToDouble());
    }
  }
  return values;
}

//===-- Exact results -----------------------------------------------------===//

AttentionData::AttentionData(const AttentionProblem &problem, int seed) : problem(problem) {
  std::mt19937 random(seed);
  auto make = [&](int64_t size, double range, const std::string &dtype) {
    std::uniform_real_distribution<double> uniform(-range, range);
    std::vector<double> values(size);
    for (double &x : values)
      x = uniform(random);
    return unpack(pack(values, dtype), dtype); // rounded, as the kernel sees it
  };
  const AttentionProblem &p = problem;
  q = make(p.b * p.h * p.n * p.d, p.range, p.dtype);
  k = make(p.b * p.g * p.m * p.d, p.range, p.dtype);
  v = make(p.b * p.g * p.m * p.width(), 1, p.dtype);
  grad = make(p.b * p.h * p.n * p.width(), 1, p.dtype);
  if (!p.masked())
    return;
  bool isBool = std::string(p.mask) == "i1";
  mask = make(p.maskBatch * p.maskHeads * p.n * p.m, 1, isBool ? "f64" : p.mask);
  for (double &x : mask)
    if (isBool)
      x = x > -0.3;
    else if (x > 0.7)
      x = -std::numeric_limits<double>::infinity();
}

size_t AttentionData::at(int64_t b, int64_t h, int64_t heads, int64_t i, int64_t rows,
                         int64_t width) const {
  return problem.split ? ((b * rows + i) * heads + h) * width
                       : ((b * heads + h) * rows + i) * width;
}

size_t AttentionData::maskAt(int64_t b, int64_t h, int64_t i, int64_t j) const {
  const AttentionProblem &p = problem;
  b = p.maskBatch == 1 ? 0 : b, h = p.maskHeads == 1 ? 0 : h;
  return ((b * p.maskHeads + h) * p.n + i) * p.m + j;
}

/// One query: where its rows are, and its probabilities.
struct AttentionData::Row {
  int64_t b, h, i;
  size_t q, o, lse;
  std::vector<double> p;
};

void AttentionData::forward(Row &row) {
  const AttentionProblem &p = problem;
  double top = -std::numeric_limits<double>::infinity(), sum = 0;
  int64_t group = p.h / p.g;
  for (int64_t j = 0; j < p.m; j++) {
    double s = 0;
    size_t key = at(row.b, row.h / group, p.g, j, p.m, p.d);
    for (int64_t c = 0; c < p.d; c++)
      s += q[row.q + c] * k[key + c];
    s *= p.factor();
    if (p.masked() && std::string(p.mask) != "i1")
      s += mask[maskAt(row.b, row.h, row.i, j)];
    bool hidden = (p.causal && j > row.i) ||
                  (std::string(p.mask) == "i1" && mask[maskAt(row.b, row.h, row.i, j)] == 0);
    row.p[j] = hidden ? -std::numeric_limits<double>::infinity() : s;
    top = std::max(top, row.p[j]);
  }
  bool dead = std::isinf(top) && top < 0;
  for (double &x : row.p)
    sum += x = dead ? 0 : std::exp(x - top);
  lse[row.lse] = dead ? -top : top + std::log(sum);
  for (int64_t j = 0; j < p.m && !dead; j++) {
    row.p[j] /= sum;
    size_t value = at(row.b, row.h / group, p.g, j, p.m, p.width());
    for (int64_t c = 0; c < p.width(); c++)
      o[row.o + c] += row.p[j] == 0 ? 0 : row.p[j] * v[value + c];
  }
}

void AttentionData::backward(const Row &row) {
  const AttentionProblem &p = problem;
  int64_t group = p.h / p.g, e = p.width();
  double delta = 0;
  for (int64_t c = 0; c < e; c++)
    delta += o[row.o + c] * grad[row.o + c];
  for (int64_t j = 0; j < p.m; j++) {
    if (row.p[j] == 0)
      continue;
    size_t key = at(row.b, row.h / group, p.g, j, p.m, p.d);
    size_t value = at(row.b, row.h / group, p.g, j, p.m, e);
    double dp = 0;
    for (int64_t c = 0; c < e; c++) {
      dp += grad[row.o + c] * v[value + c];
      dv[value + c] += row.p[j] * grad[row.o + c];
    }
    double ds = row.p[j] * (dp - delta);
    for (int64_t c = 0; c < p.d; c++) {
      dq[row.q + c] += p.factor() * ds * k[key + c];
      dk[key + c] += p.factor() * ds * q[row.q + c];
    }
    if (!dmask.empty())
      dmask[maskAt(row.b, row.h, row.i, j)] += ds;
  }
}

void AttentionData::compute() {
  const AttentionProblem &p = problem;
  o.assign(grad.size(), 0), lse.assign(p.b * p.h * p.n, 0);
  dq.assign(q.size(), 0), dk.assign(k.size(), 0), dv.assign(v.size(), 0);
  dmask.assign(p.maskGrad ? mask.size() : 0, 0);
  Row row;
  row.p.resize(p.m);
  for (row.b = 0; row.b < p.b; row.b++)
    for (row.h = 0; row.h < p.h; row.h++)
      for (row.i = 0; row.i < p.n; row.i++) {
        row.q = at(row.b, row.h, p.h, row.i, p.n, p.d);
        row.o = at(row.b, row.h, p.h, row.i, p.n, p.width());
        row.lse = (row.b * p.h + row.h) * p.n + row.i;
        forward(row);
        backward(row);
      }
}

//===-- Kernels -----------------------------------------------------------===//

namespace {
/// Writes a kernel whose body splits and joins heads around the root.
class KernelText {
public:
  explicit KernelText(const AttentionProblem &p) : p(p) {}

  std::string name(int64_t extent) const { return p.dynamic ? "?" : std::to_string(extent); }
  std::string type(int64_t heads, int64_t rows, int64_t width) const {
    return "tensor<" + name(p.b) + "x" + name(heads) + "x" + name(rows) + "x" +
           std::to_string(width) + "x" + p.dtype + ">";
  }
  std::string splitType(int64_t heads, int64_t rows, int64_t width, bool joined) const {
    std::string last = joined ? std::to_string(heads * width)
                              : std::to_string(heads) + "x" + std::to_string(width);
    return "tensor<" + std::to_string(p.b) + "x" + std::to_string(rows) + "x" + last + "x" +
           p.dtype + ">";
  }

  void operand(int64_t heads, int64_t rows, int64_t width) {
    std::string id = std::to_string(operands.size());
    std::string inner = type(heads, rows, width), x = "%x" + id;
    if (!p.split) {
      add(inner, "%p" + id);
      return;
    }
    std::string outer = splitType(heads, rows, width, true);
    std::string middle = splitType(heads, rows, width, false);
    add(outer, x);
    std::string shape = std::to_string(p.b) + ", " + std::to_string(rows) + ", " +
                        std::to_string(heads) + ", " + std::to_string(width);
    body += "%r" + id + " = tenon.reshape %p" + id + " {shape = array<i64: " + shape + ">} : (" +
            outer + ") -> " + middle + "\n" + x + " = tenon.transpose %r" + id +
            " {permutation = array<i64: 0, 2, 1, 3>} : (" + middle + ") -> " + inner + "\n";
    rootTypes.back() = inner;
  }
  void add(const std::string &type, const std::string &use) {
    operands.push_back(type), rootTypes.push_back(type), uses.push_back(use);
  }
  void result(int64_t heads, int64_t rows, int64_t width) {
    std::string inner = type(heads, rows, width), id = std::to_string(results.size());
    rootResults.push_back(inner);
    if (!p.split) {
      results.push_back(inner), yields.push_back("%y" + id);
      return;
    }
    std::string outer = splitType(heads, rows, width, true);
    std::string middle = splitType(heads, rows, width, false);
    std::string shape =
        std::to_string(p.b) + ", " + std::to_string(rows) + ", " + std::to_string(heads * width);
    after += "%t" + id + " = tenon.transpose %y" + id +
             " {permutation = array<i64: 0, 2, 1, 3>} : (" + inner + ") -> " + middle + "\n%z" +
             id + " = tenon.reshape %t" + id + " {shape = array<i64: " + shape + ">} : (" + middle +
             ") -> " + outer + "\n";
    results.push_back(outer), yields.push_back("%z" + id);
  }
  void plainResult(const std::string &type) {
    yields.push_back("%y" + std::to_string(results.size()));
    rootResults.push_back(type), results.push_back(type);
  }

  static std::string join(const std::vector<std::string> &parts) {
    std::string all;
    for (const std::string &part : parts)
      all += (all.empty() ? "" : ", ") + part;
    return all;
  }
  std::string numbered(const std::string &prefix, size_t count, bool typed) const {
    std::vector<std::string> parts;
    for (size_t i = 0; i < count; i++)
      parts.push_back(prefix + std::to_string(i) + (typed ? ": " + operands[i] : ""));
    return join(parts);
  }
  std::string kernel(const std::string &strategy, const std::string &op) const {
    std::string types = "(" + join(operands) + ") -> (" + join(results) + ")";
    return "func.func @f(" + numbered("%a", operands.size(), true) + ") -> (" + join(results) +
           ") {\n%k:" + std::to_string(results.size()) + " = tenon.kernel \"" + strategy + "\"(" +
           numbered("%a", operands.size(), false) + ") : " + types + " {\n^bb0(" +
           numbered("%p", operands.size(), true) + "):\n" + body +
           numbered("%y", results.size(), false) + " = " + op + " : (" + join(rootTypes) +
           ") -> (" + join(rootResults) + ")\n" + after + "tenon.yield " + join(yields) + " : " +
           join(results) + "\n}\nreturn " + numbered("%k#", results.size(), false) + " : " +
           join(results) + "\n}\n";
  }

  const AttentionProblem &p;
  std::vector<std::string> operands, rootTypes, uses, results, rootResults, yields;
  std::string body, after;
};
} // namespace

std::string AttentionKernel::text() const {
  const AttentionProblem &p = problem;
  KernelText text(p);
  text.operand(p.h, p.n, p.d), text.operand(p.g, p.m, p.d), text.operand(p.g, p.m, p.width());
  std::string maskType = "tensor<" + std::to_string(p.maskBatch) + "x" +
                         std::to_string(p.maskHeads) + "x" + text.name(p.n) + "x" + text.name(p.m) +
                         "x" + p.mask + ">";
  std::string lse = "tensor<" + text.name(p.b) + "x" + text.name(p.h) + "x" + text.name(p.n) + "x" +
                    (std::string(p.dtype) == "f64" ? "f64" : "f32") + ">";
  if (p.masked())
    text.add(maskType, "%p3");
  std::string id = std::to_string(text.operands.size());
  if (isBackward) {
    text.operand(p.h, p.n, p.width());
    text.add(lse, "%p" + std::to_string(text.operands.size()));
    text.operand(p.h, p.n, p.width());
    text.result(p.h, p.n, p.d), text.result(p.g, p.m, p.d), text.result(p.g, p.m, p.width());
    if (p.maskGrad)
      text.plainResult(maskType);
  } else {
    text.result(p.h, p.n, p.width());
    text.plainResult(lse);
  }
  std::string scale;
  llvm::raw_string_ostream(scale) << llvm::format("%.17e", p.factor());
  const std::vector<std::string> &u = text.uses;
  std::string op = isBackward ? "tenon.attention_grad " : "tenon.attention ";
  op += u[0] + ", " + u[1] + ", " + u[2];
  if (p.masked())
    op += (isBackward ? " mask " : ", ") + u[3];
  if (isBackward)
    op += " o " + u[u.size() - 3] + ", " + u[u.size() - 2] + ", " + u[u.size() - 1];
  op += " {scale = " + scale + " : f64" + (p.causal ? ", causal = true" : "") +
        (p.maskGrad && isBackward ? ", mask_grad = true" : "") + "}";
  return text.kernel(isBackward ? "attention_grad" : "attention", op);
}

AttentionKernel::AttentionKernel(const AttentionProblem &problem, bool backward)
    : problem(problem), isBackward(backward) {
  context.loadDialect<TenonDialect, func::FuncDialect>();
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message += diagnostic.str() + "\n";
    return success();
  });
  module = parseSourceString<ModuleOp>(text(), &context);
  auto target = cpu::CpuTarget::get(problem.march);
  if (!module || !target) {
    message += target ? text() : llvm::toString(target.takeError());
    return;
  }
  static const KernelStrategies *strategies = [] {
    auto *all = new KernelStrategies;
    all->add(cpu::createAttentionStrategy());
    all->add(cpu::createAttentionGradStrategy());
    return all;
  }();
  llvm::SmallVector<KernelOp> kernels;
  module->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
  auto compiled = cpu::compileKernels(kernels, *strategies, *target, {});
  if (failed(compiled))
    return;
  object = std::move(compiled->objects[0]);
  shared = compiled->kernels[0].scratchShared, perWorker = compiled->kernels[0].scratchPerWorker;
  auto linked = cpu::JitProgram::link(llvm::ArrayRef<char>(object.bytes));
  auto address = linked ? (*linked)->lookup(object.symbol) : linked.takeError();
  if (!address) {
    message = llvm::toString(address.takeError());
    return;
  }
  program = std::move(*linked);
  function = reinterpret_cast<tenon_kernel>(*address);
}

/// Of the dynamic axes, operands then results.
std::vector<int64_t> AttentionKernel::extents() const {
  const AttentionProblem &p = problem;
  if (!p.dynamic)
    return {};
  std::vector<int64_t> all;
  auto add = [&](std::initializer_list<int64_t> more) { all.insert(all.end(), more); };
  add({p.b, p.h, p.n, p.b, p.g, p.m, p.b, p.g, p.m});
  if (p.masked())
    add({p.n, p.m});
  add({p.b, p.h, p.n, p.b, p.h, p.n}); // o and lse
  if (!isBackward)
    return all;
  add({p.b, p.h, p.n}); // its gradient
  add({p.b, p.h, p.n, p.b, p.g, p.m, p.b, p.g, p.m});
  if (p.maskGrad)
    add({p.n, p.m});
  return all;
}

int64_t AttentionKernel::evaluate(AffineExpr expr) const {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return extents()[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t x = evaluate(binary.getLHS()), y = evaluate(binary.getRHS());
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return x + y;
  case AffineExprKind::Mul:
    return x * y;
  case AffineExprKind::CeilDiv:
    return (x + y - 1) / y;
  case AffineExprKind::FloorDiv:
    return x / y;
  default:
    return x % y;
  }
}

int64_t AttentionKernel::scratchBytes(int64_t workers) const {
  return evaluate(shared) + workers * evaluate(perWorker);
}

namespace {
struct Environment : tenon_env {
  int threads;

  static void parallelFor(tenon_env *env, tenon_body body, void *context, int64_t n,
                          int64_t chunk) {
    if (n == 0)
      return;
    std::atomic<int64_t> next{0};
    auto work = [&](int64_t worker) {
      for (int64_t begin; (begin = next.fetch_add(chunk)) < n;)
        body(env, context, begin, std::min(n, begin + chunk), worker);
    };
    std::vector<std::thread> pool;
    for (int i = 1; i < static_cast<Environment *>(env)->threads; i++)
      pool.emplace_back(work, i);
    work(0);
    for (std::thread &thread : pool)
      thread.join();
  }
};
} // namespace

void AttentionKernel::run(const std::vector<void *> &buffers, int threads) {
  Environment env = {};
  env.threads = threads;
  env.cancelled = &cancelled;
  env.parallel_for = Environment::parallelFor;
  env.num_workers = threads;
  env.scratch_shared = evaluate(shared);
  env.scratch_per_worker = evaluate(perWorker);
  if (scratch.size() < size_t(scratchBytes(threads)) + 64)
    scratch.assign(scratchBytes(threads) + 64, char(0xff)); // NaN
  env.scratch = reinterpret_cast<unsigned char *>(
      (reinterpret_cast<uintptr_t>(scratch.data()) + 63) / 64 * 64);
  std::vector<int64_t> sizes = extents();
  function(&env, buffers.data(), sizes.data());
}

std::vector<std::vector<double>> AttentionKernel::run(const AttentionData &data, int threads,
                                                      std::vector<char> *raw) {
  const AttentionProblem &p = problem;
  std::string dtype = p.dtype, stat = dtype == "f64" ? "f64" : "f32";
  std::vector<std::vector<char>> bytes = {pack(data.q, dtype), pack(data.k, dtype),
                                          pack(data.v, dtype)};
  std::vector<std::pair<size_t, std::string>> results;
  if (p.masked())
    bytes.push_back(pack(data.mask, p.mask));
  if (isBackward) {
    bytes.push_back(pack(data.o, dtype)), bytes.push_back(pack(data.lse, stat));
    bytes.push_back(pack(data.grad, dtype));
    results = {{data.q.size(), dtype}, {data.k.size(), dtype}, {data.v.size(), dtype}};
    if (p.maskGrad)
      results.push_back({data.mask.size(), p.mask});
  } else {
    results = {{data.grad.size(), dtype}, {size_t(p.b * p.h * p.n), stat}};
  }
  size_t operands = bytes.size();
  constexpr int64_t guard = 64;
  for (auto &[size, type] : results)
    bytes.emplace_back(size * bytesOf(type) + guard, char(0xff));
  std::vector<void *> buffers;
  for (auto &buffer : bytes)
    buffers.push_back(buffer.data());
  run(buffers, threads);
  std::vector<std::vector<double>> values;
  for (size_t i = operands; i < bytes.size(); i++) {
    if (std::count(bytes[i].end() - guard, bytes[i].end(), char(0xff)) != guard)
      message += "result " + std::to_string(i - operands) + " was overrun\n";
    bytes[i].resize(bytes[i].size() - guard);
    if (raw)
      raw->insert(raw->end(), bytes[i].begin(), bytes[i].end());
    values.push_back(unpack(bytes[i], results[i - operands].second));
  }
  return values;
}

} // namespace tenon::test
