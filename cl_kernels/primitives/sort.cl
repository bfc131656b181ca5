// sort, sort_by_key and argsort: a radix sort from the lowest digit of 8 bits to the highest. Plans and arguments:
// lib/primitives/sort.cpp.
//
// Few keys are brought to their places by their ranks (sort_ranks.cl), up to a tile is sorted in one launch of one group. Else,
// where groups can send each other messages: one launch counts the keys of each value of all digits, a second one sums the
// counts, and one more for each digit brings the keys to their places. Its groups rank their tiles, post how many keys of each
// digit they have, and look back for those of the tiles before.
// Elsewhere three launches for each digit: the counts of each tile's digits, their sums, and the keys to their places.
// (sort_small.cl, sort_one_pass.cl and sort_launches.cl, and for both sort_tiles.cl.)
// A CPU's groups are one work-item each and have one part of the input each: sort_serial.cl.

// Where keys and their values lie, in bytes. Digit by digit, they go from one buffer to another alternately (ping-pong).
static inline const __global KEY *sort_keys_at(const __global uchar *buffer, ulong at) {
  return (const __global KEY *)(buffer + at);
}
static inline __global KEY *sort_keys_to(__global uchar *buffer, ulong at) { return (__global KEY *)(buffer + at); }
static inline const __global carried *sort_carried_at(const __global uchar *buffer, ulong at) {
  return (const __global carried *)(buffer + at);
}
static inline __global carried *sort_carried_to(__global uchar *buffer, ulong at) { return (__global carried *)(buffer + at); }
#if defined(CARRIED_PART) || defined(INDEX)
#define CARRIED_ARGUMENTS , const __global uchar *values, ulong values_at, __global uchar *values_to, ulong values_to_at
#define COLLECT_CARRIED                                                       \
  const __global carried *carried_from = sort_carried_at(values, values_at); \
  __global carried *carried_to = sort_carried_to(values_to, values_to_at);
#else
#define CARRIED_ARGUMENTS
#define COLLECT_CARRIED                      \
  const __global carried *carried_from = 0; \
  __global carried *carried_to = 0;
#endif

// Of a sort in one launch on a GPU: keys, and what goes with them, from where they lie to where they go.
#if defined(INDEX)
#define SORT_AT_ONCE_ARGUMENTS const __global uchar *keys, ulong keys_at, __global uchar *values_to, ulong values_to_at
#define COLLECT_AT_ONCE const sort_at_once all = {sort_keys_at(keys, keys_at), 0, 0, sort_carried_to(values_to, values_to_at)};
#elif defined(CARRIED_PART)
#define SORT_AT_ONCE_ARGUMENTS                                                             \
  const __global uchar *keys, ulong keys_at, __global uchar *keys_to, ulong keys_to_at,    \
      const __global uchar *values, ulong values_at, __global uchar *values_to, ulong values_to_at
#define COLLECT_AT_ONCE                                                                         \
  const sort_at_once all = {sort_keys_at(keys, keys_at), sort_keys_to(keys_to, keys_to_at),     \
                            sort_carried_at(values, values_at), sort_carried_to(values_to, values_to_at)};
#else
#define SORT_AT_ONCE_ARGUMENTS const __global uchar *keys, ulong keys_at, __global uchar *keys_to, ulong keys_to_at
#define COLLECT_AT_ONCE const sort_at_once all = {sort_keys_at(keys, keys_at), sort_keys_to(keys_to, keys_to_at), 0, 0};
#endif
typedef struct {
  const __global KEY *keys;
  __global KEY *keys_to;
  const __global carried *values;
  __global carried *values_to;
} sort_at_once;

// An argsort reads no values in its first step, and stores no keys in its last one.
enum { STEP_FIRST = 1, STEP_LAST = 2 };
static inline bool stores_keys(uint steps) { return !MAKES_ORDER || (steps & STEP_LAST) == 0; }
static inline carried sort_carried_of(const __global carried *from, uint steps, ulong i) {
  return MAKES_ORDER && (steps & STEP_FIRST) != 0 ? carried_index(i) : from[i];
}

// Of the bits that are compared, the first one of each digit.
static inline uint sort_digit_begin(uint bits, uint pass, uint passes) { return bits * pass / passes; }
