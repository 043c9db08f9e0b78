//===- Check.cpp - Is what was compiled right? ----------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tools/fuzz/Check.h"

#include "codegen/Pipelines.h"
#include "reference/Judge.h"
#include "tenon/compiler.h"
#include "tools/run/Elements.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using tenon::files::HostTensor;

namespace tenon::fuzz {

std::vector<Variant> allVariants() {
  std::vector<Variant> variants{{"-O0", 0, "", "cpu"}, {"-O3", 3, "", "cpu"}};
  for (const std::string &pass : optionalPasses())
    if (pass != "derive-backward") // what has gradients cannot do without
      variants.push_back({"--disable=" + pass, 2, pass, "cpu"});
  std::string before = "fuse-attention,fuse-cross-entropy,fuse-norms";
  for (std::string type : {"f16", "bf16"})
    variants.push_back(
        {"--mixed-precision=" + type + " --disable=" + before, 2, before, "cpu", type});
  return variants;
}

Variant vulkanVariant() { return {"--backend=vulkan", 2, "", "vulkan"}; }

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Empty if all went well.
static std::string messageOf(tenon_status status) {
  std::string text;
  if (status) {
    text = tenon_status_message(status);
    tenon_status_free(status);
  }
  return text;
}

namespace {
class Executable {
public:
  ~Executable() { tenon_executable_release(executable); }
  /// An error, or "".
  std::string compile(const std::string &text, const std::string &function, const char *device,
                      const Variant &variant);
  std::string run(Inputs &given, std::vector<HostTensor> &results);

private:
  tenon_executable *executable = nullptr;
};
} // namespace

std::string Executable::compile(const std::string &text, const std::string &function,
                                const char *device, const Variant &variant) {
  tenon_compile_options options;
  tenon_compile_options_init(&options);
  options.device = device;
  options.opt_level = variant.optLevel;
  options.disable = variant.disabled.c_str();
  options.mixed_precision = variant.mixed.empty() ? nullptr : variant.mixed.c_str();
  return messageOf(tenon_compile_mlir(text.data(), int64_t(text.size()), function.c_str(), &options,
                                      &executable));
}

std::string Executable::run(Inputs &given, std::vector<HostTensor> &results) {
  const tenon_program &compiled = *tenon_executable_program(executable);
  std::vector<tenon_tensor> inputs, outputs;
  for (HostTensor &input : given)
    inputs.push_back(input.view());
  for (int64_t i = 0; i < compiled.num_outputs; i++) {
    std::vector<int64_t> extents(size_t(compiled.outputs[i].rank));
    std::string error = messageOf(tenon_executable_output_extents(
        executable, inputs.data(), int64_t(inputs.size()), i, extents.data()));
    results.emplace_back();
    if (!error.empty() ||
        !results.back().allocate(tenon_dtype(compiled.outputs[i].dtype), extents, error))
      return error;
  }
  for (HostTensor &result : results)
    outputs.push_back(result.view());
  return messageOf(tenon_executable_run(executable, inputs.data(), int64_t(inputs.size()),
                                        outputs.data(), int64_t(outputs.size()), nullptr));
}

/// As many digits as tell one double from another.
static llvm::format_object<double> digits(double x) { return llvm::format("%.17g", x); }

/// `expected` ends with the bounds. Empty if all elements are within them.
static std::string compare(const std::vector<HostTensor> &got,
                           const std::vector<HostTensor> &expected, Verdict &verdict) {
  for (size_t i = 0; i < got.size(); i++) {
    const HostTensor &bounds = expected[got.size() + i];
    if (got[i].extents != expected[i].extents)
      return llvm::formatv("result {0} has other extents than the reference's", i);
    reference::Judgement judgement;
    for (int64_t e = 0, size = expected[i].size(); e < size; e++)
      judgement.add(run::elementAt(got[i], e), run::elementAt(expected[i], e),
                    run::elementAt(bounds, e));
    verdict.elements += judgement.count;
    verdict.undecided += judgement.undecided;
    if (judgement.worst > 1)
      return llvm::formatv("result {0} ({1}), element {2}: got {3}, expected {4}, bound {5}", i,
                           tenon_dtype_name(got[i].dtype), judgement.place,
                           digits(run::elementAt(got[i], judgement.place)),
                           digits(run::elementAt(expected[i], judgement.place)),
                           digits(run::elementAt(bounds, judgement.place)));
  }
  return "";
}

Verdict check(const std::string &text, llvm::MutableArrayRef<Inputs> inputs,
              llvm::ArrayRef<Variant> variants, const std::string &function) {
  Verdict verdict;
  auto fail = [&](Verdict::Kind kind, std::string variant, std::string message) {
    verdict.kind = kind;
    verdict.variant = std::move(variant);
    verdict.message = std::move(message);
    return verdict;
  };
  // Whether extents that are known at run time fit is said there.
  bool isDynamic = llvm::StringRef(text).contains("<?") || llvm::StringRef(text).contains("x?");
  Verdict::Kind refused = isDynamic ? Verdict::Refused : Verdict::Broken;
  std::vector<std::vector<HostTensor>> expected(inputs.size()), narrowed;
  auto interpret = [&](const Variant &variant, std::vector<std::vector<HostTensor>> &results) {
    Executable reference;
    std::string error = reference.compile(text, function, "reference-bounds", variant);
    if (!error.empty())
      return fail(Verdict::Broken, "--backend=reference " + variant.name, error);
    for (verdict.place = 0; verdict.place < inputs.size(); verdict.place++)
      if (error = reference.run(inputs[verdict.place], results[verdict.place]); !error.empty())
        return fail(refused, "--backend=reference " + variant.name, error);
    return verdict;
  };
  if (interpret(Variant(), expected).kind != Verdict::Right)
    return verdict;
  bool hasProduct = llvm::StringRef(text).contains("tenon.matmul") ||
                    llvm::StringRef(text).contains("tenon.attention");
  std::string error;
  for (const Variant &variant : variants) {
    if (!variant.mixed.empty()) {
      if (!hasProduct)
        continue;
      narrowed.clear();
      narrowed.resize(inputs.size());
      if (interpret(variant, narrowed).kind != Verdict::Right)
        return verdict;
    }
    auto &wanted = variant.mixed.empty() ? expected : narrowed;
    Executable executable;
    verdict.place = 0;
    if (error = executable.compile(text, function, variant.device.c_str(), variant); !error.empty())
      return fail(Verdict::Broken, variant.name, error);
    for (; verdict.place < inputs.size(); verdict.place++) {
      std::vector<HostTensor> got;
      if (error = executable.run(inputs[verdict.place], got); !error.empty())
        return fail(refused, variant.name, error);
      if (error = compare(got, wanted[verdict.place], verdict); !error.empty())
        return fail(Verdict::Wrong, variant.name, error);
    }
  }
  return verdict;
}

//===----------------------------------------------------------------------===//
// Processes
//===----------------------------------------------------------------------===//

/// What a child writes, until it ends or time is out.
static std::string readAll(int descriptor, pid_t child, unsigned secondsAtMost) {
  std::string text;
  char part[4096];
  for (;;) {
    pollfd ready{descriptor, POLLIN, 0};
    int status = poll(&ready, 1, int(secondsAtMost) * 1000);
    if (status < 0 && errno == EINTR)
      continue;
    if (status <= 0) {
      kill(-child, SIGKILL);
      return text;
    }
    ssize_t size = read(descriptor, part, sizeof part);
    if (size <= 0)
      return text;
    text.append(part, size_t(size));
  }
}

Verdict apart(llvm::function_ref<Verdict()> check, unsigned secondsAtMost) {
  Verdict verdict;
  verdict.kind = Verdict::Broken;
  int ends[2];
  if (pipe(ends) != 0) {
    verdict.message = std::string("no pipe: ") + strerror(errno);
    return verdict;
  }
  pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0); // what it starts is in this group
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(ends[0]);
    Verdict found = check();
    std::string text = llvm::formatv("{0} {1} {2} {3} {4}\n{5}", int(found.kind), found.elements,
                                     found.undecided, found.place, found.variant, found.message);
    size_t written = 0;
    while (written < text.size()) {
      ssize_t size = write(ends[1], text.data() + written, text.size() - written);
      if (size <= 0)
        break;
      written += size_t(size);
    }
    _exit(0);
  }
  close(ends[1]);
  if (child > 0)
    setpgid(child, child); // whoever of both is first
  if (child < 0) {
    close(ends[0]);
    verdict.message = std::string("no process: ") + strerror(errno);
    return verdict;
  }
  std::string text = readAll(ends[0], child, secondsAtMost);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) {
    verdict.message = WTERMSIG(status) == SIGKILL
                          ? llvm::formatv("does not end within {0} s", secondsAtMost).str()
                          : llvm::formatv("ends with signal {0}", WTERMSIG(status)).str();
    return verdict;
  }
  auto [head, message] = llvm::StringRef(text).split('\n');
  llvm::SmallVector<llvm::StringRef> words;
  head.split(words, ' ', 4);
  int kind;
  if (words.size() != 5 || words[0].getAsInteger(10, kind) ||
      words[1].getAsInteger(10, verdict.elements) || words[2].getAsInteger(10, verdict.undecided) ||
      words[3].getAsInteger(10, verdict.place)) {
    verdict.message = llvm::formatv("ends with status {0}", WEXITSTATUS(status));
    return verdict;
  }
  verdict.kind = Verdict::Kind(kind);
  verdict.variant = words[4].str();
  verdict.message = message.str();
  return verdict;
}

} // namespace tenon::fuzz
