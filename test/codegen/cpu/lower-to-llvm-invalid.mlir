// RUN: tenon-opt %s --tenon-cpu-lower-to-llvm --split-input-file --verify-diagnostics

func.func @library_call(%x: f32) -> f32 {
  // expected-error@+1 {{no native code for 'math.exp': expected it to be expanded into arithmetic before}}
  %y = math.exp %x : f32
  return %y : f32
}

// -----

func.func @remainder(%x: f64, %y: f64) -> f64 {
  // expected-error@+1 {{no native code for 'arith.remf'}}
  %z = arith.remf %x, %y : f64
  return %z : f64
}

// -----

func.func @allocation() {
  // expected-error@+1 {{failed to legalize operation 'memref.alloc'}}
  %a = memref.alloc() : memref<4xf32>
  return
}
