// Keys and edges compared as exact numbers, for bins that are found by a guess (histogram_guessed.cl, histogram_fixed.cl).

// A number, +-digits * 2^exponent.
typedef struct {
  ulong digits;
  int exponent;
  bool negative;
} exact_number;

#ifdef KEY_INFINITY
// Bits of a float's fraction, and what its exponents are too large by.
enum {
  KEY_FRACTION = KEY_BYTES == 8 ? 52 : KEY_BYTES == 4 ? 23 : KEY_INFINITY == 0x7c00 ? 10 : 7,
  KEY_BIAS = (int)(KEY_INFINITY >> KEY_FRACTION) / 2 + KEY_FRACTION
};

INLINE exact_number number_of(KEY bits) {
  const uint field = (uint)(bits >> KEY_FRACTION) & (uint)(KEY_INFINITY >> KEY_FRACTION);
  exact_number x;
  x.digits = (bits & (((KEY)1 << KEY_FRACTION) - 1)) | (ulong)(field != 0 ? 1 : 0) << KEY_FRACTION;
  x.exponent = (int)max(field, 1u) - KEY_BIAS;
  x.negative = (bits & KEY_SIGN(KEY)) != 0;
  return x;
}
#else
INLINE exact_number number_of(KEY bits) {
  exact_number x;
  x.negative = IS_ON(KEY_IS_SIGNED) && (bits & KEY_SIGN(KEY)) != 0;
  // The bits below the sign, and where that is set as many less.
  x.digits = x.negative ? (KEY)((KEY)~bits + 1) : IS_ON(KEY_IS_SIGNED) ? bits : key_ordered(bits);
  x.exponent = 0;
  return x;
}
#endif

// Numbers of 128 bits, in two's complement.
typedef struct {
  ulong low, high;
} exact_sum;

// digits * factor * 2^shift, or its negative; where that is not whole, the next whole number below.
INLINE exact_sum exact_term(ulong digits, uint factor, bool negative, int shift) {
  exact_sum term = {digits * factor, mul_hi(digits, (ulong)factor)};
  if (negative) {
    term.high = ~term.high + (term.low == 0 ? 1 : 0);
    term.low = 0 - term.low;
  }
  const uint left = (uint)shift % 64, right = (uint)(-shift) % 64;
  const ulong sign = (ulong)((long)term.high >> 63);
  if (shift >= 64) {
    term.high = term.low << left;
    term.low = 0;
  } else if (shift > 0) {
    term.high = term.high << left | term.low >> (64 - left);
    term.low <<= left;
  } else if (shift <= -128) {
    term.low = term.high = sign;
  } else if (shift <= -64) {
    term.low = (ulong)((long)term.high >> right);
    term.high = sign;
  } else if (shift < 0) {
    term.low = term.low >> right | term.high << (64 - right);
    term.high = (ulong)((long)term.high >> right);
  }
  return term;
}

INLINE exact_sum exact_plus(exact_sum a, exact_sum b) {
  exact_sum sum = {a.low + b.low, a.high + b.high};
  sum.high += sum.low < a.low ? 1 : 0;
  return sum;
}

// lo and hi as exact numbers, in units of which the larger one has 2^99 to 2^100; x_shift: how many of those 1 has, as a
// power of two. Bits of `signs`: lo, hi are negative.
#define EXACT_ARGUMENTS ulong lo_digits, uint lo_shift, ulong hi_digits, uint hi_shift, uint x_shift, uint signs
#define EXACT_BOUNDS {lo_digits, hi_digits, (int)lo_shift, (int)hi_shift, (int)x_shift, signs}

typedef struct {
  ulong lo_digits, hi_digits;
  int lo_shift, hi_shift, x_shift;
  uint signs;
} exact_bounds;

// Whether a key between lo and hi lies at edge k or above: bins * x - (bins - k) * lo - k * hi >= 0. Of the three terms at
// most one is not whole where the sum is near 0, so that the sum is negative where the exact one is.
INLINE bool reaches_edge(KEY bits, uint k, uint bins, exact_bounds exact) {
  const exact_number x = number_of(bits);
  exact_sum sum = exact_term(x.digits, bins, x.negative, x.exponent + exact.x_shift);
  sum = exact_plus(sum, exact_term(exact.lo_digits, bins - k, (exact.signs & 1) == 0, exact.lo_shift));
  sum = exact_plus(sum, exact_term(exact.hi_digits, k, (exact.signs & 2) == 0, exact.hi_shift));
  return (long)sum.high >= 0;
}

// Of a key near edge k.
INLINE uint bin_at_edge(KEY bits, uint k, uint bins, exact_bounds exact) {
  if (k == 0) return 0;
  if (k >= bins) return bins - 1;
  return reaches_edge(bits, k, bins, exact) ? k : k - 1;
}
