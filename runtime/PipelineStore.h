//===- PipelineStore.h - what drivers compile, on disk ----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file for each device in a folder of the user's own, with a digest and with what it is good
// for. What is not sound or of another driver is not taken, and overwritten.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_PIPELINESTORE_H
#define TENON_RUNTIME_PIPELINESTORE_H

#include "tenon/runtime.h"

#include <mutex>
#include <string>
#include <vector>

namespace tenon::runtime {

class PipelineStore {
public:
  using Bytes = std::vector<unsigned char>;

  static PipelineStore &get();

  /// Turns it on; off with an empty folder.
  tenon_status open(const std::string &folder, int64_t most);
  /// Empty: off. Another one than before is to be asked for what it has.
  std::string folder();
  /// What the file `name` holds, if it was kept for the same `owner`; else nothing.
  Bytes find(const std::string &name, const std::string &owner);
  /// Keeps bytes unless there are too many.
  void keep(const std::string &name, const std::string &owner, const Bytes &bytes);
  tenon_pipeline_cache_info info();

private:
  std::mutex lock; ///< guards what follows
  std::string where;
  int64_t mostBytes = 0;
  tenon_pipeline_cache_info counts{};
};

} // namespace tenon::runtime

#endif // TENON_RUNTIME_PIPELINESTORE_H
