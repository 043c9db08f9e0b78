// A library that is compiled ahead of time gives the results of the program that is
// compiled in the process, and its C functions can be called.
// RUN: rm -rf %t && mkdir -p %t
// RUN: tenon-compile %s --emit=shared -o %t/libmodel.so
// RUN: tenon-run %s --extent=5 > %t/expected
// RUN: tenon-run %t/libmodel.so --extent=5 > %t/got
// RUN: diff %t/expected %t/got
// RUN: FileCheck %s --check-prefix=HEADER < %t/model.h
// RUN: llvm-readelf -d %t/libmodel.so | FileCheck %s --check-prefix=NEEDED
// RUN: llvm-nm -D --defined-only %t/libmodel.so | FileCheck %s --check-prefix=EXPORTS

// Whole files: loops, donated state, random numbers, constants.
// RUN: tenon-compile %S/../e2e/train.mlir --emit=shared -o %t/libtrain.so
// RUN: tenon-run %S/../e2e/train.mlir > %t/expected
// RUN: tenon-run %t/libtrain.so > %t/got
// RUN: diff %t/expected %t/got
// RUN: tenon-compile %S/../e2e/attention.mlir --emit=shared -o %t/libattention.so
// RUN: tenon-run %S/../e2e/attention.mlir > %t/expected
// RUN: tenon-run %t/libattention.so > %t/got
// RUN: diff %t/expected %t/got

// From C, as a library and as an object beside another model with the same kernels.
// RUN: %clang -std=c99 -Wall -Wextra -Werror %S/Inputs/ahead_of_time.c -I%t %runtime_flags \
// RUN:   %t/libmodel.so -Wl,-rpath,%t -o %t/shared
// RUN: %t/shared | FileCheck %s --check-prefix=CALL
// RUN: tenon-compile %s --emit=object -o %t/model.o
// RUN: tenon-compile %s --emit=object -o %t/other.o
// RUN: %clang -std=c99 -DOTHER %S/Inputs/ahead_of_time.c -I%t %t/model.o %t/other.o \
// RUN:   %runtime_flags -o %t/static
// RUN: %t/static | FileCheck %s --check-prefix=CALL
// RUN: %clang -x c++ -fsyntax-only -Wall -Werror %t/model.h %include_flags

// Code for several processors: the best that this one runs is taken. Nothing of one is in another.
// RUN: tenon-compile %s --emit=shared --march=x86-64-v2,x86-64-v4,x86-64-v3 -o %t/libmany.so
// RUN: tenon-run %t/libmany.so --extent=5 --quiet
// RUN: llvm-readelf -p .note.tenon %t/libmany.so | FileCheck %s --check-prefix=MANY
// RUN: not tenon-compile %s --march=x86-64-v2,x86-64-v3 --emit=asm 2>&1 | FileCheck %s --check-prefix=ONE

// The same input and flags give the same bytes.
// RUN: mkdir %t/again && tenon-compile %s --emit=shared -o %t/again/libmodel.so
// RUN: cmp %t/libmodel.so %t/again/libmodel.so && cmp %t/model.h %t/again/model.h

// HEADER-LABEL: /* rows
// HEADER:       input0_extent0  in   extent, at least 0
// HEADER:       input0          in   f32 [input0_extent0, 3]
// HEADER:       input1          in   f32 [3, 1]
// HEADER:       output0         out  f32 [input0_extent0, 1]
// HEADER:       tenon_status model_rows(int64_t input0_extent0, const float *input0, const float *input1, float *output0, const tenon_run_options *options);
// HEADER-LABEL: /* step
// HEADER:       w   in   f64 [2]
// HEADER:       dw  in   f64 [2]
// HEADER:       w_2 out  f64 [2]  replaces w
// HEADER:       tenon_status model_step(const double *w, const double *dw, double *w_2, const tenon_run_options *options);
// HEADER:       extern const tenon_artifact model_artifact;
// NEEDED-COUNT-1: (NEEDED)
// NEEDED:       libmodel.so
// EXPORTS:      model_artifact
// EXPORTS-NEXT: model_rows
// EXPORTS-NEXT: model_step
// EXPORTS-NOT:  {{.}}
// CALL:         rows: 14 32
// CALL-NEXT:    no rows: none
// CALL-NEXT:    in place: 0.5 1.5
// CALL-NEXT:    out of place: 0 1 from 0.5 1.5
// CALL-NEXT:    null: argument error: {{.*}}'input1'
// CALL-NEXT:    entries: rows step
// MANY:         x86-64-v4
// MANY:         x86-64-v3
// MANY:         x86-64-v2
// ONE:          --march: expected one processor for this --emit, got 'x86-64-v2,x86-64-v3'

func.func @rows(%x: tensor<?x3xf32>, %v: tensor<3x1xf32>) -> tensor<?x1xf32> {
  %y = tenon.matmul %x, %v : (tensor<?x3xf32>, tensor<3x1xf32>) -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}

func.func @step(%w: tensor<2xf64> {tenon.name = "w"}, %d: tensor<2xf64> {tenon.name = "dw"})
    -> (tensor<2xf64> {tenon.donates = 0 : i64, tenon.name = "w"}) {
  %r = tenon.constant dense<0.5> : tensor<2xf64>
  %s = tenon.mul %d, %r : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %n = tenon.sub %w, %s : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return %n : tensor<2xf64>
}

// Not an entry.
func.func private @hidden(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
