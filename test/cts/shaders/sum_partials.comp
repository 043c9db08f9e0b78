#version 450
// y = sum of partial
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) readonly buffer Partial { double partial[]; };
layout(set = 0, binding = 1) buffer Y { double y[]; };
layout(push_constant) uniform Parameters { uint partialBegin, yBegin, n; };

void main() {
  double total = 0;
  for (uint i = 0; i * 1000 < n; ++i)
    total += partial[partialBegin / 8 + i];
  y[yBegin / 8] = total;
}
