// Values: how an element is loaded, mapped, and combined. Knows types and operators, not devices.
#ifdef VALUE

// VALUE is an element in memory, LOADED what arithmetic sees of it (a half becomes a float), ACC what
// the fold accumulates. STORED is VALUE where it lies in a register packet.
#ifdef VALUE_IS_HALF
typedef ushort STORED;
typedef float LOADED;
#else
typedef VALUE STORED;
typedef VALUE LOADED;
#endif

// Conversions are words of the host (convert_float, ...); structures convert only to themselves.
#ifndef TO_ACC
#define TO_ACC(x) (x)
#endif

// A structure whose size differs from the host's would read its neighbours: refuse to compile.
typedef char value_has_the_size_the_host_says[sizeof(STORED) == VALUE_BYTES ? 1 : -1];
typedef char acc_has_the_size_the_host_says[sizeof(ACC) == ACC_BYTES ? 1 : -1];

static inline ACC combine(ACC a, ACC b) {
  return TO_ACC(OPERATOR_TEXT);
}

// The value of one element (or of a pair) as the fold takes it; i is its index in the input.
#ifdef TWO_INPUTS
static inline ACC lift(LOADED x, LOADED y, ulong i) {
  return TO_ACC(MAP_TEXT);
}
#else
static inline ACC lift(LOADED x, ulong i) {
  return TO_ACC(MAP_TEXT);
}
#endif

// The same on 16 elements at a time, for built-in types and operators on a CPU: a compiler keeps such
// a value in one or two wide registers.
#ifdef WIDE
#undef TO_ACC
#define TO_ACC TO_ACC_WIDE
#undef TO_UNSIGNED
#define TO_UNSIGNED TO_UNSIGNED_WIDE

static inline ACC_WIDE combine_wide(ACC_WIDE a, ACC_WIDE b) {
  return TO_ACC(OPERATOR_TEXT);
}

#ifdef TWO_INPUTS
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
static inline ACC canonical(ACC x) {
#ifdef CANONICAL_TEXT
  return CANONICAL_TEXT;
#else
  return x;
#endif
}

// A value as the 32-bit words it travels in between lanes; 8- and 16-bit values are widened.
#define ACC_WORDS ((ACC_BYTES + 3) / 4)
typedef union {
  ACC value;
  uint words[ACC_WORDS];
} travelling;

#endif  // VALUE
