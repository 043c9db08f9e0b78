#version 450
// y[i] = x[i] + 1
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) buffer Y { float y[]; };
layout(push_constant) uniform Parameters { uint xBegin, yBegin, n; };

void main() {
  uint group = gl_WorkGroupID.y * 1024 + gl_WorkGroupID.x;
  uint i = group * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
  if (i < n)
    y[yBegin / 4 + i] = x[xBegin / 4 + i] + 1;
}
