// Philox 4x32-10, a generator of random numbers that is a function: four words of 32 bits from a counter of four words and a
// key of two. J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw: "Parallel random numbers: as easy as 1, 2, 3", 2011. Each of
// ten rounds multiplies two words of the counter, exchanges the halves of the products, and mixes in the key, which two constants
// change from round to round. Any work-item may call it, and none needs what another has made.
INLINE uint4 philox(uint4 counter, uint2 key) {
  uint a = counter.x, b = counter.y, c = counter.z, d = counter.w, key_low = key.x, key_high = key.y;
  UNROLL
  for (uint turn = 0; turn < 10; ++turn) {
    // Both halves of a product by one instruction, where there is one.
    const ulong p = (ulong)0xD2511F53u * a, q = (ulong)0xCD9E8D57u * c;
    a = (uint)(q >> 32) ^ b ^ key_low;
    b = (uint)q;
    c = (uint)(p >> 32) ^ d ^ key_high;
    d = (uint)p;
    key_low += 0x9E3779B9u;
    key_high += 0xBB67AE85u;
  }
  return (uint4)(a, b, c, d);
}

#if GROUP_SIZE == 1
// Philox of 16 counters at once, in a CPU's wide registers. `blocks` are their low halves, `high` is the high half of all. `words`
// gets 64 words: the four of the first counter, then those of the next.
static inline void philox_16(ulong16 blocks, uint2 high, uint2 key, uint *words) {
  uint16 a = convert_uint16(blocks), b = convert_uint16(blocks >> 32), c = high.x, d = high.y;
  for (uint turn = 0; turn < 10; ++turn) {
    const ulong16 p = convert_ulong16(a) * 0xD2511F53u, q = convert_ulong16(c) * 0xCD9E8D57u;
    a = convert_uint16(q >> 32) ^ b ^ key.x;
    b = convert_uint16(q);
    c = convert_uint16(p >> 32) ^ d ^ key.y;
    d = convert_uint16(p);
    key += (uint2)(0x9E3779B9u, 0xBB67AE85u);
  }
  uint columns[4][16];
  vstore16(a, 0, columns[0]);
  vstore16(b, 0, columns[1]);
  vstore16(c, 0, columns[2]);
  vstore16(d, 0, columns[3]);
  for (uint k = 0; k < 64; ++k) words[k] = columns[k % 4][k / 4];
}
#endif
