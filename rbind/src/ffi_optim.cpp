//===- ffi_optim.cpp - Entry points of optimizers
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "arguments.h"
#include "parameters.h"

#include <algorithm>
#include <cstring>
#include <utility>

using tenon::infer::findOp;

namespace {

//===-- Rules ------------------------------------------------------------------===//

/// A rule by which parameters change; its value is the number of its moments.
enum Rule { kSgd, kMomentum, kAdam };

Rule ruleOf(SEXP name) {
  const char *text = CHAR(STRING_ELT(name, 0));
  for (auto &known : {std::make_pair("sgd", kSgd), std::make_pair("momentum", kMomentum),
                      std::make_pair("adam", kAdam)})
    if (!strcmp(known.first, text))
      return known.second;
  fail(TENON_ERROR_ARGUMENT, "expected \"sgd\", \"momentum\" or \"adam\", got \"%s\"", text);
}

int opOf(Rule rule) {
  static const int ops[] = {findOp("sgd"), findOp("momentum"), findOp("adam")};
  return ops[rule];
}

/// The one of a named vector of constants.
double constantOf(SEXP constants, const char *name) {
  SEXP names = Rf_getAttrib(constants, R_NamesSymbol);
  for (R_xlen_t i = 0; i < Rf_xlength(names); i++)
    if (!strcmp(CHAR(STRING_ELT(names, i)), name))
      return REAL(constants)[i];
  fail(TENON_ERROR_ARGUMENT, "expected a constant %s", name);
}

AttrWords attributesOf(Rule rule, SEXP constants) {
  AttrWords words;
  if (rule == kMomentum)
    words.real(constantOf(constants, "momentum"));
  if (rule == kAdam)
    for (const char *name : {"beta1", "beta2", "eps", "weight_decay"})
      words.real(constantOf(constants, name));
  return words;
}

//===-- State ------------------------------------------------------------------===//

/// An optimizer's state: parameters, for every moment a list of cells, the rule's name,
/// the number of steps, the cell of its loss scaling.
enum StateSlot { kParams, kMoments, kRule, kCount, kScale, kStateSize };

/// A moment of a parameter, at first zeros.
SEXP newMoment(const Type &type) {
  SEXP cell = PROTECT(Rf_allocVector(VECSXP, kSpare + 1));
  SEXP zeros = allocStorage(type);
  memset(storageData(zeros), 0, bytesOf(type));
  SET_VECTOR_ELT(cell, kData, zeros);
  UNPROTECT(1);
  return cell;
}

constexpr int64_t kScaleInterval = 2000; // good steps before the scale is doubled
const Type kScaleType = Type::make(TENON_F32, {2});

/// The state of loss scaling: the scale and the number of good steps since it changed.
SEXP newScale(double scale, double steps) {
  SEXP storage = allocStorage(kScaleType);
  float *numbers = static_cast<float *>(storageData(storage));
  numbers[0] = float(scale), numbers[1] = float(steps);
  return storage;
}

int32_t lossScale(Recorder &r, int32_t state, int64_t interval) {
  static const int op = findOp("loss_scale");
  return call(r, op, {state}, AttrWords().integer(interval));
}

//===-- Steps ------------------------------------------------------------------===//

/// The gradient of a parameter: from the environment, or what has accumulated.
SEXP gradientOf(SEXP param, SEXP grads) {
  nameParam(param);
  SEXP cell = cellOf(param);
  SEXP g = grads == R_NilValue ? VECTOR_ELT(cell, kGrad) : gradientIn(grads, param);
  return !g || g == R_NilValue ? nullptr : g;
}

/// Raises unless the gradient of a parameter, if there is one, can be used.
void checkGradient(SEXP param, SEXP grads, int number) {
  SEXP g = gradientOf(param, grads);
  if (!g)
    return;
  g = resolve(g);
  Type type = storageType(known(param)), got;
  if (isValue(g)) {
    got = typeOf(g);
    if (!isIn(recorder(), g))
      force(g);
  } else {
    if (TYPEOF(g) != REALSXP && TYPEOF(g) != INTSXP && TYPEOF(g) != LGLSXP)
      fail(TENON_ERROR_DTYPE,
           "step: the gradient of parameter %d: expected a tensor or numbers, "
           "got %s",
           number, Rf_type2char(TYPEOF(g)));
    got = arrayType(g);
  }
  if (!tenon::infer::sameShape(got, type)) {
    char a[120], b[120];
    fail(TENON_ERROR_SHAPE, "step: the gradient of parameter %d: expected %s, got %s", number,
         shapeText(type, a, sizeof a), shapeText(got, b, sizeof b));
  }
}

/// A step that is being recorded.
struct Step {
  Recorder &r;
  SEXP state;
  Rule rule;
  AttrWords attributes;
  double rate, number;                             ///< learning rate; which step it is, from 1
  int32_t rates[4] = {-1, -1, -1, -1}, count = -1; ///< inputs, once they are there

  /// Records that this step's gradients may be scaled.
  void scale() {
    SEXP cell = VECTOR_ELT(state, kScale);
    int32_t before = addInput(r, kScaleType, cell, 0);
    int32_t after = lossScale(r, before, kScaleInterval);
    noThrow([&] { r.updates.push_back({after, before, cell}); });
  }

  int32_t rateInput(tenon_dtype dtype) {
    if (rates[dtype] < 0)
      rates[dtype] = addInput(r, Type::make(dtype, {}), scalarStorage(rate, dtype), 0);
    return rates[dtype];
  }

  /// Records what happens to parameter j, which stands at `value`, as does its gradient.
  void update(R_xlen_t j, int32_t value, int32_t gradient) {
    SEXP param = VECTOR_ELT(VECTOR_ELT(state, kParams), j);
    Type type = r.trace.type(value);
    int32_t operands[6] = {value, gradient}, moments[2] = {-1, -1};
    int numOperands = 2;
    int32_t rateAt = rateInput(type.dtype);
    for (int k = 0; k < rule; k++) {
      SEXP cell = VECTOR_ELT(VECTOR_ELT(VECTOR_ELT(state, kMoments), k), j);
      moments[k] = operands[numOperands++] = addInput(r, type, cell, 0);
    }
    operands[numOperands++] = rateAt;
    if (rule == kAdam)
      operands[numOperands++] = count;
    int32_t id = call(r, opOf(rule), operands, numOperands, attributes);
    noThrow([&] {
      r.updates.push_back({id, value, cellOf(param)});
      for (int k = 0; k < rule; k++)
        r.updates.push_back({id + 1 + k, moments[k], VECTOR_ELT(r.slots, moments[k])});
    });
  }
};

int32_t toScalar(Recorder &r, int32_t id) {
  return r.trace.type(id).rank ? reshape(r, id, nullptr, 0) : id;
}

} // namespace

extern "C" {

SEXP C_optimizer(SEXP params, SEXP rule) {
  int moments = ruleOf(rule);
  R_xlen_t count = Rf_xlength(params);
  SEXP state = PROTECT(Rf_allocVector(VECSXP, kStateSize));
  SET_VECTOR_ELT(state, kParams, params);
  SET_VECTOR_ELT(state, kMoments, Rf_allocVector(VECSXP, moments));
  SET_VECTOR_ELT(state, kRule, rule);
  SET_VECTOR_ELT(state, kCount, Rf_ScalarReal(0));
  SET_VECTOR_ELT(state, kScale, Rf_allocVector(VECSXP, kSpare + 1));
  SET_VECTOR_ELT(VECTOR_ELT(state, kScale), kData, newScale(65536, 0));
  for (R_xlen_t i = 0; i < count; i++)
    if (!isValue(VECTOR_ELT(params, i)) || !isParam(VECTOR_ELT(params, i)))
      fail(TENON_ERROR_ARGUMENT, "optimizer: expected a list of ag_param, element %d is none",
           int(i) + 1);
  for (int k = 0; k < moments; k++) {
    SEXP list = Rf_allocVector(VECSXP, count);
    SET_VECTOR_ELT(VECTOR_ELT(state, kMoments), k, list);
    for (R_xlen_t i = 0; i < count; i++)
      SET_VECTOR_ELT(list, i, newMoment(storageType(known(VECTOR_ELT(params, i)))));
  }
  UNPROTECT(1);
  return state;
}

SEXP C_step(SEXP state, SEXP grads, SEXP rate, SEXP constants) {
  if (TYPEOF(grads) != ENVSXP && grads != R_NilValue)
    fail(TENON_ERROR_ARGUMENT,
         "step: expected the environment that backward() returns or NULL, "
         "got %s",
         Rf_type2char(TYPEOF(grads)));
  double lr = numberOf(rate, "step: learning rate");
  Rule rule = ruleOf(VECTOR_ELT(state, kRule));
  AttrWords attributes = attributesOf(rule, constants);
  SEXP params = VECTOR_ELT(state, kParams);
  size_t count = size_t(Rf_xlength(params));
  // R's, as a finalizer may take another step.
  SEXP numbers = PROTECT(Rf_allocVector(INTSXP, R_xlen_t(2 * count)));
  int32_t *pairs = INTEGER(numbers);
  std::fill_n(pairs, 2 * count, -1);
  for (size_t j = 0; j < count; j++) // check everything before anything is recorded
    checkGradient(VECTOR_ELT(params, R_xlen_t(j)), grads, int(j) + 1);
  Recorder &r = begin();
  bool open = r.tapeOpen;
  r.tapeOpen = false;
  for (size_t j = 0; j < count; j++) {
    SEXP p = VECTOR_ELT(params, R_xlen_t(j)), g = gradientOf(p, grads);
    if (!g)
      continue;
    tenon_dtype dtype = storageType(known(p)).dtype;
    pairs[2 * j] = use(r, p, dtype), pairs[2 * j + 1] = use(r, g, dtype);
  }
  Step step{r, state, rule, attributes, lr, Rf_asReal(VECTOR_ELT(state, kCount)) + 1};
  if (rule == kAdam)
    step.count = addInput(r, Type::make(TENON_I64, {}), scalarStorage(step.number, TENON_I64), 0);
  for (size_t j = 0; j < count; j++)
    if (pairs[2 * j] >= 0)
      step.update(R_xlen_t(j), pairs[2 * j], pairs[2 * j + 1]);
  if (defaultDtype == TENON_F16 &&
      std::any_of(pairs, pairs + 2 * count, [](int32_t at) { return at >= 0; }))
    step.scale();
  r.tapeOpen = open;
  UNPROTECT(1);
  if (tracing) // shown, not run
    return Rf_ScalarLogical(TRUE);
  if (&r != current) {
    r.updates.clear();
    fail(TENON_ERROR_ARGUMENT, "a finalizer computed tensors while a step was recorded");
  }
  flush(r, -1, true);
  REAL(VECTOR_ELT(state, kCount))[0] = step.number;
  return Rf_ScalarLogical(TRUE);
}

/// list(step, moments): copies, which C_load_optimizer takes.
SEXP C_optimizer_state(SEXP state) {
  const char *names[] = {"step", "moments", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out, 0, Rf_duplicate(VECTOR_ELT(state, kCount)));
  SEXP own = VECTOR_ELT(state, kMoments);
  SEXP moments = Rf_allocVector(VECSXP, Rf_xlength(own));
  SET_VECTOR_ELT(out, 1, moments);
  for (R_xlen_t k = 0; k < Rf_xlength(own); k++) {
    SEXP cells = VECTOR_ELT(own, k), list = Rf_allocVector(VECSXP, Rf_xlength(cells));
    SET_VECTOR_ELT(moments, k, list);
    for (R_xlen_t j = 0; j < Rf_xlength(cells); j++) {
      SEXP copy = PROTECT(Rf_duplicate(hostStorage(VECTOR_ELT(VECTOR_ELT(cells, j), kData))));
      SET_VECTOR_ELT(list, j, newValue(copy));
      UNPROTECT(1);
    }
  }
  UNPROTECT(1);
  return out;
}

/// Puts a count of steps and moments (lists of tensors) into an optimizer's state.
SEXP C_load_optimizer(SEXP state, SEXP count, SEXP moments) {
  SEXP own = VECTOR_ELT(state, kMoments);
  if (TYPEOF(moments) != VECSXP || Rf_xlength(moments) != Rf_xlength(own))
    fail(TENON_ERROR_ARGUMENT,
         "load_state: expected what $state() of such an optimizer returned, with %d lists of "
         "moments",
         int(Rf_xlength(own)));
  for (int check = 1; check >= 0; check--) // everything is checked before anything changes
    for (R_xlen_t k = 0; k < Rf_xlength(own); k++)
      for (R_xlen_t j = 0; j < Rf_xlength(VECTOR_ELT(own, k)); j++) {
        SEXP list = VECTOR_ELT(moments, k), cell = VECTOR_ELT(VECTOR_ELT(own, k), j);
        if (TYPEOF(list) != VECSXP || Rf_xlength(list) != Rf_xlength(VECTOR_ELT(own, k)))
          fail(TENON_ERROR_ARGUMENT, "load_state: expected %d moments",
               int(Rf_xlength(VECTOR_ELT(own, k))));
        SEXP value = VECTOR_ELT(list, j);
        expectValue(value, "load_state");
        Type want = storageType(VECTOR_ELT(cell, kData)), got = storageType(force(value));
        char a[120], b[120];
        if (want.dtype != got.dtype || !tenon::infer::sameShape(want, got))
          fail(TENON_ERROR_SHAPE, "load_state: moment %d: expected %s %s, got %s %s", int(j) + 1,
               tenon_dtype_name(want.dtype), shapeText(want, a, sizeof a),
               tenon_dtype_name(got.dtype), shapeText(got, b, sizeof b));
        if (!check)
          SET_VECTOR_ELT(cell, kData, Rf_duplicate(hostStorage(force(value))));
      }
  REAL(VECTOR_ELT(state, kCount))[0] = Rf_asReal(count);
  return R_NilValue;
}

/// An optimizer's loss scale and number of good steps; sets them unless NULL is given.
SEXP C_optimizer_scale(SEXP state, SEXP numbers) {
  SEXP cell = VECTOR_ELT(state, kScale);
  if (numbers != R_NilValue)
    SET_VECTOR_ELT(cell, kData, newScale(REAL(numbers)[0], REAL(numbers)[1]));
  SEXP storage = PROTECT(hostStorage(VECTOR_ELT(cell, kData))), out = Rf_allocVector(REALSXP, 2);
  std::copy_n(static_cast<const float *>(storageData(storage)), 2, REAL(out));
  UNPROTECT(1);
  return out;
}

/// The next state of loss scaling, of a tensor with the state.
SEXP C_loss_scale(SEXP state, SEXP interval) {
  Recorder &r = begin();
  return result(r, lossScale(r, use(r, state, TENON_F32), int64_t(Rf_asReal(interval))));
}

/// A step on tensors: the new parameter and moments, named p; p and v; p, m and v.
SEXP C_update(SEXP name, SEXP p, SEXP g, SEXP m, SEXP v, SEXP lr, SEXP step, SEXP constants) {
  Recorder &r = begin();
  Rule rule = ruleOf(name);
  int32_t ip = useFloat(r, p);
  tenon_dtype dtype = r.trace.type(ip).dtype;
  int32_t ig = use(r, g, dtype), rate = toScalar(r, use(r, lr, dtype));
  int32_t operands[6] = {ip, ig};
  int count = 2;
  if (rule == kAdam)
    operands[count++] = use(r, m, dtype);
  if (rule != kSgd)
    operands[count++] = use(r, v, dtype);
  operands[count++] = rate;
  if (rule == kAdam)
    operands[count++] = toScalar(r, use(r, step, TENON_I64));
  int32_t id = call(r, opOf(rule), operands, count, attributesOf(rule, constants));
  const char *names[][4] = {{"p", ""}, {"p", "v", ""}, {"p", "m", "v", ""}};
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, names[rule]));
  for (int i = 0; i <= rule; i++)
    SET_VECTOR_ELT(list, i, result(r, id + i));
  UNPROTECT(1);
  return list;
}
}
