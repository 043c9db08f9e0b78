// A program that reads its inputs from files, and needs nothing of Tenon's to run.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: tenon-compile %s --emit=executable -o %t/model
// RUN: ldd model | FileCheck %s --check-prefix=NEEDED
// RUN: ./model --help | FileCheck %s --check-prefix=HELP
// RUN: %python %S/Inputs/tensors.py x.npy f4 2,2 1 2 3 4
// RUN: %python %S/Inputs/tensors.py b.npy f4 2 10 20
// RUN: %python %S/Inputs/tensors.py k.npy i4 "" 7
// RUN: ./model --entry=add x.npy b.npy && %python %S/Inputs/tensors.py sum.npy | FileCheck %s --check-prefix=NPY
// RUN: ./model --entry=add b=b.npy x=x.npy --output=out.safetensors
// RUN: %python %S/Inputs/tensors.py out.safetensors | FileCheck %s --check-prefix=SAFE
// What one wrote another reads: `sum` is an input of `scale`.
// RUN: ./model --entry=scale out.safetensors factor=k.npy --output=a-
// RUN: %python %S/Inputs/tensors.py a-scaled.npy | FileCheck %s --check-prefix=SCALED

// RUN: not ./model x.npy b.npy 2>&1 | FileCheck %s --check-prefix=ENTRY
// RUN: not ./model --entry=none x.npy 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not ./model --entry=add x.npy 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not ./model --entry=add x.npy b.npy b.npy 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not ./model --entry=add x.npy c=b.npy 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not ./model --entry=add b.npy x.npy 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not ./model --entry=add x.npy b.npy --output=/dev/full/ 2>&1 | FileCheck %s --check-prefix=WRITE
// RUN: not ./model --fast 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: head -c 40 out.safetensors > cut.safetensors
// RUN: not ./model --entry=scale cut.safetensors 2>&1 | FileCheck %s --check-prefix=CUT
// RUN: %python %S/Inputs/tensors.py lies.safetensors lie
// RUN: not ./model --entry=scale lies.safetensors 2>&1 | FileCheck %s --check-prefix=LIES
// RUN: env CXX=/nowhere/c++ not tenon-compile %s --emit=executable -o other 2>&1 \
// RUN:   | FileCheck %s --check-prefix=COMPILER

// NEEDED-NOT: {{tenon|LLVM|MLIR}}
// HELP:       usage: ./model [--entry=NAME] [--output=PREFIX|FILE.safetensors] INPUT...
// HELP:       add
// HELP-NEXT:    in   x f32 [n0, 2]
// HELP-NEXT:    in   b f32 [2]
// HELP-NEXT:    out  sum f32 [n0, 2]
// HELP:       scale
// HELP-NEXT:    in   sum f32 [2, 2]
// HELP-NEXT:    in   factor i32 []
// HELP-NEXT:    out  scaled f32 [2, 2]
// NPY:        <f4 (2, 2) 11.0 22.0 13.0 24.0
// SAFE:       sum F32 [2, 2] 11.0 22.0 13.0 24.0
// SCALED:     <f4 (2, 2) 77.0 154.0 91.0 168.0
// ENTRY:      model: --entry: expected one of add, scale
// NONE:       model: --entry: expected one of add, scale, got none
// MISSING:    model: input 'b' is missing: expected f32 [2]
// MANY:       model: expected 2 inputs, got one more: b.npy
// NAME:       model: no input is called 'c'; see --help
// SHAPE:      model: input 'x': expected tensor<?x2xf32>, got tensor<2xf32>
// WRITE:      model: /dev/full/sum.npy: Not a directory
// OPTION:     model: unknown option --fast; see --help
// CUT:        model: cut.safetensors: the header is cut short: expected {{[0-9]+}} bytes, got 32
// LIES:       model: lies.safetensors: tensor 'sum': expected data_offsets of two places in order among 16 bytes
// COMPILER:   to link a program, a C++ compiler is needed: expected one of /nowhere/c++

func.func @add(%x: tensor<?x2xf32> {tenon.name = "x"}, %b: tensor<2xf32> {tenon.name = "b"})
    -> (tensor<?x2xf32> {tenon.name = "sum"}) {
  %zero = tenon.sub %x, %x : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  %e = tenon.exp %zero : tensor<?x2xf32>
  %half = tenon.constant dense<0.5> : tensor<2x2xf32>
  %ones = tenon.matmul %e, %half : (tensor<?x2xf32>, tensor<2x2xf32>) -> tensor<?x2xf32>
  %d = tenon.constant dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32>
  %bb = tenon.broadcast %b {shape = array<i64: 2, 2>, dims = array<i64: 1>} : (tensor<2xf32>) -> tensor<2x2xf32>
  %m = tenon.mul %bb, %d : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %bs = tenon.matmul %ones, %m : (tensor<?x2xf32>, tensor<2x2xf32>) -> tensor<?x2xf32>
  %y = tenon.add %x, %bs : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

func.func @scale(%x: tensor<2x2xf32> {tenon.name = "sum"}, %k: tensor<i32> {tenon.name = "factor"})
    -> (tensor<2x2xf32> {tenon.name = "scaled"}) {
  %f = tenon.cast %k {dtype = f32} : (tensor<i32>) -> tensor<f32>
  %b = tenon.broadcast %f {shape = array<i64: 2, 2>, dims = array<i64>} : (tensor<f32>) -> tensor<2x2xf32>
  %y = tenon.mul %x, %b : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}
