// Keys in an order: which of two comes first, as numbers (key_order.cl) or by a text of the user's, and what goes with each.

// KEY is a key in memory, KEY_LOADED what a text sees of it, KEY_READ the function between the two (element.cl). Numbers
// are compared by their bits.
static inline KEY_LOADED key_at(const __global KEY *from) { return READ_AT(KEY_READ, from); }

// In local memory keys are in a form that is made once for all comparisons there: where KEY_HAS_FORM, of numbers without a sign
// that have their order, and from which their bits can be had again. Those of NaNs are the greatest, and all of one place.
// form_before says whether the key of form `a` stands before that of `b`. Of two keys of which neither does, the one that came
// first stays there.
#if defined(LESS_TEXT)
enum { KEYS_BY_TEXT = 1, KEY_HAS_FORM = 0, FORM_IS_OF_FLOAT = 0 };
static inline KEY key_form(KEY key) { return key; }
static inline KEY key_of_form(KEY form) { return form; }
static inline KEY last_form(void) {
  KEY none;
  return none;
}
static inline bool form_before(KEY_LOADED a, KEY_LOADED b, named_values given) { return (LESS_TEXT) != 0; }
static inline bool comes_before(KEY_LOADED a, KEY_LOADED b, named_values given) { return form_before(a, b, given); }

#else
#if defined(KEY_MASK)
enum { KEYS_BY_TEXT = 0, KEY_HAS_FORM = 0, FORM_IS_OF_FLOAT = 0 };
static inline KEY key_form(KEY bits) { return bits; }
static inline KEY key_of_form(KEY form) { return form; }
static inline KEY compared_bits(KEY bits) { return (KEY)(key_ordered(bits) >> KEY_FIRST_BIT & (KEY)KEY_MASK); }
static inline bool form_before(KEY a, KEY b, named_values given) { return compared_bits(a) < compared_bits(b); }

#elif defined(KEY_INFINITY)
enum { KEYS_BY_TEXT = 0, KEY_HAS_FORM = 1, FORM_IS_OF_FLOAT = 1 };
// As numbers of their order begin with negative NaNs, that of negative infinity is 0, and these NaNs are behind the others.
static inline KEY least_ordered(void) { return (KEY)~(KEY)((KEY)KEY_INFINITY | KEY_SIGN(KEY)); }
static inline KEY first_nan_form(void) { return (KEY)((KEY)((KEY)((KEY)KEY_INFINITY | KEY_SIGN(KEY)) - least_ordered()) + 1); }
static inline KEY key_form(KEY bits) {
  const KEY all_if_negative = (KEY)((KEY)0 - (KEY)(bits >> (KEY_BYTES * 8 - 1)));
  const KEY form = (KEY)((KEY)(bits ^ (KEY)(all_if_negative | KEY_SIGN(KEY))) - least_ordered());
  return IS_ON(DESCENDING) ? (KEY)~form : form;
}
static inline KEY key_of_form(KEY form) {
  const KEY ordered = (KEY)((IS_ON(DESCENDING) ? (KEY)~form : form) + least_ordered());
  const KEY all_if_positive = (KEY)((KEY)0 - (KEY)(ordered >> (KEY_BYTES * 8 - 1)));
  return (KEY)(ordered ^ (KEY)((KEY)~all_if_positive | KEY_SIGN(KEY)));
}
static inline bool form_before(KEY a, KEY b, named_values given) {
  if (IS_ON(DESCENDING)) return (KEY)max(a, (KEY)~first_nan_form()) < b;
  return a < (KEY)min(b, first_nan_form());
}

#else
enum { KEYS_BY_TEXT = 0, KEY_HAS_FORM = 1, FORM_IS_OF_FLOAT = 0 };
static inline KEY key_form(KEY bits) { return key_ordered(bits); }
static inline KEY key_of_form(KEY form) {
  const KEY ordered = IS_ON(DESCENDING) ? (KEY)~form : form;
  return IS_ON(KEY_IS_SIGNED) ? (KEY)(ordered ^ KEY_SIGN(KEY)) : ordered;
}
static inline bool form_before(KEY a, KEY b, named_values given) { return a < b; }
#endif
// Stands behind no other one.
static inline KEY last_form(void) { return (KEY)~(KEY)0; }
static inline bool comes_before(KEY a, KEY b, named_values given) { return form_before(key_form(a), key_form(b), given); }
#endif

// A value that goes with each key has CARRIED_WORDS parts, which are moved one by one; where none does, it has no part. Or it is
// the key's index, which is made.
#ifdef CARRIED_PART
typedef CARRIED_PART carried_part;
#else
typedef uchar carried_part;
enum { CARRIED_WORDS = 0 };
#endif
typedef const __global carried_part *carried_from;
typedef __global carried_part *carried_to;
