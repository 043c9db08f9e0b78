//===- TraceTest.cpp - The trace recorder and its slices ------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "frontend/Trace.h"

#include <gtest/gtest.h>

using namespace tenon;
using infer::Type;

namespace {

int op(const char *name) { return infer::findOp(name); }

const auto never = [](int32_t, Need) { return false; };

struct TraceTest : testing::Test {
  Trace trace;
  int32_t x = trace.input(Type::make(TENON_F32, {3, 4}));
  int32_t y = trace.input(Type::make(TENON_F32, {4, 5}));
  int32_t matmul(int32_t a, int32_t b) {
    return trace.record(op("matmul"), {a, b}, AttrWords().boolean(false).boolean(false));
  }
};

TEST_F(TraceTest, InfersTypes) {
  int32_t z = matmul(x, y);
  ASSERT_GE(z, 0);
  EXPECT_EQ(trace.type(z).rank, 2);
  EXPECT_EQ(trace.type(z).dims[0], 3);
  EXPECT_EQ(trace.type(z).dims[1], 5);
  EXPECT_EQ(trace.definingNode(z), 0);
  EXPECT_EQ(trace.definingNode(x), -1);
}

TEST_F(TraceTest, RefusesWhatDoesNotFitAndAddsNothing) {
  EXPECT_EQ(matmul(x, x), -1);
  EXPECT_NE(std::string(trace.error()).find("inner extents differ"), std::string::npos);
  EXPECT_EQ(trace.numNodes(), 0);
  EXPECT_EQ(trace.numValues(), 2);
}

TEST_F(TraceTest, RefusesWrongAttributeWordsOperandsAndOps) {
  EXPECT_EQ(trace.record(op("matmul"), {x, y}), -1);
  EXPECT_EQ(trace.record(op("add"), {x, 17}), -1);
  EXPECT_EQ(trace.record(op("add"), {x}), -1);
  EXPECT_EQ(trace.record(-1, {x}), -1);
  int64_t huge = int64_t(1) << 40;
  EXPECT_EQ(trace.record(op("reshape"), {x}, AttrWords().integer(huge)), -1);
  EXPECT_EQ(trace.numNodes(), 0);
}

TEST_F(TraceTest, TellsWhatAnErrorIsAbout) {
  int32_t d = trace.input(Type::make(TENON_F64, {3, 4})),
          i = trace.input(Type::make(TENON_I32, {3, 4}));
  EXPECT_EQ(trace.record(op("add"), {x, d}), -1);
  EXPECT_EQ(trace.fault(), infer::Fault::Dtype) << trace.error();
  EXPECT_EQ(trace.record(op("exp"), {i}), -1);
  EXPECT_EQ(trace.fault(), infer::Fault::Dtype) << trace.error();
  EXPECT_EQ(trace.record(op("add"), {x, y}), -1);
  EXPECT_EQ(trace.fault(), infer::Fault::Shape) << trace.error();
  EXPECT_EQ(trace.record(op("add"), {x}), -1);
  EXPECT_EQ(trace.fault(), infer::Fault::Argument) << trace.error();
  EXPECT_EQ(trace.record(-1, {x}), -1);
  EXPECT_EQ(trace.fault(), infer::Fault::Argument) << trace.error();
}

TEST_F(TraceTest, SeveralResultsHaveConsecutiveIds) {
  int32_t q = trace.input(Type::make(TENON_F32, {1, 2, 3, 4}));
  int32_t o = trace.record(op("attention"), {q, q, q}, AttrWords().real(0.5).boolean(true));
  ASSERT_GE(o, 0);
  EXPECT_EQ(trace.type(o).rank, 4);
  EXPECT_EQ(trace.type(o + 1).rank, 3);
  EXPECT_EQ(trace.definingNode(o + 1), trace.definingNode(o));
}

TEST_F(TraceTest, SliceDropsDeadCodeAndRenumbers) {
  trace.record(op("exp"), {x});
  int32_t z = matmul(x, y);
  int32_t w = trace.record(op("tanh"), {z});
  trace.record(op("log"), {w});
  Trace::Slice slice;
  trace.slice({w}, slice, never);
  tenon_trace view = slice.view();
  EXPECT_EQ(view.num_inputs, 2);
  EXPECT_EQ(view.num_nodes, 2);
  EXPECT_EQ(view.outputs[0], 3);
  EXPECT_EQ(slice.origin[3], w);
  EXPECT_EQ(view.operands[view.nodes[0].first_operand + 1], 1);
  EXPECT_EQ(view.donates[0], -1);
}

TEST_F(TraceTest, EqualProgramsGiveEqualSlices) {
  int32_t z = trace.record(op("tanh"), {matmul(x, y)});
  Trace::Slice first, second;
  trace.slice({z}, first, never);
  trace.record(op("exp"), {x}); // elsewhere in the trace, the same ops once more
  int32_t again = trace.record(op("tanh"), {matmul(x, y)});
  trace.slice({again}, second, never);
  EXPECT_EQ(first.hash, second.hash);
  EXPECT_TRUE(first == second);
  int32_t other = trace.record(op("sin"), {matmul(x, y)});
  trace.slice({other}, second, never);
  EXPECT_FALSE(first == second);
}

TEST_F(TraceTest, AttributesTypesAndOutputsCount) {
  auto fill = [&](double value) {
    int64_t shape[] = {2};
    return trace.record(op("fill"), {}, AttrWords().list(shape, 1).real(value).dtype(TENON_F32));
  };
  Trace::Slice a, b;
  int32_t one = fill(1), two = fill(2), exp = trace.record(op("exp"), {one});
  trace.slice({one}, a, never), trace.slice({two}, b, never);
  EXPECT_FALSE(a == b);
  trace.slice({exp}, a, never), trace.slice({one, exp}, b, never);
  EXPECT_TRUE(a.sameNodes(b));
  EXPECT_FALSE(a == b);
  int32_t d = trace.input(Type::make(TENON_F64, {3, 4}));
  trace.slice({trace.record(op("exp"), {x})}, a, never);
  trace.slice({trace.record(op("exp"), {d})}, b, never);
  EXPECT_FALSE(a == b);
}

TEST_F(TraceTest, KnownValuesBecomeInputs) {
  int32_t z = matmul(x, y), w = trace.record(op("tanh"), {z});
  Trace::Slice slice;
  trace.slice({w}, slice, [&](int32_t value, Need) { return value == z; });
  EXPECT_EQ(slice.inputs, std::vector<int32_t>{z});
  EXPECT_EQ(slice.nodes.size(), 1u);
}

TEST_F(TraceTest, KnownValuesOnAGradientsWayAreComputedAgain) {
  int32_t z = matmul(x, y);
  AttrWords axes;
  int64_t both[] = {0, 1};
  int32_t loss = trace.record(op("reduce_sum"), {z}, AttrWords().list(both, 2).boolean(false));
  int32_t grad = trace.record(op("gradient"), {loss, x});
  ASSERT_GE(grad, 0);
  Trace::Slice slice;
  trace.slice({grad}, slice,
              [&](int32_t value, Need need) { return value == z && need == Need::Contents; });
  EXPECT_EQ(slice.inputs, (std::vector<int32_t>{x, y}));
  EXPECT_EQ(slice.nodes.size(), 3u);
}

TEST_F(TraceTest, FirstInputsKeepTheirOrderEvenUnused) {
  int32_t unused = trace.input(Type::make(TENON_I64, {}));
  int32_t z = matmul(x, y);
  Trace::Slice slice;
  trace.slice({z}, {unused, y}, {}, slice, never);
  EXPECT_EQ(slice.inputs, (std::vector<int32_t>{unused, y, x}));
  EXPECT_EQ(slice.outputs, std::vector<int32_t>{3});
}

TEST_F(TraceTest, LastInputsComeLastEvenUnused) {
  int32_t trip = trace.input(Type::make(TENON_I64, {}));
  int32_t later = trace.input(Type::make(TENON_F32, {4, 5}));
  int32_t z = matmul(x, later);
  Trace::Slice slice;
  trace.slice({z}, {x}, {trip}, slice, never);
  EXPECT_EQ(slice.inputs, (std::vector<int32_t>{x, later, trip}));
}

TEST_F(TraceTest, ReplaceRedirectsUses) {
  int32_t alias = trace.input(Type::make(TENON_F32, {3, 4}));
  int32_t z = matmul(alias, y);
  trace.reach(z);
  EXPECT_TRUE(trace.reached(alias));
  EXPECT_FALSE(trace.reached(x));
  trace.replace(alias, x);
  trace.reach(z);
  EXPECT_TRUE(trace.reached(x));
  EXPECT_FALSE(trace.reached(alias));
}

TEST_F(TraceTest, ManyOperands) {
  std::vector<int32_t> parts(40, x);
  AttrWords axis;
  axis.integer(0);
  int32_t z = trace.record(op("concat"), parts.data(), 40, axis.data(), axis.size());
  ASSERT_GE(z, 0);
  EXPECT_EQ(trace.type(z).dims[0], 120);
}

} // namespace
