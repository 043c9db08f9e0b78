//===- GradientCases.cpp - Functions whose gradients are tested -----------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "GradientCases.h"

namespace tenon {

static void addUnary(std::vector<GradientCase> &cases) {
  auto unary = [&](std::string op, double low, double high, std::string attributes = "",
                   std::string suffix = "") {
    cases.push_back({op + suffix,
                     {"2x3xf64"},
                     "2x3xf64",
                     "  %y = tenon." + op + " %a " + attributes + " : tensor<2x3xf64>\n",
                     low,
                     high});
  };
  for (const char *op : {"neg", "watch", "abs", "exp", "expm1", "sin", "cos", "tanh", "erf",
                         "normal_cdf", "sigmoid", "relu", "silu", "softplus", "gelu"})
    unary(op, -2, 2);
  for (const char *op : {"log", "log1p", "sqrt", "rsqrt"})
    unary(op, 0.3, 2);
  unary("gelu", -2, 2, "{approximate = true}", "_approximate");
  unary("clamp", -1, 1, "{lo = -0.4 : f64, hi = 0.3 : f64}");
  // Widening, whose gradient is rounded to f32: too coarse for a second difference.
  cases.push_back({"cast",
                   {"4xf32"},
                   "4xf64",
                   "  %e = tenon.cast %a {dtype = f64} : (tensor<4xf32>) -> tensor<4xf64>\n"
                   "  %y = tenon.mul %e, %e : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>\n",
                   -1,
                   1,
                   false});
}

static void addBinary(std::vector<GradientCase> &cases) {
  const std::string type = " : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>\n";
  auto binary = [&](std::string op, double low, double high) {
    cases.push_back({op,
                     {"2x3xf64", "2x3xf64"},
                     "2x3xf64",
                     "  %y = tenon." + op + " %a, %b" + type,
                     low,
                     high});
    cases.push_back({op + "_same",
                     {"2x3xf64"},
                     "2x3xf64",
                     "  %e = tenon.sin %a : tensor<2x3xf64>\n"
                     "  %f = tenon.exp %a : tensor<2x3xf64>\n"
                     "  %y = tenon." +
                         op + " %f, %e" + type,
                     0.3,
                     1.2});
  };
  for (const char *op : {"add", "sub", "mul", "max", "min"})
    binary(op, -1, 1);
  binary("div", 0.5, 2);
  binary("pow", 0.5, 2);
  binary("rem", 0.5, 2);
  // Where the base is 0: no slope, and none of the slope.
  cases.push_back({"pow_of_zero",
                   {"2x3xf64", "2x3xf64"},
                   "2x3xf64",
                   "  %r = tenon.relu %a : tensor<2x3xf64>\n"
                   "  %o = tenon.fill {shape = array<i64: 2, 3>, value = 2.0 : f64, dtype = f64}"
                   " : () -> tensor<2x3xf64>\n"
                   "  %e = tenon.add %b, %o" +
                       type + "  %y = tenon.pow %r, %e" + type});
  cases.push_back({"select",
                   {"4xf64", "4xf64"},
                   "4xf64",
                   "  %c = tenon.compare %a, %b {predicate = #tenon.predicate<lt>}"
                   " : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>\n"
                   "  %e = tenon.exp %a : tensor<4xf64>\n"
                   "  %y = tenon.select %c, %e, %b"
                   " : (tensor<4xi1>, tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>\n"});
}

static void addReduction(std::vector<GradientCase> &cases) {
  for (std::string op : {"sum", "mean", "max", "min", "prod"}) {
    cases.push_back({"reduce_" + op,
                     {"2x3x2xf64"},
                     "2x2xf64",
                     "  %e = tenon.sin %a : tensor<2x3x2xf64>\n  %y = tenon.reduce_" + op +
                         " %e {axes = array<i64: 1>} : (tensor<2x3x2xf64>) -> tensor<2x2xf64>\n",
                     0.2,
                     1.2});
    cases.push_back({"reduce_" + op + "_keep",
                     {"2x3x2xf64"},
                     "1x3x1xf64",
                     "  %y = tenon.reduce_" + op +
                         " %a {axes = array<i64: 0, 2>, keep = true}"
                         " : (tensor<2x3x2xf64>) -> tensor<1x3x1xf64>\n",
                     0.5,
                     1.5});
  }
}

static void addShape(std::vector<GradientCase> &cases) {
  auto shape = [&](std::string name, std::vector<std::string> from, std::string to,
                   std::string text) {
    // A square after the op, so that second derivatives are not zero.
    std::string t = "tensor<" + to + ">";
    cases.push_back(
        {name, from, to, text + "  %y = tenon.mul %r, %r : (" + t + ", " + t + ") -> " + t + "\n"});
  };
  shape("reshape", {"2x6xf64"}, "3x4xf64",
        "  %r = tenon.reshape %a {shape = array<i64: 3, 4>} : (tensor<2x6xf64>) -> "
        "tensor<3x4xf64>\n");
  shape("transpose", {"2x3x4xf64"}, "4x2x3xf64",
        "  %r = tenon.transpose %a {permutation = array<i64: 2, 0, 1>}"
        " : (tensor<2x3x4xf64>) -> tensor<4x2x3xf64>\n");
  shape("broadcast_new", {"3xf64"}, "2x3x2xf64",
        "  %r = tenon.broadcast %a {shape = array<i64: 2, 3, 2>, dims = array<i64: 1>}"
        " : (tensor<3xf64>) -> tensor<2x3x2xf64>\n");
  shape("broadcast_stretched", {"1x3x1xf64"}, "2x3x2xf64",
        "  %r = tenon.broadcast %a {shape = array<i64: 2, 3, 2>, dims = array<i64: 0, 1, 2>}"
        " : (tensor<1x3x1xf64>) -> tensor<2x3x2xf64>\n");
  shape("broadcast_both", {"3x1xf64"}, "2x3x2xf64",
        "  %r = tenon.broadcast %a {shape = array<i64: 2, 3, 2>, dims = array<i64: 1, 2>}"
        " : (tensor<3x1xf64>) -> tensor<2x3x2xf64>\n");
  shape("broadcast_scalar", {"f64"}, "2x2xf64",
        "  %r = tenon.broadcast %a {shape = array<i64: 2, 2>, dims = array<i64>}"
        " : (tensor<f64>) -> tensor<2x2xf64>\n");
  shape("slice", {"4x6xf64"}, "2x3xf64",
        "  %r = tenon.slice %a {offsets = array<i64: 1, 0>, sizes = array<i64: 2, 3>,"
        " strides = array<i64: 1, 1>} : (tensor<4x6xf64>) -> tensor<2x3xf64>\n");
  shape("slice_strided", {"5x7xf64"}, "2x3xf64",
        "  %r = tenon.slice %a {offsets = array<i64: 1, 1>, sizes = array<i64: 2, 3>,"
        " strides = array<i64: 3, 2>} : (tensor<5x7xf64>) -> tensor<2x3xf64>\n");
  shape("concat", {"2x2xf64", "1x2xf64"}, "5x2xf64",
        "  %r = tenon.concat %a, %b, %a {axis = 0 : i64}"
        " : (tensor<2x2xf64>, tensor<1x2xf64>, tensor<2x2xf64>) -> tensor<5x2xf64>\n");
  shape("pad", {"2x2xf64"}, "3x5xf64",
        "  %r = tenon.pad %a {low = array<i64: 1, 1>, high = array<i64: 0, 2>, value = 0.5 : f64}"
        " : (tensor<2x2xf64>) -> tensor<3x5xf64>\n");
  // Ids repeat; an id out of range takes no gradient (a gathered row is NaN: left out).
  shape("gather", {"4x2xf64"}, "2x3x2xf64",
        "  %i = tenon.constant dense<[[0, 3, 3], [1, 0, 0]]> : tensor<2x3xi32>\n"
        "  %r = tenon.gather %a, %i : (tensor<4x2xf64>, tensor<2x3xi32>) -> tensor<2x3x2xf64>\n");
  shape("scatter_add", {"4x2xf64"}, "3x2xf64",
        "  %i = tenon.constant dense<[0, 2, 2, 7]> : tensor<4xi64>\n"
        "  %r = tenon.scatter_add %i, %a {rows = 3 : i64}"
        " : (tensor<4xi64>, tensor<4x2xf64>) -> tensor<3x2xf64>\n");
  for (std::string flags : {"", ", exclusive = true", ", reverse = true"})
    for (std::string axis : {"0", "1"})
      shape("cumsum" + axis + (flags.empty() ? "" : flags.substr(2, 7)), {"3x4xf64"}, "3x4xf64",
            "  %r = tenon.cumsum %a {axis = " + axis + " : i64" + flags +
                "} : (tensor<3x4xf64>) -> tensor<3x4xf64>\n");
  shape("sort", {"3x5xf64"}, "3x5xf64",
        "  %r, %i = tenon.sort %a {axis = 1 : i64, count = -1 : i64}"
        " : (tensor<3x5xf64>) -> (tensor<3x5xf64>, tensor<3x5xi32>)\n");
  shape("sort_few", {"6x2xf64"}, "3x2xf64",
        "  %r, %i = tenon.sort %a {axis = 0 : i64, count = 3 : i64, descending = true}"
        " : (tensor<6x2xf64>) -> (tensor<3x2xf64>, tensor<3x2xi32>)\n");
  shape("gather_along", {"4x2xf64"}, "3x2xf64",
        "  %i = tenon.constant dense<[[0, 3], [3, 1], [0, 0]]> : tensor<3x2xi32>\n"
        "  %r = tenon.gather_along %a, %i {axis = 0 : i64}"
        " : (tensor<4x2xf64>, tensor<3x2xi32>) -> tensor<3x2xf64>\n");
  shape("scatter_along", {"2x3xf64"}, "2x4xf64",
        "  %i = tenon.constant dense<[[0, 3, 3], [7, -1, 2]]> : tensor<2x3xi64>\n"
        "  %r = tenon.scatter_along %i, %a {axis = 1 : i64, extent = 4 : i64}"
        " : (tensor<2x3xi64>, tensor<2x3xf64>) -> tensor<2x4xf64>\n");
  shape("windows", {"2x5x4xf64"}, "2x2x3x2x2xf64",
        "  %r = tenon.windows %a {sizes = array<i64: 2, 3>, strides = array<i64: 2, 1>,"
        " dilations = array<i64: 2, 1>} : (tensor<2x5x4xf64>) -> tensor<2x2x3x2x2xf64>\n");
  shape("fold_windows", {"2x3x4xf64"}, "2x10xf64",
        "  %r = tenon.fold_windows %a {extents = array<i64: 10>, strides = array<i64: 2>,"
        " dilations = array<i64: 1>} : (tensor<2x3x4xf64>) -> tensor<2x10xf64>\n");
}

static void addMatmul(std::vector<GradientCase> &cases) {
  for (int flags = 0; flags < 4; flags++) {
    bool ta = flags & 1, tb = flags & 2;
    std::string a = ta ? "2x4x3xf64" : "2x3x4xf64", b = tb ? "2x2x4xf64" : "2x4x2xf64";
    std::string attributes = std::string(" {transpose_a = ") + (ta ? "true" : "false") +
                             ", transpose_b = " + (tb ? "true" : "false") + "}";
    cases.push_back({"matmul_" + std::to_string(flags),
                     {a, b},
                     "2x3x2xf64",
                     "  %y = tenon.matmul %a, %b" + attributes + " : (tensor<" + a + ">, tensor<" +
                         b + ">) -> tensor<2x3x2xf64>\n"});
  }
}

static void addNorm(std::vector<GradientCase> &cases) {
  for (std::string op : {"softmax", "log_softmax"})
    for (std::string axis : {"0", "1"})
      cases.push_back({op + axis,
                       {"3x4xf64"},
                       "3x4xf64",
                       "  %y = tenon." + op + " %a {axis = " + axis +
                           " : i64} : (tensor<3x4xf64>) -> tensor<3x4xf64>\n",
                       -2,
                       2});
  const std::string vector = ", tensor<4xf64>", eps = " {eps = 1.0e-3 : f64} : (tensor<2x3x4xf64>",
                    end = ") -> tensor<2x3x4xf64>\n";
  auto norm = [&](std::string name, std::vector<std::string> arguments, std::string text) {
    cases.push_back({name, arguments, "2x3x4xf64", text});
  };
  norm("layer_norm", {"2x3x4xf64"}, "  %y = tenon.layer_norm %a" + eps + end);
  norm("layer_norm_gamma_beta", {"2x3x4xf64", "4xf64", "4xf64"},
       "  %y = tenon.layer_norm %a, %b bias %c" + eps + vector + vector + end);
  norm("layer_norm_beta", {"2x3x4xf64", "4xf64"},
       "  %y = tenon.layer_norm %a bias %b" + eps + vector + end);
  norm("rms_norm", {"2x3x4xf64"}, "  %y = tenon.rms_norm %a" + eps + end);
  norm("rms_norm_gamma", {"2x3x4xf64", "4xf64"},
       "  %y = tenon.rms_norm %a, %b" + eps + vector + end);
}

static void addLoss(std::vector<GradientCase> &cases) {
  cases.push_back(
      {"mse_loss",
       {"2x3xf64", "2x3xf64"},
       "f64",
       "  %y = tenon.mse_loss %a, %b : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<f64>\n"});
  cases.push_back(
      {"cross_entropy",
       {"2x3xf64"},
       "2xf64",
       "  %t = tenon.constant dense<[[0.2, 0.3, 0.5], [0.0, 1.0, 0.0]]> : tensor<2x3xf64>\n"
       "  %y = tenon.cross_entropy %a, %t {floor = 1.0e-3 : f64}"
       " : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2xf64>\n",
       0.1,
       0.9});
  cases.push_back(
      {"softmax_cross_entropy_soft",
       {"2x3xf64"},
       "2xf64",
       "  %t = tenon.constant dense<[[0.2, 0.1, 0.4], [0.0, 1.0, 0.0]]> : tensor<2x3xf64>\n"
       "  %y = tenon.softmax_cross_entropy %a, %t {floor = 0.0 : f64}"
       " : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2xf64>\n",
       -2,
       2});
  cases.push_back({"softmax_cross_entropy_ids",
                   {"3x4xf64"},
                   "3xf64",
                   "  %t = tenon.constant dense<[3, 0, 9]> : tensor<3xi32>\n"
                   "  %y = tenon.softmax_cross_entropy %a, %t {floor = 0.0 : f64}"
                   " : (tensor<3x4xf64>, tensor<3xi32>) -> tensor<3xf64>\n",
                   -2,
                   2});
}

static void addAttention(std::vector<GradientCase> &cases) {
  const std::string q = "1x4x3x2xf64", k = "1x4x5x2xf64", v = "1x4x5x3xf64", o = "1x4x3x3xf64",
                    lse = "1x4x3xf64", g = "1x2x5x2xf64", gv = "1x2x5x3xf64";
  auto attention = [&](std::string name, std::string k, std::string v, std::string attributes,
                       std::string mask, std::string maskText, bool wantLse) {
    std::vector<std::string> arguments{q, k, v};
    std::string maskType, use;
    if (!mask.empty()) {
      maskType = ", tensor<" + mask + ">";
      use = maskText.empty() ? ", %d" : ", %m";
      if (maskText.empty())
        arguments.push_back(mask);
    }
    cases.push_back({name, arguments, wantLse ? lse : o,
                     maskText + "  " + (wantLse ? "%o, %y" : "%y, %l") +
                         " = tenon.attention %a, %b, %c" + use + " {scale = 0.6 : f64" +
                         attributes + "} : (tensor<" + q + ">, tensor<" + k + ">, tensor<" + v +
                         ">" + maskType + ") -> (tensor<" + o + ">, tensor<" + lse + ">)\n"});
  };
  const std::string bools = "  %m = tenon.constant dense<[[[[true, false, true, true, false], "
                            "[false, false, false, false,"
                            " false], [true, true, true, true, true]]]]> : tensor<1x1x3x5xi1>\n";
  attention("attention", k, v, "", "", "", false);
  attention("attention_causal", k, v, ", causal = true", "", "", false);
  attention("attention_bias", k, v, "", "1x1x3x5xf64", "", false);
  attention("attention_bias_heads", k, v, "", "1x4x3x5xf64", "", false);
  attention("attention_masked_query", k, v, "", "1x1x3x5xi1", bools, false);
  attention("attention_grouped", g, gv, ", causal = true", "", "", false);
  attention("attention_grouped_bias", g, gv, "", "1x4x3x5xf64", "", false);
  attention("attention_lse", k, v, "", "1x4x3x5xf64", "", true);
  cases.push_back({"attention_shared_operand",
                   {"1x2x3x2xf64"},
                   "1x2x3x2xf64",
                   "  %y, %l = tenon.attention %a, %a, %a {scale = 0.7 : f64}"
                   " : (tensor<1x2x3x2xf64>, tensor<1x2x3x2xf64>, tensor<1x2x3x2xf64>)"
                   " -> (tensor<1x2x3x2xf64>, tensor<1x2x3xf64>)\n"});
}

static void addControl(std::vector<GradientCase> &cases) {
  const char *body = R"(
  %f, %y = tenon.loop trips 3 DIRECTION carry(%a) scan(%b) use(%c)
      : (tensor<2xf64>, tensor<3x2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<3x2xf64>) {
  ^bb0(%t: tensor<i64>, %h: tensor<2xf64>, %x: tensor<2xf64>, %w: tensor<2xf64>):
    %m = tenon.mul %h, %w : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    %n = tenon.add %m, %x : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    %z = tenon.tanh %n : tensor<2xf64>
    %q = tenon.mul %z, %h : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    tenon.yield %z, %q : tensor<2xf64>, tensor<2xf64>
  }
)";
  for (bool reverse : {false, true}) {
    std::string text = body;
    text.replace(text.find("DIRECTION"), 9, reverse ? "reverse" : "");
    cases.push_back(
        {reverse ? "loop_reverse" : "loop", {"2xf64", "3x2xf64", "2xf64"}, "3x2xf64", text});
  }
  // A carried constant becomes active through an invariant value; an integer is
  // carried along; the index is read.
  cases.push_back({"loop_final", {"2xf64"}, "2xf64", R"(
  %zero = tenon.constant dense<0.1> : tensor<2xf64>
  %k = tenon.constant dense<1> : tensor<i64>
  %y, %end = tenon.loop trips 4 carry(%zero, %k) scan() use(%a)
      : (tensor<2xf64>, tensor<i64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<i64>) {
  ^bb0(%t: tensor<i64>, %h: tensor<2xf64>, %i: tensor<i64>, %w: tensor<2xf64>):
    %j = tenon.add %i, %t : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %r = tenon.cast %j {dtype = f64} : (tensor<i64>) -> tensor<f64>
    %b = tenon.broadcast %r {shape = array<i64: 2>, dims = array<i64>} : (tensor<f64>) -> tensor<2xf64>
    %m = tenon.mul %h, %w : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    %n = tenon.mul %m, %b : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    %p = tenon.add %n, %w : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    %z = tenon.sin %p : tensor<2xf64>
    tenon.yield %z, %j : tensor<2xf64>, tensor<i64>
  }
)"});
  cases.push_back({"dropout", {"4x8xf64"}, "4x8xf64", R"(
  %seed = tenon.constant dense<7> : tensor<i64>
  %step = tenon.constant dense<3> : tensor<i64>
  %d = tenon.dropout %a, %seed, %step {rate = 0.3 : f64, stream = 2 : i64}
     : (tensor<4x8xf64>, tensor<i64>, tensor<i64>) -> tensor<4x8xf64>
  %y = tenon.mul %d, %d : (tensor<4x8xf64>, tensor<4x8xf64>) -> tensor<4x8xf64>
)"});
  // Each body, and one in which nothing of %b is read; a result that is a used value.
  for (bool isThen : {true, false}) {
    std::string text = R"(
  %c = tenon.constant dense<VALUE> : tensor<i1>
  %q, %p = tenon.if %c use(%a, %b, %a) : (tensor<i1>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>) {
  ^bb0(%u: tensor<2xf64>, %v: tensor<2xf64>, %w: tensor<2xf64>):
    %m = tenon.mul %u, %v : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    %n = tenon.add %m, %w : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    %z = tenon.tanh %n : tensor<2xf64>
    tenon.yield %z, %u : tensor<2xf64>, tensor<2xf64>
  } else {
  ^bb0(%u: tensor<2xf64>, %v: tensor<2xf64>, %w: tensor<2xf64>):
    %m = tenon.mul %u, %w : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    %r = tenon.sin %m : tensor<2xf64>
    tenon.yield %r, %m : tensor<2xf64>, tensor<2xf64>
  }
  %y = tenon.mul %q, %p : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
)";
    text.replace(text.find("VALUE"), 5, isThen ? "true" : "false");
    cases.push_back({isThen ? "if_then" : "if_else", {"2xf64", "2xf64"}, "2xf64", text});
  }
  // Of the body, and by a shader, of whose body the used value's gradient is.
  for (bool hasShader : {false, true}) {
    std::string text = R"(
  %q, %p = tenon.custom (%a, %b, %a) use(%b) glsl ["forward"] BACKWARD : (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>) {
  ^bb0(%u: tensor<2xf64>, %v: tensor<2xf64>, %w: tensor<2xf64>, %k: tensor<2xf64>):
    %m = tenon.mul %u, %v : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    %n = tenon.add %m, %w : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    %o = tenon.mul %n, %k : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    %z = tenon.tanh %o : tensor<2xf64>
    tenon.yield %z, %u : tensor<2xf64>, tensor<2xf64>
  }
  %y = tenon.mul %q, %p : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
)";
    text.replace(text.find("BACKWARD"), 8, hasShader ? "backward [\"backward\"]" : "");
    cases.push_back({hasShader ? "custom_shader" : "custom", {"2xf64", "2xf64"}, "2xf64", text});
  }
  cases.push_back({"loop_nested", {"2xf64"}, "2xf64", R"(
  %y = tenon.loop trips 2 carry(%a) scan() use() : (tensor<2xf64>) -> tensor<2xf64> {
  ^bb0(%t: tensor<i64>, %h: tensor<2xf64>):
    %in = tenon.loop trips 3 carry(%h) scan() use(%h) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64> {
    ^bb0(%u: tensor<i64>, %g: tensor<2xf64>, %w: tensor<2xf64>):
      %m = tenon.mul %g, %w : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
      %z = tenon.cos %m : tensor<2xf64>
      tenon.yield %z : tensor<2xf64>
    }
    tenon.yield %in : tensor<2xf64>
  }
)"});
}

std::vector<GradientCase> gradientCases() {
  std::vector<GradientCase> cases;
  addUnary(cases);
  addBinary(cases);
  addReduction(cases);
  addShape(cases);
  addMatmul(cases);
  addNorm(cases);
  addLoss(cases);
  addAttention(cases);
  addControl(cases);
  return cases;
}

} // namespace tenon
