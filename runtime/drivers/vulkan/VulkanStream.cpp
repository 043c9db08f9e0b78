//===- VulkanStream.cpp - a run as command buffers ------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers stand where a command touches what one since the last barrier wrote, or
// writes what one read.
//
//===----------------------------------------------------------------------===//
#include "runtime/drivers/vulkan/VulkanStream.h"

#include "runtime/Expr.h"
#include "runtime/Faults.h"
#include "runtime/Status.h"
#include "runtime/platform/Platform.h"

#include <algorithm>
#include <cstring>

namespace tenon::runtime::vulkan {

constexpr uint64_t parameterBytes = uint64_t(64) << 10;
/// Behind parameters: stands for what is empty, as which something has to be bound.
constexpr uint64_t emptyBytes = 256;
constexpr uint32_t setsOfPiece = 512, buffersOfPiece = 4096;
constexpr int64_t mostCommandsEver = 512;
/// A piece should take less: somebody may wait to cancel.
constexpr int64_t longPiece = 20000000;
/// A part of a launch on a slow device is to take about so long; watchdogs end what takes seconds.
constexpr double wantedNanoseconds = 100e6;

VulkanStream::~VulkanStream() {
  for (Piece &piece : pieces) {
    device.api.DestroyDescriptorPool(device.device, piece.sets, nullptr);
    device.api.DestroyQueryPool(device.device, piece.clock, nullptr);
    device.memory->destroy(piece.parameters);
  }
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

tenon_status VulkanStream::createResources(Piece &piece) {
  if (!piece.parameters.buffer)
    TENON_TRY(device.createMapped(parameterBytes + emptyBytes, piece.parameters));
  VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffersOfPiece};
  VkDescriptorPoolCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  info.maxSets = setsOfPiece;
  info.poolSizeCount = 1;
  info.pPoolSizes = &size;
  return device.error("no pool of bindings",
                      device.api.CreateDescriptorPool(device.device, &info, nullptr, &piece.sets));
}

void VulkanStream::begin() {
  if (used > numPieces) // the run is to be there as a whole if it can be
    mostCommands = std::min(mostCommands * 2, mostCommandsEver);
  used = 0;
  mostUnmeasured = device.mostUnmeasured();
  timing = profiler::enabled() && device.traits.timestampBits > 0;
}

tenon_status VulkanStream::repeat(bool &possible) {
  bool wanted = profiler::enabled() && device.traits.timestampBits > 0;
  possible = used <= numPieces && timing == wanted;
  for (int64_t i = possible ? used : 0; i > 0; --i) {
    Piece &piece = pieces[(current + numPieces - i) % numPieces];
    piece.submittedAt = platform::nanoseconds();
    TENON_TRY(device.submitAgain(piece.commands, piece.ticket));
    last = piece.ticket;
  }
  return nullptr;
}

tenon_status VulkanStream::awaitPiece(Piece &piece) {
  if (piece.ticket == 0)
    return nullptr;
  int64_t begin = platform::nanoseconds();
  bool done = false;
  TENON_TRY(device.wait(piece.ticket, INT64_MAX, done));
  bool tooLong = platform::nanoseconds() - begin > longPiece;
  mostCommands = tooLong ? std::max<int64_t>(mostCommands / 2, 1)
                         : std::min(mostCommands * 2, mostCommandsEver);
  readClock(piece);
  piece.ticket = 0;
  return nullptr;
}

/// Before the first dispatch.
tenon_status VulkanStream::openClock(Piece &piece) {
  constexpr uint32_t count = 2 * mostCommandsEver;
  if (!piece.clock) {
    VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = count;
    TENON_TRY(device.error(
        "no clock", device.api.CreateQueryPool(device.device, &info, nullptr, &piece.clock)));
  }
  device.api.CmdResetQueryPool(piece.commands.commands, piece.clock, 0, count);
  return nullptr;
}

/// Of a piece that is done. The device's clock counts from anywhere: the piece is taken to have
/// begun when it was submitted, or when the one before it ended.
void VulkanStream::readClock(Piece &piece) {
  size_t count = piece.timed.size();
  if (count == 0)
    return;
  std::vector<uint64_t> ticks(2 * count);
  if (device.api.GetQueryPoolResults(device.device, piece.clock, 0, uint32_t(2 * count),
                                     ticks.size() * 8, ticks.data(), 8,
                                     VK_QUERY_RESULT_64_BIT) != VK_SUCCESS)
    return;
  uint32_t bits = device.traits.timestampBits;
  uint64_t mask = bits < 64 ? (uint64_t(1) << bits) - 1 : ~uint64_t(0);
  int64_t begin = piece.submittedAt;
  if (!times.empty())
    begin = std::max(begin, times.back().end);
  auto hostTime = [&](uint64_t tick) {
    double period = double(device.traits.properties.limits.timestampPeriod);
    return begin + int64_t(double((tick - ticks[0]) & mask) * period);
  };
  for (size_t i = 0; i < count; ++i) {
    profiler::Launch event = piece.timed[i].event;
    event.begin = hostTime(ticks[2 * i]);
    event.end = std::max(event.begin, hostTime(ticks[2 * i + 1]));
    if (!times.empty() && lastTimed == piece.timed[i].launch)
      times.back().end = event.end;
    else
      times.push_back(event);
    lastTimed = piece.timed[i].launch;
  }
}

/// Makes sure of a piece to record into.
tenon_status VulkanStream::open() {
  if (recording)
    return nullptr;
  if (!pieces[current].sets) {
    tenon_status status = createResources(pieces[current]);
    if (tenon_status_code(status) == TENON_ERROR_MEMORY && current > 0) {
      tenon_status_free(status); // those that there are will do
      numPieces = current;
      current = 0;
    } else {
      TENON_TRY(status);
    }
  }
  Piece &piece = pieces[current];
  TENON_TRY(awaitPiece(piece));
  TENON_TRY(device.error("bindings", device.api.ResetDescriptorPool(device.device, piece.sets, 0)));
  TENON_TRY(device.begin(piece.commands, false));
  piece.parameterBytes = 0;
  piece.size = 0;
  piece.timed.clear();
  if (timing)
    TENON_TRY(openClock(piece));
  hazards.clear(); // a piece begins with a barrier
  recording = true;
  ++used;
  return nullptr;
}

tenon_status VulkanStream::submit() {
  Piece &piece = pieces[current];
  recording = false;
  piece.submittedAt = platform::nanoseconds();
  TENON_TRY(device.submit(piece.commands, piece.ticket));
  last = piece.ticket;
  current = (current + 1) % numPieces;
  return nullptr;
}

tenon_status VulkanStream::submitIfFull() {
  Piece &piece = pieces[current];
  return ++piece.size < mostCommands ? nullptr : submit();
}

/// Puts a barrier before the next command if that has to wait.
void VulkanStream::order(bool dependent) {
  if (dependent || hazards.conflict(accesses)) {
    pieces[current].commands.barrier();
    hazards.clear();
  }
  hazards.add(accesses);
}

tenon_status VulkanStream::finish(int64_t nanoseconds, bool &done) {
  done = true;
  // What was submitted before is waited for even if this cannot be.
  tenon_status failure = recording ? submit() : nullptr;
  tenon_status waited = device.wait(last, failure ? INT64_MAX : nanoseconds, done);
  for (int64_t i = 0; done && i < numPieces; ++i) { // the oldest first
    Piece &piece = pieces[(current + i) % numPieces];
    if (!failure && !waited && piece.ticket != 0)
      readClock(piece);
    piece.ticket = 0;
  }
  if (!failure)
    return waited;
  tenon_status_free(waited);
  return failure;
}

//===----------------------------------------------------------------------===//
// Copies and writes
//===----------------------------------------------------------------------===//

static Access accessTo(const void *address, int64_t bytes, bool writes) {
  auto begin = reinterpret_cast<uint64_t>(address);
  return {begin, begin + uint64_t(bytes), writes};
}

tenon_status VulkanStream::copy(void *target, const void *source, int64_t bytes) {
  Place to, from;
  TENON_TRY(device.find(target, to));
  TENON_TRY(device.find(source, from));
  TENON_TRY(open());
  accesses = {accessTo(target, bytes, true), accessTo(source, bytes, false)};
  order(false);
  pieces[current].commands.copy(to, from, uint64_t(bytes));
  return submitIfFull();
}

tenon_status VulkanStream::write(void *target, int64_t value) {
  Place place;
  TENON_TRY(device.find(target, place));
  if (place.offset % 4 != 0)
    return tenon_status_make(TENON_ERROR_ARGUMENT,
                             "program '%s': the index of a loop lies at no multiple of 4 bytes",
                             program.program.name ? program.program.name : "");
  TENON_TRY(open());
  accesses = {accessTo(target, sizeof value, true)};
  order(false);
  device.api.CmdUpdateBuffer(pieces[current].commands.commands, place.buffer, place.offset,
                             sizeof value, &value);
  return submitIfFull();
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

tenon_status VulkanStream::fail(const StreamLaunch &launch, tenon_code code,
                                const std::string &what) const {
  const char *name = program.program.kernels[launch.kernel].name;
  return tenon_status_make(code, "kernel '%s': %s (device '%s': %s)", name ? name : "",
                           what.c_str(), device.driverName(), device.description());
}

tenon_status VulkanStream::countGroups(const StreamLaunch &launch, const Pipeline &pipeline,
                                       Groups &groups) const {
  const uint32_t *most = device.traits.properties.limits.maxComputeWorkGroupCount;
  ExprScope scope{launch.extents, 1};
  for (size_t i = 0; i < 3; ++i) {
    int64_t count = 0;
    if (const char *reason = evaluateExpr(pipeline.dispatch->groups[i], scope, count))
      return fail(launch, TENON_ERROR_SHAPE, std::string("its number of workgroups ") + reason);
    if (count < 0 || count > most[i])
      return fail(launch, TENON_ERROR_SHAPE,
                  std::to_string(count) + " workgroups along an axis that takes 0 to " +
                      std::to_string(most[i]));
    groups[i] = uint32_t(count);
  }
  return nullptr;
}

tenon_status VulkanStream::bind(const StreamLaunch &launch, int64_t binding, Bound &bound) {
  const VkPhysicalDeviceLimits &limits = device.traits.properties.limits;
  bool scratch = binding == TENON_BINDING_SCRATCH;
  int64_t bytes = scratch ? launch.scratchBytes : launch.sizes[binding];
  if (bytes == 0) { // what stands there is never looked at
    bound = {{pieces[current].parameters.buffer, parameterBytes, emptyBytes}, 0};
    return nullptr;
  }
  const void *address = scratch ? launch.scratch : launch.buffers[binding];
  Place place;
  TENON_TRY(device.find(address, place));
  uint64_t offset = place.offset % limits.minStorageBufferOffsetAlignment;
  uint64_t range = offset + uint64_t(bytes);
  uint64_t most = faults::limit(faults::StorageBytes, limits.maxStorageBufferRange);
  if (range > most)
    return fail(launch, TENON_ERROR_DEVICE,
                std::string(scratch ? "scratch" : "a tensor") + " of " + std::to_string(bytes) +
                    " bytes; a storage buffer has at most " + std::to_string(most));
  if (uint64_t(bytes) > place.bytes)
    return fail(launch, TENON_ERROR_ARGUMENT,
                "a tensor of " + std::to_string(bytes) + " bytes where there are " +
                    std::to_string(place.bytes));
  bound = {{place.buffer, place.offset - offset, range}, uint32_t(offset)};
  return nullptr;
}

/// Fills `words`, and pushes them or adds a binding for them.
tenon_status VulkanStream::setParameters(const StreamLaunch &launch, const Pipeline &pipeline) {
  words.clear();
  for (const Bound &bound : bounds)
    words.push_back(bound.offset);
  for (int64_t i = 0; i < launch.numExtents; ++i) {
    int64_t extent = launch.extents[i];
    if (extent < INT32_MIN || extent > int64_t(UINT32_MAX))
      return fail(launch, TENON_ERROR_SHAPE,
                  "an extent of " + std::to_string(extent) + ", which 32 bits do not hold");
    words.push_back(uint32_t(extent));
  }
  if (pipeline.pushed())
    return nullptr;
  Piece &piece = pieces[current];
  uint64_t bytes = words.size() * 4;
  std::memcpy(static_cast<char *>(piece.parameters.mapped) + piece.parameterBytes, words.data(),
              bytes);
  bounds.push_back({{piece.parameters.buffer, piece.parameterBytes, bytes}, 0});
  uint64_t alignment =
      std::max<uint64_t>(device.traits.properties.limits.minStorageBufferOffsetAlignment, 4);
  piece.parameterBytes += (bytes + alignment - 1) / alignment * alignment;
  return nullptr;
}

/// A set of the piece at hand, or of a new one if that has none left.
tenon_status VulkanStream::allocateSet(const Pipeline &pipeline, VkDescriptorSet &set) {
  VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
  info.descriptorSetCount = 1;
  info.pSetLayouts = &pipeline.bindings;
  uint64_t room = parameterBytes - pieces[current].parameterBytes;
  for (bool again : {true, false}) {
    info.descriptorPool = pieces[current].sets;
    VkResult result = VK_ERROR_OUT_OF_POOL_MEMORY;
    if (pipeline.pushed() || room >= pipeline.numWords * 4 || !again)
      result = device.api.AllocateDescriptorSets(device.device, &info, &set);
    bool full = result == VK_ERROR_OUT_OF_POOL_MEMORY || result == VK_ERROR_FRAGMENTED_POOL;
    if (!full || !again || pieces[current].size == 0)
      return device.error("no bindings", result);
    TENON_TRY(submit());
    TENON_TRY(open());
  }
  return nullptr;
}

tenon_status VulkanStream::dispatch(const Part &part) {
  const StreamLaunch &launch = part.launch;
  const Pipeline &pipeline = part.pipeline;
  TENON_TRY(open());
  VkDescriptorSet set = nullptr;
  TENON_TRY(allocateSet(pipeline, set));
  bounds.resize(size_t(pipeline.dispatch->num_bindings));
  for (size_t i = 0; i < bounds.size(); ++i)
    TENON_TRY(bind(launch, pipeline.dispatch->bindings[i], bounds[i]));
  TENON_TRY(setParameters(launch, pipeline));
  writes.assign(bounds.size(), {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET});
  for (size_t i = 0; i < writes.size(); ++i) {
    writes[i].dstSet = set;
    writes[i].dstBinding = uint32_t(i);
    writes[i].descriptorCount = 1;
    writes[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    writes[i].pBufferInfo = &bounds[i].info;
  }
  const DeviceApi &api = device.api;
  api.UpdateDescriptorSets(device.device, uint32_t(writes.size()), writes.data(), 0, nullptr);
  order(part.dependent);
  VkCommandBuffer commands = pieces[current].commands.commands;
  api.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.pipeline);
  api.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout, 0, 1, &set,
                            0, nullptr);
  if (pipeline.pushed() && !words.empty())
    api.CmdPushConstants(commands, pipeline.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                         uint32_t(words.size() * 4), words.data());
  auto stamp = [&](size_t index) {
    if (timing)
      api.CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pieces[current].clock,
                            uint32_t(index));
  };
  size_t stamps = 2 * pieces[current].timed.size();
  stamp(stamps);
  const Groups &first = part.first, &count = part.count;
  if (first == Groups{})
    api.CmdDispatch(commands, count[0], count[1], count[2]);
  else
    api.CmdDispatchBase(commands, first[0], first[1], first[2], count[0], count[1], count[2]);
  stamp(stamps + 1);
  if (timing)
    pieces[current].timed.push_back(
        {launches, {launch.kernel, 0, 0, launch.flops, launch.bytes, /*onDevice=*/true}});
  return submitIfFull();
}

/// Alone on the device. Of what it takes follows how much the next part may do.
tenon_status VulkanStream::dispatchMeasured(const Part &part, double work, double &most) {
  bool done = false;
  if (recording)
    TENON_TRY(submit());
  TENON_TRY(device.wait(last, INT64_MAX, done));
  int64_t begin = platform::nanoseconds();
  TENON_TRY(dispatch(part));
  if (recording)
    TENON_TRY(submit());
  TENON_TRY(device.wait(last, INT64_MAX, done));
  double fits = work * wantedNanoseconds / double(platform::nanoseconds() - begin + 1);
  if (fits < most || work * 2 > most) // little work tells little of speed
    most = std::min(fits, most * 8);  // nor is all of it alike
  return nullptr;
}

/// What takes long on a slow device is submitted some workgroups at a time.
tenon_status VulkanStream::dispatchInParts(Part whole, double workOfGroup, double &most) {
  size_t axis = whole.count[2] > 1 ? 2 : whole.count[1] > 1 ? 1 : 0;
  uint32_t end = whole.first[axis] + whole.count[axis];
  double groups = double(whole.count[0]) * whole.count[1] * whole.count[2];
  double slice = workOfGroup * groups / whole.count[axis];
  for (Part part = whole; part.first[axis] < end; part.first[axis] += part.count[axis]) {
    uint32_t left = end - part.first[axis];
    part.count[axis] = uint32_t(std::clamp(most / slice, 1.0, double(left)));
    if (slice > most && axis > 0)
      TENON_TRY(dispatchInParts(part, workOfGroup, most));
    else
      TENON_TRY(dispatchMeasured(part, slice * part.count[axis], most));
    part.dependent = false;
  }
  return nullptr;
}

tenon_status VulkanStream::launch(const StreamLaunch &launch) {
  const tenon_kernel_desc &kernel = program.program.kernels[launch.kernel];
  accesses.clear();
  auto touch = [&](const void *address, int64_t bytes, bool writes) {
    // All that are empty are bound to one place, which checks take to be written.
    accesses.push_back(bytes > 0 ? accessTo(address, bytes, writes) : Access{0, 1, true});
  };
  for (int64_t i = 0; i < launch.numBuffers; ++i)
    touch(launch.buffers[i], launch.sizes[i], i >= launch.numBuffers - kernel.num_results);
  if (launch.scratchBytes > 0)
    touch(launch.scratch, launch.scratchBytes, true);
  ++launches;
  bool dependent = false; // on a dispatch of this launch
  for (const Pipeline &pipeline : program.pipelinesOf(launch.kernel)) {
    Part part{launch, pipeline, {}, {}, dependent};
    TENON_TRY(countGroups(launch, pipeline, part.count));
    double count = double(part.count[0]) * part.count[1] * part.count[2];
    if (count == 0)
      continue;
    double work = double(std::max(launch.flops, launch.bytes));
    double *most = nullptr;
    if (pipeline.divisible && work > double(mostUnmeasured))
      most = &measured.try_emplace(&pipeline, double(mostUnmeasured)).first->second;
    TENON_TRY(most && work > *most ? dispatchInParts(part, work / count, *most) : dispatch(part));
    dependent = true;
  }
  return nullptr;
}

} // namespace tenon::runtime::vulkan
