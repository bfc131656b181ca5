// key_sort: a sort of elements by numbers that texts make of them. Plans and arguments: lib/primitives/key_sort.cpp.
//
// One launch makes the numbers of a text, and the kernels of sort bring them in order with the elements' indices (sort.cl).
// Of several texts the last one is first; each other one goes over the elements in the order that there is by then, which
// equal numbers keep. In the end each element is read once from where its index says, and stored in its place.
// Of segments, those of segmented_sort do (segmented_sort.cl), and elements that they have not sorted keep no index.

// KEYS_OF_TEXTS(K) is K(0, uint, AS_IT_IS, ORDERED_FLOAT, 0x7f800000, 0) and so on: the type of a key's bits, the function
// that makes what is stored of the key that KEY_TEXT_0 gives, how keys become numbers without a sign that have their order,
// and what changes bits where the largest key is first. KEY holds the widest.
#define DEFINE_KEY_OF_TEXT(number, type, write, order, infinity, flipped)        \
  static inline KEY key_of_text_##number(X_LOADED x, ulong i, named_values given) { \
    const type bits = as_##type(write(KEY_TEXT_##number));                       \
    return (KEY)(type)(order(type, bits, infinity) ^ (type)(flipped));           \
  }
KEYS_OF_TEXTS(DEFINE_KEY_OF_TEXT)

static inline KEY key_of_element(uint text, X_LOADED x, ulong i, named_values given) {
#define KEY_IF_OF_TEXT(number, type, write, order, infinity, flipped) \
  if (text == number) return key_of_text_##number(x, i, given);
  KEYS_OF_TEXTS(KEY_IF_OF_TEXT)
  return 0;
}

// Of segments: where no element is sorted to.
static inline ELEMENT_INDEX no_index(void) { return (ELEMENT_INDEX)~(ELEMENT_INDEX)0; }

// The keys of a text. Of several texts, the first call also makes the elements' indices, and later ones read them. Of
// segments, of which the host knows nothing, the first call makes them, too, and the later ones go over what is sorted; of
// keys the bits under the mask are left, from `first_bit` on.
KERNEL void key_sort_keys(const __global X_STORED *x, ulong x_offset, ELEMENTS_ARGUMENT, __global uchar *workspace, ulong keys_at,
                          ulong order_at, uint text, uint first, ulong sorted_at, uint first_bit, ulong mask VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  __global KEY *keys = (__global KEY *)(workspace + keys_at);
  __global ELEMENT_INDEX *order = (__global ELEMENT_INDEX *)(workspace + order_at);
  __global ELEMENT_INDEX *sorted = (__global ELEMENT_INDEX *)(workspace + sorted_at);
  x += x_offset;
  EACH_OWN_UNIT(place, n) {
    ulong i = place;
    if (IS_ON(MAKES_INDICES)) {
      i = first != 0 ? place : (ulong)order[place];
      if (first != 0) order[place] = (ELEMENT_INDEX)i;
    }
    if (IS_ON(SORTS_SEGMENTS)) {
      if (first != 0)
        sorted[place] = no_index();
      else if ((ELEMENT_INDEX)i == no_index())
        continue;
    }
    const KEY key = key_of_element(IS_ON(MAKES_INDICES) ? text : 0, READ_AT(X_READ, x + i), i, given);
    keys[place] = IS_ON(SORTS_SEGMENTS) ? (KEY)(key >> first_bit & (KEY)mask) : key;
  }
}

static inline bool is_gathered(ELEMENT_INDEX index) {
  return !IS_ON(SORTS_SEGMENTS) || index != no_index();
}

// The parts of all elements. Where the host knows how many elements there are, `n` is their parts.
static inline ulong gathered_parts(ulong n, uint parts) {
  if (IS_COUNTED) return n * parts;
  return n;
}

// Brings elements of `parts` parts to their places, or where they are not `ordered` as they are.
#define DEFINE_GATHER(name, part, parts)                                                                                  \
  KERNEL void name(const __global uchar *from, ulong from_at, __global uchar *to, ulong to_at, ELEMENTS_ARGUMENT,           \
                   const __global uchar *workspace, ulong order_at, uint ordered) {                                         \
    COLLECT_ELEMENTS                                                                                                        \
    const __global ELEMENT_INDEX *order = (const __global ELEMENT_INDEX *)(workspace + order_at);                           \
    const __global part *parts_from = (const __global part *)(from + from_at);                                              \
    __global part *parts_to = (__global part *)(to + to_at);                                                                \
    EACH_OWN_UNIT(k, gathered_parts(n, parts)) {                                                                             \
      if (ordered == 0) {                                                                                                   \
        parts_to[k] = parts_from[k];                                                                                        \
      } else {                                                                                                              \
        const ELEMENT_INDEX index = order[k / (parts)];                                                                     \
        if (is_gathered(index)) parts_to[k] = parts_from[(ulong)index * (parts) + k % (parts)];                             \
      }                                                                                                                     \
    }                                                                                                                       \
  }
#ifdef ELEMENT_PART
DEFINE_GATHER(key_sort_gather, ELEMENT_PART, ELEMENT_PARTS)
#endif
#ifdef VALUE_PART
DEFINE_GATHER(key_sort_gather_values, VALUE_PART, VALUE_PARTS)
#endif
