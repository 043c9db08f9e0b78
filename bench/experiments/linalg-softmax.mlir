// softmax(x / 8 + b) over rows as upstream MLIR 19 compiles it from linalg: the peer of
// docs/decisions/0001. Rows are tiled and fused, lanes of 64 vectorized, reductions split
// into 64 partial ones whose accumulators stay in registers. It is lowered by
//
//   mlir-opt-19 linalg-softmax.mlir --transform-interpreter -canonicalize -cse > tiled.mlir
//
// then, without the named sequence and the module's attribute,
//
//   mlir-opt-19 tiled.mlir --pass-pipeline='builtin.module(one-shot-bufferize{
//     bufferize-function-boundaries=true function-boundary-type-conversion=identity-layout-map},
//     drop-equivalent-buffer-results,canonicalize,cse,func.func(buffer-loop-hoisting,
//     promote-buffers-to-stack{max-alloc-size-in-bytes=16384}),canonicalize,cse,
//     func.func(convert-linalg-to-loops,test-math-polynomial-approximation,
//     lower-vector-multi-reduction{lowering-strategy=inner-reduction}),
//     convert-vector-to-scf{full-unroll=true},canonicalize,cse,expand-strided-metadata,
//     lower-affine,convert-scf-to-cf,convert-vector-to-llvm{reassociate-fp-reductions=true},
//     finalize-memref-to-llvm,convert-func-to-llvm,convert-math-to-llvm,convert-arith-to-llvm,
//     convert-cf-to-llvm,convert-index-to-llvm,reconcile-unrealized-casts,canonicalize,cse)'
//   | mlir-translate-19 --mlir-to-llvmir | opt-19 -O3 -mcpu=native
//   | llc-19 -O3 -mcpu=native -filetype=obj --relocation-model=pic -o softmax.o
module attributes {transform.with_named_sequence} {
func.func @softmax(%x: tensor<1024x1024xf32>, %b: tensor<1024xf32>, %out: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %c0 = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %e0 = tensor.empty() : tensor<1024x1024xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(j)>, affine_map<(i,j)->(i,j)>], iterator_types = ["parallel","parallel"]} ins(%x, %b : tensor<1024x1024xf32>, tensor<1024xf32>) outs(%e0 : tensor<1024x1024xf32>) attrs = {kind = "par"} {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.mulf %a, %scale : f32
    %r = arith.addf %m, %c : f32
    linalg.yield %r : f32
  } -> tensor<1024x1024xf32>
  %e1 = tensor.empty() : tensor<1024xf32>
  %m0 = linalg.fill ins(%ninf : f32) outs(%e1 : tensor<1024xf32>) -> tensor<1024xf32>
  %max = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i)>], iterator_types = ["parallel","reduction"]} ins(%s : tensor<1024x1024xf32>) outs(%m0 : tensor<1024xf32>) attrs = {kind = "red"} {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<1024xf32>
  %e2 = tensor.empty() : tensor<1024x1024xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i)>, affine_map<(i,j)->(i,j)>], iterator_types = ["parallel","parallel"]} ins(%s, %max : tensor<1024x1024xf32>, tensor<1024xf32>) outs(%e2 : tensor<1024x1024xf32>) attrs = {kind = "par"} {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %d = arith.subf %a, %c : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<1024x1024xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e1 : tensor<1024xf32>) -> tensor<1024xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i)>], iterator_types = ["parallel","reduction"]} ins(%p : tensor<1024x1024xf32>) outs(%z : tensor<1024xf32>) attrs = {kind = "red"} {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<1024xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i)>, affine_map<(i,j)->(i,j)>], iterator_types = ["parallel","parallel"]} ins(%p, %sum : tensor<1024x1024xf32>, tensor<1024xf32>) outs(%out : tensor<1024x1024xf32>) attrs = {kind = "par"} {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %one = arith.constant 1.0 : f32
    %i = arith.divf %one, %c : f32
    %r = arith.mulf %a, %i : f32
    linalg.yield %r : f32
  } -> tensor<1024x1024xf32>
  return %y : tensor<1024x1024xf32>
}

transform.named_sequence @__transform_main(%root: !transform.any_op) {
  %all = transform.structured.match ops{["linalg.generic"]} in %root : (!transform.any_op) -> !transform.any_op
  %s, %max, %p, %sum, %y = transform.split_handle %all : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
  %t, %loop = transform.structured.fuse %y {tile_sizes = [1, 0]} : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  %f0 = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
  transform.apply_cse to %f0 : !transform.any_op
  transform.apply_patterns to %f0 {
    transform.apply_patterns.tensor.fold_tensor_empty
    transform.apply_patterns.canonicalization
  } : !transform.any_op
  transform.apply_cse to %f0 : !transform.any_op
  %par = transform.structured.match ops{["linalg.generic"]} attributes{kind = "par"} in %root : (!transform.any_op) -> !transform.any_op
  %pt, %pl = transform.structured.tile_using_for %par tile_sizes [0, 64] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  %red = transform.structured.match ops{["linalg.generic"]} attributes{kind = "red"} in %root : (!transform.any_op) -> !transform.any_op
  transform.foreach %red : !transform.any_op {
  ^bb0(%r: !transform.any_op):
    %fill, %part, %comb, %rl = transform.structured.tile_reduction_using_for %r by tile_sizes = [0, 64] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
  }
  %f = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
  %v = transform.structured.vectorize_children_and_apply_patterns %f : (!transform.any_op) -> !transform.any_op
  transform.apply_patterns to %v {
    transform.apply_patterns.canonicalization
    transform.apply_patterns.linalg.tiling_canonicalization
    transform.apply_patterns.vector.cast_away_vector_leading_one_dim
  } : !transform.any_op
  transform.apply_cse to %v : !transform.any_op
  %loops = transform.structured.match ops{["scf.for"]} in %v : (!transform.any_op) -> !transform.any_op
  transform.foreach %loops : !transform.any_op {
  ^bb0(%l: !transform.any_op):
    transform.loop.hoist_loop_invariant_subsets %l : !transform.any_op
  }
  transform.yield
}
}
