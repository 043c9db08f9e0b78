#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
// y = 10 x + index
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) readonly buffer Index { int64_t index[]; };
layout(set = 0, binding = 2) buffer Y { float y[]; };
layout(push_constant) uniform Parameters { uint xBegin, indexBegin, yBegin; };

void main() { y[yBegin / 4] = 10 * x[xBegin / 4] + float(index[indexBegin / 8]); }
