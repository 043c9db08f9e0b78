//===- Jit.cpp - Objects linked into this process -------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/Jit.h"

#include "llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/ExecutorProcessControl.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/Support/MemoryBuffer.h"
#include <atomic>
#include <cstring>

using namespace llvm;

namespace tenon::cpu {
namespace {

/// The linker of this process. Never destroyed: programs may outlive static objects.
struct Linker {
  orc::ExecutionSession session;
  orc::ObjectLinkingLayer objects;
  orc::SymbolMap builtins;
  std::atomic<uint64_t> programs{0};

  explicit Linker(std::unique_ptr<orc::ExecutorProcessControl> control)
      : session(std::move(control)), objects(session) {
    auto define = [&](StringRef name, void *address) {
      builtins[session.intern(name)] = {orc::ExecutorAddr::fromPtr(address),
                                        JITSymbolFlags::Exported | JITSymbolFlags::Callable};
    };
    define("memcpy", reinterpret_cast<void *>(&std::memcpy));
    define("memmove", reinterpret_cast<void *>(&std::memmove));
    define("memset", reinterpret_cast<void *>(&std::memset));
    // Failures are returned to the caller, not printed.
    session.setErrorReporter([](Error error) { consumeError(std::move(error)); });
  }

  static Expected<Linker &> get() {
    static Expected<Linker *> *linker = new Expected<Linker *>(create());
    if (*linker)
      return *linker->get();
    return createStringError(inconvertibleErrorCode(), "cannot link code into this process");
  }

private:
  static Expected<Linker *> create() {
    // No threads of its own: linking runs on the thread that asks.
    auto control = orc::SelfExecutorProcessControl::Create(
        nullptr, std::make_unique<orc::InPlaceTaskDispatcher>());
    if (!control)
      return control.takeError();
    return new Linker(std::move(*control));
  }
};

} // namespace

struct JitProgram::Impl {
  Linker &linker;
  orc::JITDylib &library;
};

Expected<std::unique_ptr<JitProgram>> JitProgram::link(ArrayRef<ArrayRef<char>> objects) {
  Expected<Linker &> linker = Linker::get();
  if (!linker)
    return linker.takeError();
  orc::JITDylib &library =
      linker->session.createBareJITDylib("program" + std::to_string(linker->programs.fetch_add(1)));
  std::unique_ptr<JitProgram> program(new JitProgram);
  program->impl.reset(new Impl{*linker, library});
  if (Error error = library.define(orc::absoluteSymbols(linker->builtins)))
    return std::move(error);
  for (ArrayRef<char> object : objects)
    if (Error error = linker->objects.add(
            library, MemoryBuffer::getMemBufferCopy({object.data(), object.size()}, "kernel")))
      return std::move(error);
  return program;
}

JitProgram::~JitProgram() {
  // Nothing can be done about memory that cannot be unmapped.
  consumeError(impl->linker.session.removeJITDylib(impl->library));
}

Expected<void *> JitProgram::lookup(StringRef symbol) const {
  orc::JITDylib *order[] = {&impl->library};
  Expected<orc::ExecutorSymbolDef> found = impl->linker.session.lookup(order, symbol);
  if (!found)
    return found.takeError();
  return found->getAddress().toPtr<void *>();
}

} // namespace tenon::cpu
