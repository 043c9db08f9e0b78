//===- Buffer.cpp - buffer entry points -----------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocation, reference counts, and range-checked transfers.
//
//===----------------------------------------------------------------------===//
#include "runtime/Buffer.h"

#include "runtime/Status.h"

using namespace tenon::runtime;

tenon_status tenon_buffer_allocate(tenon_device *device, int64_t bytes, tenon_buffer **buffer) {
  if (!device || !buffer)
    return nullArgument("tenon_buffer_allocate", device ? "buffer" : "device");
  if (bytes < 0)
    return tenon_status_make(TENON_ERROR_ARGUMENT,
                             "cannot allocate a buffer: expected a size of at "
                             "least 0 bytes, got %" PRId64,
                             bytes);
  return guarded([&]() -> tenon_status {
    auto created = std::make_unique<tenon_buffer>();
    created->device = device;
    TENON_TRY(device->allocate(bytes, created->memory));
    *buffer = created.release();
    return nullptr;
  });
}

void tenon_buffer_retain(tenon_buffer *buffer) {
  if (buffer)
    buffer->references.fetch_add(1, std::memory_order_relaxed);
}

void tenon_buffer_release(tenon_buffer *buffer) {
  if (buffer && buffer->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete buffer;
}

int64_t tenon_buffer_bytes(tenon_buffer *buffer) { return buffer ? buffer->memory.bytes() : 0; }

tenon_device *tenon_buffer_device(tenon_buffer *buffer) {
  return buffer ? buffer->device : nullptr;
}

void *tenon_buffer_data(tenon_buffer *buffer) {
  return buffer && buffer->device->hostMemory() ? buffer->memory.address() : nullptr;
}

int32_t tenon_buffer_lost(tenon_buffer *buffer) { return buffer && buffer->memory.lost(); }

static tenon_status checkRange(const tenon_buffer *buffer, int64_t offset, int64_t bytes,
                               const char *role) {
  int64_t size = buffer->memory.bytes();
  if (buffer->memory.lost())
    return tenon_status_make(TENON_ERROR_DEVICE,
                             "%s: a buffer of %" PRId64 " bytes, which was lost with device '%s'",
                             role, size, buffer->device->driverName());
  if (offset >= 0 && bytes >= 0 && offset <= size && bytes <= size - offset)
    return nullptr;
  return tenon_status_make(TENON_ERROR_ARGUMENT,
                           "%s range out of bounds: %" PRId64 " bytes at offset %" PRId64
                           " of a buffer of %" PRId64 " bytes",
                           role, bytes, offset, size);
}

static char *at(const tenon_buffer *buffer, int64_t offset) {
  return static_cast<char *>(buffer->memory.address()) + offset;
}

tenon_status tenon_buffer_write(tenon_buffer *buffer, int64_t offset, const void *source,
                                int64_t bytes) {
  if (!buffer || (!source && bytes > 0))
    return nullArgument("tenon_buffer_write", buffer ? "source" : "buffer");
  TENON_TRY(checkRange(buffer, offset, bytes, "write"));
  if (bytes > 0)
    return buffer->device->write(at(buffer, offset), source, bytes);
  return nullptr;
}

tenon_status tenon_buffer_read(tenon_buffer *buffer, int64_t offset, void *target, int64_t bytes) {
  if (!buffer || (!target && bytes > 0))
    return nullArgument("tenon_buffer_read", buffer ? "target" : "buffer");
  TENON_TRY(checkRange(buffer, offset, bytes, "read"));
  if (bytes > 0)
    return buffer->device->read(target, at(buffer, offset), bytes);
  return nullptr;
}

/// Between devices: straight where one side is host memory, else through the
/// host in pieces.
static tenon_status copyAcross(tenon_buffer *target, int64_t targetOffset, tenon_buffer *source,
                               int64_t sourceOffset, int64_t bytes) {
  if (source->device->hostMemory())
    return target->device->write(at(target, targetOffset), at(source, sourceOffset), bytes);
  if (target->device->hostMemory())
    return source->device->read(at(target, targetOffset), at(source, sourceOffset), bytes);
  constexpr int64_t piece = int64_t(1) << 20;
  auto staging = std::make_unique<char[]>(size_t(piece));
  for (int64_t done = 0; done < bytes; done += piece) {
    int64_t size = bytes - done < piece ? bytes - done : piece;
    TENON_TRY(source->device->read(staging.get(), at(source, sourceOffset + done), size));
    TENON_TRY(target->device->write(at(target, targetOffset + done), staging.get(), size));
  }
  return nullptr;
}

tenon_status tenon_buffer_copy(tenon_buffer *target, int64_t targetOffset, tenon_buffer *source,
                               int64_t sourceOffset, int64_t bytes) {
  if (!target || !source)
    return nullArgument("tenon_buffer_copy", target ? "source" : "target");
  TENON_TRY(checkRange(target, targetOffset, bytes, "copy target"));
  TENON_TRY(checkRange(source, sourceOffset, bytes, "copy source"));
  if (bytes == 0)
    return nullptr;
  return guarded([&]() -> tenon_status {
    if (target->device == source->device)
      return target->device->copy(at(target, targetOffset), at(source, sourceOffset), bytes);
    return copyAcross(target, targetOffset, source, sourceOffset, bytes);
  });
}
