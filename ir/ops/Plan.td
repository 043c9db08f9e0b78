//===- Plan.td - Where values lie ------------------------*- tablegen -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TENON_OPS_PLAN_TD
#define TENON_OPS_PLAN_TD

include "ir/TenonBase.td"
include "mlir/IR/AttrTypeBase.td"

def Tenon_SlotKind : I64EnumAttr<"SlotKind", "kind of storage", [
    I64EnumAttrCase<"output", 0>, I64EnumAttrCase<"arena", 1>, I64EnumAttrCase<"view", 2>]> {
  let cppNamespace = "::tenon";
  let genSpecializedAttr = 0;
}

def Tenon_SlotAttr : AttrDef<Tenon_Dialect, "Slot"> {
  let mnemonic = "slot";
  let summary = "where a value lies";
  let description = [{
    What `tenon-plan-memory` decides for a result of a kernel or a loop, or for an
    argument of a loop's body: the storage of output `value` of the program; byte
    `value` of the arena, plus `offset`, an expression over the program's symbols; or,
    inside a loop, the slice of scanned or stacked value `value` (scanned ones count
    first) that belongs to the trip.

    Example: `#tenon.slot<arena 128>`.
  }];
  let parameters = (ins EnumParameter<Tenon_SlotKind>:$kind, "int64_t":$value,
                        OptionalParameter<"::mlir::AffineMap">:$offset);
  let assemblyFormat = "`<` $kind $value (`+` $offset^)? `>`";
}

#endif // TENON_OPS_PLAN_TD
