// load LIBRARY: loads a library of tenon-compile and runs its only function, of one f32[4].
#include "tenon/library.h"

#include <stdio.h>

static int fail(tenon_status status) {
  printf("%s: %s\n", tenon_code_name(tenon_status_code(status)), tenon_status_message(status));
  tenon_status_free(status);
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  tenon_library *library;
  tenon_executable *executable;
  tenon_status status = tenon_library_open(argv[1], &library);
  if (status)
    return fail(status);
  status = tenon_library_executable(library, NULL, NULL, &executable);
  if (status)
    return fail(status);
  float x[4] = {0, 1, 2, 3}, y[4];
  tenon_tensor input = {NULL, x, TENON_F32, 1, NULL}, output = {NULL, y, TENON_F32, 1, NULL};
  status = tenon_executable_run(executable, &input, 1, &output, 1, NULL);
  if (status)
    return fail(status);
  printf("%.4f %.4f %.4f %.4f\n", y[0], y[1], y[2], y[3]);
  tenon_executable_release(executable);
  tenon_library_release(library);
  return 0;
}
