//===- Platform.h - what the runtime asks of the operating system -*- C++
//-*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every call to the operating system goes through this header. Another system
// is one more implementation file beside Linux.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_PLATFORM_PLATFORM_H
#define TENON_RUNTIME_PLATFORM_PLATFORM_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace tenon::runtime::platform {

/// Alignment of every block that `allocate` returns.
constexpr int64_t blockAlignment = 64;

/// Cores that this process may use, at least 1.
int64_t usableCores();

/// The processor's model name, "unknown processor" where it cannot be told.
std::string processorName();

/// Bytes of memory that this process may use (control groups included), and the
/// part of them that is free now. 0 where it cannot be told.
struct MemoryState {
  int64_t total = 0;
  int64_t free = 0;
};
MemoryState memoryState();

/// A block of `bytes` > 0, or nullptr. Blocks of several megabytes ask for huge
/// pages. `release` takes the block back.
void *allocate(int64_t bytes);
void release(void *block);

/// Monotonic time. The coarse clock is cheaper and steps by a few milliseconds.
int64_t nanoseconds();
int64_t coarseNanoseconds();

int64_t processId();

/// Sleeps while `word` holds `expected`, at most `timeout` nanoseconds
/// (negative: no limit). May return early.
void waitOnWord(const std::atomic<uint32_t> &word, uint32_t expected, int64_t timeout);
/// Wakes up to `count` threads that sleep on `word`.
void wakeWord(const std::atomic<uint32_t> &word, int32_t count);

/// Starts a thread that nobody joins. It takes no signals: these belong to the
/// host program's threads. False when the system has no thread to give.
bool startThread(void (*function)(void *), void *argument);

/// The same, of a thread that `join` waits for; every one must be joined.
using ThreadHandle = uintptr_t;
bool startThread(void (*function)(void *), void *argument, ThreadHandle &thread);
void join(ThreadHandle thread);

/// Calls `function` in the child of every fork from now on. False on failure.
bool onForkInChild(void (*function)());

/// A file's contents, mapped to be read.
class FileView {
public:
  FileView() = default;
  FileView(const FileView &) = delete;
  ~FileView();
  /// False: `error` says why. Once only.
  bool open(const char *path, std::string &error);
  const unsigned char *data() const { return start; }
  size_t size() const { return bytes; }

private:
  const unsigned char *start = nullptr;
  size_t bytes = 0;
};

/// Makes a folder that no other user may enter, unless it is there as such. False: `error` says
/// why. `absolute` is its path from anywhere.
bool openPrivateFolder(const std::string &path, std::string &absolute, std::string &error);
/// A file's contents, up to `most` bytes. False: there is no such file. One that is larger, or that
/// other users may write to: `error` says so.
bool readPrivateFile(const std::string &path, int64_t most, std::vector<unsigned char> &contents,
                     std::string &error);
/// Writes a file for this user alone, which is there as a whole or as it was before.
bool writePrivateFile(const std::string &path, const std::vector<unsigned char> &contents);

/// Loads a shared library, whose symbols no other sees; null: `error` says why.
void *openLibrary(const char *path, std::string &error);
/// The same, of a library that the system's loader looks for by name.
void *openSystemLibrary(const char *name, std::string &error);
/// The address of a symbol, or null.
void *librarySymbol(void *library, const char *name);
void closeLibrary(void *library);

/// Notes of a loaded library (ELF segments of type PT_NOTE), as they stand in memory.
struct LibraryNotes {
  const unsigned char *data;
  size_t size;
};
std::vector<LibraryNotes> libraryNotes(void *library);

/// Tells the core that this thread waits in a loop.
inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

} // namespace tenon::runtime::platform

#endif // TENON_RUNTIME_PLATFORM_PLATFORM_H
