// The C header says what an extent has to be a multiple of; what is no such number is refused.
// RUN: rm -rf %t && mkdir -p %t
// RUN: tenon-compile %s --emit=shared -o %t/libmodel.so
// RUN: FileCheck %s --check-prefix=HEADER --input-file=%t/model.h
// RUN: tenon-run %t/libmodel.so --extent=16 --quiet
// RUN: not tenon-run %t/libmodel.so --extent=13 2>&1 | FileCheck %s

// HEADER: x_extent0  in   extent, at least 0, a multiple of 8
// HEADER-NOT: Needed
// HEADER: tenon_status model_f(
// CHECK: tenon-run: shape: input 'x' axis 0: expected a multiple of 8, got 13
func.func @f(%x: tensor<?x3xf32> {tenon.name = "x", tenon.multiple_of = array<i64: 8, 1>}) -> tensor<?x3xf32> {
  %y = tenon.exp %x : tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
