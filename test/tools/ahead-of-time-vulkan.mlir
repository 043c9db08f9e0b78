// A library for the Vulkan device gives what the CPU gives: where sums are of small integers, all bits.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: tenon-compile %s --target=vulkan --emit=shared -o libmodel.so
// RUN: %python %S/Inputs/tensors.py x.npy f4 3,2 1 -2 3 4 -5 6
// RUN: %python %S/Inputs/tensors.py w.npy f4 2,2 2 1 -1 3
// RUN: tenon-run %s --function=layer x.npy w.npy > expected
// RUN: tenon-run libmodel.so --function=layer x.npy w.npy > got
// RUN: diff expected got
// RUN: tenon-run %s --function=powers x.npy > expected
// RUN: tenon-run libmodel.so --function=powers x.npy > got
// RUN: diff expected got
// RUN: FileCheck %s --check-prefix=HEADER < model.h
// RUN: llvm-readelf -p .note.tenon libmodel.so | FileCheck %s --check-prefix=NOTE

// Loops, donated state, random numbers: as they are compiled in the process.
// RUN: tenon-compile %S/../e2e/train.mlir --target=vulkan --emit=shared -o libtrain.so
// RUN: tenon-run %S/../e2e/train.mlir --backend=vulkan > expected
// RUN: tenon-run libtrain.so > got
// RUN: diff expected got

// The same input and flags give the same bytes; what a GPU must have is in them.
// RUN: mkdir again && tenon-compile %s --target=vulkan --emit=shared -o again/libmodel.so
// RUN: cmp libmodel.so again/libmodel.so && cmp model.h again/model.h
// RUN: tenon-compile %S/../codegen/spirv/cooperative-matrix.mlir --target=vulkan --emit=object -o p.o
// RUN: tenon-compile %S/../codegen/spirv/cooperative-matrix.mlir --target=vulkan --emit=object \
// RUN:   --gpu-features=cooperative-matrix -o q.o --prefix=p
// RUN: not cmp p.o q.o

// A program of its own.
// RUN: tenon-compile %s --target=vulkan --emit=executable -o model
// RUN: ./model --entry=layer x.npy w.npy && %python %S/Inputs/tensors.py y.npy | FileCheck %s --check-prefix=NPY

// RUN: env VK_DRIVER_FILES=/nowhere VK_ICD_FILENAMES=/nowhere not tenon-run libmodel.so 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE
// Code for both: the processor's is taken where there is no GPU, be it none that runs on a processor.
// RUN: tenon-compile %s --target=vulkan,cpu --emit=shared -o libboth.so
// RUN: tenon-run %s --function=layer x.npy w.npy > expected
// RUN: tenon-run libboth.so --function=layer x.npy w.npy > got && diff expected got
// RUN: env TENON_DRIVER=vulkan tenon-run libboth.so --function=layer x.npy w.npy > got && diff expected got
// RUN: env VK_DRIVER_FILES=/nowhere VK_ICD_FILENAMES=/nowhere tenon-run libboth.so --function=layer x.npy w.npy > got
// RUN: diff expected got
// RUN: env VK_DRIVER_FILES=/nowhere VK_ICD_FILENAMES=/nowhere TENON_DRIVER=vulkan not tenon-run libboth.so 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE
// RUN: env TENON_DRIVER=tpu not tenon-run libboth.so 2>&1 | FileCheck %s --check-prefix=DRIVER
// RUN: FileCheck %s --check-prefix=BOTH < both.h
// RUN: tenon-compile %s --target=cpu,vulkan --march=x86-64-v3 --emit=executable -o both
// RUN: env TENON_DRIVER=vulkan ./both --entry=layer x.npy w.npy --output=v-
// RUN: env TENON_DRIVER=cpu ./both --entry=layer x.npy w.npy --output=c- && cmp v-y.npy c-y.npy

// What a GPU has not lets the processor run it, and is said where the GPU is asked for.
// RUN: tenon-compile %S/../codegen/spirv/cooperative-matrix.mlir --target=vulkan,cpu --emit=shared \
// RUN:   --gpu-features=cooperative-matrix -o libmatrix.so
// RUN: tenon-run libmatrix.so --function=plain --quiet
// RUN: env TENON_DRIVER=vulkan not tenon-run libmatrix.so --function=plain 2>&1 | FileCheck %s --check-prefix=LACKS

// RUN: not tenon-compile %s --target=vulkan --march=native --emit=shared -o x.so 2>&1 | FileCheck %s --check-prefix=MARCH
// RUN: not tenon-compile %s --target=vulkan,cpu --sanitize --emit=shared -o x.so 2>&1 | FileCheck %s --check-prefix=SANITIZE
// RUN: not tenon-compile %s --target=vulkan,cpu --emit=asm -o x 2>&1 | FileCheck %s --check-prefix=EMIT
// RUN: not tenon-compile %s --target=vulkan --gpu-features=wings --emit=shared -o x.so 2>&1 | FileCheck %s --check-prefix=WINGS
// RUN: not tenon-compile %s --target=cpu,x86_64-linux-gnu --emit=shared -o x.so 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: not tenon-compile %s --gpu-features=cooperative-matrix --emit=shared -o x.so 2>&1 | FileCheck %s --check-prefix=FEATURES

// HEADER:   Made by tenon-compile for vulkan (
// HEADER:   tenon_status model_layer(int64_t x_extent0, const float *x, const float *w, float *y, const tenon_run_options *options);
// NOTE:     vulkan
// NPY:      <f4 (3, 1) 4.0 17.0 13.0
// NONE:     device: driver 'vulkan' has no device 0: {{.+}}
// DRIVER:   device: 'both' is compiled for vulkan, {{.+}}, not for driver 'tpu'
// BOTH:     Made by tenon-compile for vulkan, {{.+}} (
// BOTH:     tenon_status both_layer(int64_t x_extent0, const float *x, const float *w, float *y, const tenon_run_options *options);
// LACKS:    device: kernel '{{.+}}' needs the capability CooperativeMatrixKHR
// MARCH:    --march: expected code for the processor, got --target=vulkan alone
// SANITIZE: --target=vulkan: expected no --sanitize, --report or --emit-kernel-benchmarks
// EMIT:     --target=vulkan,cpu: expected --emit=object, shared or executable
// WINGS:    --gpu-features: expected some of cooperative-matrix, fragments, shuffle, preserve and debug-info, got 'wings'
// SEVERAL:  --target: expected one machine, vulkan, or both, got 'cpu,x86_64-linux-gnu'
// FEATURES: --gpu-features: expected --target=vulkan

func.func @layer(%x: tensor<?x2xf32> {tenon.name = "x"}, %w: tensor<2x2xf32> {tenon.name = "w"})
    -> (tensor<?x1xf32> {tenon.name = "y"}) {
  %p = tenon.matmul %x, %w : (tensor<?x2xf32>, tensor<2x2xf32>) -> tensor<?x2xf32>
  %r = tenon.relu %p : tensor<?x2xf32>
  %y = tenon.reduce_sum %r {axes = array<i64: 1>, keep = true} : (tensor<?x2xf32>) -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}

func.func @powers(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %two = tenon.constant dense<[[2.0, 1.0], [2.0, 4.0], [0.5, 1.0]]> : tensor<3x2xf32>
  %y = tenon.loop trips 3 carry(%x) scan() use(%two) : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32> {
  ^bb0(%t: tensor<i64>, %c: tensor<3x2xf32>, %u: tensor<3x2xf32>):
    %n = tenon.mul %c, %u : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    tenon.yield %n : tensor<3x2xf32>
  }
  return %y : tensor<3x2xf32>
}
