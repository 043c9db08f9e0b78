//===- Passes.td - Passes over the dialect ----------------*- tablegen -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In the order in which the pipeline runs them (see codegen/Pipelines.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef TENON_PASSES_TD
#define TENON_PASSES_TD

include "mlir/Pass/PassBase.td"

def FuseAttentionPass : Pass<"tenon-fuse-attention", "::mlir::func::FuncOp"> {
  let summary = "products and softmax into tenon.attention";
  let description = [{
    ```mlir
    %s = tenon.matmul %q, %k {transpose_b = true}
       : (tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x8xf32>
    %c = tenon.mul %s, %scale : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
    %p = tenon.softmax %c {axis = 2 : i64} : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
    %o = tenon.matmul %p, %v : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
    ```
    becomes `tenon.attention` between reshapes to `[batch, heads, rows, columns]`.

    Scores are of rank 2 to 4, as queries x keys or keys x queries; transposes may be
    ops or attributes. On the way from the product to the softmax there may be factors
    (numbers or rank-0 values; numbers on q and k too), an added bias, a select against
    -inf or a number that hides a key (at most -1e9), and casts. A bias or condition
    that shows key <= query, made of iota or constant, becomes `causal`. A query all of
    whose keys are hidden by a finite number gets 0 instead of the mean of v.

    A concatenation of heads that are slices of the same tensors becomes one attention
    over all heads, reached by reshape and transpose. Keys and values that a broadcast
    repeats for each query head become grouped heads.

    Left alone: scores or probabilities with other uses (dropout, a gradient op), a
    softmax along another axis, two masks, operands of different element types.
    Run it before `tenon-derive-backward`, so that the backward is fused as well.
  }];
  let dependentDialects = ["::tenon::TenonDialect"];
  let options = [Option<"report", "report", "bool", /*default=*/"false",
                        "Emit a remark at each candidate that was not fused, saying why">];
  let statistics = [
    Statistic<"numFused", "fused", "Number of attention ops formed">,
    Statistic<"numMerged", "merged", "Number of concatenations of heads merged">,
    Statistic<"numGrouped", "grouped", "Number of repetitions of key heads removed">];
}

def FuseCrossEntropyPass : Pass<"tenon-fuse-cross-entropy", "::mlir::func::FuncOp"> {
  let summary = "softmax, logarithm and targets into losses";
  let description = [{
    ```mlir
    %l = tenon.log_softmax %x {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %p = tenon.mul %l, %t : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %s = tenon.reduce_sum %p {axes = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4xf32>
    ```
    becomes
    ```mlir
    %r = tenon.softmax_cross_entropy %x, %t {floor = 0.0 : f64}
       : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4xf32>
    %s = tenon.neg %r : tensor<4xf32>
    ```
    A target that is `tenon.one_hot` is read as its ids. `log(softmax(x))` becomes
    `log_softmax(x)`, and `cross_entropy(softmax(x), t)` becomes
    `softmax_cross_entropy(x, t)`.

    Left alone: probabilities or logarithms with other uses, a softmax that is not
    along the last axis, a target that a gradient op may differentiate by (the loss
    has no gradient of its target).
  }];
  let dependentDialects = ["::tenon::TenonDialect"];
  let options = [Option<"report", "report", "bool", /*default=*/"false",
                        "Emit a remark at each candidate that was not fused, saying why">];
  let statistics = [Statistic<"numFused", "fused", "Number of ops formed">];
}

def FuseNormsPass : Pass<"tenon-fuse-norms", "::mlir::func::FuncOp"> {
  let summary = "means and roots into tenon.layer_norm and tenon.rms_norm";
  let description = [{
    With all statistics over the last axis,
    `(x - mean(x)) * rsqrt(mean((x - mean(x))^2) + eps)` becomes
    `tenon.layer_norm %x {eps}`, and `x * rsqrt(mean(x^2) + eps)` becomes
    `tenon.rms_norm %x {eps}`; also with `/ sqrt(...)`, `x^2` as a power, and means as
    sums times 1 / n. A factor per column that follows joins as gamma, a term as beta.

    Left alone: statistics over other axes, of another divisor (n - 1), or with other
    uses.
  }];
  let dependentDialects = ["::tenon::TenonDialect"];
  let options = [Option<"report", "report", "bool", /*default=*/"false",
                        "Emit a remark at each candidate that was not fused, saying why">];
  let statistics = [Statistic<"numFused", "fused", "Number of norms formed">];
}

def MixedPrecisionPass : Pass<"tenon-mixed-precision", "::mlir::func::FuncOp"> {
  let summary = "products of f32 programs in f16 or bf16";
  let description = [{
    Runs where it is asked for, before gradients are derived, so that they are of the same types.
    What a program takes and gives stays f32: parameters are masters, rounded where they are used.
    The traits of an op say its class:
    * it computes in the low type (products, attention), whatever its operands are
    * it follows its operands: it is computed in the low type where one of them is, and every other
      one is as well, is a number that the type holds, or is an argument that is repeated (biases)
    * it keeps f32: losses, softmax and norms, exponentials and logarithms, sums, optimizers. Also a sum
      with an f32 value, as of a residual branch

    ```mlir
    %y = tenon.matmul %x, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    %b = tenon.broadcast %bias {shape = array<i64: 4, 6>, dims = array<i64: 1>} : (tensor<6xf32>) -> tensor<4x6xf32>
    %z = tenon.add %y, %b : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %p = tenon.softmax %z {axis = 1 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    ```
    becomes
    ```mlir
    %xl = tenon.cast %x {dtype = f16} : (tensor<4x8xf32>) -> tensor<4x8xf16>
    %wl = tenon.cast %w {dtype = f16} : (tensor<8x6xf32>) -> tensor<8x6xf16>
    %y = tenon.matmul %xl, %wl : (tensor<4x8xf16>, tensor<8x6xf16>) -> tensor<4x6xf16>
    %b = tenon.broadcast %bias ...
    %bl = tenon.cast %b {dtype = f16} : (tensor<4x6xf32>) -> tensor<4x6xf16>
    %zl = tenon.add %y, %bl : (tensor<4x6xf16>, tensor<4x6xf16>) -> tensor<4x6xf16>
    %z = tenon.cast %zl {dtype = f32} : (tensor<4x6xf16>) -> tensor<4x6xf32>
    %p = tenon.softmax %z ...
    ```
    A value is rounded once in a block, what it is a view of rather than the view; a value that comes
    from the low type is not rounded again. Sums of products add up in f32 (`tenon.matmul`).

    Left alone: values of other types than f32; masks of attention; ops with a number that the low type
    does not hold, as 1e-8 in f16; bodies of `tenon.custom`.
  }];
  let dependentDialects = ["::tenon::TenonDialect"];
  let options = [Option<"type", "type", "std::string", "\"bf16\"", "the low type: f16 or bf16">];
  let statistics = [
    Statistic<"numLow", "low", "Number of products in the low type">,
    Statistic<"numFollowing", "following", "Number of ops that follow them">,
    Statistic<"numCasts", "casts", "Number of values that are rounded">];
}

def ScaleLossPass : Pass<"tenon-scale-loss", "::mlir::func::FuncOp"> {
  let summary = "gradients through f16 of a scaled loss, and no step where they are not finite";
  let description = [{
    Runs behind tenon-mixed-precision for f16. `tenon.loss_scale` names the state; in its block
    * gradients that reach an update are taken of the scaled loss and divided by the scale in f32
    * an update of an optimizer keeps parameter and moments, bit for bit, where one of the gradients
      before it is not finite
    * the next state halves the scale then, and doubles it after `interval` steps without that

    ```mlir
    %g = tenon.gradient %loss, %w : (tensor<f32>, tensor<8xf32>) -> tensor<8xf32>
    %p = tenon.sgd %w, %g, %lr : ...
    %next = tenon.loss_scale %state {interval = 2000 : i64} : (tensor<2xf32>) -> tensor<2xf32>
    ```
    becomes
    ```mlir
    %scale = ...                       // %state[0]
    %s = tenon.gradient %loss, %w, %scale : ...
    %finite = ...                      // the largest |%s| is below infinity
    %g = tenon.mul %s, ...             // 1 / %scale
    %new = tenon.sgd %w, %g, %lr : ...
    %p = tenon.select ..., %new, %w
    %next = ...
    ```
    Left alone: functions without f16; gradients that no update of the block takes, which would not be
    skipped, and those of other types than f32. What stays of `tenon.loss_scale` is its operand. An error:
    two states for the gradients of a block; a state that is computed behind a gradient, or read before one.
  }];
  let dependentDialects = ["::tenon::TenonDialect"];
  let statistics = [Statistic<"numScaled", "scaled", "Number of gradients of a scaled loss">];
}

def DeriveBackwardPass : Pass<"tenon-derive-backward", "::mlir::func::FuncOp"> {
  let summary = "replace tenon.gradient by reverse-mode derivatives";
  let description = [{
    Each `tenon.gradient` becomes the ops that compute it, from the rules of
    `DifferentiableOpInterface`. Gradients of one y with one seed share a pass, and
    only what lies between x and y is derived. Gradients are taken in program order,
    so a gradient may depend on another. Where y does not depend on x, or only
    through ops that are not differentiable, the gradient is a constant zero. Each
    `tenon.watch` is replaced by its operand at the end, as is a `tenon.loss_scale` that is left.

    ```mlir
    %y = tenon.exp %x : tensor<4xf32>
    %l = tenon.reduce_sum %y {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
    %g = tenon.gradient %l, %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
    ```
    becomes
    ```mlir
    %1 = tenon.constant dense<1.0> : tensor<f32>
    %2 = tenon.broadcast %1 {shape = array<i64: 4>, dims = array<i64>} : (tensor<f32>) -> tensor<4xf32>
    %g = tenon.mul %2, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```

    A loop becomes a loop that also stacks the carried values of every trip, and a
    loop in the other direction that computes each trip again; an if becomes one more if of
    its condition, which computes the body that was run again. An op without a rule
    is an error at that op. Precondition: x and y stand in the block of the op, and no
    kernels have been formed.
  }];
  let dependentDialects = ["::tenon::TenonDialect"];
  let statistics = [
    Statistic<"numGradients", "gradients", "Number of gradient ops replaced">,
    Statistic<"numPasses", "passes", "Number of backward passes emitted">];
}

def SimplifyPass : Pass<"tenon-simplify", "::mlir::func::FuncOp"> {
  let summary = "fewer and smaller ops with the same meaning";
  let description = [{
    What derived gradients leave behind:
    * a reduction over axes that a broadcast repeats: of the small tensor, a sum times
      the number of repeats; over axes of extent 1: a reshape; a sum of a sum: one sum
    * a broadcast of a broadcast, or of a reshape that adds axes of extent 1: one
      broadcast
    * `a + (-b)` = a - b, `(x * c) * d` = x * (c d) for
      numbers c and d, the powers 1, 2, 3 and -1
    * a slice of one part of a concatenation, of the inside of a padded tensor; the sum
      of zero-padded pieces that lie side by side is their concatenation

    ```mlir
    %b = tenon.broadcast %x {shape = array<i64: 4, 8>, dims = array<i64: 1>}
       : (tensor<8xf32>) -> tensor<4x8xf32>
    %s = tenon.reduce_sum %b {axes = array<i64: 0>} : (tensor<4x8xf32>) -> tensor<8xf32>
    ```
    becomes `tenon.mul %x, 4.0`. Float results may differ in the last bits.
  }];
  let dependentDialects = ["::tenon::TenonDialect"];
}

def PlanLayoutsPass : Pass<"tenon-plan-layouts", "::mlir::func::FuncOp"> {
  let summary = "move transposes to where they cost nothing";
  let description = [{
    Elementwise work has no layout of its own. A transpose moves through it
    * up, when all it reads can be had in the other layout for free: transposes back,
      products (which swap their operands), splats, broadcasts
    * down, when several transposes become one, or when whoever reads the result takes
      it transposed: products, reductions, transposes back

    A reduction of a transposed tensor reduces the axes that the elements come from.

    ```mlir
    %p = tenon.matmul %a, %b : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    %e = tenon.exp %p : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %t = tenon.transpose %e {permutation = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
    ```
    becomes
    ```mlir
    %p = tenon.matmul %b, %a {transpose_a = true, transpose_b = true}
       : (tensor<8x6xf32>, tensor<4x8xf32>) -> tensor<6x4xf32>
    %t = tenon.exp %p : (tensor<6x4xf32>) -> tensor<6x4xf32>
    ```
    A transpose that nothing takes stays where it is. Float sums may differ in the last
    bits.
  }];
  let dependentDialects = ["::tenon::TenonDialect"];
}

def FoldTransposesPass : Pass<"tenon-fold-transposes", "::mlir::func::FuncOp"> {
  let summary = "transposes and batches into products";
  let description = [{
    * a transposed matrix as an operand of `tenon.matmul` becomes the attribute, and
      the transpose of a product the product of the other order
    * a transpose that only moves axes of extent 1 becomes a reshape
    * `[b, n, k]` times one `[k, m]` repeated over the batch becomes one product of
      `b * n` rows; the sum over the batch of `a^T b`, its gradient, one product too

    ```mlir
    %t = tenon.transpose %w {permutation = array<i64: 1, 0>} : (tensor<6x8xf32>) -> tensor<8x6xf32>
    %y = tenon.matmul %x, %t : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    ```
    becomes
    ```mlir
    %y = tenon.matmul %x, %w {transpose_b = true}
       : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
    ```
    Transposes next to attention stay: its kernels read operands at any strides, so
    that the split of heads costs no copy.
  }];
  let dependentDialects = ["::tenon::TenonDialect"];
}

def HoistInvariantsPass : Pass<"tenon-hoist-invariants", "::mlir::func::FuncOp"> {
  let summary = "move out of loops what every trip repeats";
  let description = [{
    An op of a loop's body whose operands are invariant is computed once, before the
    loop, and its result enters as an invariant value. Constants, views and broadcasts
    stay inside unless an op that leaves needs them.

    ```mlir
    %r = tenon.loop trips 4 carry(%a) scan() use(%w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%t: tensor<i64>, %c: tensor<4xf32>, %u: tensor<4xf32>):
      %e = tenon.exp %u : tensor<4xf32>
      ...
    ```
    becomes a loop that uses the result of a `tenon.exp` before it.
  }];
  let dependentDialects = ["::tenon::TenonDialect"];
  let statistics = [Statistic<"numHoisted", "hoisted", "Number of ops moved">];
}

def PruneLoopsPass : Pass<"tenon-prune-loops", "::mlir::func::FuncOp"> {
  let summary = "drop what loops carry for nothing";
  let description = [{
    A value that a loop carries, scans, reads or stacks although no result that is
    read depends on it is dropped, with the ops that make it. A value that enters
    twice enters once.

    ```mlir
    %r, %unused = tenon.loop trips 4 carry(%a) scan() use(%w, %w) ...
    ```
    becomes `%r = tenon.loop trips 4 carry(%a) scan() use(%w) ...`.
  }];
  let dependentDialects = ["::tenon::TenonDialect"];
  let statistics = [Statistic<"numPruned", "pruned", "Number of loops made smaller">];
}

def ExpandAttentionPass : Pass<"tenon-expand-attention", "::mlir::func::FuncOp"> {
  let summary = "attention that no kernel of the target computes, spelled out";
  let description = [{
    `tenon.attention` and `tenon.attention_grad` that no strategy of the target can root
    (the CPU's need head widths that are known when they are compiled) become matrix
    products, exponentials and sums. Their scores then take memory, queries x keys for
    each head. Key heads that are shared are gathered for each query head.

    Left alone: what a kernel of the target computes.
  }];
  let dependentDialects = ["::tenon::TenonDialect"];
  let options = [
    Option<"target", "target", "std::string", "\"cpu\"", "whose strategies are asked">,
    Option<"report", "report", "bool", "false", "a remark at each op that is expanded">];
  let statistics = [Statistic<"numExpanded", "expanded", "ops expanded">];
}

def GatherWindowsPass : Pass<"tenon-gather-windows", "::mlir::func::FuncOp"> {
  let summary = "sums of overlapping windows of a product as a product of windows";
  let description = [{
    The gradient of a convolution to its input, and a transposed convolution, where products of
    the target find the elements of windows as they load them:

    ```mlir
    %0 = tenon.matmul %k, %dy {transpose_a = true} : (tensor<32x288xf32>, tensor<32x64xf32>) -> tensor<288x64xf32>
    %1 = tenon.reshape %0 {shape = array<i64: 32, 3, 3, 8, 8>} : ...
    %2 = tenon.fold_windows %1 {extents = array<i64: 10, 10>, ...} : ... -> tensor<32x10x10xf32>
    ```
    becomes a product of the kernel, its windows turned around by a gather, and the windows of
    the padded `%dy`; a slice behind it, which leaves out padding, takes from the padding of `%dy`.
    Products of the padding's zeros are added: with a kernel that is not finite they make NaN.

    Left alone: strides, dynamic extents, few channels, and small images, of which
    the product of windows would have many more terms.
  }];
  let dependentDialects = ["::tenon::TenonDialect"];
  let options = [
    Option<"target", "target", "std::string", "\"cpu\"", "whose strategies are asked">,
    Option<"report", "report", "bool", "false", "a remark at each op that stays">];
  let statistics = [Statistic<"numGathered", "gathered", "ops replaced">];
}

def FormKernelsPass : Pass<"tenon-form-kernels", "::mlir::func::FuncOp"> {
  let summary = "group ops into the kernels that code is generated for";
  let description = [{
    Every op that computes goes into a `tenon.kernel`. A kernel grows from a root that a
    strategy of the target names, to producers and consumers that the strategy can
    compute inside. Views (reshape, transpose, broadcast, slice) and values made of
    nothing (splat constants, fills, iota) are copied into each kernel that uses them
    and become kernels only where something else needs them in memory. Other constants
    stay outside, as operands. Small kernels that are independent of each other become
    one. A `tenon.custom` that no strategy of the target takes is replaced by its body before. The bodies of loops and ifs are treated alike. Results that are arguments or constants
    are left as they are: tenon-plan-memory gives each result storage.

    ```mlir
    %0 = tenon.matmul %x, %w : (tensor<32x8xf32>, tensor<8x4xf32>) -> tensor<32x4xf32>
    %1 = tenon.relu %0 : tensor<32x4xf32>
    ```
    becomes
    ```mlir
    %1 = tenon.kernel "matmul"(%x, %w)
        : (tensor<32x8xf32>, tensor<8x4xf32>) -> tensor<32x4xf32> {
    ^bb0(%a: tensor<32x8xf32>, %b: tensor<8x4xf32>):
      %2 = tenon.matmul %a, %b : (tensor<32x8xf32>, tensor<8x4xf32>) -> tensor<32x4xf32>
      %3 = tenon.relu %2 : tensor<32x4xf32>
      tenon.yield %3 : tensor<32x4xf32>
    }
    ```

    Only copied ops are computed more than once. An op that no strategy can root is an
    error at that op. With `report` a remark at each op says why it was not fused.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"cpu\"", "whose strategies are asked">,
    Option<"report", "report", "bool", "false", "say why ops were not fused">];
  let statistics = [Statistic<"numKernels", "kernels", "kernels formed">];
  let dependentDialects = ["::tenon::TenonDialect"];
}

def PlacePass : Pass<"tenon-place", "::mlir::func::FuncOp"> {
  let summary = "a device for each kernel, and transfers between them";
  let description = [{
    Each kernel gets `tenon.device`, the target's or, where that cannot run it, "cpu", with the reason as
    `tenon.reason`: an op of it has an element type that the device lacks. Arguments and results of
    the function, and values of loops and ifs, are on the target's device. What a kernel reads from the
    other device, a kernel of strategy "transfer" moves there, once in a block: its
    `tenon.device` is where to.

    With `target=vulkan lacks=f64`
    ```mlir
    %0 = tenon.kernel "rows"(%x) : (tensor<4xf64>) -> tensor<4xf32> {...}   // of f64
    %1 = tenon.kernel "rows"(%0) : (tensor<4xf32>) -> tensor<4xf32> {...}
    ```
    becomes
    ```mlir
    %t = tenon.kernel "transfer"(%x) {tenon.device = "cpu"} : (tensor<4xf64>) -> tensor<4xf64> {...}
    %0 = tenon.kernel "rows"(%t) {tenon.device = "cpu", tenon.reason = "tenon.cast: vulkan has no f64"} ...
    %u = tenon.kernel "transfer"(%0) {tenon.device = "vulkan"} : (tensor<4xf32>) -> tensor<4xf32> {...}
    %1 = tenon.kernel "rows"(%u) {tenon.device = "vulkan"} ...
    ```
    Precondition: kernels have been formed. Left alone: constants, which every device has; views
    (`tenon.reshape`), which are where their operand is.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"vulkan\"", "where kernels run that can">,
    ListOption<"lacks", "lacks", "std::string", "element types that it does not have: f64, i64, ...">];
  let dependentDialects = ["::tenon::TenonDialect"];
  let statistics = [
    Statistic<"numElsewhere", "elsewhere", "Number of kernels on the CPU">,
    Statistic<"numTransfers", "transfers", "Number of values moved">];
}

def RematerializePass : Pass<"tenon-remat", "::mlir::func::FuncOp"> {
  let summary = "compute values again instead of keeping them, for a memory budget";
  let description = [{
    Where the values that are alive at the same time take more than `budget` bytes, as those that
    a backward pass keeps of the forward pass do, kernels are run again right before their
    results are read next, and what they read is not kept in between. Of the values that
    are alive but not read where most memory is needed, the one with the least operations
    per byte comes first; a chain of up to 32 kernels may be run for one value. A change that does not
    bring the memory down is taken back; two runs of a kernel become one where the budget allows to
    keep its results in between. Random numbers are counted, not drawn, so that
    they are the same again; results are the same bits.

    ```mlir
    %0 = tenon.kernel "matmul" (%x, %w) ...
    %1 = ...                        // most memory is needed here
    %2 = tenon.kernel "rows" (%0, %1) ...
    ```
    becomes
    ```mlir
    %0 = tenon.kernel "matmul" (%x, %w) ...
    %1 = ...
    %3 = tenon.kernel "matmul" (%x, %w) ...
    %2 = tenon.kernel "rows" (%3, %1) ...
    ```

    Left alone: values that are returned, carried or stacked by loops, copies, functions with
    extents that are known at run time only. Whether the budget was kept, tenon-plan-memory tells.
  }];
  let options = [
    Option<"budget", "budget", "int64_t", "0", "bytes of the arena; 0: no limit">];
  let dependentDialects = ["::tenon::TenonDialect"];
  let statistics = [Statistic<"numAgain", "again", "Number of kernels that are run again">];
}

def PlanMemoryPass : Pass<"tenon-plan-memory", "::mlir::func::FuncOp"> {
  let summary = "order kernels and decide where their results lie";
  let description = [{
    Gives each result of a kernel, loop or if a slot: the storage of an output, which
    is written where it is wanted, or a place in one arena, shared by values that do
    not live at the same time. A kernel that computes each element from the same
    element of an operand that dies there overwrites it. The plan is kept in
    attributes: `tenon.slots` on kernels, loops and ifs, one per result; `tenon.body_slots`
    on loops, for the index, the carried and the scanned arguments of the body;
    `tenon.arena` on the function, the size of the arena in bytes. Where extents are
    dynamic, offsets and sizes are expressions over the function's dynamic extents, in order.

    ```mlir
    %0 = tenon.kernel "rows" (%a) : (tensor<4xf32>) -> tensor<4xf32> {...}
    %1 = tenon.kernel "rows" (%0) : (tensor<4xf32>) -> tensor<f32> {...}
    return %1
    ```
    becomes
    ```mlir
    %0 = tenon.kernel "rows" (%a) {tenon.slots = [#tenon.slot<arena 0>]} ...
    %1 = tenon.kernel "rows" (%0) {tenon.slots = [#tenon.slot<output 0>]} ...
    ```

    A result that donates an argument (`tenon.donates`) may share its storage: kernels
    that read the argument are moved before the one that writes the result, which
    itself may read it only element by element. Where that cannot be had, the result
    is computed in the arena and copied by a kernel of strategy "copy" at the end;
    likewise for a result that is an argument, a constant or another result. Which
    kernels may overwrite an operand, the strategies of the target say. Carried
    values of loops are updated in place by the same rules, else they alternate
    between two places. Both bodies of an if write its results, to the same
    places. What is known to divide the dynamic extents of a kernel (`tenon.multiple_of` of
    arguments) stands in its attribute `tenon.multiples`. Precondition: only kernels, loops, ifs, constants and reshapes
    are left. An arena that takes more than `budget` bytes is an error.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"cpu\"", "whose strategies are asked">,
    Option<"budget", "budget", "int64_t", "0", "most bytes that the arena may take; 0: no limit">];
  let dependentDialects = ["::tenon::TenonDialect"];
  let statistics = [
    Statistic<"numInPlace", "in-place", "Number of results that overwrite an operand">,
    Statistic<"numCopies", "copies", "Number of copies inserted">];
}

#endif // TENON_PASSES_TD
