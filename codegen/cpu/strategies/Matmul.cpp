//===- Matmul.cpp - The strategy of matrix products -----------------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What may be computed inside a matrix product: views of its operands, cheap work on
// their elements, and anything elementwise on the sums.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/CpuStrategy.h"
#include "codegen/cpu/strategies/MatmulEmitter.h"

using namespace mlir;

namespace tenon::cpu {

namespace {

class MatmulStrategy : public CpuStrategy {
public:
  StringRef name() const override { return "matmul"; }
  int benefit() const override { return 80; }
  bool canRoot(Operation *op) const override { return isa<MatmulOp>(op); }
  bool canFuseProducer(const KernelGroup &group, Operation *op, std::string &reason) const override;
  bool canFuseConsumer(const KernelGroup &group, Operation *op, std::string &reason) const override;
  LogicalResult emit(KernelFrame &frame) const override;
};

bool refuse(std::string &reason, const char *why) {
  reason = why;
  return false;
}

/// Does `op` lead to an operand of the root through members of the group?
bool feedsRoot(const KernelGroup &group, Operation *op) {
  SmallVector<Operation *> work{op};
  llvm::DenseSet<Operation *> seen;
  while (!work.empty()) {
    Operation *current = work.pop_back_val();
    if (current == group.root)
      return true;
    if (!seen.insert(current).second)
      continue;
    for (Operation *user : current->getUsers())
      if (group.ops.contains(user))
        work.push_back(user);
  }
  return false;
}

bool sameCount(Value a, Value b) {
  auto count = [](Value value) {
    Extent product;
    for (const Extent &extent : shapeOf(value))
      product = product * extent;
    return product;
  };
  return count(a) == count(b);
}

/// An operand is packed once for each block of the other: elements of one that is
/// met by few others are computed about once.
bool packedOnce(MatmulOp matmul, Operation *op, const KernelGroup &group) {
  auto type = cast<RankedTensorType>(matmul.getY().getType());
  int64_t rank = type.getRank();
  auto few = [&](int64_t axis) { return !type.isDynamicDim(axis) && type.getDimSize(axis) <= 128; };
  // Through which operand it comes does not matter where both are small.
  bool viaA = false, viaB = false;
  for (Operation *user : op->getUsers())
    if (user == group.root) {
      viaA |= llvm::is_contained(op->getResults(), matmul.getA());
      viaB |= llvm::is_contained(op->getResults(), matmul.getB());
    }
  if (!viaA && !viaB)
    viaA = viaB = true;
  return (!viaA || few(rank - 1)) && (!viaB || few(rank - 2));
}

bool MatmulStrategy::canFuseProducer(const KernelGroup &group, Operation *op,
                                     std::string &reason) const {
  if (op->getNumResults() != 1 || !ElementEmitter::canEmit(op))
    return refuse(reason, "its elements cannot be computed one by one");
  auto matmul = cast<MatmulOp>(group.root);
  bool elementwise = op->hasTrait<trait::Elementwise>();
  if (feedsRoot(group, op)) {
    if (isViewOp(op))
      return resolveView(op->getResult(0)) ||
             refuse(reason, "its elements do not lie at constant strides");
    if (!elementwise)
      return refuse(reason, "it is neither a view nor elementwise");
    return isa<CastOp>(op) || packedOnce(matmul, op, group) ||
           refuse(reason, "it would be computed again for each block of the other operand");
  }
  if (isViewOp(op) || op->getNumOperands() == 0)
    return true;
  return sameCount(op->getResult(0), matmul.getY()) ||
         refuse(reason, "it would be computed again for each row of the product");
}

bool MatmulStrategy::canFuseConsumer(const KernelGroup &group, Operation *op,
                                     std::string &reason) const {
  auto matmul = cast<MatmulOp>(group.root);
  if (op->getNumResults() != 1 || !ElementEmitter::canEmit(op))
    return refuse(reason, "its elements cannot be computed one by one");
  if (!op->hasTrait<trait::Elementwise>() && !isa<TransposeOp, ReshapeOp>(op))
    return refuse(reason, "it is not elementwise");
  for (Value operand : op->getOperands())
    if (Operation *def = operand.getDefiningOp())
      if (def != group.root && group.ops.contains(def) && feedsRoot(group, def))
        return refuse(reason, "it also reads what the product is computed from");
  if (!resolvePlacement(matmul.getY(), op->getResult(0)))
    return refuse(reason, "its elements depend on several of the product, or on another kernel");
  return true;
}

LogicalResult MatmulStrategy::emit(KernelFrame &frame) const {
  mlir::Block &body = frame.kernel().getBody().front();
  auto roots = body.getOps<MatmulOp>();
  if (std::distance(roots.begin(), roots.end()) != 1)
    return frame.kernel().emitError("strategy \"matmul\": expected one tenon.matmul, got ")
           << std::distance(roots.begin(), roots.end());
  MatmulOp root = *roots.begin();
  auto yield = cast<YieldOp>(body.getTerminator());
  for (Value value : yield.getValues())
    if (!resolvePlacement(root.getY(), value))
      return frame.kernel().emitError("strategy \"matmul\": expected results that are computed "
                                      "elementwise from the product");
  auto problem = matmul::Problem::get(frame, root);
  auto plan = matmul::Plan::make(problem, frame.target());
  matmul::MatmulEmitter(frame, problem, plan).emit();
  return success();
}

} // namespace

std::unique_ptr<CpuStrategy> createMatmulStrategy() { return std::make_unique<MatmulStrategy>(); }

} // namespace tenon::cpu
