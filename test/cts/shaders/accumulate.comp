#version 450
// next = history = total + x
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) readonly buffer Total { float total[]; };
layout(set = 0, binding = 2) buffer Next { float next[]; };
layout(set = 0, binding = 3) buffer History { float history[]; };
layout(push_constant) uniform Parameters { uint xBegin, totalBegin, nextBegin, historyBegin; };

void main() {
  float value = total[totalBegin / 4] + x[xBegin / 4];
  next[nextBegin / 4] = value;
  history[historyBegin / 4] = value;
}
