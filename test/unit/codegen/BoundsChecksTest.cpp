//===- BoundsChecksTest.cpp - Kernels that reach out of their buffers -----===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels made wrong on purpose, compiled with bounds checks and run by the runtime.
//
//===----------------------------------------------------------------------===//
#include "tenon/runtime.h"
#include "test/cts/ProgramBuilder.h"
#include "test/unit/codegen/CompiledKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tenon;
using namespace tenon::test;

namespace {

/// Runs a kernel of one input of 8 floats, then one output of 8, for n floats of each: the
/// message of the run's failure, or "".
std::string run(Emit emit, const char *type = "tensor<8xf32>", int64_t n = 8) {
  Kernel kernel(type, type, std::move(emit), "native", /*boundsChecks=*/true);
  if (!kernel.ok())
    return "not compiled: " + kernel.error();
  bool isOpen = n != 8;
  ProgramBuilder builder("test", isOpen ? 1 : 0);
  Expr extent = isOpen ? Expr::symbol(0) : Expr(n);
  int64_t in = builder.input("x", TENON_F32, {extent});
  int64_t out = builder.output("y", TENON_F32, {extent});
  std::vector<Expr> extents(isOpen ? 2 : 0, extent);
  builder.launch(builder.kernel("copy", kernel.entry(), kernel.sharedBytes({n, n})), {in, out},
                 extents);
  tenon_device *device = nullptr;
  tenon_executable *executable = nullptr;
  EXPECT_EQ(tenon_device_open("cpu", 0, &device), nullptr);
  EXPECT_EQ(tenon_executable_create(device, &builder.build(), nullptr, nullptr, &executable),
            nullptr);
  // More memory than is told, so that nothing else stops what goes wrong.
  std::vector<float> x(1024, 1), y(1024, 7);
  tenon_tensor input = {nullptr, x.data() + 512, TENON_F32, 1, &n};
  tenon_tensor output = {nullptr, y.data() + 512, TENON_F32, 1, &n};
  tenon_status status = tenon_executable_run(executable, &input, 1, &output, 1, nullptr);
  std::string message = tenon_status_message(status);
  EXPECT_EQ(tenon_status_code(status), message.empty() ? TENON_OK : TENON_ERROR_MEMORY);
  tenon_status_free(status);
  for (int64_t i = 0; i < 1024; ++i)
    if (i < 512 || i >= 512 + n)
      EXPECT_EQ(y[size_t(i)], 7) << "a write outside took place, at " << i;
  tenon_executable_release(executable);
  tenon_device_release(device);
  return message;
}

/// y[i + to] = x[i + from].
Emit copyOne(int64_t from, int64_t to) {
  return [=](cpu::KernelFrame &frame) {
    OpBuilder &b = frame.builder();
    Value value =
        b.create<memref::LoadOp>(frame.loc(), frame.buffer(0), ValueRange{frame.index(from)});
    b.create<memref::StoreOp>(frame.loc(), value, frame.result(0), ValueRange{frame.index(to)});
    return success();
  };
}

TEST(BoundsChecksTest, ARightKernelIsLeftAlone) {
  EXPECT_EQ(run(copyOne(0, 7)), "");
  EXPECT_EQ(run(copyOne(7, 0)), "");
  EXPECT_EQ(run(copyOne(19, 19), "tensor<?xf32>", 20), "");
}

TEST(BoundsChecksTest, OneElementTooFar) {
  EXPECT_EQ(run(copyOne(0, 8)), "kernel 'copy' (test.cpp) writes 4 bytes outside of its buffer 1 "
                                "of 32 bytes, at byte 32");
  EXPECT_EQ(run(copyOne(8, 0)), "kernel 'copy' (test.cpp) reads 4 bytes outside of its buffer 0 "
                                "of 32 bytes, at byte 32");
  EXPECT_EQ(run(copyOne(0, -1)), "kernel 'copy' (test.cpp) writes 4 bytes outside of its buffer 1 "
                                 "of 32 bytes, at byte -4");
}

TEST(BoundsChecksTest, ExtentsThatAreKnownAtRunTime) {
  EXPECT_EQ(run(copyOne(0, 20), "tensor<?xf32>", 20),
            "kernel 'copy' (test.cpp) writes 4 bytes outside of its buffer 1 of 80 bytes, at byte "
            "80");
}

TEST(BoundsChecksTest, AVectorThatEndsOutside) {
  auto emit = [](cpu::KernelFrame &frame) {
    OpBuilder &b = frame.builder();
    Value vector = b.create<vector::LoadOp>(frame.loc(), VectorType::get({4}, b.getF32Type()),
                                            frame.buffer(0), ValueRange{frame.index(5)});
    b.create<vector::StoreOp>(frame.loc(), vector, frame.result(0), ValueRange{frame.index(0)});
    return success();
  };
  EXPECT_EQ(run(emit), "kernel 'copy' (test.cpp) reads 16 bytes outside of its buffer 0 of 32 "
                       "bytes, at byte 20");
}

/// Stores the first `lanes` of 4 lanes at element 6.
Emit storeMasked(int64_t lanes) {
  return [=](cpu::KernelFrame &frame) {
    OpBuilder &b = frame.builder();
    auto type = VectorType::get({4}, b.getF32Type());
    Value mask = b.create<vector::CreateMaskOp>(frame.loc(), VectorType::get({4}, b.getI1Type()),
                                                ValueRange{frame.index(lanes)});
    Value value = b.create<arith::ConstantOp>(frame.loc(), DenseElementsAttr::get(type, 3.0f));
    b.create<vector::MaskedStoreOp>(frame.loc(), frame.result(0), ValueRange{frame.index(6)}, mask,
                                    value);
    return success();
  };
}

TEST(BoundsChecksTest, OnlyLanesThatAreOnCount) {
  EXPECT_EQ(run(storeMasked(0)), "");
  EXPECT_EQ(run(storeMasked(2)), "");
  EXPECT_EQ(run(storeMasked(3)), "kernel 'copy' (test.cpp) writes 12 bytes outside of its buffer 1 "
                                 "of 32 bytes, at byte 24");
}

TEST(BoundsChecksTest, InTheBodyOfAParallelLoop) {
  auto emit = [](cpu::KernelFrame &frame) {
    frame.parallelFor(frame.index(9), frame.index(1), {}, [&](Value begin, Value, ValueRange) {
      OpBuilder &b = frame.builder();
      Value value = frame.constant(b.getF32Type(), 2);
      b.create<memref::StoreOp>(frame.loc(), value, frame.result(0), ValueRange{begin});
    });
    return success();
  };
  EXPECT_EQ(run(emit), "kernel 'copy' (test.cpp) writes 4 bytes outside of its buffer 1 of 32 "
                       "bytes, at byte 32");
}

TEST(BoundsChecksTest, Scratch) {
  auto emit = [](cpu::KernelFrame &frame) {
    OpBuilder &b = frame.builder();
    unsigned id = frame.addSharedScratch(b.getF32Type(), {b.getAffineConstantExpr(16)});
    Value value = frame.constant(b.getF32Type(), 2);
    for (int64_t at : {15, 100000})
      b.create<memref::StoreOp>(frame.loc(), value, frame.scratch(id), ValueRange{frame.index(at)});
    return success();
  };
  EXPECT_EQ(run(emit), "kernel 'copy' (test.cpp) writes 4 bytes outside of its scratch of 64 "
                       "bytes, at byte 400000");
}

} // namespace
