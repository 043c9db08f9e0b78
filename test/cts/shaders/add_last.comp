#version 450
// As `add`, with more parameters than are pushed: the last extent is n.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) readonly buffer Y { float y[]; };
layout(set = 0, binding = 2) buffer Z { float z[]; };
layout(set = 0, binding = 3) readonly buffer Parameters {
  uint xBegin, yBegin, zBegin;
  uint extents[40];
};

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < extents[39])
    z[zBegin / 4 + i] = x[xBegin / 4 + i] + y[yBegin / 4 + i];
}
