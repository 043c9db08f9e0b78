//===- GlslTest.cpp - What is checked of shaders of the user's ------------===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "codegen/spirv/Glsl.h"

#include "gtest/gtest.h"

namespace tenon::spirv {
namespace {

/// y = f(x) with x of f32[3,?], y of f32[8]: declarations, then the function's text.
class GlslTest : public ::testing::Test {
protected:
  std::string compile(const std::string &body) { return compileAll(in + out + body); }
  std::string compileAll(const std::string &source) {
    return compileGlsl("layout(local_size_x = 8, local_size_y = 2) in;\n" + source, buffers,
                       numExtents, shader);
  }

  std::vector<GlslBuffer> buffers = {{infer::Type::make(TENON_F32, {3, infer::kDynamic}), false, 0},
                                     {infer::Type::make(TENON_F32, {8}), true, 1}};
  int64_t numExtents = 1;
  std::string in = "layout(binding = 0) readonly buffer X { float x[]; };\n";
  std::string out = "layout(binding = 1) writeonly buffer Y { float y[]; };\n";
  std::string copy = "void main() { uint i = gl_GlobalInvocationID.x; y[i] = x[i]; }\n";
  GlslShader shader;
};

TEST_F(GlslTest, KnowsExtentsAndWorkgroups) {
  EXPECT_EQ(compile("const uint n = tenon_extent(0, 0) + tenon_size(1);\n"
                    "void main() { if (tenon_extent(0, 1) * 3 == tenon_size(0)) y[n] = x[n]; }\n"),
            "");
  EXPECT_EQ(shader.localSize[0], 8);
  EXPECT_EQ(shader.localSize[1], 2);
}

TEST_F(GlslTest, ManyExtentsComeInABuffer) {
  numExtents = 40;
  EXPECT_EQ(compile("void main() { y[0] = x[tenon_extent(0, 1)]; }"), "");
}

TEST_F(GlslTest, ErrorsHaveLines) {
  EXPECT_EQ(compile("void main() {\n  y[0] = z;\n}\n"), "line 5: 'z' : undeclared identifier");
  EXPECT_EQ(compile("void main() { y[0] = x[0] }"), "line 4: '' :  syntax error, unexpected "
                                                    "RIGHT_BRACE, expecting COMMA or SEMICOLON");
  EXPECT_EQ(compile("void other() {}"),
            "Linking compute stage: Missing entry point: Each stage requires one entry point");
}

TEST_F(GlslTest, ChecksBindings) {
  EXPECT_EQ(compileAll(in + "void main() {}"),
            "binding 1 (f32[8]): the shader declares no buffer for this result");
  EXPECT_EQ(compile("layout(binding = 2) buffer Z { float z[]; };\n" + copy),
            "expected buffers with bindings 0 to 1 of set 0, got binding 2 of set 0");
  EXPECT_EQ(compile("layout(set = 1, binding = 0) buffer Z { float z[]; };\n" + copy),
            "expected buffers with bindings 0 to 1 of set 0, got binding 0 of set 1");
  EXPECT_EQ(compile("layout(binding = 1) buffer Z { float z[]; };\n" + copy),
            "binding 1: declared twice");
  EXPECT_EQ(compileAll("layout(binding = 0) uniform sampler2D x;\n" + out +
                       "void main() { y[0] = texture(x, vec2(0)).x; }"),
            "binding 0 (f32[3,?]): expected a buffer");
}

TEST_F(GlslTest, ChecksElementsAndBounds) {
  auto with = [&](const std::string &block) {
    return compileAll(in + "layout(binding = 1) " + block + ";\nvoid main() {}");
  };
  EXPECT_EQ(with("buffer Y { double y[]; }"),
            "binding 1 (f32[8]): expected an array of float, got one of double");
  EXPECT_EQ(with("buffer Y { uint y[]; }"),
            "binding 1 (f32[8]): expected an array of float, got one of uint");
  EXPECT_EQ(with("buffer Y { vec4 y[]; }"),
            "binding 1 (f32[8]): expected an array of float, got one of vectors of 4 float");
  EXPECT_EQ(with("buffer Y { float y; }"), "binding 1 (f32[8]): expected a block with one array");
  EXPECT_EQ(with("buffer Y { uint n; float y[]; }"),
            "binding 1 (f32[8]): expected a block with one array");
  EXPECT_EQ(with("buffer Y { float y[9]; }"),
            "binding 1 (f32[8]): expected an array of at most 8 elements, got one of 9");
  EXPECT_EQ(with("buffer Y { float y[8]; }"), "");
  EXPECT_EQ(with("readonly buffer Y { float y[]; }"),
            "binding 1 (f32[8]): it is a result: expected a buffer that is not readonly");
  EXPECT_EQ(with("uniform Y { float y[8]; }"), "binding 1 (f32[8]): expected a buffer");
  EXPECT_EQ(compileAll("layout(binding = 0) buffer X { float x[]; };\n" + out + copy),
            "binding 0 (f32[3,?]): it is an input: expected a readonly buffer");
  EXPECT_EQ(compileAll("layout(binding = 0) readonly buffer X { float x[9]; };\n" + out + copy),
            "binding 0 (f32[3,?]): expected an array without a length, as an extent is known at "
            "run time only, got one of 9");
}

TEST_F(GlslTest, ElementsAreTakenOneByOne) {
  EXPECT_EQ(compile("void main() { y[0] = x.length(); }"),
            "binding 0: length() counts more than the tensor: expected tenon_size(0)");
  out = "layout(binding = 1) buffer Y { float y[8]; };\n";
  EXPECT_EQ(compile("void main() { float z[8] = y; y[0] = z[3]; }"),
            "binding 1: its array is used as a whole: take its elements one by one");
}

} // namespace
} // namespace tenon::spirv
