//===- Main.cpp - The program around a compiled module --------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the inputs of an entry from files, runs it, and writes its outputs. Linked into what
// tenon-compile --emit=executable makes.
//
//===----------------------------------------------------------------------===//
#include "runtime/Expr.h"
#include "runtime/files/Npy.h"
#include "runtime/files/Safetensors.h"
#include "runtime/main/Benchmark.h"
#include "runtime/main/Failure.h"
#include "tenon/library.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <utility>

using namespace tenon;
using namespace tenon::files;

namespace {

bool endsWith(const std::string &text, const std::string &end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// "f32 [n0, 3]"; "?" is an extent that follows from others.
std::string typeText(const tenon_port &port) {
  std::string text = tenon_dtype_name(tenon_dtype(port.dtype));
  text += " [";
  for (int64_t d = 0; d < port.rank; ++d) {
    const tenon_expr &extent = port.extents[d];
    int64_t symbol;
    text += d ? ", " : "";
    if (tenon::runtime::isLoneSymbol(extent, symbol))
      text += "n" + std::to_string(symbol);
    else if (extent.length == 1 && extent.code[0].op == TENON_EXPR_CONST)
      text += std::to_string(extent.code[0].value);
    else
      text += "?";
  }
  return text + "]";
}

/// "7,5"
std::vector<int64_t> readExtents(const std::string &text) {
  std::vector<int64_t> extents;
  for (const char *next = text.c_str();; ++next) {
    char *end;
    errno = 0;
    long long value = std::strtoll(next, &end, 10);
    if (end == next || errno || value < 0 || (*end && *end != ','))
      throw Failure{"--extent: expected numbers from 0, separated by commas, got '" + text + "'"};
    extents.push_back(value);
    if (!*end)
      return extents;
    next = end;
  }
}

class Program {
public:
  Program(const tenon_artifact &artifact, std::string self)
      : artifact(artifact), self(std::move(self)) {}

  int run(int argc, char **argv);

private:
  void help() const;
  const tenon_program &find(const std::string &entry) const;
  void parse(int argc, char **argv);
  void readInputs(const tenon_program &program);
  void readNamed(const tenon_program &program, const std::string &name, const std::string &path);
  void readAll(const tenon_program &program, const std::string &path);
  void compute(const tenon_program &program, tenon_executable *executable);
  void write(const tenon_program &program);
  tenon_executable *open(const tenon_program &program) const;
  void measure(const tenon_program &program) const;

  const tenon_artifact &artifact;
  std::string self, entry, output;
  bool wantsHelp = false, wantsBenchmark = false;
  std::vector<int64_t> extents;
  std::vector<std::string> files;
  std::vector<HostTensor> inputs, outputs;
  std::vector<bool> given;
};

void Program::help() const {
  std::printf("usage: %s [--entry=NAME] [--output=PREFIX|FILE.safetensors] INPUT...\n"
              "       %s [--entry=NAME] --benchmark [--extent=N0,N1,...]\n\n"
              "An INPUT is FILE.npy (the inputs in order), NAME=FILE.npy, or\n"
              "FILE.safetensors with tensors of the inputs' names. An output is written to\n"
              "PREFIX<name>.npy, or all to one file. --benchmark measures a run on random\n"
              "inputs; --extent gives n0, n1, ... below values. TENON_DRIVER=cpu or vulkan in the\n"
              "environment says whose code is taken where the program has several.\n"
              "--cache=FOLDER keeps there what a GPU's driver compiles, for the next time. %s\n",
              self.c_str(), self.c_str(),
              artifact.num_entries > 1 ? "Name the entry, of which there are several." : "");
  for (int64_t i = 0; i < artifact.num_entries; ++i) {
    const tenon_program &program = find(artifact.entries[i].name);
    std::printf("\n%s\n", program.name);
    for (int64_t p = 0; p < program.num_inputs; ++p)
      std::printf("  in   %-16s %s\n", program.inputs[p].name, typeText(program.inputs[p]).c_str());
    for (int64_t p = 0; p < program.num_outputs; ++p)
      std::printf("  out  %-16s %s\n", program.outputs[p].name,
                  typeText(program.outputs[p]).c_str());
  }
}

/// For reading only: which variant runs here does not matter.
const tenon_program &Program::find(const std::string &name) const {
  std::string names;
  for (int64_t i = 0; i < artifact.num_entries; ++i) {
    const tenon_entry &each = artifact.entries[i];
    if (name.empty() ? artifact.num_entries == 1 : name == each.name)
      return *each.variants[0].program;
    names += (i ? ", " : "") + std::string(each.name);
  }
  throw Failure{"--entry: expected one of " + names + (name.empty() ? "" : ", got " + name)};
}

void Program::parse(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument == "--help" || argument == "-h")
      wantsHelp = true;
    else if (argument.rfind("--entry=", 0) == 0)
      entry = argument.substr(8);
    else if (argument.rfind("--output=", 0) == 0)
      output = argument.substr(9);
    else if (argument == "--benchmark")
      wantsBenchmark = true;
    else if (argument.rfind("--cache=", 0) == 0)
      check(tenon_pipeline_cache_open(argument.c_str() + 8, 0));
    else if (argument.rfind("--extent=", 0) == 0)
      extents = readExtents(argument.substr(9));
    else if (argument.rfind("--", 0) == 0)
      throw Failure{"unknown option " + argument + "; see --help"};
    else
      files.push_back(argument);
  }
}

void Program::readNamed(const tenon_program &program, const std::string &name,
                        const std::string &path) {
  for (int64_t i = 0; i < program.num_inputs; ++i) {
    if (name != program.inputs[i].name)
      continue;
    std::string error;
    if (!readNpy(path, inputs[i], error))
      throw Failure{error};
    given[i] = true;
    return;
  }
  throw Failure{"no input is called '" + name + "'; see --help"};
}

void Program::readAll(const tenon_program &program, const std::string &path) {
  NamedTensors tensors;
  std::string error;
  if (!readSafetensors(path, tensors, error))
    throw Failure{error};
  for (int64_t i = 0; i < program.num_inputs; ++i)
    if (auto found = tensors.find(program.inputs[i].name); found != tensors.end()) {
      inputs[i] = std::move(found->second);
      given[i] = true;
    }
}

void Program::readInputs(const tenon_program &program) {
  inputs.resize(size_t(program.num_inputs));
  given.assign(size_t(program.num_inputs), false);
  int64_t next = 0;
  for (const std::string &file : files) {
    size_t equals = file.find('=');
    if (endsWith(file, ".safetensors"))
      readAll(program, file);
    else if (equals != std::string::npos)
      readNamed(program, file.substr(0, equals), file.substr(equals + 1));
    else if (next < program.num_inputs)
      readNamed(program, program.inputs[next].name, file), ++next;
    else
      throw Failure{"expected " + std::to_string(program.num_inputs) +
                    " inputs, got one more: " + file};
  }
  for (int64_t i = 0; i < program.num_inputs; ++i)
    if (!given[i])
      throw Failure{"input '" + std::string(program.inputs[i].name) + "' is missing: expected " +
                    typeText(program.inputs[i])};
}

void Program::compute(const tenon_program &program, tenon_executable *executable) {
  std::vector<tenon_tensor> arguments, results;
  for (HostTensor &input : inputs)
    arguments.push_back(input.view());
  outputs.resize(size_t(program.num_outputs));
  for (int64_t i = 0; i < program.num_outputs; ++i) {
    std::vector<int64_t> extents(size_t(program.outputs[i].rank));
    check(tenon_executable_output_extents(executable, arguments.data(), program.num_inputs, i,
                                          extents.data()));
    std::string error;
    if (!outputs[i].allocate(tenon_dtype(program.outputs[i].dtype), extents, error))
      throw Failure{error};
    results.push_back(outputs[i].view());
  }
  check(tenon_executable_run(executable, arguments.data(), program.num_inputs, results.data(),
                             program.num_outputs, nullptr));
}

void Program::write(const tenon_program &program) {
  NamedTensors all;
  std::string error;
  bool oneFile = endsWith(output, ".safetensors");
  for (int64_t i = 0; i < program.num_outputs; ++i) {
    std::string name = program.outputs[i].name;
    if (oneFile && !all.emplace(name, std::move(outputs[i])).second)
      throw Failure{output + ": two outputs are called '" + name + "'; write .npy files"};
    if (!oneFile && !writeNpy(output + name + ".npy", outputs[i], error))
      throw Failure{error};
  }
  if (oneFile && !writeSafetensors(output, all, error))
    throw Failure{error};
}

tenon_executable *Program::open(const tenon_program &program) const {
  tenon_executable *executable;
  check(tenon_artifact_executable(&artifact, program.name, nullptr, &executable));
  return executable;
}

void Program::measure(const tenon_program &program) const {
  if (!files.empty() || !output.empty())
    throw Failure{"--benchmark takes no inputs and no --output: its inputs are random"};
  tenon_executable *executable = open(program);
  benchmark(executable, extents);
  tenon_executable_release(executable);
}

int Program::run(int argc, char **argv) {
  parse(argc, argv);
  if (wantsHelp) {
    help();
    return 0;
  }
  const tenon_program &program = find(entry);
  if (wantsBenchmark) {
    measure(program);
    return 0;
  }
  if (!extents.empty())
    throw Failure{"--extent: expected with --benchmark only; inputs have extents of their own"};
  readInputs(program);
  tenon_executable *executable = open(program);
  compute(*tenon_executable_program(executable), executable);
  tenon_executable_release(executable);
  write(program);
  return 0;
}

} // namespace

int tenon_main(int argc, char **argv, const tenon_artifact *artifact) {
  std::string message;
  try {
    return Program(*artifact, argc > 0 ? argv[0] : artifact->name).run(argc, argv);
  } catch (const Failure &failure) {
    message = failure.message;
  } catch (const std::exception &error) {
    message = error.what();
  }
  std::fprintf(stderr, "%s: %s\n", artifact->name, message.c_str());
  return 1;
}
