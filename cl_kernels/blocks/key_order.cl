// Keys: elements whose bits stand for the numbers that have their order, without arithmetic of their type.

// Numbers without a sign that have the order of other numbers, from the bits of these, which are of a type without a sign:
// ORDERED_SIGNED(type, bits, infinity) and so on. Floats have the bits of infinity, above which NaNs are.
#define KEY_SIGN(type) ((type)((type)1 << (sizeof(type) * 8 - 1)))
#define ORDERED_AS_IT_IS(type, bits, infinity) (bits)
#define ORDERED_SIGNED(type, bits, infinity) ((type)((bits) ^ KEY_SIGN(type)))
#define ORDERED_BOOL(type, bits, infinity) ((type)((bits) != 0 ? 1 : 0))
#define ORDERED_FLOAT(type, bits, infinity) \
  ORDERED_UNLESS_NAN(type, bits, (type)((bits) & (type)~KEY_SIGN(type)) > (type)(infinity))
// Of negative ones all bits change, of others the sign.
#define ORDERED_UNLESS_NAN(type, bits, is_nan) \
  ((is_nan) ? (type)~(type)0                   \
            : (type)((bits) ^ (type)((type)((type)0 - (type)((bits) >> (sizeof(type) * 8 - 1))) | KEY_SIGN(type))))

// The bits of a key, as they are in memory, KEY_BYTES of them, as the numbers without a sign that have its order: of the smallest
// first, and as the call asks for it.
#ifdef KEY_INFINITY
enum { KEY_IS_FLOAT = 1 };
static inline KEY key_ascending(KEY bits) {
  if (KEY_BYTES == 4) return ORDERED_UNLESS_NAN(KEY, bits, isnan(as_float((uint)bits)));
  return ORDERED_FLOAT(KEY, bits, KEY_INFINITY);
}
#else
enum { KEY_IS_FLOAT = 0 };
static inline KEY key_ascending(KEY bits) {
  if (IS_ON(KEY_IS_SIGNED)) return ORDERED_SIGNED(KEY, bits, 0);
  return IS_ON(KEY_IS_BOOL) ? ORDERED_BOOL(KEY, bits, 0) : bits;
}
#endif
static inline KEY key_ordered(KEY bits) {
  const KEY ordered = key_ascending(bits);
  if (IS_ON(DESCENDING)) return (KEY)~ordered;
  return ordered;
}

// Words that hold such a number.
#if KEY_BYTES == 8
typedef ulong ordered_key;
#else
typedef uint ordered_key;
#endif
