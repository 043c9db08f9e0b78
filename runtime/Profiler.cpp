//===- Profiler.cpp - records launches ------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events in memory, written as Chrome trace JSON when the session ends.
//
//===----------------------------------------------------------------------===//
#include "runtime/Profiler.h"

#include "runtime/Status.h"
#include "runtime/platform/Platform.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

using namespace tenon::runtime;
using namespace tenon::runtime::profiler;

std::atomic<bool> tenon::runtime::profiler::active{false};

namespace {

struct KernelNames {
  std::string kernel, program, location;
};

struct Event {
  int64_t names; ///< index into Session::names
  int64_t thread;
  Launch launch;
};

struct Session {
  std::mutex lock;
  int64_t number = 0; ///< 0 before the first
  int64_t begin = 0;  ///< nanoseconds
  std::vector<KernelNames> names;
  std::deque<Event> events;

  void clear() {
    std::vector<KernelNames>().swap(names);
    std::deque<Event>().swap(events);
  }
};

} // namespace

/// Never destroyed: a thread may still record while the process ends.
static Session &session() {
  static auto *object = new Session;
  return *object;
}

/// A small number that names the calling thread in traces.
static int64_t threadNumber() {
  static std::atomic<int64_t> count{0};
  thread_local int64_t number = ++count;
  return number;
}

static std::string orEmpty(const char *text) { return text ? text : ""; }

void profiler::record(const tenon_program &program, Registration &registration,
                      const Launch &launch) noexcept {
  try {
    int64_t thread = threadNumber();
    Session &s = session();
    std::lock_guard<std::mutex> guard(s.lock);
    if (!enabled())
      return;
    if (registration.session.load(std::memory_order_relaxed) != s.number) {
      int64_t first = int64_t(s.names.size());
      for (int64_t i = 0; i < program.num_kernels; ++i)
        s.names.push_back({orEmpty(program.kernels[i].name), orEmpty(program.name),
                           orEmpty(program.kernels[i].location)});
      registration.first.store(first, std::memory_order_relaxed);
      registration.session.store(s.number, std::memory_order_relaxed);
    }
    int64_t names = registration.first.load(std::memory_order_relaxed) + launch.kernel;
    s.events.push_back({names, launch.onDevice ? 0 : thread, launch});
  } catch (...) {
    // A trace with a gap is better than a failed run.
  }
}

tenon_status tenon_profile_start(void) {
  return guarded([]() -> tenon_status {
    Session &s = session();
    std::lock_guard<std::mutex> guard(s.lock);
    if (enabled())
      return tenon_status_make(TENON_ERROR_ARGUMENT, "the profiler is already recording");
    s.clear();
    ++s.number;
    s.begin = platform::nanoseconds();
    active.store(true, std::memory_order_relaxed);
    return nullptr;
  });
}

/// Bytes of a well-formed UTF-8 sequence at `text`, or 0.
static size_t utf8Length(const unsigned char *text) {
  size_t length = text[0] < 0x80                      ? 1
                  : text[0] >= 0xC2 && text[0] < 0xE0 ? 2
                  : text[0] >= 0xE0 && text[0] < 0xF0 ? 3
                  : text[0] >= 0xF0 && text[0] < 0xF5 ? 4
                                                      : 0;
  for (size_t i = 1; i < length; ++i)
    if ((text[i] & 0xC0) != 0x80) // also stops at the terminator
      return 0;
  if (length == 3 && ((text[0] == 0xE0 && text[1] < 0xA0) || (text[0] == 0xED && text[1] >= 0xA0)))
    return 0;
  if (length == 4 && ((text[0] == 0xF0 && text[1] < 0x90) || (text[0] == 0xF4 && text[1] >= 0x90)))
    return 0;
  return length;
}

/// A JSON string literal; bytes that are not UTF-8 become U+FFFD.
static std::string quoted(const std::string &text) {
  std::string result = "\"";
  const auto *at = reinterpret_cast<const unsigned char *>(text.c_str());
  while (*at) {
    size_t length = utf8Length(at);
    if (length == 0) {
      result += "\\ufffd";
      ++at;
    } else if (*at == '"' || *at == '\\') {
      result += '\\';
      result += char(*at++);
    } else if (*at < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", unsigned(*at++));
      result += escape;
    } else {
      result.append(reinterpret_cast<const char *>(at), length);
      at += length;
    }
  }
  return result + "\"";
}

/// Chrome traces count microseconds. Written by hand, for printf would use the
/// decimal comma of some locales.
static std::string microseconds(int64_t nanoseconds) {
  std::string digits = std::to_string(nanoseconds);
  if (digits.size() < 4)
    digits.insert(0, 4 - digits.size(), '0');
  return digits.insert(digits.size() - 3, ".");
}

static bool writeTrace(FILE *file, const Session &s) {
  std::vector<std::string> heads, tails;
  for (const KernelNames &names : s.names) {
    heads.push_back("{\"name\":" + quoted(names.kernel) + ",\"cat\":\"kernel\"");
    tails.push_back("\"program\":" + quoted(names.program) +
                    ",\"location\":" + quoted(names.location));
  }
  int64_t process = platform::processId();
  std::fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", file);
  const char *separator = "\n";
  for (const Event &event : s.events) {
    const Launch &launch = event.launch;
    std::fprintf(file,
                 "%s%s,\"ph\":\"X\",\"pid\":%" PRId64 ",\"tid\":%" PRId64
                 ",\"ts\":%s,\"dur\":%s,\"args\":{\"bytes\":%" PRId64 ",\"flops\":%" PRId64 ",%s}}",
                 separator, heads[size_t(event.names)].c_str(), process, event.thread,
                 microseconds(launch.begin - s.begin).c_str(),
                 microseconds(launch.end - launch.begin).c_str(), launch.bytes, launch.flops,
                 tails[size_t(event.names)].c_str());
    separator = ",\n";
  }
  std::fputs("\n]}\n", file);
  return !std::ferror(file);
}

tenon_status tenon_profile_stop(const char *path) {
  if (!path)
    return nullArgument("tenon_profile_stop", "path");
  return guarded([&]() -> tenon_status {
    Session &s = session();
    std::lock_guard<std::mutex> guard(s.lock);
    if (!enabled())
      return tenon_status_make(TENON_ERROR_ARGUMENT, "the profiler is not recording");
    // A path that cannot be opened loses nothing: the session goes on.
    FILE *file = std::fopen(path, "wb");
    if (!file)
      return tenon_status_make(TENON_ERROR_IO, "cannot write '%s': %s", path, std::strerror(errno));
    active.store(false, std::memory_order_relaxed);
    bool written = writeTrace(file, s);
    written = std::fclose(file) == 0 && written;
    s.clear();
    if (!written)
      return tenon_status_make(TENON_ERROR_IO, "cannot write all of '%s'", path);
    return nullptr;
  });
}
