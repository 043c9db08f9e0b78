//===- artifact.h - what compiled code and the runtime agree on -*- C -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel ABI and the description of a program: kernels, buffer slots and a
// launch schedule. Code generators produce it, the runtime executes it. Plain C,
// no LLVM, no C++: the same for just-in-time and ahead-of-time code.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_ARTIFACT_H
#define TENON_ARTIFACT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Version of everything in this header. A program of another version is refused.
#define TENON_ABI_VERSION 3

/// Element types. Values are part of the ABI.
typedef enum tenon_dtype {
  TENON_F64 = 0,
  TENON_F32 = 1,
  TENON_F16 = 2,
  TENON_BF16 = 3,
  TENON_I64 = 4,
  TENON_I32 = 5,
  TENON_I8 = 6,
  TENON_I1 = 7, ///< one byte per element, 0 or 1
} tenon_dtype;

//===----------------------------------------------------------------------===//
// Kernel ABI
//===----------------------------------------------------------------------===//

typedef struct tenon_env tenon_env;

/// A slice [begin, end) of a parallel loop. `worker` is in [0, env->num_workers)
/// and no two slices run with the same worker at the same time. `context` is
/// what the kernel gave to parallel_for.
typedef void (*tenon_body)(tenon_env *env, void *context, int64_t begin, int64_t end,
                           int64_t worker);

/// What a kernel may use besides its buffers. Owned by the runtime; valid for
/// one launch. Field offsets are known to generated code: all fields are 8 bytes.
struct tenon_env {
  /// Runs body over [0, n) in slices of `chunk` iterations (the last may be
  /// shorter); slice boundaries depend on n and chunk alone, never on the
  /// number of threads. Returns when all slices are done.
  void (*parallel_for)(tenon_env *env, tenon_body body, void *context, int64_t n, int64_t chunk);
  /// Scratch of this launch, 64-byte aligned, contents undefined:
  /// `scratch_shared` bytes, then `scratch_per_worker` bytes for each worker.
  unsigned char *scratch;
  int64_t scratch_shared;
  int64_t scratch_per_worker;
  int64_t num_workers;
  /// Points at a flag that becomes non-zero when the run is to be cancelled.
  /// Kernels need not look; parallel_for and the schedule do.
  const int32_t *cancelled;
  void *runtime; ///< private to the runtime
  /// For kernels compiled with bounds checks. A kernel first says how many bytes each of its
  /// `count` buffers has; then asks before each access of `bytes` at `address` to one of them,
  /// to scratch (TENON_CHECK_SCRATCH) or to any of these (TENON_CHECK_ANY). Gives the address or,
  /// after the run was made to fail, one where nothing can be harmed.
  void (*begin_checks)(tenon_env *env, int64_t count, void *const *buffers, const int64_t *bytes);
  void *(*check_access)(tenon_env *env, void *address, int64_t bytes, int64_t buffer,
                        int64_t writes);
};

#define TENON_CHECK_ANY -1
#define TENON_CHECK_SCRATCH -2
/// Of one access.
#define TENON_CHECK_MOST_BYTES 32768

/// A kernel. `buffers` are the addresses of its operands then results, 64-byte
/// alignment NOT guaranteed for caller-owned ones; `extents` are the values of
/// its dynamic extents in the order in which the program lists them.
typedef void (*tenon_kernel)(tenon_env *env, void *const *buffers, const int64_t *extents);

//===----------------------------------------------------------------------===//
// Program description
//===----------------------------------------------------------------------===//

/// A size computed at run time, in postfix order: `code` holds opcodes, the
/// operand stack holds int64. Example: 4 * s0 * s1 =
///   CONST 4, SYMBOL 0, MUL, SYMBOL 1, MUL.
typedef enum tenon_expr_op {
  TENON_EXPR_CONST = 0,   ///< push value
  TENON_EXPR_SYMBOL = 1,  ///< push symbols[value]
  TENON_EXPR_THREADS = 2, ///< push the number of workers
  TENON_EXPR_ADD = 3,
  TENON_EXPR_SUB = 4,
  TENON_EXPR_MUL = 5,
  TENON_EXPR_CEILDIV = 6,
  TENON_EXPR_ALIGN = 7, ///< a b -> a rounded up to a multiple of b
  TENON_EXPR_MAX = 8,
  TENON_EXPR_MIN = 9,
} tenon_expr_op;

typedef struct tenon_expr_code {
  int64_t op; ///< tenon_expr_op
  int64_t value;
} tenon_expr_code;

typedef struct tenon_expr {
  const tenon_expr_code *code;
  int64_t length; ///< 1 with CONST for a static size
} tenon_expr;

/// A named input or output.
typedef struct tenon_port {
  const char *name;
  int64_t dtype; ///< tenon_dtype
  int64_t rank;
  const tenon_expr *extents; ///< rank of them. For an input, a lone SYMBOL
                             ///< binds that symbol; anything else is checked.
  int64_t donates;           ///< output: the input whose storage it may reuse, or -1
} tenon_port;

typedef enum tenon_slot_kind {
  TENON_SLOT_INPUT = 0,    ///< index = input
  TENON_SLOT_OUTPUT = 1,   ///< index = output
  TENON_SLOT_CONSTANT = 2, ///< data = the bytes
  TENON_SLOT_ARENA = 3,    ///< offset into the arena
  TENON_SLOT_VIEW = 4,     ///< base slot `index` plus `offset` bytes
} tenon_slot_kind;

typedef struct tenon_slot {
  int64_t kind;
  int64_t index;
  const void *data;
  int64_t bytes; ///< CONSTANT: of `data`
  tenon_expr offset;
} tenon_slot;

/// In tenon_dispatch::bindings: the scratch of the launch.
#define TENON_BINDING_SCRATCH -1
/// Words of parameters that a dispatch takes as push constants, the least that Vulkan has.
#define TENON_MOST_PUSHED_WORDS 32

/// One dispatch of a kernel on a GPU: a SPIR-V module with one compute shader. Its buffers are
/// storage buffers of descriptor set 0, numbered as in `bindings`. A slot that is no view begins at
/// a multiple of 64 bytes, arguments among them. Its parameters are 32-bit
/// words: for each binding the bytes from where it is bound to where the buffer begins, then the
/// kernel's extents. They are push constants, or, if they are more than
/// TENON_MOST_PUSHED_WORDS, words of one more storage buffer, binding `num_bindings`.
typedef struct tenon_dispatch {
  const void *spirv; ///< words of a module in the host's byte order
  int64_t spirv_bytes;
  const char *entry; ///< name of the entry point
  int64_t num_bindings;
  const int64_t *bindings; ///< index into the kernel's buffers, or TENON_BINDING_SCRATCH
  tenon_expr groups[3];    ///< workgroups along x, y, z; symbols are the kernel's extents
  int64_t subgroup_size;   ///< that the code counts on, or 0
  /// 1: elements of its cooperative matrices lie among the lanes as in the fragments of NVIDIA's
  /// mma.m16n8k16 (PTX ISA), which no Vulkan device promises; the driver knows which have them so.
  int64_t fragments;
} tenon_dispatch;

/// One kernel of a program, with what the profiler and the cost report show.
typedef struct tenon_kernel_desc {
  const char *name;
  const char *location; ///< source ops, for people
  tenon_kernel function;
  tenon_expr flops;
  tenon_expr bytes; ///< compulsory traffic: operands read plus results written
  tenon_expr scratch_shared;
  tenon_expr scratch_per_worker;
  int64_t num_results; ///< the last ones of its buffers: it writes them, and only them
  /// On a GPU, where `function` is null: in this order, each after the one before it is done.
  int64_t num_dispatches;
  const tenon_dispatch *dispatches;
} tenon_kernel_desc;

typedef enum tenon_step_kind {
  TENON_STEP_LAUNCH = 0,
  TENON_STEP_LOOP = 1,
  TENON_STEP_COPY = 2, ///< slots[0] = destination, slots[1] = source, size = bytes
  TENON_STEP_IF = 3,   ///< runs `body` if the i1 in condition_slot is not 0, else `else_body`
} tenon_step_kind;

typedef struct tenon_step tenon_step;

/// A carried value of a loop: before the first trip `body_slot` holds what
/// `init` holds; after each trip the contents of `next_slot` become those of
/// `body_slot`. The runtime does it by exchanging the addresses of `body_slot`
/// and `next_slot` (both are ARENA or OUTPUT slots of the same size), or not at
/// all where they are the same slot (updated in place). When the loop ends the
/// value stands in `result` (copied there unless it is already there).
typedef struct tenon_carried {
  int64_t init, body_slot, next_slot, result;
  tenon_expr size; ///< bytes
} tenon_carried;

/// A value sliced along its leading axis: in trip t, `body_slot` (a VIEW) is
/// `base` + (reverse ? trips - 1 - t : t) * stride bytes.
typedef struct tenon_scanned {
  int64_t base, body_slot;
  tenon_expr stride;
} tenon_scanned;

/// One node of the schedule.
struct tenon_step {
  int64_t kind;
  int64_t kernel;          ///< LAUNCH
  int64_t num_slots;       ///< LAUNCH, COPY
  const int64_t *slots;    ///< operands then results
  const tenon_expr *sizes; ///< LAUNCH: bytes of what each holds; NULL for a function if need be
  int64_t num_extents;
  const tenon_expr *extents; ///< LAUNCH: values of the kernel's `extents`
  tenon_expr size;           ///< COPY
  // LOOP
  tenon_expr trips;
  int64_t reverse;
  int64_t index_slot; ///< slot of an i64 scalar that receives the place of the trip's
                      ///< slices (in reverse it counts down), or -1
  int64_t num_carried;
  const tenon_carried *carried;
  int64_t num_scanned;
  const tenon_scanned *scanned;
  int64_t num_body;
  const tenon_step *body; ///< IF, too
  // IF
  int64_t condition_slot;
  int64_t num_else;
  const tenon_step *else_body;
};

/// What extents must fulfil beyond the types of the inputs; checked before a run.
typedef enum tenon_check_kind {
  TENON_CHECK_EQUAL = 0,    ///< left == right
  TENON_CHECK_AT_LEAST = 1, ///< left >= right
  TENON_CHECK_MULTIPLE = 2, ///< right divides left; of 0 only 0 is a multiple
} tenon_check_kind;

typedef struct tenon_check {
  int64_t kind;
  tenon_expr left, right;
  const char *what; ///< whose requirement it is, for the message
} tenon_check;

/// A whole program. Everything it points to outlives every executable made of it.
typedef struct tenon_program {
  int64_t abi_version; ///< TENON_ABI_VERSION
  const char *name;
  int64_t num_symbols;
  int64_t num_inputs;
  const tenon_port *inputs;
  int64_t num_outputs;
  const tenon_port *outputs;
  int64_t num_kernels;
  const tenon_kernel_desc *kernels;
  int64_t num_slots;
  const tenon_slot *slots;
  int64_t num_steps;
  const tenon_step *steps;
  tenon_expr arena_bytes;
  int64_t num_checks;
  const tenon_check *checks;
} tenon_program;

#ifdef __cplusplus
}
#endif
#endif // TENON_ARTIFACT_H
