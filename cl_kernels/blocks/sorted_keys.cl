// Keys in an order: which of two comes first, as numbers (key_order.cl) or by a text of the user's, and what goes with each.

// KEY is a key in memory, KEY_LOADED what a text sees of it, KEY_READ the function between the two (element.cl). Numbers
// are compared by their bits.
#ifndef LESS_TEXT
#define KEY_LOADED KEY
#define KEY_READ AS_IT_IS
#endif

static inline KEY_LOADED key_at(const __global KEY *from) { return READ_AT(KEY_READ, from); }

// In local memory keys are in a form that is made once for all comparisons there: of numbers without a sign that have their
// order, and from which their bits can be had again. Those of NaNs are the greatest, and all of one place.
#if !defined(LESS_TEXT) && !defined(KEY_MASK) && !defined(KEY_IS_BOOL)
#define KEY_HAS_FORM
#define KEY_SIGN_BIT ((KEY)((KEY)1 << (KEY_BYTES * 8 - 1)))
#ifdef KEY_INFINITY
// As numbers of their order begin with negative NaNs, that of negative infinity is 0, and these NaNs are behind the others.
#define KEY_LEAST ((KEY)~(KEY)((KEY)KEY_INFINITY | KEY_SIGN_BIT))
#define KEY_NAN ((KEY)((KEY)((KEY)KEY_INFINITY | KEY_SIGN_BIT) - KEY_LEAST + 1))
#endif
static inline KEY key_form(KEY bits) {
#if defined(KEY_INFINITY)
  const KEY all_if_negative = (KEY)((KEY)0 - (KEY)(bits >> (KEY_BYTES * 8 - 1)));
  const KEY form = (KEY)((KEY)(bits ^ (KEY)(all_if_negative | KEY_SIGN_BIT)) - KEY_LEAST);
#elif defined(KEY_IS_SIGNED)
  const KEY form = bits ^ KEY_SIGN_BIT;
#else
  const KEY form = bits;
#endif
#ifdef DESCENDING
  return (KEY)~form;
#else
  return form;
#endif
}
static inline KEY key_of_form(KEY form) {
#ifdef DESCENDING
  form = (KEY)~form;
#endif
#if defined(KEY_INFINITY)
  form = (KEY)(form + KEY_LEAST);
  const KEY all_if_positive = (KEY)((KEY)0 - (KEY)(form >> (KEY_BYTES * 8 - 1)));
  return (KEY)(form ^ (KEY)((KEY)~all_if_positive | KEY_SIGN_BIT));
#elif defined(KEY_IS_SIGNED)
  return form ^ KEY_SIGN_BIT;
#else
  return form;
#endif
}
#else
#define key_form(key) (key)
#define key_of_form(form) (form)
#endif

// Whether the key of form `a` stands before that of `b`. Of two keys of which neither does, the one that came first stays
// there.
static inline bool form_before(KEY_LOADED a, KEY_LOADED b, named_values given) {
#if defined(LESS_TEXT)
  return (LESS_TEXT) != 0;
#elif !defined(KEY_HAS_FORM)
#ifdef KEY_MASK
  return (KEY)(key_ordered(a) >> KEY_FIRST_BIT & (KEY)KEY_MASK) < (KEY)(key_ordered(b) >> KEY_FIRST_BIT & (KEY)KEY_MASK);
#else
  return key_ordered(a) < key_ordered(b);
#endif
#elif defined(KEY_INFINITY) && defined(DESCENDING)
  return (KEY)max(a, (KEY)~KEY_NAN) < b;
#elif defined(KEY_INFINITY)
  return a < (KEY)min(b, KEY_NAN);
#else
  return a < b;
#endif
}

static inline bool comes_before(KEY_LOADED a, KEY_LOADED b, named_values given) {
  return form_before(key_form(a), key_form(b), given);
}

// A value that goes with each key has CARRIED_WORDS parts, which are moved one by one.
#ifdef CARRIED_PART
typedef const __global CARRIED_PART *carried_from;
typedef __global CARRIED_PART *carried_to;
#endif
