// Bins for floats that are a power of two wide.
//
// lo and hi are whole numbers of units, of which 1 has `scale`, a power of two: products with it are exact, but for what is nearly
// 0. A bin has 2^shift of them. `below`: one bin below lo; `behind`: hi;
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
  float key = KEY_AS_FLOAT(bits);
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
