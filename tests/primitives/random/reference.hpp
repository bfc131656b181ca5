// Philox 4x32-10 and what random makes of it, written once more for the tests: by multiplication in halves,
// with the counter and key as Random123's paper has them.
#pragma once

#include <array>
#include <cstdint>

namespace random_reference {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using counter = std::array<u32, 4>;
using key = std::array<u32, 2>;

inline counter philox(counter c, key k) {
  constexpr u32 multipliers[] = {0xD2511F53, 0xCD9E8D57}, steps[] = {0x9E3779B9, 0xBB67AE85};
  const auto high = [](u32 x, u32 y) {  // of x * y, without 64 bits
    const u32 low = (x & 0xffff) * (y & 0xffff), a = (x >> 16) * (y & 0xffff) + (low >> 16),
              b = (x & 0xffff) * (y >> 16) + (a & 0xffff);
    return (x >> 16) * (y >> 16) + (a >> 16) + (b >> 16);
  };
  for (u32 round = 0; round < 10; ++round) {
    const u32 k0 = k[0] + round * steps[0], k1 = k[1] + round * steps[1];
    c = {high(multipliers[1], c[2]) ^ c[1] ^ k0, multipliers[1] * c[2],
         high(multipliers[0], c[0]) ^ c[3] ^ k1, multipliers[0] * c[0]};
  }
  return c;
}

struct stream {
  u64 seed = 0;
  u32 number = 0;

  counter block(u64 at, u32 attempt = 0) const {
    return philox({static_cast<u32>(at), static_cast<u32>(at >> 32), number, attempt},
                  {static_cast<u32>(seed), static_cast<u32>(seed >> 32)});
  }
  // What element `e` is made of: 32 bits, or 64.
  u32 word(u64 e) const { return block(e / 4)[e % 4]; }
  u64 wide_word(u64 e) const {
    const counter all = block(e / 2);
    return u64{all[2 * (e % 2) + 1]} << 32 | all[2 * (e % 2)];
  }
  // Below a bound, by the words of the element's own counters where the first one is not to be had.
  u32 below(u64 e, u32 bound) const {
    const u32 rejected = static_cast<u32>((u64{1} << 32) % bound);
    const auto is_good = [&](u32 w) { return static_cast<u32>(u64{w} * bound) >= rejected; };
    if (const u32 w = word(e); is_good(w)) return static_cast<u32>(u64{w} * bound >> 32);
    for (u32 attempt = 1;; ++attempt) {
      for (const u32 w : block(e, attempt))
        if (is_good(w)) return static_cast<u32>(u64{w} * bound >> 32);
    }
  }
  u64 below(u64 e, u64 bound) const {
    __extension__ using u128 = unsigned __int128;
    const u64 rejected = static_cast<u64>((u128{1} << 64) % bound);
    const auto is_good = [&](u64 w) { return static_cast<u64>(u128{w} * bound) >= rejected; };
    const auto made = [&](u64 w) { return static_cast<u64>(u128{w} * bound >> 64); };
    if (const u64 w = wide_word(e); is_good(w)) return made(w);
    for (u32 attempt = 1;; ++attempt) {
      const counter all = block(e, attempt);
      for (const u64 w : {u64{all[1]} << 32 | all[0], u64{all[3]} << 32 | all[2]})
        if (is_good(w)) return made(w);
    }
  }
};

}  // namespace random_reference
