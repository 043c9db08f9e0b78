#version 450
// z[i] = x[i] + y[i]; asks how long rows are, so it is not cut into parts
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) readonly buffer Y { float y[]; };
layout(set = 0, binding = 2) buffer Z { float z[]; };
layout(push_constant) uniform Parameters { uint xBegin, yBegin, zBegin, n; };

void main() {
  uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  uint i = group * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
  if (i < n)
    z[zBegin / 4 + i] = x[xBegin / 4 + i] + y[yBegin / 4 + i];
}
