// The same input and the same flags give the same bytes: whichever thread compiles a kernel,
// wherever temporary files lie, whatever the folder is called.
// RUN: rm -rf %t && mkdir -p %t/a/tmp %t/b
// RUN: cd %t/a && env TMPDIR=%t/a/tmp tenon-compile %S/../e2e/train.mlir --emit=shared --march=x86-64-v3,x86-64-v2 -o libtrain.so --compile-threads=1
// RUN: cd %t/b && tenon-compile %S/../e2e/train.mlir --emit=shared --march=x86-64-v2,x86-64-v3 -o libtrain.so --compile-threads=4
// RUN: cmp %t/a/libtrain.so %t/b/libtrain.so && cmp %t/a/train.h %t/b/train.h
// RUN: cd %t/a && env TMPDIR=%t/a/tmp tenon-compile %S/../e2e/attention.mlir --emit=object -o model.o --compile-threads=1
// RUN: cd %t/b && tenon-compile %S/../e2e/attention.mlir --emit=object -o model.o --compile-threads=4
// RUN: cmp %t/a/model.o %t/b/model.o && cmp %t/a/model.h %t/b/model.h
// RUN: cd %t/a && env TMPDIR=%t/a/tmp tenon-compile %s --emit=executable -o model --compile-threads=1
// RUN: cd %t/b && tenon-compile %s --emit=executable -o model --compile-threads=4
// RUN: cmp %t/a/model %t/b/model
// RUN: ls %t/a/tmp | count 0
// Other flags give other bytes, or the above would compare nothing.
// RUN: cd %t/b && tenon-compile %S/../e2e/train.mlir --emit=shared --march=x86-64-v2 -o libtrain.so
// RUN: not cmp -s %t/a/libtrain.so %t/b/libtrain.so

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = tenon.exp %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
