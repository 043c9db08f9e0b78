//===- Digest.h - 64 bits that tell files apart -----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// XXH64 after its specification (github.com/Cyan4973/xxHash, doc/xxhash_spec.md): finds what
// was damaged at the speed of memory. It is no protection from who means harm.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_RUNTIME_DIGEST_H
#define TENON_RUNTIME_DIGEST_H

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tenon::runtime {

class Digest {
public:
  static uint64_t of(const void *bytes, size_t size, uint64_t seed = 0) {
    const unsigned char *at = static_cast<const unsigned char *>(bytes), *end = at + size;
    uint64_t hash = seed + p5;
    if (size >= 32) {
      uint64_t lanes[4] = {seed + p1 + p2, seed + p2, seed, seed - p1};
      for (; end - at >= 32; at += 32)
        for (int lane = 0; lane < 4; ++lane)
          lanes[lane] = round(lanes[lane], load<uint64_t>(at + 8 * lane));
      hash =
          rotate(lanes[0], 1) + rotate(lanes[1], 7) + rotate(lanes[2], 12) + rotate(lanes[3], 18);
      for (uint64_t lane : lanes)
        hash = (hash ^ round(0, lane)) * p1 + p4;
    }
    return finish(hash + size, at, end);
  }

private:
  static constexpr uint64_t p1 = 0x9E3779B185EBCA87, p2 = 0xC2B2AE3D27D4EB4F,
                            p3 = 0x165667B19E3779F9, p4 = 0x85EBCA77C2B2AE63,
                            p5 = 0x27D4EB2F165667C5;

  template <typename T> static T load(const unsigned char *at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  static uint64_t rotate(uint64_t value, int by) { return value << by | value >> (64 - by); }
  static uint64_t round(uint64_t lane, uint64_t input) {
    return rotate(lane + input * p2, 31) * p1;
  }

  /// The last bytes, fewer than 32, and the avalanche.
  static uint64_t finish(uint64_t hash, const unsigned char *at, const unsigned char *end) {
    for (; end - at >= 8; at += 8)
      hash = rotate(hash ^ round(0, load<uint64_t>(at)), 27) * p1 + p4;
    if (end - at >= 4) {
      hash = rotate(hash ^ load<uint32_t>(at) * p1, 23) * p2 + p3;
      at += 4;
    }
    for (; at != end; ++at)
      hash = rotate(hash ^ *at * p5, 11) * p1;
    hash = (hash ^ hash >> 33) * p2;
    hash = (hash ^ hash >> 29) * p3;
    return hash ^ hash >> 32;
  }
};

} // namespace tenon::runtime

#endif // TENON_RUNTIME_DIGEST_H
