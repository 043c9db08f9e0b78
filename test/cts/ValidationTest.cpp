//===- ValidationTest.cpp - programs that are refused ---------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One mistake per test; each is found when the executable is made.
//
//===----------------------------------------------------------------------===//
#include "test/cts/Cts.h"

using namespace tenon::test;

namespace {

/// A good program of every kind of slot, to be broken.
class ValidationTest : public DriverTest {
protected:
  ValidationTest() {
    x = b.input("x", TENON_F32, {Expr::symbol(0)});
    y = b.output("y", TENON_F32, {Expr::symbol(0)}, 0);
    body = b.arena(0);
    next = b.arena(64);
    view = b.view(x, 4);
    b.arenaBytes(128);
    kernel = b.kernel("add_one", addOne);
  }

  void expectRefused(const std::string &part) {
    tenon_executable *executable = nullptr;
    EXPECT_ERROR(tenon_executable_create(device, &b.build(), nullptr, nullptr, &executable),
                 TENON_ERROR_ARGUMENT, part);
    EXPECT_EQ(executable, nullptr);
  }
  /// A loop of one carried and one scanned value around one launch.
  tenon_step loop(Carried carried, Scanned scanned) {
    return b.loopStep(2, {carried}, {scanned}, {b.launchStep(kernel, {body, next}, {1})});
  }

  ProgramBuilder b{"p", 1};
  int64_t x, y, body, next, view, kernel;
  uint32_t module[5] = {0x07230203};
  int64_t bindings[2] = {0, 1};
  tenon_expr one = b.keep(1);
  tenon_dispatch dispatch = {module, sizeof module, "main", 2, bindings, {one, one, one}};
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Drivers, ValidationTest, ::testing::ValuesIn(allDrivers()), driverLabel);

TEST_P(ValidationTest, GoodProgramPasses) {
  b.add(loop({x, body, next, y, 4}, {x, view, 4}));
  EXPECT_TRUE(create(b));
}

TEST_P(ValidationTest, AbiVersion) {
  b.program.abi_version = TENON_ABI_VERSION + 1;
  expectRefused("program of ABI version " + std::to_string(TENON_ABI_VERSION + 1) +
                "; this runtime takes version " + std::to_string(TENON_ABI_VERSION));
}

TEST_P(ValidationTest, MissingTable) {
  tenon_program &program = b.build();
  program.slots = nullptr;
  tenon_executable *executable = nullptr;
  EXPECT_ERROR(tenon_executable_create(device, &program, nullptr, nullptr, &executable),
               TENON_ERROR_ARGUMENT, "slots has 5 entries and no table");
}

TEST_P(ValidationTest, UnboundSymbol) {
  b.program.num_symbols = 2;
  expectRefused("symbol 1 is bound by no input");
}

TEST_P(ValidationTest, SymbolOutOfRange) {
  b.output("z", TENON_F32, {Expr::symbol(3)});
  expectRefused("output 1 extent 0 uses a symbol out of range");
}

TEST_P(ValidationTest, MalformedExpressions) {
  Expr lacking = Expr(1), surplus = Expr(1), unknown = Expr(1);
  lacking.code.push_back({TENON_EXPR_ADD, 0});
  surplus.code.push_back({TENON_EXPR_CONST, 1});
  unknown.code[0].op = 77;
  for (auto [expr, reason] :
       std::vector<std::pair<Expr, std::string>>{{lacking, "lacks an operand"},
                                                 {surplus, "leaves more than one value"},
                                                 {unknown, "has an unknown opcode"}}) {
    b.arenaBytes(expr);
    expectRefused("arena_bytes " + reason);
  }
}

TEST_P(ValidationTest, PortDtype) {
  b.inputs[0].dtype = 55;
  expectRefused("input 0 has unknown dtype 55");
}

TEST_P(ValidationTest, PortName) {
  b.outputs[0].name = nullptr;
  expectRefused("output 0 has no name");
}

TEST_P(ValidationTest, Donation) {
  b.outputs[0].donates = 1;
  expectRefused("output 0 refers to input 1 of 1");
  b.outputs[0].donates = 0;
  b.outputs[0].dtype = TENON_I32;
  expectRefused("donates an input of another dtype or rank");
  b.outputs[0].dtype = TENON_F32;
  b.output("z", TENON_F32, {Expr::symbol(0)}, 0);
  expectRefused("output 1 donates an input that another output donates too");
}

TEST_P(ValidationTest, Slots) {
  tenon_slot good = b.slots[size_t(view)];
  auto expectBad = [&](int64_t kind, int64_t index, const std::string &reason) {
    b.slots[size_t(view)].kind = kind;
    b.slots[size_t(view)].index = index;
    expectRefused("slot 4 " + reason);
    b.slots[size_t(view)] = good;
  };
  expectBad(9, 0, "has unknown kind 9");
  expectBad(TENON_SLOT_INPUT, 1, "refers to input 1 of 1");
  expectBad(TENON_SLOT_OUTPUT, -1, "refers to output -1 of 1");
  expectBad(TENON_SLOT_VIEW, 5, "refers to slot 5 of 5");
  expectBad(TENON_SLOT_VIEW, 4, "is a view of itself");
  expectBad(TENON_SLOT_CONSTANT, 0, "is a constant without data");
  b.slots[size_t(view)].data = &b;
  b.slots[size_t(view)].bytes = -1;
  b.slots[size_t(view)].kind = TENON_SLOT_CONSTANT;
  expectRefused("slot 4 is a constant of -1 bytes");
}

TEST_P(ValidationTest, ArenaOffset) {
  ProgramBuilder small("small");
  small.arena(65);
  small.arenaBytes(64);
  tenon_executable *executable = nullptr;
  EXPECT_ERROR(tenon_executable_create(device, &small.build(), nullptr, nullptr, &executable),
               TENON_ERROR_ARGUMENT, "slot 0 lies at offset 65 of an arena of 64 bytes");
}

TEST_P(ValidationTest, KernelIsFunctionOrDispatches) {
  b.kernels[0].num_dispatches = 1;
  expectRefused("kernel 0 dispatches has 1 entries and no table");
  b.kernels[0].dispatches = &dispatch;
  expectRefused("kernel 0 has both function and dispatches");
  b.kernels[0].num_dispatches = 0;
  b.kernels[0].function = nullptr;
  expectRefused("kernel 0 has neither function nor dispatches");
}

TEST_P(ValidationTest, Dispatches) {
  b.kernels[0].function = nullptr;
  b.kernels[0].num_dispatches = 1;
  b.kernels[0].dispatches = &dispatch;
  b.launch(kernel, {x, y}, {Expr::symbol(0)});
  auto expectBad = [&](auto change, const std::string &reason) {
    tenon_dispatch good = dispatch;
    change();
    expectRefused(reason);
    dispatch = good;
  };
  expectBad([&] { dispatch.spirv = nullptr; }, "kernel 0 dispatch 0 has no module of SPIR-V");
  expectBad([&] { dispatch.spirv_bytes = 18; }, "kernel 0 dispatch 0 has no module of SPIR-V");
  expectBad([&] { dispatch.entry = nullptr; }, "kernel 0 dispatch 0 has no entry point");
  expectBad([&] { dispatch.bindings = nullptr; }, "dispatch 0 bindings has 2 entries and no table");
  expectBad([&] { bindings[1] = 2; }, "step 0 dispatch 0 refers to buffer 2 of 2");
  bindings[1] = 1;
  expectBad([&] { dispatch.groups[2] = b.keep(Expr::symbol(1)); },
            "step 0 dispatch 0 workgroups uses a symbol out of range");
  b.kernels[0].num_results = 3;
  expectRefused("step 0 has fewer slots than its kernel has results");
  b.kernels[0].num_results = 1;
  b.steps[0].sizes = nullptr;
  expectRefused("step 0 has no sizes");
}

TEST_P(ValidationTest, Launches) {
  b.launch(1, {x, y});
  expectRefused("step 0 refers to kernel 1 of 1");
  b.steps.clear();
  b.launch(kernel, {x, 99});
  expectRefused("step 0 refers to slot 99 of 5");
  b.steps.clear();
  b.launch(kernel, {x, y}, {Expr::symbol(1)});
  expectRefused("step 0 extent 0 uses a symbol out of range");
}

TEST_P(ValidationTest, Copies) {
  b.add(b.copyStep(y, x, 4));
  b.steps[0].num_slots = 1;
  expectRefused("step 0 is a copy with 1 slots; expected 2");
}

TEST_P(ValidationTest, StepKind) {
  tenon_step step{};
  step.kind = 12;
  b.add(b.loopStep(1, {}, {}, {b.launchStep(kernel, {x, y}), step}));
  expectRefused("step 0.1 has unknown kind 12");
}

TEST_P(ValidationTest, CarriedSlots) {
  for (auto [carried, reason] : std::vector<std::pair<Carried, std::string>>{
           {{x, body, 99, y, 4}, "refers to slot 99"},
           {{x, x, next, y, 4}, "moves through slot 0"},
           {{x, body, view, y, 4}, "moves through slot 4"}}) {
    b.steps.clear();
    b.add(loop(carried, {x, view, 4}));
    expectRefused("step 0 carried value 0 " + reason);
  }
}

TEST_P(ValidationTest, CarriedValuesDoNotShareSlots) {
  b.add(b.loopStep(1, {{x, body, next, y, 4}, {x, y, next, y, 4}}, {}, {}));
  expectRefused("carried value 1 has the next slot of another");
  b.steps.clear();
  b.add(b.loopStep(1, {{x, body, next, y, 4}, {x, body, y, y, 4}}, {}, {}));
  expectRefused("carried value 1 has the body slot of another");
}

TEST_P(ValidationTest, ScannedSlots) {
  b.add(loop({x, body, next, y, 4}, {x, body, 4}));
  expectRefused("scanned value 0 has a body slot that is not a view");
  b.steps.clear();
  b.add(loop({x, body, next, y, 4}, {view, view, 4}));
  expectRefused("scanned value 0 is a view of itself");
}

TEST_P(ValidationTest, LoopsNestedTooDeep) {
  tenon_step step = b.launchStep(kernel, {x, y}, {1});
  for (int i = 0; i < 40; ++i)
    step = b.loopStep(1, {}, {}, {step});
  b.add(step);
  expectRefused("nests loops too deep");
}

TEST_P(ValidationTest, Ifs) {
  tenon_step good = b.launchStep(kernel, {x, y}, {1}), bad{};
  bad.kind = 12;
  auto expectBad = [&](const tenon_step &step, const std::string &reason) {
    b.steps.clear();
    b.add(step);
    expectRefused("step 0" + reason);
  };
  expectBad(b.ifStep(99, {good}, {}), " condition refers to slot 99 of 5");
  expectBad(b.ifStep(x, {good, bad}, {good}), ".1 has unknown kind 12");
  expectBad(b.ifStep(x, {good}, {bad}), ".else.0 has unknown kind 12");
  tenon_step step = b.ifStep(x, {good}, {});
  step.num_else = 1;
  step.else_body = nullptr;
  expectBad(step, " else body has 1 entries and no table to match");
  step = good;
  for (int i = 0; i < 40; ++i)
    step = b.ifStep(x, {}, {step});
  b.steps.clear();
  b.add(step);
  expectRefused("nests ifs too deep");
}

TEST_P(ValidationTest, StaticSizesAreEvaluatedAtOnce) {
  ProgramBuilder negative("n");
  negative.arenaBytes(Expr(1) - 2);
  tenon_executable *executable = nullptr;
  EXPECT_ERROR(tenon_executable_create(device, &negative.build(), nullptr, nullptr, &executable),
               TENON_ERROR_SHAPE, "size of the arena is negative");
}
