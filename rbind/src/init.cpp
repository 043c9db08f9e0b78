//===- init.cpp - Registration of the entry points
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "recorder.h"

#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

void initLazyArrays(DllInfo *dll);
namespace jit {
void initScratch();
}

// clang-format off: a list, not nested calls.
#define TENON_CALLS(X)                                                                            \
  X(abs, 1) X(add, 2) X(ag_reduce, 3) X(ahead_arguments, 2) X(ahead_compile, 5)                   \
  X(ahead_finish, 5) X(ahead_output, 1) X(and, 2) X(aperm, 2) X(arg, 4) X(array, 1)               \
  X(attention, 6) X(backward, 1) X(broadcast, 2) X(call, 2) X(cast, 2) X(causal, 1) X(ceil, 1)    \
  X(clamp, 3) X(clear_cache, 0) X(concat, 2) X(cos, 1) X(cross_entropy, 4) X(cumsum, 4)           \
  X(custom, 6) X(custom_input, 1)                                                                 \
  X(default_dtype, 1) X(device, 1) X(device_count, 1) X(device_info, 2) X(dim, 1)                 \
  X(disk_cache, 2) X(disk_cache_info, 0) X(div, 2) X(dropout, 2) X(dtype, 1) X(eq, 2) X(erf, 1)   \
  X(exp, 1) X(expm1, 1) X(field, 2) X(flash_attention, 7) X(floor, 1) X(floor_div, 2)             \
  X(fold_windows, 4) X(full, 3) X(function, 5) X(gather, 3) X(gather_along, 3) X(ge, 2)           \
  X(gelu, 2) X(grad_begin, 0) X(grad_end, 1) X(grad_finish, 3) X(grad_leaf, 1) X(gt, 2)           \
  X(home, 1) X(if, 4) X(iota, 3) X(is_param, 1) X(is_tensor, 2) X(is_tracing, 0)                  \
  X(is_undecided, 1) X(layer_norm, 4) X(lazy, 1) X(le, 2) X(library, 0) X(load_optimizer, 3)      \
  X(load_tensors, 1) X(log, 1) X(log1p, 1) X(loss_scale, 2) X(lt, 2) X(matmul, 4) X(matrix, 1)    \
  X(max, 2)                                                                                       \
  X(memory_budget, 1) X(min, 2) X(mod, 2) X(mse, 3) X(mul, 2) X(ne, 2) X(neg, 1) X(not, 1)        \
  X(one_hot, 4) X(optimizer, 2) X(optimizer_scale, 2) X(optimizer_state, 1) X(or, 2) X(pad, 4)    \
  X(pow, 2) X(profile, 1)                                                                         \
  X(program_call, 2) X(program_open, 2) X(random, 3) X(reduce, 4) X(relu, 1) X(reshape, 2)        \
  X(rms_norm, 3) X(round, 1) X(rsqrt, 1) X(save_tensors, 2) X(scatter_along, 4) X(set_data, 2)    \
  X(set_grad, 2) X(set_library, 1) X(sigmoid, 1) X(sign, 1) X(silu, 1) X(sin, 1) X(slice, 4)      \
  X(softmax, 3) X(softmax_cross_entropy, 5) X(softplus, 1) X(sort, 5) X(sqrt, 1) X(stats, 0)      \
  X(step, 4) X(stop_gradient, 1) X(sub, 2) X(tanh, 1) X(tape, 1) X(tensor, 4) X(threads, 1)       \
  X(to_device, 2) X(trace_arguments, 2) X(trace_begin, 0) X(trace_end, 0) X(trace_finish, 3)      \
  X(trace_print, 2) X(trip, 0) X(update, 8) X(where, 3) X(windows, 4) X(zero_grad, 1)
// clang-format on

extern "C" {

#define PARAMETERS_0
#define PARAMETERS_1 SEXP
#define PARAMETERS_2 SEXP, SEXP
#define PARAMETERS_3 SEXP, SEXP, SEXP
#define PARAMETERS_4 SEXP, SEXP, SEXP, SEXP
#define PARAMETERS_5 SEXP, SEXP, SEXP, SEXP, SEXP
#define PARAMETERS_6 SEXP, SEXP, SEXP, SEXP, SEXP, SEXP
#define PARAMETERS_7 SEXP, SEXP, SEXP, SEXP, SEXP, SEXP, SEXP
#define PARAMETERS_8 SEXP, SEXP, SEXP, SEXP, SEXP, SEXP, SEXP, SEXP
#define X(name, count) SEXP C_##name(PARAMETERS_##count);
TENON_CALLS(X)
#undef X

/// The namespace, where the helpers live that C calls.
SEXP C_home(SEXP env) {
  R_PreserveObject(packageEnv = env);
  return R_NilValue;
}

void attribute_visible R_init_tenon(DllInfo *dll) {
  static const R_CallMethodDef calls[] = {
#define X(name, count) {"C_" #name, reinterpret_cast<DL_FUNC>(&C_##name), count},
      TENON_CALLS(X)
#undef X
          {nullptr, nullptr, 0}};
  R_registerRoutines(dll, nullptr, calls, nullptr, nullptr);
  R_useDynamicSymbols(dll, FALSE);
  R_forceSymbols(dll, TRUE);
  initRecorder();
  initDeviceStorage(dll);
  initLazyArrays(dll);
  jit::initScratch();
}
}
