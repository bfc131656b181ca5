// Bins that are guessed by floats, and near an edge found by exact numbers.

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
  return KEY_AS_FLOAT(bits) - rule.from;
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
