// Values: how an element is loaded, mapped, and combined. Knows types and operators, not devices.

// VALUE is an element in memory, VALUE_LOADED what arithmetic sees of it (element.cl), ACC what the fold accumulates.
typedef VALUE STORED;
typedef VALUE_LOADED LOADED;

// Conversions are words of the host: TO_ACC is convert_float, for instance. Structures convert only to themselves.

// FOLDED is what is folded. It is the accumulator, except where a value's index is wanted: there values fold alone, an
// instruction each, and the index of the last one standing is looked up at the end (fold_tiles.cl, locate). Or, where
// there are many results to look up, values fold with their indices: PAIRED_VALUE.
#ifdef INDEXED_VALUE
typedef INDEXED_VALUE FOLDED;
#define FOLDED_BYTES INDEXED_BYTES
#else
typedef ACC FOLDED;
#define FOLDED_BYTES ACC_BYTES
#endif
typedef char folded_has_the_size_it_should[sizeof(FOLDED) == FOLDED_BYTES ? 1 : -1];

// IEEE 754-2019 minimum and maximum: NaN wins, -0 is below +0. BETTER_MINIMUM and BETTER_MAXIMUM are for where zeros are all the
// same, and NaNs, which win.
#if defined(ACC_IS_F32) && defined(MINIMUM_F32)
#define MINIMUM(a, b) MINIMUM_F32(a, b)
#define MAXIMUM(a, b) MAXIMUM_F32(a, b)
#define BETTER_MINIMUM(a, b) MINIMUM_F32(a, b)
#define BETTER_MAXIMUM(a, b) MAXIMUM_F32(a, b)
#else
#define MINIMUM(a, b) (((a < b) | (a != a) | ((a == b) & signbit(a))) ? a : b)
#define MAXIMUM(a, b) (((a > b) | (a != a) | ((a == b) & signbit(b))) ? a : b)
#define BETTER_MINIMUM(a, b) (((a != a) | (a <= b)) ? a : b)
#define BETTER_MAXIMUM(a, b) (((a != a) | (a >= b)) ? a : b)
#endif

// Whether a value is the one whose index is looked for.
#if defined(INDEXED_VALUE) || defined(PAIRED_VALUE)
#ifdef PAIRED_VALUE
typedef PAIRED_VALUE searched;
#else
typedef FOLDED searched;
#endif
static inline bool equal_value(searched a, searched b) {
#ifdef INDEXED_NANS
  return (a == b) | ((a != a) & (b != b));
#else
  return a == b;
#endif
}
#endif

#ifdef PAIRED_VALUE
// The better value, of equals the one of the lower index: exact, in any order.
static inline FOLDED combine(FOLDED first, FOLDED second, named_values given) {
  const PAIRED_VALUE a = first.value, b = second.value;
  const PAIRED_VALUE best = OPERATOR_TEXT;
  const bool is_first = equal_value(a, best) & (!equal_value(b, best) | (first.index < second.index));
  FOLDED result;
  result.value = is_first ? a : b;
  result.index = is_first ? first.index : second.index;
  return result;
}
#elif defined(MINMAX_OF_F32) && defined(MINIMUM_F32)
// OPERATOR_TEXT, but for which NaN it gives: each leaves as the same one.
static inline FOLDED combine(FOLDED a, FOLDED b, named_values given) {
  const FOLDED both = {MINIMUM_F32(a.min, b.min), MAXIMUM_F32(a.max, b.max)};
  return both;
}
#else
static inline FOLDED combine(FOLDED a, FOLDED b, named_values given) {
  return TO_ACC(OPERATOR_TEXT);
}
#endif

#ifdef TIMES_VECTOR
// Of a product of a matrix and a vector: what the map's `y` is for elements of index i of rows or columns.
static inline LOADED vector_element(ulong i, named_values given) {
#ifdef VECTOR_BY_STEPS
  i *= given.vector_step;
#endif
  return READ_AT(VALUE_READ, given.vector + given.vector_at + i);
}
#endif

// The value of one element (or of a pair) as the fold takes it; i is its index in the input.
#if defined(TWO_INPUTS)
static inline FOLDED lift(LOADED x, LOADED y, ulong i, named_values given) {
#elif defined(TIMES_VECTOR)
static inline FOLDED lift_product(LOADED x, LOADED y, ulong i, named_values given) {
#else
static inline FOLDED lift(LOADED x, ulong i, named_values given) {
#endif
#ifdef PAIRED_VALUE
  return (FOLDED){(MAP_TEXT), i};
#else
  return TO_ACC(MAP_TEXT);
#endif
}
#if defined(TIMES_VECTOR) && !defined(TWO_INPUTS)
static inline FOLDED lift(LOADED x, ulong i, named_values given) {
  return lift_product(x, vector_element(i, given), i, given);
}
#endif

// combine, lift and the conversions on 16 elements at a time, for built-in types and operators on a CPU: a compiler keeps such a
// value in one or two wide registers.
#ifdef WIDE
#undef TO_ACC
#define TO_ACC TO_ACC_WIDE
#undef TO_UNSIGNED
#define TO_UNSIGNED TO_UNSIGNED_WIDE

static inline ACC_WIDE combine_wide(ACC_WIDE a, ACC_WIDE b) {
  return TO_ACC(OPERATOR_TEXT);
}

#if defined(TWO_INPUTS) || defined(TIMES_VECTOR)
static inline ACC_WIDE lift_wide(LOADED_WIDE x, LOADED_WIDE y) {
  return TO_ACC(MAP_TEXT);
}
#else
static inline ACC_WIDE lift_wide(LOADED_WIDE x) {
  return TO_ACC(MAP_TEXT);
}
#endif
#endif  // WIDE

// The result as it leaves: chips differ in NaN payloads, so a NaN becomes the one quiet NaN.
static inline ACC canonical(ACC x) { return CANONICAL_TEXT; }

// A value as the 32-bit words it travels in between lanes; 8- and 16-bit values are widened.
#define FOLDED_WORDS ((FOLDED_BYTES + 3) / 4)
typedef union {
  FOLDED value;
  uint words[FOLDED_WORDS];
} travelling;
