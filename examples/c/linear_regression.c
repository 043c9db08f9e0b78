/*===- linear_regression.c - Compile and train from plain C ----------------===
 *
 * Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fits y = 2 x - 1: the program is MLIR text, its gradient is derived by the
 * compiler, and the weights are updated in place. The build makes it too, as
 * build/dev/bin/linear_regression. By hand, against what `make install` put under
 * build/dev/home, from the root of the repository:
 *
 *   export PKG_CONFIG_PATH=$PWD/build/dev/home/lib/pkgconfig
 *   cc examples/c/linear_regression.c $(pkg-config --cflags --libs tenon) -o linear_regression
 *   ./linear_regression
 *
 *===----------------------------------------------------------------------===*/
#include "tenon/compiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const source =
    "func.func @step(%x: tensor<16x1xf32>, %y: tensor<16x1xf32>, %w: tensor<1x1xf32>,\n"
    "                %b: tensor<1xf32>, %lr: tensor<f32>)\n"
    "    -> (tensor<1x1xf32> {tenon.donates = 2 : i64},\n"
    "        tensor<1xf32> {tenon.donates = 3 : i64}, tensor<f32>) {\n"
    "  %0 = tenon.matmul %x, %w : (tensor<16x1xf32>, tensor<1x1xf32>) -> tensor<16x1xf32>\n"
    "  %1 = tenon.broadcast %b {shape = array<i64: 16, 1>, dims = array<i64: 1>}\n"
    "     : (tensor<1xf32>) -> tensor<16x1xf32>\n"
    "  %2 = tenon.add %0, %1 : (tensor<16x1xf32>, tensor<16x1xf32>) -> tensor<16x1xf32>\n"
    "  %l = tenon.mse_loss %2, %y : (tensor<16x1xf32>, tensor<16x1xf32>) -> tensor<f32>\n"
    "  %gw = tenon.gradient %l, %w : (tensor<f32>, tensor<1x1xf32>) -> tensor<1x1xf32>\n"
    "  %gb = tenon.gradient %l, %b : (tensor<f32>, tensor<1xf32>) -> tensor<1xf32>\n"
    "  %nw = tenon.sgd %w, %gw, %lr\n"
    "     : (tensor<1x1xf32>, tensor<1x1xf32>, tensor<f32>) -> tensor<1x1xf32>\n"
    "  %nb = tenon.sgd %b, %gb, %lr\n"
    "     : (tensor<1xf32>, tensor<1xf32>, tensor<f32>) -> tensor<1xf32>\n"
    "  return %nw, %nb, %l : tensor<1x1xf32>, tensor<1xf32>, tensor<f32>\n"
    "}\n";

static void check(tenon_status status) {
  if (!status)
    return;
  fprintf(stderr, "%s error: %s\n", tenon_code_name(tenon_status_code(status)),
          tenon_status_message(status));
  tenon_status_free(status);
  exit(1);
}

static tenon_tensor tensor(float *data, int64_t rank) {
  tenon_tensor result = {NULL, data, TENON_F32, rank, NULL};
  return result; /* extents are static: the program knows them */
}

int main(int argc, char **argv) {
  tenon_compile_options options;
  tenon_compile_options_init(&options);
  if (argc > 1)
    options.device = argv[1]; /* "cpu" or "reference" */
  tenon_executable *step;
  check(tenon_compile_mlir(source, (int64_t)strlen(source), "step", &options, &step));

  float x[16], y[16], w = 0, b = 0, lr = 0.2f, loss = 0;
  for (int i = 0; i < 16; i++) {
    x[i] = (float)i / 8 - 1;
    y[i] = 2 * x[i] - 1;
  }
  tenon_tensor inputs[] = {tensor(x, 2), tensor(y, 2), tensor(&w, 2), tensor(&b, 1),
                           tensor(&lr, 0)};
  /* An output at the address of the input that it donates is updated in place. */
  tenon_tensor outputs[] = {tensor(&w, 2), tensor(&b, 1), tensor(&loss, 0)};
  for (int i = 1; i <= 100; i++) {
    check(tenon_executable_run(step, inputs, 5, outputs, 3, NULL));
    if (i % 25 == 0)
      printf("step %3d: loss %.6f, y = %.3f x %+.3f\n", i, loss, w, b);
  }
  tenon_executable_release(step);
  return 0;
}
