/*===- train.c - Train the character model, without R and without a compiler -===
 *
 * Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * train.R compiles the model ahead of time:
 *
 *   Rscript train.R .
 *   cc train.c -I. -L. -lchar_model $(pkg-config --cflags --libs tenon-runtime) -lm \
 *     -Wl,-rpath,'$ORIGIN' -o train
 *   ./train text.bin 200
 *
 * The model has about a hundred tensors of state, so it is called by what its programs
 * tell of themselves (tenon/library.h), not by the function that char_model.h declares.
 *
 *===----------------------------------------------------------------------===*/
#include "char_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(tenon_status status) {
  if (!status)
    return;
  fprintf(stderr, "train: %s\n", tenon_status_message(status));
  tenon_status_free(status);
  exit(1);
}

static void *allocate(size_t bytes) {
  void *data = calloc(bytes ? bytes : 1, 1);
  if (data)
    return data;
  fprintf(stderr, "train: no memory for %zu bytes\n", bytes);
  exit(1);
}

/* All extents of this model are known. */
static int64_t extent(const tenon_port *port, int64_t axis) {
  return port->extents[axis].code[0].value;
}

static tenon_tensor tensor_of(const tenon_port *port, void *data) {
  tenon_tensor tensor = {NULL, data, port->dtype, port->rank, NULL};
  return tensor;
}

static void *allocate_for(const tenon_port *port) {
  size_t bytes = (size_t)tenon_dtype_size((tenon_dtype)port->dtype);
  for (int64_t d = 0; d < port->rank; d++)
    bytes *= (size_t)extent(port, d);
  return allocate(bytes);
}

/* The text as numbers of characters, from 1. */
static int32_t *read_text(const char *path, int64_t *length) {
  FILE *file = fopen(path, "rb");
  if (!file) {
    perror(path);
    exit(1);
  }
  fseek(file, 0, SEEK_END);
  *length = ftell(file) / (long)sizeof(int32_t);
  rewind(file);
  int32_t *text = allocate((size_t)*length * sizeof(int32_t));
  if (fread(text, sizeof(int32_t), (size_t)*length, file) != (size_t)*length) {
    perror(path);
    exit(1);
  }
  fclose(file);
  return text;
}

static int64_t next_random(int64_t *state) { return *state = *state * 16807 % 2147483647; }

/* Warm-up, then a cosine. */
static double learning_rate(int64_t t) {
  double steps = 2800, warm = t < 100 ? t / 100.0 : 1;
  return 2e-3 * warm * (0.05 + 0.95 * 0.5 * (1 + cos(3.14159265358979323846 * t / steps)));
}

/* What a step takes beside its state. */
static struct {
  double rate, t;
  int64_t seed, batch, context;
  int32_t *ids, *targets;
  float loss;
} step;

static void *input_for(const tenon_port *port) {
  if (strcmp(port->name, "rate") == 0)
    return &step.rate;
  if (strcmp(port->name, "t") == 0)
    return &step.t;
  if (strcmp(port->name, "seed") == 0)
    return &step.seed;
  int32_t **ids = strcmp(port->name, "ids") == 0 ? &step.ids : &step.targets;
  step.batch = extent(port, 0), step.context = extent(port, 1);
  return *ids = allocate_for(port);
}

/* The first state: what `init` gives, in the order in which `step` takes it. */
static tenon_tensor *first_state(void) {
  tenon_executable *init;
  check(tenon_artifact_executable(&char_model_artifact, "init", NULL, &init));
  const tenon_program *program = tenon_executable_program(init);
  tenon_tensor *state = allocate((size_t)program->num_outputs * sizeof *state);
  for (int64_t i = 0; i < program->num_outputs; i++)
    state[i] = tensor_of(&program->outputs[i], allocate_for(&program->outputs[i]));
  check(tenon_executable_run(init, NULL, 0, state, program->num_outputs, NULL));
  tenon_executable_release(init);
  return state;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: train text.bin STEPS\n");
    return 1;
  }
  int64_t length, steps = atol(argv[2]), random = 1, seeds = 7;
  int32_t *text = read_text(argv[1], &length);
  tenon_executable *executable;
  check(tenon_artifact_executable(&char_model_artifact, "step", NULL, &executable));
  const tenon_program *program = tenon_executable_program(executable);
  tenon_tensor *state = first_state();
  tenon_tensor *inputs = allocate((size_t)program->num_inputs * sizeof *inputs);
  tenon_tensor *outputs = allocate((size_t)program->num_outputs * sizeof *outputs);
  /* State is updated in place: an output has the address of the input that it replaces. */
  for (int64_t i = 0; i < program->num_outputs; i++) {
    const tenon_port *port = &program->outputs[i];
    if (port->donates < 0)
      outputs[i] = tensor_of(port, &step.loss);
    else
      inputs[port->donates] = outputs[i] = *state++;
  }
  for (int64_t i = 0; i < program->num_inputs; i++)
    if (!inputs[i].data)
      inputs[i] = tensor_of(&program->inputs[i], input_for(&program->inputs[i]));

  for (int64_t k = 1; k <= steps; k++) {
    for (int64_t b = 0; b < step.batch; b++) {
      const int32_t *window = text + next_random(&random) % (length - step.context);
      memcpy(step.ids + b * step.context, window, (size_t)step.context * sizeof *window);
      memcpy(step.targets + b * step.context, window + 1, (size_t)step.context * sizeof *window);
    }
    step.rate = learning_rate(k), step.t = (double)k, step.seed = next_random(&seeds);
    check(tenon_executable_run(executable, inputs, program->num_inputs, outputs,
                               program->num_outputs, NULL));
    printf("%.9g\n", step.loss);
  }
  tenon_executable_release(executable);
  return 0;
}
