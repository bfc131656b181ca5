// Bins for whole numbers: one for each key that there is, in their order.

#define BINS_ARGUMENTS , uint bins
#define BIN_RULE(rule) const bin_rule rule = {bins}

typedef struct {
  uint bins;
} bin_rule;

INLINE uint bin_of(KEY bits, bin_rule rule) { return key_ordered(bits); }
