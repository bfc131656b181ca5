// Bins for whole numbers that are a power of two of them wide.

// `from`: the first key that counts, less the first bin's edge.
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
