// Keys in an order: which of two comes first, as numbers (key_order.cl) or by a text of the user's, and what goes with each.
#ifdef COMPARES_KEYS

// KEY is a key in memory, KEY_LOADED what a text sees of it, KEY_READ the function between the two (element.cl). Numbers
// are compared by their bits.
#ifndef LESS_TEXT
#define KEY_LOADED KEY
#define KEY_READ AS_IT_IS
#endif
typedef char key_has_the_size_the_host_says[sizeof(KEY) == KEY_BYTES ? 1 : -1];

static inline KEY_LOADED key_at(const __global KEY *from) { return READ_AT(KEY_READ, from); }

// Whether `a` stands before `b`. Of two keys of which neither does, the one that came first stays there.
static inline bool comes_before(KEY_LOADED a, KEY_LOADED b VALUES_PARAMETER) {
#if defined(LESS_TEXT)
  return (LESS_TEXT) != 0;
#elif defined(KEY_MASK)
  return (KEY)(key_ordered(a) >> KEY_FIRST_BIT & (KEY)KEY_MASK) < (KEY)(key_ordered(b) >> KEY_FIRST_BIT & (KEY)KEY_MASK);
#else
  return key_ordered(a) < key_ordered(b);
#endif
}

// A value that goes with each key has CARRIED_WORDS parts, which are moved one by one.
#ifdef CARRIED_PART
typedef const __global CARRIED_PART *carried_from;
typedef __global CARRIED_PART *carried_to;
#endif

#endif  // COMPARES_KEYS
