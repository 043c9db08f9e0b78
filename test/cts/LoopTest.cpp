//===- LoopTest.cpp - loops and ifs of a schedule -------------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Carried values in every arrangement of slots, scanned views, nesting.
//
//===----------------------------------------------------------------------===//
#include "test/cts/Cts.h"

using namespace tenon::test;

namespace {

class LoopTest : public DriverTest {
protected:
  static const Expr n;

  /// Runs a program of the inputs `trips` (a vector of that length) and `x`.
  std::vector<float> result(const ExecutableHandle &e, size_t trips, std::vector<float> x,
                            size_t outputSize) {
    Tensor<float> count{std::vector<float>(trips)}, in(std::move(x));
    Tensor<float> out{std::vector<float>(outputSize, -1)};
    EXPECT_OK(run(e, {count.argument(), in.argument()}, {out.argument()}));
    return out.values;
  }
};
const Expr LoopTest::n = Expr::symbol(0);

} // namespace

INSTANTIATE_TEST_SUITE_P(Drivers, LoopTest, ::testing::ValuesIn(computingDrivers()), driverLabel);

TEST_P(LoopTest, CarriesThroughTwoArenaSlots) {
  ProgramBuilder b("p", 1);
  b.input("trips", TENON_F32, {n});
  int64_t x = b.input("x", TENON_F32, {2});
  int64_t y = b.output("y", TENON_F32, {2});
  int64_t body = b.arena(0), next = b.arena(64);
  b.arenaBytes(128);
  int64_t k = b.kernel("add_one", addOne);
  b.add(b.loopStep(n, {{x, body, next, y, 8}}, {}, {b.launchStep(k, {body, next}, {2})}));
  ExecutableHandle e = create(b);
  for (size_t trips : {0, 1, 2, 3, 10, 11, 1})
    EXPECT_EQ(result(e, trips, {1, 5}, 2),
              (std::vector<float>{1.f + float(trips), 5.f + float(trips)}));
}

TEST_P(LoopTest, CarriesThroughTheOutput) {
  for (bool outputIsBody : {true, false}) {
    ProgramBuilder b("p", 1);
    b.input("trips", TENON_F32, {n});
    int64_t x = b.input("x", TENON_F32, {1});
    int64_t y = b.output("y", TENON_F32, {1});
    int64_t other = b.arena(0);
    b.arenaBytes(64);
    int64_t body = outputIsBody ? y : other, next = outputIsBody ? other : y;
    int64_t k = b.kernel("add_one", addOne);
    b.add(b.loopStep(n, {{x, body, next, y, 4}}, {}, {b.launchStep(k, {body, next}, {1})}));
    ExecutableHandle e = create(b);
    for (size_t trips : {0, 1, 2, 3})
      EXPECT_EQ(result(e, trips, {1}, 1)[0], 1 + float(trips));
  }
}

TEST_P(LoopTest, CarriesInPlace) {
  ProgramBuilder b("p", 1);
  b.input("trips", TENON_F32, {n});
  int64_t x = b.input("x", TENON_F32, {1});
  int64_t y = b.output("y", TENON_F32, {1});
  int64_t k = b.kernel("add_one", addOne);
  b.add(b.loopStep(n, {{x, y, y, y, 4}}, {}, {b.launchStep(k, {y, y}, {1})}));
  ExecutableHandle e = create(b);
  for (size_t trips : {0, 1, 5})
    EXPECT_EQ(result(e, trips, {1}, 1)[0], 1 + float(trips));
}

TEST_P(LoopTest, ScansForwardsAndBackwards) {
  for (bool reverse : {false, true}) {
    ProgramBuilder b("p", 1);
    int64_t x = b.input("x", TENON_F32, {n});
    int64_t last = b.output("last", TENON_F32, {1});
    int64_t history = b.output("history", TENON_F32, {n});
    static const float zero = 0;
    int64_t body = b.arena(0), next = b.arena(64);
    int64_t xt = b.view(x, 0, 4), historyT = b.view(history, 0, 4);
    b.arenaBytes(128);
    int64_t k = b.kernel("accumulate", accumulate);
    b.add(b.loopStep(n, {{b.constant(&zero), body, next, last, 4}},
                     {{x, xt, 4}, {history, historyT, 4}},
                     {b.launchStep(k, {xt, body, next, historyT})}, -1, reverse));
    ExecutableHandle e = create(b);
    Tensor<float> in({1, 2, 3, 4}), out({0}), all({0, 0, 0, 0});
    ASSERT_OK(run(e, {in.argument()}, {out.argument(), all.argument()}));
    EXPECT_EQ(out.values[0], 10);
    EXPECT_EQ(all.values,
              reverse ? (std::vector<float>{10, 9, 7, 4}) : (std::vector<float>{1, 3, 6, 10}));
  }
}

TEST_P(LoopTest, GivesThePlaceOfTheTrip) {
  for (bool reverse : {false, true}) {
    ProgramBuilder b("p", 1);
    b.input("trips", TENON_F32, {n});
    int64_t x = b.input("x", TENON_F32, {1});
    int64_t y = b.output("y", TENON_F32, {1});
    int64_t body = b.arena(0), next = b.arena(64), index = b.arena(128);
    b.arenaBytes(192);
    int64_t k = b.kernel("append_digit", appendDigit);
    b.add(b.loopStep(n, {{x, body, next, y, 4}}, {}, {b.launchStep(k, {body, index, next})}, index,
                     reverse));
    ExecutableHandle e = create(b);
    EXPECT_EQ(result(e, 4, {7}, 1)[0], reverse ? 73210 : 70123);
  }
}

TEST_P(LoopTest, ValuesTradePlaces) {
  // (a, b) -> (b, a): each one's next slot is the other's body slot.
  ProgramBuilder b("p", 1);
  b.input("trips", TENON_F32, {n});
  int64_t x = b.input("x", TENON_F32, {2});
  int64_t y = b.output("y", TENON_F32, {2});
  int64_t left = b.arena(0), right = b.arena(64);
  b.arenaBytes(128);
  b.add(b.loopStep(n, {{x, left, right, y, 4}, {b.view(x, 4), right, left, b.view(y, 4), 4}}, {},
                   {}));
  ExecutableHandle e = create(b);
  for (size_t trips : {0, 1, 2, 3})
    EXPECT_EQ(result(e, trips, {1, 2}, 2),
              trips % 2 ? (std::vector<float>{2, 1}) : (std::vector<float>{1, 2}));
}

TEST_P(LoopTest, ValuesMoveAlongAChain) {
  // (a, b) -> (b, b + 1): a's next slot is b's body slot.
  ProgramBuilder b("p", 1);
  b.input("trips", TENON_F32, {n});
  int64_t x = b.input("x", TENON_F32, {2});
  int64_t y = b.output("y", TENON_F32, {2});
  int64_t first = b.arena(0), second = b.arena(64), fresh = b.arena(128);
  b.arenaBytes(192);
  int64_t k = b.kernel("add_one", addOne);
  b.add(b.loopStep(n, {{x, first, second, y, 4}, {b.view(x, 4), second, fresh, b.view(y, 4), 4}},
                   {}, {b.launchStep(k, {second, fresh}, {1})}));
  ExecutableHandle e = create(b);
  EXPECT_EQ(result(e, 0, {5, 1}, 2), (std::vector<float>{5, 1}));
  for (size_t trips : {1, 2, 3, 4, 5})
    EXPECT_EQ(result(e, trips, {5, 1}, 2), (std::vector<float>{float(trips), float(trips + 1)}));
}

TEST_P(LoopTest, ChainsOfUnequalSizesAreRefused) {
  ProgramBuilder b("p");
  int64_t first = b.arena(0), second = b.arena(64);
  b.arenaBytes(128);
  b.add(b.loopStep(1, {{first, first, second, first, 4}, {second, second, first, second, 8}}, {},
                   {}));
  tenon_executable *raw = nullptr;
  EXPECT_ERROR(tenon_executable_create(device, &b.build(), nullptr, nullptr, &raw),
               TENON_ERROR_ARGUMENT, "trade storage but differ in size");
}

TEST_P(LoopTest, ViewsFollowTheCarriedValue) {
  ProgramBuilder b("p", 1);
  b.input("trips", TENON_F32, {n});
  int64_t x = b.input("x", TENON_F32, {2});
  int64_t y = b.output("y", TENON_F32, {2});
  int64_t body = b.arena(0), next = b.arena(64);
  int64_t bodyTail = b.view(b.view(body), 4), nextTail = b.view(next, 4);
  b.arenaBytes(128);
  int64_t k = b.kernel("add_one", addOne);
  b.add(b.loopStep(n, {{x, body, next, y, 8}}, {},
                   {b.launchStep(k, {body, next}, {1}), b.launchStep(k, {bodyTail, nextTail}, {1}),
                    b.launchStep(k, {nextTail, nextTail}, {1})}));
  ExecutableHandle e = create(b);
  for (size_t trips : {1, 2, 5})
    EXPECT_EQ(result(e, trips, {1, 1}, 2),
              (std::vector<float>{1 + float(trips), 1 + 2 * float(trips)}));
}

TEST_P(LoopTest, LoopsNest) {
  // Rows of x are scanned outside, elements of a row inside.
  ProgramBuilder b("p", 2);
  Expr rows = Expr::symbol(0), columns = Expr::symbol(1);
  int64_t x = b.input("x", TENON_F32, {rows, columns});
  int64_t y = b.output("y", TENON_F32, {1});
  int64_t history = b.output("history", TENON_F32, {rows, columns});
  static const float zero = 0;
  int64_t row = b.view(x, 0, columns * 4), element = b.view(row, 0, 4);
  int64_t historyRow = b.view(history, 0, columns * 4), historyElement = b.view(historyRow, 0, 4);
  int64_t outer = b.arena(0), outerNext = b.arena(64);
  int64_t inner = b.arena(128), innerNext = b.arena(192);
  b.arenaBytes(256);
  int64_t k = b.kernel("accumulate", accumulate);
  tenon_step innerLoop = b.loopStep(columns, {{outer, inner, innerNext, outerNext, 4}},
                                    {{row, element, 4}, {historyRow, historyElement, 4}},
                                    {b.launchStep(k, {element, inner, innerNext, historyElement})});
  b.add(b.loopStep(rows, {{b.constant(&zero), outer, outerNext, y, 4}},
                   {{x, row, columns * 4}, {history, historyRow, columns * 4}}, {innerLoop}));
  ExecutableHandle e = create(b);
  for (int repeat = 0; repeat < 2; ++repeat) {
    Tensor<float> in({1, 2, 3, 4, 5, 6}, {2, 3}), out({0});
    Tensor<float> all(std::vector<float>(6), {2, 3});
    ASSERT_OK(run(e, {in.argument()}, {out.argument(), all.argument()}));
    EXPECT_EQ(out.values[0], 21);
    EXPECT_EQ(all.values, (std::vector<float>{1, 3, 6, 10, 15, 21}));
  }
}

TEST_P(LoopTest, AnIfRunsOneBody) {
  ProgramBuilder b("p");
  int64_t c = b.input("c", TENON_I1, {}), x = b.input("x", TENON_F32, {1});
  int64_t y = b.output("y", TENON_F32, {1});
  int64_t k = b.kernel("add_one", addOne);
  b.add(b.copyStep(y, x, 4));
  b.add(b.ifStep(c, {b.launchStep(k, {y, y}, {1}), b.launchStep(k, {y, y}, {1})},
                 {b.ifStep(c, {}, {b.launchStep(k, {y, y}, {1})})}));
  ExecutableHandle e = create(b);
  for (bool condition : {true, false, true}) {
    tenon_tensor given{nullptr, &condition, TENON_I1, 0, nullptr};
    Tensor<float> in({5}), out({-1});
    ASSERT_OK(run(e, {given, in.argument()}, {out.argument()}));
    EXPECT_EQ(out.values[0], condition ? 7 : 6);
  }
}

TEST_P(LoopTest, AnIfInALoopFollowsTheCarriedValue) {
  // What a body writes is where the trip's value lies; the other body counts twice.
  ProgramBuilder b("p", 1);
  b.input("trips", TENON_F32, {n});
  int64_t x = b.input("x", TENON_F32, {1});
  int64_t y = b.output("y", TENON_F32, {1});
  int64_t body = b.arena(0), next = b.arena(64), condition = b.arena(128);
  b.arenaBytes(192);
  int64_t k = b.kernel("add_one", addOne), small = b.kernel("is_small", isSmall);
  b.add(b.loopStep(
      n, {{x, body, next, y, 4}}, {},
      {b.launchStep(small, {body, condition}),
       b.ifStep(condition, {b.launchStep(k, {body, next}, {1})},
                {b.launchStep(k, {body, next}, {1}), b.launchStep(k, {next, next}, {1})})}));
  ExecutableHandle e = create(b);
  for (auto [trips, expected] : {std::pair(0, 1.f), {2, 3.f}, {3, 5.f}, {5, 9.f}})
    EXPECT_EQ(result(e, size_t(trips), {1}, 1)[0], expected);
}

TEST_P(LoopTest, StepsAfterTheLoopSeeSlotsAsBefore) {
  // `body` trades addresses inside the loop; a later use finds it in the arena.
  ProgramBuilder b("p", 1);
  b.input("trips", TENON_F32, {n});
  int64_t x = b.input("x", TENON_F32, {1});
  int64_t y = b.output("y", TENON_F32, {1});
  int64_t body = b.arena(0), next = b.arena(64);
  int64_t whole = b.arena(0);
  b.arenaBytes(128);
  int64_t k = b.kernel("add_one", addOne);
  b.add(b.loopStep(n, {{x, body, next, body, 4}}, {}, {b.launchStep(k, {body, next}, {1})}));
  b.launch(k, {whole, y}, {1});
  ExecutableHandle e = create(b);
  for (size_t trips : {0, 1, 2, 3})
    EXPECT_EQ(result(e, trips, {1}, 1)[0], 2 + float(trips));
}

TEST_P(LoopTest, UpdatesDonatedStateInPlace) {
  ProgramBuilder b("p", 1);
  b.input("trips", TENON_F32, {n});
  int64_t x = b.input("x", TENON_F32, {1});
  int64_t y = b.output("y", TENON_F32, {1}, /*donates=*/1);
  int64_t body = b.arena(0), next = b.arena(64);
  b.arenaBytes(128);
  int64_t k = b.kernel("add_one", addOne);
  b.add(b.loopStep(n, {{x, body, next, y, 4}}, {}, {b.launchStep(k, {body, next}, {1})}));
  ExecutableHandle e = create(b);
  Tensor<float> count{std::vector<float>(3)}, state({1});
  for (int i = 0; i < 2; ++i)
    ASSERT_OK(run(e, {count.argument(), state.argument()}, {state.argument()}));
  EXPECT_EQ(state.values[0], 7);
}

TEST_P(LoopTest, DonatedInputsThatTradePlaces) {
  // The first output lies where the second value comes from.
  ProgramBuilder b("p", 1);
  b.input("trips", TENON_F32, {n});
  int64_t p = b.input("p", TENON_F32, {1}), q = b.input("q", TENON_F32, {1});
  int64_t a = b.output("a", TENON_F32, {1}, /*donates=*/2);
  int64_t c = b.output("c", TENON_F32, {1}, /*donates=*/1);
  int64_t k = b.kernel("add_one", addOne);
  b.add(b.loopStep(n, {{p, a, a, a, 4}, {q, c, c, c, 4}}, {}, {b.launchStep(k, {a, a}, {1})}));
  ExecutableHandle e = create(b);
  Tensor<float> count{std::vector<float>(3)}, left({10}), right({20});
  ASSERT_OK(run(e, {count.argument(), left.argument(), right.argument()},
                {right.argument(), left.argument()}));
  EXPECT_EQ(right.values[0], 13);
  EXPECT_EQ(left.values[0], 20);
}
