//===- VulkanStream.h - a run as command buffers ----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work is recorded into pieces, a command buffer each, that are submitted as they fill
// up: the device is busy while the rest is recorded, none of them takes long, and a
// request to cancel is seen between two of them.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_DRIVERS_VULKAN_VULKANSTREAM_H
#define TENON_RUNTIME_DRIVERS_VULKAN_VULKANSTREAM_H

#include "runtime/drivers/vulkan/Hazards.h"
#include "runtime/drivers/vulkan/VulkanProgram.h"

#include <array>
#include <unordered_map>

namespace tenon::runtime::vulkan {

class VulkanStream final : public Stream {
public:
  explicit VulkanStream(const VulkanProgram &program) : program(program), device(program.device) {}
  ~VulkanStream() override;

  void begin() override;
  tenon_status repeat(bool &possible) override;
  tenon_status launch(const StreamLaunch &launch) override;
  bool wantsCosts() const override { return mostUnmeasured < INT64_MAX; }
  tenon_status copy(void *target, const void *source, int64_t bytes) override;
  tenon_status write(void *target, int64_t value) override;
  tenon_status finish(int64_t nanoseconds, bool &done) override;
  std::vector<profiler::Launch> takeTimes() override { return std::move(times); }

private:
  /// A dispatch whose times are taken.
  struct Timed {
    int64_t launch; ///< number of it: its dispatches are one event
    profiler::Launch event;
  };

  struct Piece {
    CommandBuffer commands;
    VkDescriptorPool sets = nullptr;
    RawBuffer parameters;
    uint64_t parameterBytes = 0; ///< in use
    uint64_t ticket = 0;         ///< of its last submission; 0 when that is done
    int64_t size = 0;            ///< commands recorded
    int64_t submittedAt = 0;     ///< by the host's clock, the last time
    /// Two times of each dispatch, if they are taken.
    VkQueryPool clock = nullptr;
    std::vector<Timed> timed;
  };

  /// Where a buffer is bound, and what a kernel has to add to that.
  struct Bound {
    VkDescriptorBufferInfo info;
    uint32_t offset;
  };

  tenon_status open();
  tenon_status createResources(Piece &piece);
  tenon_status awaitPiece(Piece &piece);
  tenon_status openClock(Piece &piece);
  void readClock(Piece &piece);
  tenon_status submit();
  tenon_status submitIfFull();
  void order(bool dependent);

  /// Of a dispatch, where they begin or how many they are.
  using Groups = std::array<uint32_t, 3>;
  /// What is recorded of a launch.
  struct Part {
    const StreamLaunch &launch;
    const Pipeline &pipeline;
    Groups first, count;
    bool dependent; ///< on an earlier dispatch of this launch
  };
  tenon_status dispatch(const Part &part);
  tenon_status dispatchMeasured(const Part &part, double work, double &most);
  tenon_status dispatchInParts(Part whole, double workOfGroup, double &most);
  tenon_status countGroups(const StreamLaunch &launch, const Pipeline &pipeline,
                           Groups &groups) const;
  tenon_status bind(const StreamLaunch &launch, int64_t binding, Bound &bound);
  tenon_status setParameters(const StreamLaunch &launch, const Pipeline &pipeline);
  tenon_status allocateSet(const Pipeline &pipeline, VkDescriptorSet &set);
  tenon_status fail(const StreamLaunch &launch, tenon_code code, const std::string &what) const;

  const VulkanProgram &program;
  OpenDevice &device;
  /// Recorded in turn; one is recorded while those before it run.
  static constexpr int64_t mostPieces = 4;
  Piece pieces[mostPieces];
  int64_t numPieces = mostPieces; ///< fewer where memory is short
  int64_t current = 0;
  int64_t used = 0; ///< pieces of the run
  bool recording = false;
  int64_t mostCommands = 16;  ///< of a piece, at present
  uint64_t last = 0;          ///< ticket of the newest submission
  bool timing = false;        ///< the run at hand
  int64_t launches = 0;       ///< of all runs
  int64_t mostUnmeasured = 0; ///< work of a launch, in the run at hand
  /// The work of which a pipeline was seen to take about as long as it should at most.
  std::unordered_map<const Pipeline *, double> measured;
  int64_t lastTimed = 0; ///< launch of the last of `times`
  std::vector<profiler::Launch> times;
  Hazards hazards;
  // Of the command at hand.
  std::vector<Access> accesses;
  std::vector<Bound> bounds;
  std::vector<VkWriteDescriptorSet> writes;
  std::vector<uint32_t> words;
};

} // namespace tenon::runtime::vulkan

#endif // TENON_RUNTIME_DRIVERS_VULKAN_VULKANSTREAM_H
