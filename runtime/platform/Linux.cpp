//===- Linux.cpp - operating system services on Linux ---------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Affinity, memory, clocks, futexes, threads and files.
//
//===----------------------------------------------------------------------===//
#include "runtime/platform/Platform.h"
#include "runtime/platform/Signals.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <linux/futex.h>
#include <new>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace tenon::runtime::platform {

int64_t usableCores() {
  // The kernel refuses a set smaller than its own; grow until it fits.
  for (int cores = 1024; cores <= (1 << 20); cores *= 2) {
    cpu_set_t *set = CPU_ALLOC(cores);
    if (!set)
      break;
    size_t size = CPU_ALLOC_SIZE(cores);
    CPU_ZERO_S(size, set);
    int result = sched_getaffinity(0, size, set);
    int error = errno;
    int64_t count = result == 0 ? CPU_COUNT_S(size, set) : 0;
    CPU_FREE(set);
    if (result == 0)
      return std::max<int64_t>(count, 1);
    if (error != EINVAL)
      break;
  }
  return std::max<int64_t>(sysconf(_SC_NPROCESSORS_ONLN), 1);
}

std::string processorName() {
  std::string name;
  if (FILE *file = std::fopen("/proc/cpuinfo", "re")) {
    char line[512];
    while (name.empty() && std::fgets(line, sizeof line, file)) {
      if (std::strncmp(line, "model name", 10) != 0)
        continue;
      if (const char *colon = std::strchr(line, ':')) {
        name = colon + 1;
        name.erase(0, name.find_first_not_of(" \t"));
        name.erase(name.find_last_not_of(" \t\n") + 1);
      }
    }
    std::fclose(file);
  }
  utsname system;
  if (name.empty()) // not every architecture names its model
    name = uname(&system) == 0 ? std::string(system.machine) + " processor" : "unknown processor";
  return name;
}

/// The number in a file that holds nothing else, or -1 ("max" included).
static int64_t readNumber(const char *path) {
  long long value = -1;
  if (FILE *file = std::fopen(path, "re")) {
    if (std::fscanf(file, "%lld", &value) != 1)
      value = -1;
    std::fclose(file);
  }
  return value;
}

static void applyLimit(MemoryState &state, int64_t limit, int64_t used) {
  if (limit < 0 || limit >= state.total)
    return;
  state.total = limit;
  if (used >= 0)
    state.free = std::min(state.free, std::max<int64_t>(limit - used, 0));
}

MemoryState memoryState() {
  MemoryState state;
  if (FILE *file = std::fopen("/proc/meminfo", "re")) {
    char line[256];
    long long kilobytes;
    while (std::fgets(line, sizeof line, file)) {
      if (std::sscanf(line, "MemTotal: %lld kB", &kilobytes) == 1)
        state.total = kilobytes * 1024;
      else if (std::sscanf(line, "MemAvailable: %lld kB", &kilobytes) == 1)
        state.free = kilobytes * 1024;
    }
    std::fclose(file);
  }
  applyLimit(state, readNumber("/sys/fs/cgroup/memory.max"),
             readNumber("/sys/fs/cgroup/memory.current"));
  applyLimit(state, readNumber("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
             readNumber("/sys/fs/cgroup/memory/memory.usage_in_bytes"));
  return state;
}

void *allocate(int64_t bytes) {
  constexpr int64_t hugePage = int64_t(2) << 20;
  bool large = bytes >= 2 * hugePage;
  size_t alignment = large ? hugePage : blockAlignment;
  void *block = nullptr;
  if (static_cast<uint64_t>(bytes) > SIZE_MAX / 2 ||
      posix_memalign(&block, alignment, static_cast<size_t>(bytes)) != 0)
    return nullptr;
  if (large) // only advice: failure costs speed alone
    (void)madvise(block, static_cast<size_t>(bytes & ~(hugePage - 1)), MADV_HUGEPAGE);
  return block;
}

void release(void *block) { std::free(block); }

static int64_t readClock(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return int64_t(time.tv_sec) * 1000000000 + time.tv_nsec;
}

int64_t nanoseconds() { return readClock(CLOCK_MONOTONIC); }
int64_t coarseNanoseconds() { return readClock(CLOCK_MONOTONIC_COARSE); }

int64_t processId() { return getpid(); }

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t), "a futex is a plain 32-bit word");

void waitOnWord(const std::atomic<uint32_t> &word, uint32_t expected, int64_t timeout) {
  timespec limit{time_t(timeout / 1000000000), long(timeout % 1000000000)};
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, timeout < 0 ? nullptr : &limit, nullptr,
          0);
}

void wakeWord(const std::atomic<uint32_t> &word, int32_t count) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

namespace {
struct ThreadStart {
  void (*function)(void *);
  void *argument;
};
} // namespace

static void *threadMain(void *pointer) {
  ThreadStart start = *static_cast<ThreadStart *>(pointer);
  delete static_cast<ThreadStart *>(pointer);
  start.function(start.argument);
  return nullptr;
}

/// With all signals blocked.
static bool startThread(void (*function)(void *), void *argument, int detachState,
                        pthread_t &thread) {
  auto *start = new (std::nothrow) ThreadStart{function, argument};
  if (!start)
    return false;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, detachState);
  bool started = pthread_create(&thread, &attributes, threadMain, start) == 0;
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!started)
    delete start;
  return started;
}

bool startThread(void (*function)(void *), void *argument) {
  pthread_t thread;
  return startThread(function, argument, PTHREAD_CREATE_DETACHED, thread);
}

static_assert(sizeof(pthread_t) == sizeof(ThreadHandle));

bool startThread(void (*function)(void *), void *argument, ThreadHandle &thread) {
  return startThread(function, argument, PTHREAD_CREATE_JOINABLE, thread);
}

void join(ThreadHandle thread) { pthread_join(thread, nullptr); }

bool onForkInChild(void (*function)()) { return pthread_atfork(nullptr, nullptr, function) == 0; }

struct SignalsKept::State {
  struct sigaction actions[NSIG];
  stack_t stack;
};

SignalsKept::SignalsKept() : before(new State()) {
  for (int signal = 1; signal < NSIG; ++signal)
    sigaction(signal, nullptr, &before->actions[signal]);
  sigaltstack(nullptr, &before->stack);
}

/// Those of the system's own threads are refused, and are as they were.
SignalsKept::~SignalsKept() {
  for (int signal = 1; signal < NSIG; ++signal)
    sigaction(signal, &before->actions[signal], nullptr);
  sigaltstack(&before->stack, nullptr);
}

//===----------------------------------------------------------------------===//
// Files and libraries
//===----------------------------------------------------------------------===//

bool FileView::open(const char *path, std::string &error) {
  // A pipe without a writer would block here.
  int file = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat state;
  bool ok = file >= 0 && fstat(file, &state) == 0;
  if (ok && !S_ISREG(state.st_mode)) {
    error = std::string("expected a regular file, got ") + (S_ISDIR(state.st_mode) ? "a directory"
                                                            : S_ISFIFO(state.st_mode) ? "a pipe"
                                                                                      : "a device");
    ::close(file);
    return false;
  }
  if (ok && state.st_size > 0) {
    void *mapped = mmap(nullptr, size_t(state.st_size), PROT_READ, MAP_PRIVATE, file, 0);
    ok = mapped != MAP_FAILED;
    if (ok) {
      start = static_cast<const unsigned char *>(mapped);
      bytes = size_t(state.st_size);
    }
  }
  if (!ok)
    error = std::strerror(errno);
  if (file >= 0)
    ::close(file);
  return ok;
}

FileView::~FileView() {
  if (start)
    munmap(const_cast<unsigned char *>(start), bytes);
}

void *openSystemLibrary(const char *name, std::string &error) {
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    error = reason ? reason : std::string(name) + ": cannot be loaded";
  }
  return library;
}

bool openPrivateFolder(const std::string &path, std::string &absolute, std::string &error) {
  struct stat status;
  bool there =
      (mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) && lstat(path.c_str(), &status) == 0;
  char *resolved = there ? realpath(path.c_str(), nullptr) : nullptr;
  if (!resolved) {
    error = path + ": " + std::strerror(errno);
    return false;
  }
  absolute = resolved;
  std::free(resolved);
  if (S_ISDIR(status.st_mode) && status.st_uid == geteuid() && (status.st_mode & 077) == 0)
    return true;
  error = "expected a folder of this user with mode 0700, got " + path +
          ", which is another's or "
          "open to others";
  return false;
}

bool readPrivateFile(const std::string &path, int64_t most, std::vector<unsigned char> &contents,
                     std::string &error) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0)
    return false;
  struct stat status;
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
      (status.st_mode & 022) != 0) {
    error = path + ": others may write to it";
  } else if (status.st_size > most) {
    error = path + ": too large";
  } else {
    contents.resize(size_t(status.st_size));
    size_t done = 0;
    for (ssize_t got = 1; done < contents.size() && got > 0;
         done += size_t(std::max<ssize_t>(got, 0)))
      got = ::read(file, contents.data() + done, contents.size() - done);
    contents.resize(done);
  }
  close(file);
  return true;
}

bool writePrivateFile(const std::string &path, const std::vector<unsigned char> &contents) {
  const std::string ending = ".tmp";
  std::string beside = path + ".XXXXXX" + ending;
  int file = mkostemps(beside.data(), int(ending.size()), O_CLOEXEC); // mode 0600
  if (file < 0)
    return false;
  size_t done = 0;
  for (ssize_t put = 1; done < contents.size() && put > 0;
       done += size_t(std::max<ssize_t>(put, 0)))
    put = ::write(file, contents.data() + done, contents.size() - done);
  bool whole = close(file) == 0 && done == contents.size();
  if (whole && std::rename(beside.c_str(), path.c_str()) == 0)
    return true;
  unlink(beside.c_str());
  return false;
}

void *openLibrary(const char *path, std::string &error) {
  // Without a slash the loader would search its own folders.
  std::string name = std::strchr(path, '/') ? path : std::string("./") + path;
  return openSystemLibrary(name.c_str(), error);
}

void *librarySymbol(void *library, const char *name) { return dlsym(library, name); }

void closeLibrary(void *library) { dlclose(library); }

std::vector<LibraryNotes> libraryNotes(void *library) {
  struct Search {
    uintptr_t base;
    std::vector<LibraryNotes> notes;
  };
  link_map *map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0)
    return {};
  Search search{uintptr_t(map->l_addr), {}};
  auto visit = [](dl_phdr_info *info, size_t, void *data) {
    auto &search = *static_cast<Search *>(data);
    if (info->dlpi_addr != search.base)
      return 0;
    for (int i = 0; i < info->dlpi_phnum; ++i)
      if (const auto &segment = info->dlpi_phdr[i]; segment.p_type == PT_NOTE)
        search.notes.push_back(
            {reinterpret_cast<const unsigned char *>(info->dlpi_addr + segment.p_vaddr),
             segment.p_memsz});
    return 1;
  };
  dl_iterate_phdr(visit, &search);
  return search.notes;
}

} // namespace tenon::runtime::platform
