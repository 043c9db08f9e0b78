/*===- fit.c - Train a model that was compiled ahead of time ---------------===
 *
 * Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * line.h and the code behind it are made of line.mlir by tenon-compile.
 *
 *===----------------------------------------------------------------------===*/
#include "line.h"

#include <stdio.h>

int main(void) {
  float x[40], y[40], w = 0, b = 0, rate = 0.2f, loss = 0;
  for (int i = 0; i < 40; i++) {
    x[i] = (float)i / 20 - 1;
    y[i] = 2 * x[i] - 1;
  }
  for (int step = 1; step <= 100; step++) {
    /* w and b are updated in place; the batch has any size. */
    tenon_status status = line_step(40, x, y, &w, &b, &rate, &w, &b, &loss, NULL);
    if (status) {
      fprintf(stderr, "step %d: %s\n", step, tenon_status_message(status));
      tenon_status_free(status);
      return 1;
    }
    if (step % 25 == 0)
      printf("step %3d: loss %.6f, y = %.3f x %+.3f\n", step, loss, w, b);
  }
  return 0;
}
