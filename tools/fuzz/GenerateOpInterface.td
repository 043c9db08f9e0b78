//===- GenerateOpInterface.td - Random ops ----------------*- tablegen -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TENON_TOOLS_FUZZ_GENERATEOPINTERFACE_TD
#define TENON_TOOLS_FUZZ_GENERATEOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def GenerateOpInterface : OpInterface<"GenerateOpInterface"> {
  let cppNamespace = "::tenon::fuzz";
  let description = [{
    How a random op of a kind is made, an external model in `tools/fuzz/<Family>.cpp`.
  }];
  let methods = [StaticInterfaceMethod<[{
      Adds one op of this kind, on values of the generator's pool or on new inputs. False
      if nothing that was tried fits.
    }],
    "bool", "generate", (ins "::tenon::fuzz::Generator &":$generator)>];
}

#endif // TENON_TOOLS_FUZZ_GENERATEOPINTERFACE_TD
