#version 450
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
// y: x is below 3
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) buffer Y { uint8_t y[]; };
layout(push_constant) uniform Parameters { uint xBegin, yBegin; };

void main() { y[yBegin] = uint8_t(x[xBegin / 4] < 3 ? 1 : 0); }
