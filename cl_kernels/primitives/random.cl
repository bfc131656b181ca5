// random: numbers that are a function of a seed and of their place. Plans and arguments: lib/primitives/random.cpp.
//
// Element number e of a stream is made of word e of the stream, or of words 2 e and 2 e + 1 where it has 8 bytes (low half
// first), and of nothing else. Four words are one call of Philox:
//
//     counter    block low, block high, stream, attempt      key    seed low, seed high
//     word w     of block w / 4, of which it is the (w mod 4)-th; attempt 0
//     attempts   from 1 on: the further words of a number below a bound. The block then is the element's number.
//
// A packet is made of whole blocks. Where its first element is not the first of a block, SKIPPED elements of a block go before it,
// and it takes one block more. On a GPU a packet is one store of 16 bytes, and a work-item's packets are GROUP_SIZE apart; where
// addresses are not known, it is a block whose elements are stored one by one. On a CPU it is 16 blocks, made side by side.
//
// A random permutation's indices are no words of a stream, but what blocks/permutation.cl makes of the place.

// What numbers are a function of, beside their place; the output's first element has number `first`.
#ifdef PERMUTES
#define RANDOM_ARGUMENTS PERMUTATION_ARGUMENTS
#define COLLECT_RANDOM const random_source from = {0, n, {permuted_rows, permuted_columns, permuted_keys}};
typedef struct {
  ulong first, n;
  permutation order;
} random_source;
#else
#define RANDOM_ARGUMENTS ulong first, uint stream, ulong seed, WORD bound, WORD rejected
#define COLLECT_RANDOM const random_source from = {first, seed, stream, bound, rejected};
typedef struct {
  ulong first, seed;
  uint stream;
  WORD bound, rejected;
} random_source;

// WORD is what an element is made of, a uint or a ulong; this many are in a block.
enum { BLOCK_ELEMENTS = 16 / sizeof(WORD) };

typedef union {
  uint4 bits;
  WORD words[BLOCK_ELEMENTS];
} random_block;

static inline uint4 random_bits(ulong block, uint stream, uint attempt, ulong seed) {
  return philox((uint4)((uint)block, (uint)(block >> 32), stream, attempt), (uint2)((uint)seed, (uint)(seed >> 32)));
}

// The high half of word * bound is a number below the bound. Each has as many words as the others once those are left out whose low
// half is less than 2^32 (2^64) mod bound, which is `rejected`. D. Lemire, "Fast random integer generation in an interval", 2019.
static inline bool is_rejected(WORD word, random_source from) { return word * from.bound < from.rejected; }

// The next word of element `number` that is not rejected.
static inline WORD next_word(ulong number, random_source from) {
  for (uint attempt = 1;; ++attempt) {
    random_block more;
    more.bits = random_bits(number, from.stream, attempt, from.seed);
    for (uint k = 0; k < BLOCK_ELEMENTS; ++k) {
      if (!is_rejected(more.words[k], from)) return more.words[k];
    }
  }
}

// Element `number` of the stream, from its word.
static inline OUT_STORED element_of_word(WORD word, ulong number, random_source from) {
#if defined(BOUNDED)
  if (is_rejected(word, from)) word = next_word(number, from);
  return (OUT_STORED)mul_hi(word, from.bound);
#elif defined(NORMAL)
  return OUT_WRITE(normal_of_word(word));
#elif defined(DIGITS)
  return OUT_WRITE((OUT_LOADED)(word >> (8 * sizeof(WORD) - DIGITS)) * DIGITS_SCALE);
#else
  return (OUT_STORED)word;
#endif
}
#endif

// Element `number` by itself.
static inline OUT_STORED random_element(ulong number, random_source from) {
#ifdef PERMUTES
  return (OUT_STORED)permuted((PERMUTED_INDEX)number, (PERMUTED_INDEX)from.n, from.order);
#else
  random_block block;
  block.bits = random_bits(number / BLOCK_ELEMENTS, from.stream, 0, from.seed);
  WORD word = block.words[0];
  UNROLL
  for (uint k = 1; k < BLOCK_ELEMENTS; ++k) word = number % BLOCK_ELEMENTS == k ? block.words[k] : word;
  return element_of_word(word, number, from);
#endif
}
