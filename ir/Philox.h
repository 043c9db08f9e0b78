//===- Philox.h - The stream of random numbers, exactly ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What random_uniform, random_normal and dropout draw: a pure function of (seed,
// stream, step, element), the same on every device. The reference interpreter
// calls these functions; code generators emit them (and use the constants).
//
// Philox 4x32 with 10 rounds (Salmon, Moraes, Dror, Shaw: "Parallel random numbers:
// as easy as 1, 2, 3", 2011). `element` is the row-major number of the element in
// its tensor. Block element / 4 is computed with
//
//   key     = (seed low, seed high)
//   counter = (block low, block high, stream low xor step high, step low xor stream high)
//
// and the element takes word element % 4 of the block.
//
//===----------------------------------------------------------------------===//
#ifndef TENON_IR_PHILOX_H
#define TENON_IR_PHILOX_H

#include <array>
#include <cmath>
#include <cstdint>

namespace tenon::philox {

constexpr int kRounds = 10;
constexpr uint32_t kMul0 = 0xD2511F53, kMul1 = 0xCD9E8D57;   ///< multipliers of words 0 and 2
constexpr uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85; ///< added to the key each round

/// The four words of a block.
inline std::array<uint32_t, 4> block(uint64_t seed, uint64_t stream, uint64_t step,
                                     uint64_t number) {
  uint32_t k0 = uint32_t(seed), k1 = uint32_t(seed >> 32);
  std::array<uint32_t, 4> c = {uint32_t(number), uint32_t(number >> 32),
                               uint32_t(stream) ^ uint32_t(step >> 32),
                               uint32_t(step) ^ uint32_t(stream >> 32)};
  for (int round = 0; round < kRounds; round++) {
    uint64_t p0 = uint64_t(kMul0) * c[0], p1 = uint64_t(kMul1) * c[2];
    c = {uint32_t(p1 >> 32) ^ c[1] ^ k0, uint32_t(p1), uint32_t(p0 >> 32) ^ c[3] ^ k1,
         uint32_t(p0)};
    k0 += kWeyl0;
    k1 += kWeyl1;
  }
  return c;
}

inline uint32_t word(uint64_t seed, uint64_t stream, uint64_t step, uint64_t element) {
  return block(seed, stream, step, element / 4)[element % 4];
}

/// How many bits of a word make a uniform number of a float type with so many significant
/// bits: one fewer, so that the number and its half are exact and no number is rounded to 1.
constexpr int uniformBits(unsigned significantBits) {
  return significantBits > 32 ? 32 : int(significantBits) - 1;
}

/// A word as a number in (0, 1), ends excluded: (its upper `bits` + 1/2) / 2^bits.
inline double uniform(uint32_t word, int bits) {
  return std::ldexp(double(word >> (32 - bits)) + 0.5, -bits);
}

/// Dropout keeps an element when its word is at least this, whatever the dtype: when
/// the f64 uniform number of its word is at least `rate`.
inline uint32_t dropoutThreshold(double rate) {
  double words = std::ceil(rate * 0x1p32 - 0.5);
  return words <= 0 ? 0 : words >= 0x1p32 - 1 ? 0xFFFFFFFFu : uint32_t(words);
}

/// Standard normal numbers by Box-Muller: elements 4i, 4i+1 (and 4i+2, 4i+3) share two
/// words, u the uniform number of the first, v of the second: sqrt(-2 log u) times
/// cos(2 pi v) for the even element, sin(2 pi v) for the odd one. For f16 and bf16 they are
/// those of f32, rounded.
inline double normal(uint64_t seed, uint64_t stream, uint64_t step, uint64_t element,
                     bool isDouble) {
  std::array<uint32_t, 4> words = block(seed, stream, step, element / 4);
  unsigned pair = element % 4 & 2;
  int bits = uniformBits(isDouble ? 53 : 24);
  double radius = std::sqrt(-2 * std::log(uniform(words[pair], bits)));
  double angle = 6.283185307179586476925 * uniform(words[pair + 1], bits);
  return radius * (element & 1 ? std::sin(angle) : std::cos(angle));
}

} // namespace tenon::philox

#endif // TENON_IR_PHILOX_H
