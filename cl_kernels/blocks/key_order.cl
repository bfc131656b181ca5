// Keys: elements whose bits stand for the numbers that have their order, without arithmetic of their type.
#if defined(ORDERS_KEYS) && !defined(LESS_TEXT)

// The bits of a key, as they are in memory, KEY_BYTES of them, as the numbers without a sign that have its order.
static inline KEY key_ordered(KEY bits) {
  const KEY sign_bit = (KEY)((KEY)1 << (KEY_BYTES * 8 - 1));
#if defined(KEY_INFINITY)
  // Floats: of negative ones all bits change, of others the sign. The bits above those of infinity are NaNs.
  const KEY all_if_negative = (KEY)((KEY)0 - (KEY)(bits >> (KEY_BYTES * 8 - 1)));
#if KEY_BYTES == 4
  const bool is_nan = isnan(as_float(bits));
#else
  const bool is_nan = (KEY)(bits & (KEY)~sign_bit) > (KEY)KEY_INFINITY;
#endif
  const KEY ordered = is_nan ? (KEY)~(KEY)0 : (KEY)(bits ^ (KEY)(all_if_negative | sign_bit));
#elif defined(KEY_IS_SIGNED)
  const KEY ordered = bits ^ sign_bit;
#elif defined(KEY_IS_BOOL)
  const KEY ordered = bits != 0 ? 1 : 0;
#else
  const KEY ordered = bits;
#endif
#ifdef DESCENDING
  return (KEY)~ordered;
#else
  return ordered;
#endif
}

#endif  // ORDERS_KEYS
