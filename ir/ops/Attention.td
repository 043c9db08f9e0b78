//===- Attention.td - Attention and its gradient ----------*- tablegen -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TENON_OPS_ATTENTION_TD
#define TENON_OPS_ATTENTION_TD

include "ir/TenonBase.td"

def Tenon_AttentionOp : Tenon_PureOp<"attention", [Tenon_LowPrecision]> {
  let summary = "scaled dot-product attention";
  let description = [{
    For query i of batch b and head h, with g the key heads and head h reading key
    head h / (heads / g):

        s[j] = scale * sum over c of q[b,h,i,c] * k[b,h',j,c]  (+ mask[b,h,i,j])
        o[b,h,i,:] = sum over j of softmax(s)[j] * v[b,h',j,:]
        lse[b,h,i] = log(sum over j of e^s[j])

    Shapes: q[b,h,n,d], k[b,g,m,d], v[b,g,m,e], o[b,h,n,e], lse[b,h,n]. A float mask
    is added, an i1 mask says which keys may be seen; it is [b or 1, h or 1, n, m].
    `causal`: query i sees keys j <= i, aligned at the top left. A query that sees no
    key gives o = 0 and lse = +inf, so that its gradients are 0. lse has at least
    single precision. Memory is linear in n and m (Dao et al. 2022). Elements of v at
    keys that a mask hides must be finite, since 0 times infinity is NaN.

    Example:
    ```mlir
    %o, %lse = tenon.attention %q, %k, %v {scale = 0.125 : f64, causal = true}
       : (tensor<1x8x32x64xf32>, tensor<1x8x32x64xf32>, tensor<1x8x32x64xf32>)
      -> (tensor<1x8x32x64xf32>, tensor<1x8x32xf32>)
    ```
  }];
  let arguments = (ins Tenon_FloatTensor:$q, Tenon_FloatTensor:$k, Tenon_FloatTensor:$v,
                   Optional<Tenon_Tensor>:$mask, F64Attr:$scale, Tenon_FalseAttr:$causal);
  let results = (outs Tenon_FloatTensor:$o, Tenon_FloatTensor:$lse);
}

def Tenon_AttentionGradOp : Tenon_PureOp<"attention_grad"> {
  let summary = "gradient of attention from its log-sum-exp";
  let description = [{
    Gradients of `tenon.attention` for the gradient `do` of its result o:

        p = e^(s - lse)        delta[i] = sum over c of do[i,c] * o[i,c]
        dv = p^T do            ds = p * (do v^T - delta)
        dq = scale * ds k      dk = scale * ds^T q      dmask = ds

    Scores are computed again tile by tile, so memory stays linear in n and m. With
    grouped heads dk and dv sum over the query heads that share a key head. dmask is
    given when `mask_grad` is set, summed over the axes along which the mask is
    repeated. A query with lse = +inf has gradients 0.

    Example:
    ```mlir
    %dq, %dk, %dv = tenon.attention_grad %q, %k, %v o %o, %lse, %do {scale = 0.125 : f64}
       : (tensor<1x8x32x64xf32>, tensor<1x8x32x64xf32>, tensor<1x8x32x64xf32>,
          tensor<1x8x32x64xf32>, tensor<1x8x32xf32>, tensor<1x8x32x64xf32>)
      -> (tensor<1x8x32x64xf32>, tensor<1x8x32x64xf32>, tensor<1x8x32x64xf32>)
    ```
  }];
  let arguments = (ins Tenon_FloatTensor:$q, Tenon_FloatTensor:$k, Tenon_FloatTensor:$v,
                   Optional<Tenon_Tensor>:$mask, Tenon_FloatTensor:$o, Tenon_FloatTensor:$lse,
                   Tenon_FloatTensor:$grad, F64Attr:$scale, Tenon_FalseAttr:$causal,
                   Tenon_FalseAttr:$mask_grad);
  let results = (outs Tenon_FloatTensor:$dq, Tenon_FloatTensor:$dk, Tenon_FloatTensor:$dv,
                 Optional<Tenon_FloatTensor>:$dmask);
  let assemblyFormat = [{
    $q `,` $k `,` $v (`mask` $mask^)? `o` $o `,` $lse `,` $grad attr-dict `:`
    functional-type(operands, results)
  }];
}

#endif // TENON_OPS_ATTENTION_TD
