// Bins that are guessed by fixed-point numbers, and near an edge found by exact ones.

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
