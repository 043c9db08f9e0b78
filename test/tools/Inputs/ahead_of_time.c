/*===- ahead_of_time.c - Calls what ahead-of-time.mlir compiles ------------===
 *
 * Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/
#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#ifdef OTHER
#include "other.h"
#define model_rows other_rows /* half of the calls go to the other model */
#endif

static void check(tenon_status status) {
  if (!status)
    return;
  fprintf(stderr, "%s\n", tenon_status_message(status));
  exit(1);
}

int main(void) {
  float x[] = {1, 2, 3, 4, 5, 6}, v[] = {1, 2, 3}, y[2] = {-1, -1};
  check(model_rows(2, x, v, y, NULL));
  printf("rows: %g %g\n", y[0], y[1]);
  y[0] = -1;
  check(model_rows(0, x, v, y, NULL));
  printf("no rows: %s\n", y[0] == -1 ? "none" : "some");

  double w[] = {1, 2}, dw[] = {1, 1}, n[2];
  check(model_step(w, dw, w, NULL));
  printf("in place: %g %g\n", w[0], w[1]);
  check(model_step(w, dw, n, NULL));
  printf("out of place: %g %g from %g %g\n", n[0], n[1], w[0], w[1]);

  tenon_status status = model_rows(2, x, NULL, y, NULL);
  printf("null: %s error: %s\n", tenon_code_name(tenon_status_code(status)),
         tenon_status_message(status));
  tenon_status_free(status);

  printf("entries:");
  for (int64_t i = 0; i < model_artifact.num_entries; i++)
    printf(" %s", model_artifact.entries[i].name);
  printf("\n");
  return 0;
}
