//===- runtime.h - devices, buffers, executables ----------------*- C -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C API of libtenon_runtime.so. It knows no compiler.
//
// Conventions: a function that can fail returns a tenon_status, NULL when all is
// well; the caller frees any other with tenon_status_free. Out-parameters are
// written on success only. Objects are reference counted; `create`, `allocate`
// and `open` return one reference. No C++ exception leaves a function. Functions
// may be called from any thread unless they say otherwise.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_H
#define TENON_RUNTIME_H

#include "tenon/artifact.h"
#include <stddef.h>

#if defined(_WIN32)
#define TENON_API __declspec(dllexport)
#else
#define TENON_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// TENON_ABI_VERSION of the library in use.
TENON_API int64_t tenon_runtime_abi_version(void);

//===-- Status ------------------------------------------------------------===//

typedef enum tenon_code {
  TENON_OK = 0,
  TENON_ERROR_SHAPE = 1,
  TENON_ERROR_DTYPE = 2,
  TENON_ERROR_ARGUMENT = 3,
  TENON_ERROR_DEVICE = 4,
  TENON_ERROR_MEMORY = 5,
  TENON_ERROR_IO = 6,
  TENON_ERROR_COMPILE = 7,
  TENON_ERROR_CANCELLED = 8,
} tenon_code;

typedef struct tenon_status_object *tenon_status;

/// Makes a status; `format` as for printf. Never returns NULL (out of memory
/// yields a static status that may be freed like any other).
TENON_API tenon_status tenon_status_make(tenon_code code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
TENON_API tenon_code tenon_status_code(tenon_status status);
/// Message in UTF-8, owned by the status. "" for NULL.
TENON_API const char *tenon_status_message(tenon_status status);
TENON_API void tenon_status_free(tenon_status status);
/// "shape", "dtype", ... as in R's condition classes.
TENON_API const char *tenon_code_name(tenon_code code);

/// Bytes of one element, and the name ("f32").
TENON_API int64_t tenon_dtype_size(tenon_dtype dtype);
TENON_API const char *tenon_dtype_name(tenon_dtype dtype);

//===-- Threads -----------------------------------------------------------===//

/// Threads of the process's pool: TENON_NUM_THREADS, else the cores that the
/// process may use. Setting it takes effect before the next run; at least 1.
TENON_API int64_t tenon_num_threads(void);
TENON_API tenon_status tenon_set_num_threads(int64_t count);

//===-- Devices -----------------------------------------------------------===//

typedef struct tenon_device tenon_device;

typedef struct tenon_device_info {
  const char *driver;                ///< "cpu"
  const char *description;           ///< "AMD EPYC ..., 2 threads"
  int64_t memory_total, memory_free; ///< bytes
  const char *features;              ///< of "vulkan": "subgroup32 f64 f16 ...", words
  const char *kind;                  ///< "cpu", "discrete", "integrated", "virtual", "other"
} tenon_device_info;

/// Registered drivers, in order: "cpu", "null", "vulkan".
TENON_API int64_t tenon_driver_count(void);
TENON_API const char *tenon_driver_name(int64_t index);
/// How many devices a driver finds, the best first; 0 where there is none.
TENON_API tenon_status tenon_device_count(const char *driver, int64_t *count);
/// Opens device `index` of a driver. The same device object for every call. A driver may have no
/// device: the message says why.
TENON_API tenon_status tenon_device_open(const char *driver, int64_t index, tenon_device **device);
TENON_API void tenon_device_retain(tenon_device *device);
TENON_API void tenon_device_release(tenon_device *device);
TENON_API tenon_status tenon_device_info_get(tenon_device *device, tenon_device_info *info);
/// Bytes of live buffers and arenas on the device.
TENON_API int64_t tenon_device_bytes(tenon_device *device);

//===-- Buffers -----------------------------------------------------------===//

typedef struct tenon_buffer tenon_buffer;

/// `bytes` may be 0. Memory is 64-byte aligned and not initialised.
TENON_API tenon_status tenon_buffer_allocate(tenon_device *device, int64_t bytes,
                                             tenon_buffer **buffer);
TENON_API void tenon_buffer_retain(tenon_buffer *buffer);
TENON_API void tenon_buffer_release(tenon_buffer *buffer);
TENON_API int64_t tenon_buffer_bytes(tenon_buffer *buffer);
TENON_API tenon_device *tenon_buffer_device(tenon_buffer *buffer);
/// Host address where the device's memory is the host's (cpu), else NULL.
TENON_API void *tenon_buffer_data(tenon_buffer *buffer);
/// Whether it was lost with its device: what it held is gone, all but its size.
TENON_API int32_t tenon_buffer_lost(tenon_buffer *buffer);
TENON_API tenon_status tenon_buffer_write(tenon_buffer *buffer, int64_t offset, const void *source,
                                          int64_t bytes);
TENON_API tenon_status tenon_buffer_read(tenon_buffer *buffer, int64_t offset, void *target,
                                         int64_t bytes);
TENON_API tenon_status tenon_buffer_copy(tenon_buffer *target, int64_t target_offset,
                                         tenon_buffer *source, int64_t source_offset,
                                         int64_t bytes);

//===-- Lost devices ------------------------------------------------------===//

// A device can be lost: a driver gives up, or a GPU is taken away. What runs then ends with
// TENON_ERROR_DEVICE, and buffers on it are lost. The next use opens it again: new buffers and
// executables that were there before work on it, lost buffers are an error.

/// Keeps copies of `count` buffers of the device in the host's memory, in the place of those
/// that the last call kept (`count` may be 0); where it fails, these stay. No buffer is held by
/// it: a copy goes with its buffer. The buffers are not to be written meanwhile.
TENON_API tenon_status tenon_device_checkpoint(tenon_device *device, tenon_buffer *const *buffers,
                                               int64_t count);
/// Writes what the last checkpoint kept back into its buffers, be they lost or not: all hold what
/// they held then. It can be called again where it fails. The buffers are not to be used meanwhile.
TENON_API tenon_status tenon_device_restore(tenon_device *device);

//===-- Executables -------------------------------------------------------===//

typedef struct tenon_executable tenon_executable;

/// Frees what a program points to, once no executable uses it.
typedef void (*tenon_program_free)(void *owner);

/// Makes a program runnable on a device. Takes over `owner`: `free_owner(owner)`
/// is called when the executable dies, and also when this call fails.
TENON_API tenon_status tenon_executable_create(tenon_device *device, const tenon_program *program,
                                               void *owner, tenon_program_free free_owner,
                                               tenon_executable **executable);
TENON_API void tenon_executable_retain(tenon_executable *executable);
TENON_API void tenon_executable_release(tenon_executable *executable);
TENON_API const tenon_program *tenon_executable_program(tenon_executable *executable);
/// Where it runs; no new reference.
TENON_API tenon_device *tenon_executable_device(tenon_executable *executable);

/// An argument of a run: where it lies and what it is. Exactly one of `buffer`
/// and `data` is set; `data` is host memory owned by the caller (cpu: used in
/// place, no copy; other devices: copied). `extents` may be NULL for a port
/// whose extents are static.
typedef struct tenon_tensor {
  tenon_buffer *buffer;
  void *data;
  int64_t dtype;
  int64_t rank;
  const int64_t *extents;
} tenon_tensor;

/// A flag to cancel with; starts at 0.
typedef struct tenon_run_options {
  /// Set to non-zero from any thread to cancel. The run then ends with
  /// TENON_ERROR_CANCELLED, unless it has already begun to write donated state:
  /// such a step finishes (a LOOP ends after its current trip and reports
  /// CANCELLED with all state as of the last whole trip).
  const int32_t *cancel;
  /// Called on the calling thread at least every 50 ms of a long run with
  /// `poll_context`; a non-zero answer cancels as above. NULL: not polled.
  int32_t (*poll)(void *poll_context);
  void *poll_context;
} tenon_run_options;

/// Runs the program. Inputs are only read, except that an output may be given
/// the very address of the input it donates: it is then updated in place.
/// Shapes and dtypes are checked; a mismatch names the port, what was expected
/// and what came. Several threads may run one executable at a time, each run
/// has its own arena. Outputs must not overlap other arguments.
TENON_API tenon_status tenon_executable_run(tenon_executable *executable,
                                            const tenon_tensor *inputs, int64_t num_inputs,
                                            const tenon_tensor *outputs, int64_t num_outputs,
                                            const tenon_run_options *options);

/// Says from inside a kernel that it failed: the run ends after this launch with
/// `status`, which is taken over, and its outputs are undefined. Of several the first
/// counts. For kernels that are functions of this process (an interpreter, a driver's);
/// generated ones cannot fail. Any thread.
TENON_API void tenon_env_fail(tenon_env *env, tenon_status status);

/// Extents of output `index` for inputs of the given extents; `extents` has
/// room for the port's rank.
TENON_API tenon_status tenon_executable_output_extents(tenon_executable *executable,
                                                       const tenon_tensor *inputs,
                                                       int64_t num_inputs, int64_t index,
                                                       int64_t *extents);

//===-- Pipelines on disk -------------------------------------------------===//

/// Keeps what drivers of GPUs make of kernels in a folder, from where later processes take it: a
/// file of at most `most_bytes` (0: 64 MiB) for each device, good for one version of its driver.
/// Off until this is called. The folder is made if it is not there, with mode 0700; one of
/// another user, or that others may enter, is refused, since what lies there is run. NULL turns it
/// off. The compiler's tenon_disk_cache_open does all of this, too.
TENON_API tenon_status tenon_pipeline_cache_open(const char *folder, int64_t most_bytes);

/// Files, since the folder was opened.
typedef struct tenon_pipeline_cache_info {
  int64_t loaded, saved;
  int64_t refused;  ///< damaged, of another version of the driver, or open to others
  int64_t failures; ///< could not be written
} tenon_pipeline_cache_info;
/// Does nothing for NULL.
TENON_API void tenon_pipeline_cache_info_get(tenon_pipeline_cache_info *info);

//===-- Profiler ----------------------------------------------------------===//

/// Begins to record launches of the whole process.
TENON_API tenon_status tenon_profile_start(void);
/// Stops and writes Chrome trace JSON (Perfetto opens it): a complete event per
/// launch with kernel, thread (0: on a GPU, whose clock told the time), microseconds, bytes,
/// flops.
TENON_API tenon_status tenon_profile_stop(const char *path);

#ifdef __cplusplus
}
#endif
#endif // TENON_RUNTIME_H
