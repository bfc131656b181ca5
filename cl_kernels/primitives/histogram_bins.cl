// Bins: in which one a key falls. Plans and arguments: lib/primitives/bins.cpp.
//
// Bin k has the keys from edge k to before edge k + 1. Even bins have the edges lo + k (hi - lo) / bins, as exact numbers:
// nothing is rounded, so no device's arithmetic shows. A quick guess says between which edges a key lies, or which edge it
// is so near to that the guess does not know; then the key and that edge are compared as exact numbers, by integers of 128
// bits. Other edges are a table in the keys' type, and searched.

// How the bin of a key is found, the host says by one of the words BINS_ITSELF, BINS_SHIFTED, BINS_FLOORED, BINS_FLOAT, BINS_FIXED
// and BINS_BETWEEN_EDGES.

#define NO_BIN 0xffffffffu
#define BIN_NEAR_EDGE 0xfffffffeu

// Keys in their order, as words.
#if KEY_BYTES == 8
typedef ulong ordered_key;
#else
typedef uint ordered_key;
#endif

// Of floats of at most 4 bytes.
static inline float key_as_float(KEY bits) {
#if !defined(KEY_INFINITY) || KEY_BYTES == 8
  return 0;
#elif KEY_BYTES == 4
  return as_float(bits);
#elif KEY_INFINITY == 0x7c00
  return half_as_float(bits);
#else
  return bfloat16_as_float(bits);
#endif
}

#ifdef BINS_BETWEEN_EDGES

// A bin rule's arguments, behind others; the members of the rule, and their values.
#define BINS_ARGUMENTS , uint bins, const __global KEY *edges, ulong edges_offset, uint reached

typedef struct {
  uint bins;
  const __global KEY *edges;
  uint reached;  // edges; the ones behind them are larger than any key
  const __local ordered_key *held;  // every `step`-th edge, where a group has local memory of its own
  uint step;
} bin_rule;

// An edge of 0 has -0 in the bin that it begins.
INLINE ordered_key edge_at(const __global KEY *edges, uint k) {
  KEY edge = edges[k];
#ifdef KEY_INFINITY
  if (edge == 0) edge = (KEY)((KEY)1 << (KEY_BYTES * 8 - 1));
#endif
  return key_ordered(edge);
}

#if GROUP_SIZE > 1
// Edges that wait in local memory, where the first steps of a search are made.
enum { EDGES_HELD = 1024 };

#define BIN_RULE(rule)                                                                           \
  __local ordered_key held_edges[EDGES_HELD];                                                    \
  bin_rule rule = {bins, edges + edges_offset, reached, held_edges, 1};                          \
  while ((reached - 1) / rule.step >= EDGES_HELD) rule.step *= 2;                                \
  for (uint k = get_local_id(0); k <= (reached - 1) / rule.step; k += GROUP_SIZE)                \
    held_edges[k] = edge_at(rule.edges, k * rule.step);                                          \
  GROUP_BARRIER()
#else
#define BIN_RULE(rule) const bin_rule rule = {bins, edges + edges_offset, reached}
#endif

INLINE uint bin_of(KEY bits, bin_rule rule) {
  const ordered_key key = key_ordered(bits);
  // How many edges are not above the key; first in which step of the table, then there.
  uint begin = 0, count = rule.reached;
  if (GROUP_SIZE > 1) {
    count = (rule.reached - 1) / rule.step + 1;
    while (count > 0) {
      const uint middle = begin + count / 2;
      const bool above = rule.held[middle] > key;
      begin = above ? begin : middle + 1;
      count = above ? count / 2 : count - count / 2 - 1;
    }
    if (rule.step > 1 && begin > 0) {
      const uint end = min(begin * rule.step, rule.reached);
      begin = (begin - 1) * rule.step + 1;
      count = end - begin;
    }
  }
  while (count > 0) {
    const uint middle = begin + count / 2;
    const bool above = edge_at(rule.edges, middle) > key;
    begin = above ? begin : middle + 1;
    count = above ? count / 2 : count - count / 2 - 1;
  }
  // A NaN is above all edges.
  return begin == 0 || begin > rule.bins ? NO_BIN : begin - 1;
}

#elif defined(BINS_ITSELF)

// A bin for each key that there is, in their order.
#define BINS_ARGUMENTS , uint bins
#define BIN_RULE(rule) const bin_rule rule = {bins}

typedef struct {
  uint bins;
} bin_rule;

INLINE uint bin_of(KEY bits, bin_rule rule) { return key_ordered(bits); }

#elif defined(BINS_SHIFTED)

// Of whole numbers: a bin is a power of two of them wide. `from`: the first key that counts, less the first bin's edge.
#define BINS_ARGUMENTS , uint bins, ulong first, ulong span, ulong from, uint shift
#define BIN_RULE(rule) const bin_rule rule = {bins, (ordered_key)first, (ordered_key)span, (ordered_key)from, shift}

typedef struct {
  uint bins;
  ordered_key first, span, from;
  uint shift;
} bin_rule;

INLINE uint bin_of(KEY bits, bin_rule rule) {
  const ordered_key past = key_ordered(bits) - rule.first;
  return past <= rule.span ? (uint)((past + rule.from) >> rule.shift) : NO_BIN;
}

#elif defined(BINS_FLOORED)

// Of floats: a bin is a power of two wide, and lo and hi are whole numbers of units, of which 1 has `scale`, a power of two:
// products with it are exact, but for what is nearly 0. A bin has 2^shift of them. `below`: one bin below lo; `behind`: hi;
// `from`: -lo in units.
#define BINS_ARGUMENTS , uint bins, float below, float behind, float scale, uint from, uint shift
#define BIN_RULE(rule) const bin_rule rule = {bins, below, behind, scale, (int)from, shift}

typedef struct {
  uint bins;
  float below, behind, scale;
  int from;
  uint shift;
} bin_rule;

// The bin of a key, or -1 or `bins`, where what is in none counts, too.
INLINE int bin_or_end_of(KEY bits, bin_rule rule) {
  float key = key_as_float(bits);
  if (IS_ON(WITHOUT_DENORMALS)) {
    // What is a little below 0 stays there.
    if (as_uint(key) - 0x80000001u < 0x7fffffu) key = -0x1p-126f;
  }
  // A NaN is as what is below.
  const float within = fmin(fmax(key, rule.below), rule.behind);
  return (convert_int_rtn(within * rule.scale) + rule.from) >> rule.shift;
}

INLINE uint bin_of(KEY bits, bin_rule rule) {
  const uint bin = (uint)bin_or_end_of(bits, rule);
  return bin < rule.bins ? bin : NO_BIN;
}

#else

// Bits of a float's fraction, and what its exponents are too large by.
#ifdef KEY_INFINITY
enum {
  KEY_FRACTION = KEY_BYTES == 8 ? 52 : KEY_BYTES == 4 ? 23 : KEY_INFINITY == 0x7c00 ? 10 : 7,
  KEY_BIAS = (int)(KEY_INFINITY >> KEY_FRACTION) / 2 + KEY_FRACTION
};
#endif

// A number, +-digits * 2^exponent.
typedef struct {
  ulong digits;
  int exponent;
  bool negative;
} exact_number;

INLINE exact_number number_of(KEY bits) {
  exact_number x;
#if defined(KEY_INFINITY)
  const uint field = (uint)(bits >> KEY_FRACTION) & (uint)(KEY_INFINITY >> KEY_FRACTION);
  x.digits = (bits & (((KEY)1 << KEY_FRACTION) - 1)) | (ulong)(field != 0 ? 1 : 0) << KEY_FRACTION;
  x.exponent = (int)max(field, 1u) - KEY_BIAS;
  x.negative = (bits >> (KEY_BYTES * 8 - 1)) != 0;
#elif defined(KEY_IS_SIGNED)
  // The bits below the sign, and where that is set as many less.
  const KEY sign_bit = (KEY)((KEY)1 << (KEY_BYTES * 8 - 1));
  x.negative = (bits & sign_bit) != 0;
  x.digits = x.negative ? (KEY)((KEY)~bits + 1) : bits;
  x.exponent = 0;
#else
  x.digits = key_ordered(bits);
  x.exponent = 0;
  x.negative = false;
#endif
  return x;
}

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

#ifdef BINS_FLOAT

// The guess is (x - from) * scale, of floats; of whole numbers `from` is the first key that counts, less lo, and added to
// how far x is from that key. Less `half` it is rounded to the bin, where it is then within `sure` of it; elsewhere it does not
// know. `half` is 0.5 but where guesses are exact whole numbers.
#define BINS_ARGUMENTS \
  , uint bins, ulong first, ulong span, float from, float scale, float half_bin, float sure, EXACT_ARGUMENTS
#define BIN_RULE(rule) \
  const bin_rule rule = {bins, (ordered_key)first, (ordered_key)span, from, scale, half_bin, sure, EXACT_BOUNDS}

typedef struct {
  uint bins;
  ordered_key first, span;
  float from, scale, half_bin, sure;
  exact_bounds exact;
} bin_rule;

INLINE float past_lo(KEY bits, bin_rule rule) {
#ifdef KEY_INFINITY
  return key_as_float(bits) - rule.from;
#else
  return convert_float(key_ordered(bits) - rule.first) + rule.from;
#endif
}

// The bin that the guess says, or -1 or `bins` for what is in none, and how far the guess is from its middle. No branch depends
// on the key. From 2^23 on a float has whole numbers alone, in its bits.
typedef struct {
  int bin;
  float beyond;
} quick_bin;
INLINE quick_bin quick_bin_of(KEY bits, bin_rule rule) {
  // A NaN is as what is below.
  const float place = fmin(fmax(mad(past_lo(bits, rule), rule.scale, -rule.half_bin), -1.0f), (float)rule.bins);
  const float rounded = place + 12582912.0f;
  const quick_bin quick = {as_int(rounded) - as_int(12582912.0f), fabs(place - (rounded - 12582912.0f))};
  return quick;
}

// The bin of a key whose guess does not know.
INLINE uint bin_near_edge(KEY bits, bin_rule rule) {
  if ((ordered_key)(key_ordered(bits) - rule.first) > rule.span) return NO_BIN;
  return bin_at_edge(bits, (uint)max(past_lo(bits, rule) * rule.scale + 0.5f, 0.0f), rule.bins, rule.exact);
}

INLINE uint bin_or_near(KEY bits, bin_rule rule) {
  const quick_bin quick = quick_bin_of(bits, rule);
  return quick.beyond >= rule.sure ? BIN_NEAR_EDGE : (uint)quick.bin < rule.bins ? (uint)quick.bin : NO_BIN;
}

INLINE uint bin_of(KEY bits, bin_rule rule) {
  const uint bin = bin_or_near(bits, rule);
  return bin == BIN_NEAR_EDGE ? bin_near_edge(bits, rule) : bin;
}

#else  // BINS_FIXED

// The guess is by fixed-point numbers: how far x is from lo in units of which hi is 2^61 to 2^62 from there, times `scale`,
// is the bin, with 32 bits behind the point. Sums of units wrap.
#define BINS_ARGUMENTS \
  , uint bins, ulong first, ulong span, ulong from, uint unit_shift, ulong scale, EXACT_ARGUMENTS
#define BIN_RULE(rule)                                                                                                  \
  const bin_rule rule = {bins, (ordered_key)first, (ordered_key)span, from, (int)unit_shift, scale, EXACT_BOUNDS}

typedef struct {
  uint bins;
  ordered_key first, span;
  ulong from;
  int unit_shift;
  ulong scale;
  exact_bounds exact;
} bin_rule;

// In 2^-32 of a bin, more than the guess is wrong by (lib/primitives/bins.cpp).
enum { FIXED_MARGIN = 256 };

static inline ulong shifted(ulong digits, int shift) {
  if (shift >= 0) return shift < 64 ? digits << shift : 0;
  return shift > -64 ? digits >> -shift : 0;
}

INLINE uint bin_of(KEY bits, bin_rule rule) {
  const ordered_key past = key_ordered(bits) - rule.first;
  if (past > rule.span) return NO_BIN;
#ifdef KEY_INFINITY
  const exact_number x = number_of(bits);
  const ulong size = shifted(x.digits, x.exponent + rule.unit_shift);
  const ulong units = (x.negative ? 0 - size : size) - rule.from;
#else
  const ulong units = shifted(past, rule.unit_shift) + rule.from;
#endif
  const ulong guess = mul_hi(units, rule.scale);
  const uint edge = (uint)((guess + 0x80000000u) >> 32);
  const long beyond = (long)(guess - ((ulong)edge << 32));
  if (abs(beyond) > FIXED_MARGIN) return (uint)(guess >> 32);
  return bin_at_edge(bits, edge, rule.bins, rule.exact);
}

#endif
#endif  // BINS
