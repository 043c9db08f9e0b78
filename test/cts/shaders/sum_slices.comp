#version 450
// partial[i] = sum of x[1000 i ...]
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer X { double x[]; };
layout(set = 0, binding = 1) buffer Partial { double partial[]; };
layout(push_constant) uniform Parameters { uint xBegin, partialBegin, n; };

void main() {
  uint begin = gl_GlobalInvocationID.x * 1000, end = min(begin + 1000, n);
  if (begin >= n)
    return;
  double total = 0;
  for (uint i = begin; i < end; ++i)
    total += x[xBegin / 8 + i];
  partial[partialBegin / 8 + gl_GlobalInvocationID.x] = total;
}
