// Shaders of the user's: on the CPU and in the reference what their bodies say, on a GPU themselves.
// RUN: tenon-run %s --compare=reference --extent=5,5
// RUN: tenon-run %s --compare=reference --extent=5,5 --backend=vulkan
// RUN: tenon-run %s --compare=reference --extent=1000,3 --backend=vulkan --function=rows

func.func @square(%x: tensor<300xf32>) -> tensor<300xf32> {
  %y = tenon.custom(%x) glsl [
    "#version 450",
    "layout(local_size_x = 64) in;",
    "layout(binding = 0) readonly buffer X { float x[300]; };",
    "layout(binding = 1) writeonly buffer Y { float y[]; };",
    "void main() {",
    "  uint i = gl_GlobalInvocationID.x;",
    "  if (i < tenon_size(1)) y[i] = x[i] * x[i];",
    "}"] : (tensor<300xf32>) -> tensor<300xf32> {
  ^bb0(%a: tensor<300xf32>):
    %s = tenon.mul %a, %a : (tensor<300xf32>, tensor<300xf32>) -> tensor<300xf32>
    tenon.yield %s : tensor<300xf32>
  }
  return %y : tensor<300xf32>
}

// Rows times a number, and their sums, in extents known at run time only; a workgroup a row.
func.func @rows(%x: tensor<?x?xf32>, %scale: tensor<f32>) -> (tensor<?x?xf32>, tensor<?x1xf32>) {
  %y, %sum = tenon.custom(%x, %scale) glsl [
    "layout(local_size_x = 1) in;",
    "layout(binding = 0) readonly buffer X { float x[]; };",
    "layout(binding = 1) readonly buffer S { float s[1]; };",
    "layout(binding = 2) writeonly buffer Y { float y[]; };",
    "layout(binding = 3) writeonly buffer Sum { float sums[]; } out_;",
    "void main() {",
    "  uint row = gl_WorkGroupID.x + gl_NumWorkGroups.x * gl_WorkGroupID.y, n = tenon_extent(0, 1);",
    "  if (row >= tenon_extent(2, 0)) return;",
    "  float sum = 0;",
    "  for (uint i = 0; i < n; i++) {",
    "    y[row * n + i] = x[row * n + i] * s[0];",
    "    sum += x[row * n + i] * s[0];",
    "  }",
    "  out_.sums[row] = sum;",
    "}"]
    groups affine_map<()[n, d] -> (64, n ceildiv 64)>
    : (tensor<?x?xf32>, tensor<f32>) -> (tensor<?x?xf32>, tensor<?x1xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %f: tensor<f32>):
    %b = tenon.broadcast %f, %a {shape = array<i64: -9223372036854775808, -9223372036854775808>, dims = array<i64>}
        : (tensor<f32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    %m = tenon.mul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    %s = tenon.reduce_sum %m {axes = array<i64: 1>, keep = true} : (tensor<?x?xf32>) -> tensor<?x1xf32>
    tenon.yield %m, %s : tensor<?x?xf32>, tensor<?x1xf32>
  }
  return %y, %sum : tensor<?x?xf32>, tensor<?x1xf32>
}

// Every type of element, in slices that begin at any address.
func.func @kinds(%d: tensor<3x5xf64>, %h: tensor<3x5xf16>, %w: tensor<3x5xbf16>, %l: tensor<3x5xi64>,
                 %n: tensor<3x5xi32>, %c: tensor<3x5xi8>, %b: tensor<3x5xi1>)
    -> (tensor<3x5xf64>, tensor<3x5xf16>, tensor<3x5xbf16>, tensor<3x5xi64>, tensor<3x5xi32>, tensor<3x5xi8>, tensor<3x5xi1>) {
  %r:7 = tenon.loop trips 3 carry() scan(%d, %h, %w, %l, %n, %c, %b) use()
      : (tensor<3x5xf64>, tensor<3x5xf16>, tensor<3x5xbf16>, tensor<3x5xi64>, tensor<3x5xi32>, tensor<3x5xi8>, tensor<3x5xi1>) -> (tensor<3x5xf64>, tensor<3x5xf16>, tensor<3x5xbf16>, tensor<3x5xi64>, tensor<3x5xi32>, tensor<3x5xi8>, tensor<3x5xi1>) {
  ^bb0(%t: tensor<i64>, %d1: tensor<5xf64>, %h1: tensor<5xf16>, %w1: tensor<5xbf16>, %l1: tensor<5xi64>,
       %n1: tensor<5xi32>, %c1: tensor<5xi8>, %b1: tensor<5xi1>):
    %s:7 = tenon.custom(%d1, %h1, %w1, %l1, %n1, %c1, %b1) glsl [
      "#extension GL_EXT_shader_explicit_arithmetic_types : require",
      "#extension GL_EXT_shader_16bit_storage : require",
      "#extension GL_EXT_shader_8bit_storage : require",
      "layout(local_size_x = 32) in;",
      "layout(binding = 0) readonly buffer A0 { double a0[]; };",
      "layout(binding = 1) readonly buffer A1 { float16_t a1[]; };",
      "layout(binding = 2) readonly buffer A2 { uint16_t a2[]; };",
      "layout(binding = 3) readonly buffer A3 { int64_t a3[]; };",
      "layout(binding = 4) readonly buffer A4 { int a4[]; };",
      "layout(binding = 5) readonly buffer A5 { int8_t a5[]; };",
      "layout(binding = 6) readonly buffer A6 { uint8_t a6[]; };",
      "layout(binding = 7) writeonly buffer B0 { double b0[]; };",
      "layout(binding = 8) writeonly buffer B1 { float16_t b1[]; };",
      "layout(binding = 9) writeonly buffer B2 { uint16_t b2[]; };",
      "layout(binding = 10) writeonly buffer B3 { int64_t b3[]; };",
      "layout(binding = 11) writeonly buffer B4 { int b4[]; };",
      "layout(binding = 12) writeonly buffer B5 { int8_t b5[]; };",
      "layout(binding = 13) writeonly buffer B6 { uint8_t b6[]; };",
      "void main() {",
      "  int i = int(gl_GlobalInvocationID.x);",
      "  if (i >= 5) return;",
      "  b0[i] = -a0[i];",
      "  b1[i] = -a1[i];",
      "  b2[i] = a2[i] ^ uint16_t(0x8000);",
      "  b3[i] = -a3[i];",
      "  b4[i] = -a4[i];",
      "  b5[i] = -a5[i];",
      "  b6[i] = uint8_t(1 - a6[i]);",
      "}"] : (tensor<5xf64>, tensor<5xf16>, tensor<5xbf16>, tensor<5xi64>, tensor<5xi32>, tensor<5xi8>, tensor<5xi1>) -> (tensor<5xf64>, tensor<5xf16>, tensor<5xbf16>, tensor<5xi64>, tensor<5xi32>, tensor<5xi8>, tensor<5xi1>) {
    ^bb0(%d2: tensor<5xf64>, %h2: tensor<5xf16>, %w2: tensor<5xbf16>, %l2: tensor<5xi64>,
         %n2: tensor<5xi32>, %c2: tensor<5xi8>, %b2: tensor<5xi1>):
      %d3 = tenon.neg %d2 : tensor<5xf64>
      %h3 = tenon.neg %h2 : tensor<5xf16>
      %w3 = tenon.neg %w2 : tensor<5xbf16>
      %l3 = tenon.neg %l2 : tensor<5xi64>
      %n3 = tenon.neg %n2 : tensor<5xi32>
      %c3 = tenon.neg %c2 : tensor<5xi8>
      %b3 = tenon.not %b2 : tensor<5xi1>
      tenon.yield %d3, %h3, %w3, %l3, %n3, %c3, %b3 : tensor<5xf64>, tensor<5xf16>, tensor<5xbf16>, tensor<5xi64>, tensor<5xi32>, tensor<5xi8>, tensor<5xi1>
    }
    tenon.yield %s#0, %s#1, %s#2, %s#3, %s#4, %s#5, %s#6 : tensor<5xf64>, tensor<5xf16>, tensor<5xbf16>, tensor<5xi64>, tensor<5xi32>, tensor<5xi8>, tensor<5xi1>
  }
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6 : tensor<3x5xf64>, tensor<3x5xf16>, tensor<3x5xbf16>, tensor<3x5xi64>, tensor<3x5xi32>, tensor<3x5xi8>, tensor<3x5xi1>
}

// The gradient of the body, and by what the body alone reads; twice the same operand.
func.func @gradient(%x: tensor<?xf32>, %k: tensor<f32>, %d: tensor<?xf32>) -> (tensor<?xf32>, tensor<f32>) {
  %y = tenon.custom(%x, %x) use(%k) glsl [
    "layout(local_size_x = 64) in;",
    "layout(binding = 0) readonly buffer A { float a[]; };",
    "layout(binding = 1) readonly buffer B { float b[]; };",
    "layout(binding = 2) writeonly buffer Y { float y[]; };",
    "void main() {",
    "  uint i = gl_GlobalInvocationID.x;",
    "  if (i < tenon_size(2)) y[i] = a[i] * b[i];",
    "}"] : (tensor<?xf32>, tensor<?xf32>, tensor<f32>) -> tensor<?xf32> {
  ^bb0(%a: tensor<?xf32>, %b: tensor<?xf32>, %f: tensor<f32>):
    %m = tenon.mul %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %e = tenon.expm1 %f : tensor<f32>
    %z = tenon.sub %e, %e : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %l = tenon.broadcast %z, %m {shape = array<i64: -9223372036854775808>, dims = array<i64>}
        : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
    %s = tenon.add %m, %l : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    tenon.yield %s : tensor<?xf32>
  }
  %g = tenon.gradient %y, %x, %d : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %h = tenon.gradient %y, %k, %d : (tensor<?xf32>, tensor<f32>, tensor<?xf32>) -> tensor<f32>
  return %g, %h : tensor<?xf32>, tensor<f32>
}

// A shader for the gradient, of two inputs of which one is not asked for; twice differentiated.
func.func @backward(%x: tensor<40xf32>, %w: tensor<40xf32>, %d: tensor<40xf32>) -> (tensor<40xf32>, tensor<40xf32>) {
  %v = tenon.watch %x : tensor<40xf32>
  %y = tenon.custom(%v, %w) glsl [
    "layout(local_size_x = 8) in;",
    "layout(binding = 0) readonly buffer X { float x[]; };",
    "layout(binding = 1) readonly buffer W { float w[]; };",
    "layout(binding = 2) writeonly buffer Y { float y[]; };",
    "void main() {",
    "  uint i = gl_GlobalInvocationID.x;",
    "  y[i] = x[i] * x[i] * w[i];",
    "}"] groups affine_map<()[n] -> (n floordiv 8)> backward [
    "layout(local_size_x = 4, local_size_y = 2) in;",
    "layout(binding = 0) readonly buffer X { float x[]; };",
    "layout(binding = 1) readonly buffer W { float w[]; };",
    "layout(binding = 2) readonly buffer Y { float y[]; };",
    "layout(binding = 3) readonly buffer D { float dy[]; };",
    "layout(binding = 4) writeonly buffer DX { float dx[]; };",
    "layout(binding = 5) writeonly buffer DW { float dw[]; };",
    "void main() {",
    "  uint i = gl_GlobalInvocationID.x + 20 * gl_GlobalInvocationID.y;",
    "  dx[i] = 2 * x[i] * w[i] * dy[i];",
    "  dw[i] = x[i] * x[i] * dy[i];",
    "}"] groups affine_map<()[n] -> (5, n floordiv 40)>
      : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xf32> {
  ^bb0(%a: tensor<40xf32>, %b: tensor<40xf32>):
    %s = tenon.mul %a, %a : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xf32>
    %t = tenon.mul %s, %b : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xf32>
    tenon.yield %t : tensor<40xf32>
  }
  %g = tenon.gradient %y, %v, %d : (tensor<40xf32>, tensor<40xf32>, tensor<40xf32>) -> tensor<40xf32>
  %h = tenon.gradient %g, %v, %d : (tensor<40xf32>, tensor<40xf32>, tensor<40xf32>) -> tensor<40xf32>
  return %g, %h : tensor<40xf32>, tensor<40xf32>
}
