// RUN: tenon-opt %s -tenon-fuse-attention=report=true -split-input-file -verify-diagnostics | FileCheck %s
// CHECK-NOT: tenon.attention

func.func @probabilities_used(%q: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x8xf32>) {
  %s = tenon.matmul %q, %q {transpose_b = true} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  // expected-remark@+1 {{not fused into attention: the probabilities have 2 uses, expected one}}
  %p = tenon.softmax %s {axis = 1 : i64} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %o = tenon.matmul %p, %q : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o, %p : tensor<8x4xf32>, tensor<8x8xf32>
}

// -----

func.func @scores_used(%q: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x8xf32>) {
  %s = tenon.matmul %q, %q {transpose_b = true} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  // expected-remark@+1 {{not fused into attention: the scores have more than one use}}
  %p = tenon.softmax %s {axis = 1 : i64} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %o = tenon.matmul %p, %q : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o, %s : tensor<8x4xf32>, tensor<8x8xf32>
}

// -----

func.func @dropout(%q: tensor<8x4xf32>, %seed: tensor<i64>) -> tensor<8x4xf32> {
  %s = tenon.matmul %q, %q {transpose_b = true} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  // expected-remark@+1 {{not fused into attention: the probabilities are dropped out}}
  %p = tenon.softmax %s {axis = 1 : i64} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %d = tenon.dropout %p, %seed, %seed {rate = 0.1 : f64, stream = 0 : i64} : (tensor<8x8xf32>, tensor<i64>, tensor<i64>) -> tensor<8x8xf32>
  %o = tenon.matmul %d, %q : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

func.func @wrong_axis(%q: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %s = tenon.matmul %q, %q {transpose_b = true} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  // expected-remark@+1 {{not fused into attention: the softmax is along the queries}}
  %p = tenon.softmax %s {axis = 0 : i64} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %o = tenon.matmul %p, %q : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

func.func @batch_axis(%q: tensor<8x8x8xf32>) -> tensor<8x8x8xf32> {
  %s = tenon.matmul %q, %q : (tensor<8x8x8xf32>, tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  // expected-remark@+1 {{not fused into attention: the softmax is along batch axis 0}}
  %p = tenon.softmax %s {axis = 0 : i64} : (tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  %o = tenon.matmul %p, %q : (tensor<8x8x8xf32>, tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  return %o : tensor<8x8x8xf32>
}

// -----

func.func @no_product(%s: tensor<8x8xf32>, %v: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = tenon.exp %s : tensor<8x8xf32>
  // expected-remark@+1 {{not fused into attention: scores come from 'tenon.exp'}}
  %p = tenon.softmax %e {axis = 1 : i64} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %o = tenon.matmul %p, %v : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

func.func @weak_mask(%m: tensor<8x8xi1>, %q: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %low = tenon.constant dense<-5.0> : tensor<8x8xf32>
  %s = tenon.matmul %q, %q {transpose_b = true} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %t = tenon.select %m, %s, %low : (tensor<8x8xi1>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-remark@+1 {{not fused into attention: scores are selected against values that do not hide a key}}
  %p = tenon.softmax %t {axis = 1 : i64} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %o = tenon.matmul %p, %q : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

func.func @two_masks(%m: tensor<8x8xf32>, %c: tensor<8x8xi1>, %q: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %inf = tenon.constant dense<0xFF800000> : tensor<8x8xf32>
  %s = tenon.matmul %q, %q {transpose_b = true} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %t = tenon.select %c, %s, %inf : (tensor<8x8xi1>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %u = tenon.add %t, %m : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-remark@+1 {{not fused into attention: scores have more than one mask}}
  %p = tenon.softmax %u {axis = 1 : i64} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %o = tenon.matmul %p, %q : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

func.func @factor_differs(%f: tensor<8x8xf32>, %q: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %s = tenon.matmul %q, %q {transpose_b = true} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %t = tenon.mul %s, %f : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-remark@+1 {{not fused into attention: scores are multiplied by values that differ}}
  %p = tenon.softmax %t {axis = 1 : i64} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %o = tenon.matmul %p, %q : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %o : tensor<8x4xf32>
}

// -----

// A classifier's softmax.
func.func @classifier(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-remark@+1 {{not fused into attention: the probabilities are used by 'func.return'}}
  %p = tenon.softmax %x {axis = 1 : i64} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %p : tensor<8x4xf32>
}
