//===- compiler.h - compile traces and MLIR text ----------------*- C -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C API of libtenon_compiler.so: from a recorded trace or MLIR text to an
// executable of the runtime. Conventions as in runtime.h. All functions may be
// called from any thread; compilation itself is parallel over kernels.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_COMPILER_H
#define TENON_COMPILER_H

#include "tenon/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Version of this header and of the op table behind op ids.
#define TENON_COMPILER_VERSION 9
TENON_API int64_t tenon_compiler_version(void);

//===-- Traces ------------------------------------------------------------===//

/// Id of an op for `tenon_trace_node.op`, from its mnemonic ("matmul"); -1 if
/// unknown. Ids are stable within one build; `tenon_op_name` is the inverse.
TENON_API int64_t tenon_op_id(const char *mnemonic);
TENON_API const char *tenon_op_name(int64_t id);

#define TENON_TRACE_MAX_RANK 8

/// A value of a trace: an input or a result of a node.
typedef struct tenon_trace_value {
  int32_t dtype; ///< tenon_dtype
  int32_t rank;
  int64_t extents[TENON_TRACE_MAX_RANK]; ///< INT64_MIN = known at run time only
} tenon_trace_value;

typedef struct tenon_trace_node {
  int32_t op;            ///< id
  int32_t first_operand; ///< into `operands`
  int32_t num_operands;
  int32_t first_word; ///< into `words`: attributes in the order of the op's schema (ir/infer)
  int32_t num_words;
  int32_t first_result; ///< results are values first_result, first_result + 1, ...
  int32_t num_results;
  int32_t location; ///< into `locations`, or -1
} tenon_trace_node;

/// A recorded program in row-major terms. Values 0 .. num_inputs-1 are its
/// inputs; nodes are in order of execution and define the other values.
typedef struct tenon_trace {
  int32_t num_inputs;
  int32_t num_values;
  const tenon_trace_value *values;
  int32_t num_nodes;
  const tenon_trace_node *nodes;
  const int32_t *operands; ///< value ids; -1 for an absent optional operand
  int32_t num_operands;
  const int64_t *words;
  int32_t num_words;
  int32_t num_outputs;
  const int32_t *outputs;       ///< value ids
  const int32_t *donates;       ///< per output: the input it overwrites, or -1
  const char *const *locations; ///< names shown in reports; may be NULL
  int32_t num_locations;
  /// What the extents of inputs are multiples of, TENON_TRACE_MAX_RANK numbers for each input (1 or
  /// 0: nothing is said); may be NULL. Kernels have no code for rests of these, and runs with other
  /// extents fail. Of a loop the axes are those of the slice.
  const int64_t *multiples;
} tenon_trace;

/// Whether a GLSL compute shader can be that of a "custom" node with these inputs and results
/// (docs/vulkan.md): compiles it and checks what it binds. The error has lines of the source. Needs
/// no GPU.
TENON_API tenon_status tenon_check_shader(const char *glsl, const tenon_trace_value *inputs,
                                          int32_t num_inputs, const tenon_trace_value *results,
                                          int32_t num_results);

//===-- Compilation -------------------------------------------------------===//

typedef struct tenon_compile_options {
  /// "cpu" (default when NULL); "vulkan"; "reference"; "reference-bounds": the same and, behind all
  /// outputs, for each one an f64 array of its shape: how far rounding may take a right
  /// implementation from each element (infinite: no telling)
  const char *device;
  const char *march;   ///< NULL or "native", "x86-64-v3", ...
  int64_t opt_level;   ///< 0..3; 2 is the default
  const char *disable; ///< passes to leave out: "fuse-attention,fold-transposes"
  /// Most bytes that intermediate values may take in a run, besides inputs, outputs, constants
  /// and scratch of kernels; 0: no limit. Values are computed again where they would have
  /// to be kept; if that is not enough, compilation fails and says what is needed. Extents must be
  /// known then.
  int64_t memory_budget;
  /// Not 0: every access of a kernel to memory is checked, and one outside of its buffers makes
  /// the run fail with TENON_ERROR_MEMORY. For finding faults of the compiler; slow.
  int64_t sanitize;
  /// compile a loop: > 0 runs the trace that many times. Then inputs are: the
  /// `loop_state` carried values; the scanned values, each given whole with a
  /// leading axis of `loop_trips` (the trace sees one slice); `loop_invariant`
  /// values passed as they are; last an i64 scalar, the trip (0-based), not an
  /// input of the executable. Outputs are first the new state in order,
  /// then values that are stacked along a new leading axis.
  int64_t loop_trips;
  int64_t loop_state;
  int64_t loop_invariant;
  /// End the compilation with TENON_ERROR_CANCELLED, as in tenon_run_options: the call
  /// then returns within 50 ms and leaves nothing behind, what is half made is dropped.
  /// `poll` is called on the calling thread; compilation is on others meanwhile.
  const int32_t *cancel;
  int32_t (*poll)(void *poll_context);
  void *poll_context;
  /// Ahead of time: what code may use of a GPU beyond what every one has, as --gpu-features of
  /// tenon-compile: "cooperative-matrix,shuffle,preserve". NULL: nothing. In the process it is
  /// what the device has.
  const char *gpu_features;
  /// NULL, or "f16" or "bf16": products of f32 values are computed in it, and what follows them, as
  /// tenon-mixed-precision has it (docs/semantics.md). Inputs and outputs stay as they are.
  const char *mixed_precision;
} tenon_compile_options;

/// All defaults. Does nothing for NULL.
TENON_API void tenon_compile_options_init(tenon_compile_options *options);

/// Compiles, or finds in the process's cache, a trace. The key is the whole
/// trace (compared, not only hashed) and the options. The executable's inputs
/// and outputs are those of the trace, in order. The third variant of an extent of
/// an otherwise equal trace is compiled with that extent left open, if every op can
/// be, and the same executable serves all that follow: state the extents of inputs
/// and outputs when it is run. Where all three are multiples of 8, 16, 32 or 64, so is what it
/// serves; another one is compiled for extents that are not.
TENON_API tenon_status tenon_compile_trace(const tenon_trace *trace,
                                           const tenon_compile_options *options,
                                           tenon_executable **executable);

/// Compiles function `function` (NULL: the only one) of MLIR text or bytecode.
TENON_API tenon_status tenon_compile_mlir(const char *source, int64_t length, const char *function,
                                          const tenon_compile_options *options,
                                          tenon_executable **executable);

/// The IR of a trace after a phase: "input", "fused", "differentiated",
/// "kernels", "planned", "llvm", "asm"; or what --report of tenon-compile says of it:
/// "report-text", "report-json", "report-svg". Free `text` with tenon_text_free.
TENON_API tenon_status tenon_print_trace(const tenon_trace *trace,
                                         const tenon_compile_options *options, const char *phase,
                                         char **text);
TENON_API void tenon_text_free(char *text);

//===-- Ahead of time -----------------------------------------------------===//

/// A function of an artifact; see library.h for what becomes of it.
typedef struct tenon_artifact_function {
  const char *name;
  const tenon_trace *trace;
  const char *const *input_names; ///< of all inputs of the trace
  const char *const *output_names;
  /// NULL, or for each input NULL or its elements, dense: it is a constant of the program
  /// then, and no input of the entry.
  const void *const *constants;
  const char *metadata; ///< goes into the entry; may be NULL
} tenon_artifact_function;

/// Compiles functions into one file and writes its C header beside it, as tenon-compile
/// does: an object where `path` ends in ".o", else a shared library. The options' `march` may
/// name several processors, separated by commas; the device is "cpu", "vulkan", or "vulkan,cpu" for
/// code for both, of which one is chosen as tenon_artifact_executable says. Files are replaced
/// when all is well. Loops and other devices are refused.
TENON_API tenon_status tenon_compile_artifact(const tenon_artifact_function *functions,
                                              int64_t num_functions,
                                              const tenon_compile_options *options,
                                              const char *path);

//===-- Cache -------------------------------------------------------------===//

typedef struct tenon_cache_info {
  int64_t entries, hits, misses;
  double compile_seconds;
} tenon_cache_info;
/// Does nothing for NULL.
TENON_API void tenon_cache_info_get(tenon_cache_info *info);
TENON_API void tenon_cache_clear(void);

//===-- Disk cache --------------------------------------------------------===//

/// Keeps what is compiled for CPU and GPU in a folder, from where later processes load it instead
/// of compiling it. Off until this is called. The folder is made if it is not there, with mode
/// 0700; one of another user, or that others may enter, is refused, since what lies there is
/// run. Entries are by the program, the options, the processor, the GPU with its features and
/// the build of this library. When they take more than `most_bytes` (0: 512 MiB), those that
/// were not used for the longest time are deleted. Several processes may share a folder. NULL turns
/// it off. What drivers of GPUs compile is kept there as well, as tenon_pipeline_cache_open has it:
/// at most an eighth more for each device.
TENON_API tenon_status tenon_disk_cache_open(const char *folder, int64_t most_bytes);

typedef struct tenon_disk_cache_info {
  int64_t entries, bytes; ///< in the folder now
  int64_t hits, misses;   ///< of this process
  int64_t failures;       ///< what could not be read or written; it was compiled in memory
} tenon_disk_cache_info;
/// Does nothing for NULL.
TENON_API void tenon_disk_cache_info_get(tenon_disk_cache_info *info);
/// Why the last of the failures was; NULL if there was none. For tenon_text_free.
TENON_API char *tenon_disk_cache_problem(void);

#ifdef __cplusplus
}
#endif
#endif // TENON_COMPILER_H
