// A script says what is interesting, with a status other than 0.
// RUN: printf '#!/bin/sh\ngrep -q tenon.exp "$1" && grep -q tenon.matmul "$1" && exit 1\nexit 0\n' > %t.sh
// RUN: chmod +x %t.sh
// RUN: tenon-reduce %s --function=long --test=%t.sh | FileCheck %s --implicit-check-not=tenon. --implicit-check-not=func.func
// RUN: printf '#!/bin/sh\ngrep -q "$1" "$2" && exit 1\nexit 0\n' > %t.has.sh
// RUN: chmod +x %t.has.sh
// RUN: tenon-reduce %s --function=looped --test=%t.has.sh --test-arg=' tenon.exp' | FileCheck %s --check-prefix=LOOP --implicit-check-not=tenon.tanh
// RUN: tenon-reduce %s --function=many --test=%t.has.sh --test-arg=' tenon.exp' | FileCheck %s --check-prefix=MANY --implicit-check-not=tenon.
//
// CHECK: func.func @long(%[[X:.*]]: tensor<4x4xf32>) -> tensor<4x4xf32>
// CHECK: %[[E:.*]] = tenon.exp %[[X]]
// CHECK: %[[M:.*]] = tenon.matmul %[[E]], %[[X]]
// CHECK: return %[[M]]
//
// An if gives way to a body of it, or stays with what is looked for in it.
// RUN: tenon-reduce %s --function=chosen --test=%t.has.sh --test-arg=' tenon.exp' | FileCheck %s --check-prefix=BODY --implicit-check-not=tenon.if --implicit-check-not=tenon.tanh
// RUN: tenon-reduce %s --function=chosen --test=%t.has.sh --test-arg=tenon.if | FileCheck %s --check-prefix=IF --implicit-check-not=tenon.tanh --implicit-check-not=tenon.exp
// BODY: func.func @chosen
// BODY: tenon.exp
// IF: func.func @chosen
// IF: tenon.if
//
// LOOP: func.func @looped
// LOOP: tenon.loop
// LOOP: tenon.exp
//
// Many ops that die together, those of a loop with it.
// MANY: func.func @many(%[[X:.*]]: tensor<5xf32>) -> tensor<5xf32>
// MANY: tenon.exp %[[X]]

// 'compare': what does not compile stays; what is right is not interesting.
// RUN: tenon-reduce %s --function=refused --test=compare -o %t.mlir 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: FileCheck %s --check-prefix=REFUSED --implicit-check-not=tenon.tanh < %t.mlir
// RUN: not tenon-run --compare=reference -O2 %t.mlir %t.0.npy
// RUN: not tenon-reduce %s --function=beside --test=compare 2>&1 | FileCheck %s --check-prefix=RIGHT
//
// WHY: tenon-run --compare=reference -O2 {{.*}}.mlir {{.*}}.0.npy
// WHY: 'tenon.kernel' op has no backward rule
// REFUSED: func.func @refused
// REFUSED: tenon.kernel
// REFUSED: tenon.gradient
// RIGHT: is not interesting: it agrees with the reference interpreter

// RUN: not tenon-reduce %s --test=%t.sh 2>&1 | FileCheck %s --check-prefix=WHICH
// RUN: not tenon-reduce %s --function=beside --test=%t.has.sh --test-arg=tenon.nothing 2>&1 | FileCheck %s --check-prefix=DULL
// RUN: not tenon-reduce %s --function=beside --test=%s 2>&1 | FileCheck %s --check-prefix=NOT-EXECUTABLE
// RUN: not tenon-reduce %s --function=beside --test=%t.absent 2>&1 | FileCheck %s --check-prefix=ABSENT
// RUN: not tenon-reduce %t.sh --test=%t.sh 2>&1 | FileCheck %s --check-prefix=NOT-READ
// RUN: printf '#!/bin/sh\nno-such-command\n' > %t.wrong.sh
// RUN: chmod +x %t.wrong.sh
// RUN: not tenon-reduce %s --function=beside --test=%t.wrong.sh 2>&1 | FileCheck %s --check-prefix=STATUS
// RUN: printf '#!/bin/sh\nsleep 30\nexit 1\n' > %t.slow.sh
// RUN: chmod +x %t.slow.sh
// RUN: not tenon-reduce %s --function=beside --timeout=1 --test=%t.slow.sh 2>&1 | FileCheck %s --check-prefix=SLOW
//
// WHICH: expected one function; name one with --function, got 6
// DULL: is not interesting: '{{.*}}.sh' ends with status 0
// NOT-EXECUTABLE: --test: '{{.*}}reduce.mlir' is not executable
// ABSENT: --test: there is no '{{.*}}.absent' (a script, or 'compare')
// NOT-READ: is not a module that can be read
// STATUS: --test: '{{.*}}.wrong.sh', or a command in it, cannot be run: No such file
// SLOW: is not interesting: {{.*}}, or not within 1 s

func.func @long(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>)
    -> (tensor<4x4xf32> {tenon.donates = 1 : i64}, tensor<4xf32>) {
  %a = tenon.tanh %x : tensor<4x4xf32>
  %b = tenon.exp %a : tensor<4x4xf32>
  %c = tenon.add %b, %y : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %d = tenon.matmul %c, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %e = tenon.mul %d, %d : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %f = tenon.reduce_sum %e {axes = array<i64: 0>} : (tensor<4x4xf32>) -> tensor<4xf32>
  return %e, %f : tensor<4x4xf32>, tensor<4xf32>
}
func.func @beside(%x: tensor<5xf32>) -> tensor<5xf32> {
  %e = tenon.exp %x : tensor<5xf32>
  return %e : tensor<5xf32>
}
func.func @refused(%x: tensor<5xf64>) -> (tensor<5xf64>, tensor<5xf64>) {
  %t = tenon.tanh %x : tensor<5xf64>
  %y = tenon.kernel "rows" (%t) : (tensor<5xf64>) -> tensor<5xf64> {
  ^bb0(%a: tensor<5xf64>):
    %e = tenon.exp %a : tensor<5xf64>
    tenon.yield %e : tensor<5xf64>
  }
  %l = tenon.reduce_sum %y {axes = array<i64: 0>} : (tensor<5xf64>) -> tensor<f64>
  %g = tenon.gradient %l, %x : (tensor<f64>, tensor<5xf64>) -> tensor<5xf64>
  return %g, %t : tensor<5xf64>, tensor<5xf64>
}
func.func @looped(%x: tensor<5xf32>) -> tensor<5xf32> {
  %y = tenon.loop trips 3 carry(%x) scan() use() : (tensor<5xf32>) -> tensor<5xf32> {
  ^bb0(%i: tensor<i64>, %c: tensor<5xf32>):
    %a = tenon.tanh %c : tensor<5xf32>
    %b = tenon.exp %a : tensor<5xf32>
    %d = tenon.tanh %b : tensor<5xf32>
    tenon.yield %d : tensor<5xf32>
  }
  return %y : tensor<5xf32>
}
func.func @many(%x: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %a = tenon.tanh %x : tensor<5xf32>
  %b = tenon.sin %a : tensor<5xf32>
  %c = tenon.cos %b : tensor<5xf32>
  %d = tenon.abs %c : tensor<5xf32>
  %y = tenon.loop trips 3 carry(%d) scan() use() : (tensor<5xf32>) -> tensor<5xf32> {
  ^bb0(%i: tensor<i64>, %v: tensor<5xf32>):
    %p = tenon.tanh %v : tensor<5xf32>
    %q = tenon.sin %p : tensor<5xf32>
    %r = tenon.cos %q : tensor<5xf32>
    tenon.yield %r : tensor<5xf32>
  }
  %e = tenon.exp %d : tensor<5xf32>
  %f = tenon.sin %e : tensor<5xf32>
  return %f, %y : tensor<5xf32>, tensor<5xf32>
}
func.func @chosen(%c: tensor<i1>, %x: tensor<5xf32>) -> tensor<5xf32> {
  %y = tenon.if %c use(%x) : (tensor<i1>, tensor<5xf32>) -> tensor<5xf32> {
  ^bb0(%a: tensor<5xf32>):
    %b = tenon.tanh %a : tensor<5xf32>
    tenon.yield %b : tensor<5xf32>
  } else {
  ^bb0(%a: tensor<5xf32>):
    %b = tenon.tanh %a : tensor<5xf32>
    %d = tenon.exp %b : tensor<5xf32>
    tenon.yield %d : tensor<5xf32>
  }
  %z = tenon.tanh %y : tensor<5xf32>
  return %z : tensor<5xf32>
}
