//===- Link.cpp - Objects into one file -----------------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lld runs in this process, on files in a temporary folder: it takes no others.
//
//===----------------------------------------------------------------------===//
#include "codegen/aot/Link.h"
#include "runtime/ArtifactNote.h"
#include "runtime/platform/Signals.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ObjCopy/ConfigManager.h"
#include "llvm/ObjCopy/ObjCopy.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace llvm;

namespace tenon::aot {
namespace {

Error failure(const Twine &message) { return createStringError(inconvertibleErrorCode(), message); }

/// A folder that goes with its files.
class Folder {
public:
  static Expected<std::unique_ptr<Folder>> create() {
    std::unique_ptr<Folder> folder(new Folder);
    if (std::error_code error = sys::fs::createUniqueDirectory("tenon", folder->path))
      return failure("cannot make a temporary folder: " + error.message());
    return folder;
  }
  ~Folder() { sys::fs::remove_directories(path); }

  std::string at(const Twine &name) const {
    SmallString<128> result(path);
    sys::path::append(result, name);
    return result.str().str();
  }
  Error write(const Twine &name, ArrayRef<char> bytes) {
    std::error_code error;
    raw_fd_ostream file(at(name), error);
    if (!error) {
      file.write(bytes.data(), bytes.size());
      file.close(); // a full disk shows here
      error = file.error();
      file.clear_error();
    }
    return error ? failure(at(name) + ": " + error.message()) : Error::success();
  }
  Expected<ObjectBytes> read(const Twine &name) {
    auto file = MemoryBuffer::getFile(at(name), /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!file)
      return failure(at(name) + ": " + file.getError().message());
    return ObjectBytes((*file)->getBufferStart(), (*file)->getBufferEnd());
  }

private:
  Folder() = default;
  SmallString<128> path;
};

/// The linker registers options and resets those that are registered: the ones of the program
/// that this is part of are put aside meanwhile.
class OptionsAside {
public:
  OptionsAside() { exchange(); }
  ~OptionsAside() { exchange(); }

private:
  void exchange() {
    cl::SubCommand &registered = cl::SubCommand::getTopLevel();
    std::swap(registered.OptionsMap, named);
    std::swap(registered.PositionalOpts, positional);
  }

  StringMap<cl::Option *> named;
  SmallVector<cl::Option *, 4> positional;
};

/// lld keeps its state in global variables, so one link at a time.
Error runLinker(ArrayRef<std::string> arguments) {
  static std::mutex lock;
  static bool usable = true;
  std::lock_guard<std::mutex> guard(lock);
  if (!usable)
    return failure("the linker has crashed before in this process");
  std::vector<const char *> argv = {"ld.lld"};
  for (const std::string &argument : arguments)
    argv.push_back(argument.c_str());
  std::string messages;
  raw_string_ostream stream(messages);
  OptionsAside aside;
  runtime::platform::SignalsKept kept; // lld has files removed when a signal comes
  lld::Result result = lld::lldMain(argv, stream, stream, {{lld::Gnu, &lld::elf::link}});
  usable = result.canRunAgain;
  return result.retCode ? failure("linking failed: " + StringRef(messages).trim())
                        : Error::success();
}

/// Writes the objects and appends their names to the arguments.
Error addObjects(Folder &folder, ArrayRef<ArrayRef<char>> objects,
                 std::vector<std::string> &arguments) {
  for (auto [i, object] : enumerate(objects)) {
    std::string name = std::to_string(i) + ".o";
    if (Error error = folder.write(name, object))
      return error;
    arguments.push_back(folder.at(name));
  }
  return Error::success();
}

/// A library that has the runtime's name and the one function of it that is called.
Error makeStub(Folder &folder, StringRef triple) {
  Expected<ObjectBytes> object = stubObject(triple, {entryCall});
  if (!object)
    return object.takeError();
  if (Error error = folder.write("stub.o", *object))
    return error;
  return runLinker({"-shared", "-soname", TENON_RUNTIME_SONAME, "-o", folder.at("stub.so"),
                    folder.at("stub.o")});
}

Error writeVersions(Folder &folder, ArrayRef<std::string> symbols) {
  std::string text = "{ global:";
  for (const std::string &symbol : symbols)
    text += " " + symbol + ";";
  text += " local: *; };\n";
  return folder.write("versions", ArrayRef(text.data(), text.size()));
}

} // namespace

Expected<ObjectBytes> linkShared(ArrayRef<ArrayRef<char>> objects, ArrayRef<std::string> symbols,
                                 StringRef triple, StringRef name) {
  auto folder = Folder::create();
  if (!folder)
    return folder.takeError();
  if (Error error = makeStub(**folder, triple))
    return std::move(error);
  if (Error error = writeVersions(**folder, symbols))
    return std::move(error);
  std::vector<std::string> arguments = {"-shared",
                                        "-soname",
                                        name.str(),
                                        "--hash-style=gnu",
                                        "--build-id=none",
                                        "-z",
                                        "relro",
                                        "-z",
                                        "now",
                                        "-z",
                                        "noexecstack",
                                        "--threads=1",
                                        "--rpath=$ORIGIN",
                                        "--enable-new-dtags",
                                        "--version-script=" + (*folder)->at("versions"),
                                        "-o",
                                        (*folder)->at("linked")};
  if (Error error = addObjects(**folder, objects, arguments))
    return std::move(error);
  arguments.push_back((*folder)->at("stub.so"));
  if (Error error = runLinker(arguments))
    return std::move(error);
  return (*folder)->read("linked");
}

Expected<ObjectBytes> joinObjects(ArrayRef<ArrayRef<char>> objects, ArrayRef<std::string> symbols) {
  auto folder = Folder::create();
  if (!folder)
    return folder.takeError();
  std::vector<std::string> arguments = {"-r", "--threads=1", "-o", (*folder)->at("linked")};
  if (Error error = addObjects(**folder, objects, arguments))
    return std::move(error);
  if (Error error = runLinker(arguments))
    return std::move(error);
  auto joined = (*folder)->read("linked");
  if (!joined)
    return joined.takeError();
  auto file = object::ObjectFile::createObjectFile(
      MemoryBufferRef(StringRef(joined->data(), joined->size()), "linked"));
  if (!file)
    return file.takeError();
  // Kernels are named after their contents: two models may have the same.
  objcopy::ConfigManager config;
  for (const std::string &symbol : symbols)
    if (Error error = config.Common.SymbolsToKeepGlobal.addMatcher(objcopy::NameOrPattern::create(
            symbol, objcopy::MatchStyle::Literal, [](Error error) { return error; })))
      return std::move(error);
  ObjectBytes result;
  raw_svector_ostream stream(result);
  if (Error error = objcopy::executeObjcopyOnBinary(config, **file, stream))
    return std::move(error);
  return result;
}

/// The C++ compiler of a machine, to link with.
static Expected<std::string> findCompiler(const Triple &triple) {
  std::string cross = (triple.getArchName() + "-linux-gnu-g++").str();
  SmallVector<StringRef> names = {"c++", "clang++", "clang++-19", "g++"};
  if (triple.getArch() != Triple(sys::getProcessTriple()).getArch())
    names = {cross};
  if (const char *chosen = std::getenv("CXX"); chosen && *chosen)
    names = {chosen};
  for (StringRef name : names)
    if (auto path = sys::findProgramByName(name); path && sys::fs::can_execute(*path))
      return *path;
  return failure("to link a program, a C++ compiler is needed: expected one of " +
                 join(names, ", ") + " in PATH");
}

Expected<ObjectBytes> linkExecutable(ArrayRef<ArrayRef<char>> objects, StringRef libraries,
                                     StringRef triple) {
  auto folder = Folder::create();
  if (!folder)
    return folder.takeError();
  Expected<std::string> compiler = findCompiler(Triple(triple));
  if (!compiler)
    return compiler.takeError();
  std::vector<std::string> arguments = {*compiler};
  if (Error error = addObjects(**folder, objects, arguments))
    return std::move(error);
  for (const char *name : {"/libtenon_main.a", "/libtenon_runtime.a"}) {
    arguments.push_back((libraries + name).str());
    if (!sys::fs::exists(arguments.back()))
      return failure("to link a program, Tenon's static runtime is needed: expected " +
                     arguments.back());
  }
  std::string messages = (*folder)->at("messages");
  for (const char *argument : {"-pthread", "-ldl", "-Wl,--gc-sections", "-o"})
    arguments.push_back(argument);
  arguments.push_back((*folder)->at("linked"));
  std::optional<StringRef> redirects[] = {std::nullopt, StringRef(messages), StringRef(messages)};
  SmallVector<StringRef> argv(arguments.begin(), arguments.end());
  if (sys::ExecuteAndWait(*compiler, argv, std::nullopt, redirects) != 0) {
    auto text = (*folder)->read("messages");
    if (!text)
      return text.takeError();
    return failure(*compiler + " failed: " + StringRef(text->data(), text->size()).trim());
  }
  return (*folder)->read("linked");
}

Error stampNote(ObjectBytes &bytes) {
  auto file = object::ELFFile<object::ELF64LE>::create(StringRef(bytes.data(), bytes.size()));
  if (!file)
    return file.takeError();
  auto sections = file->sections();
  if (!sections)
    return sections.takeError();
  for (const auto &section : *sections) {
    Expected<StringRef> name = file->getSectionName(section);
    if (!name)
      return name.takeError();
    if (*name != runtime::noteSection)
      continue;
    // Behind the note's own header and name.
    size_t contents = section.sh_offset + 12 + (sizeof runtime::noteName + 3) / 4 * 4;
    uint64_t size = bytes.size();
    memcpy(bytes.data() + contents + runtime::noteBytesAt, &size, sizeof size);
    size_t hole = contents + runtime::noteDigestAt;
    uint64_t digest =
        runtime::digestAround(reinterpret_cast<unsigned char *>(bytes.data()), bytes.size(), hole);
    memcpy(bytes.data() + hole, &digest, sizeof digest);
    return Error::success();
  }
  return failure("the linked file has lost its note");
}

} // namespace tenon::aot
