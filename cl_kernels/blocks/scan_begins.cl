// Scans of neighbouring segments by a group of a GPU, window after window, where head flags, a bit of each element, say whether a
// segment begins there. Each work-item takes the same number of neighbouring elements, however many segments begin among them, so
// many short segments cost what a long one costs. Order: scan_order.cl, counted from each segment's begin.
//
// The input is divided into one part for each group, no longer than a unit. A group takes the units that begin in its part. A unit
// is a tile of a segment, or one of its blocks (a sixteenth of a tile, see scan_order.cl) where groups post the folds of blocks as
// messages (BEGINS_IN_ONE_PASS). The host chooses that if it expects all groups to run at the same time; waits are limited in any
// case. Units are counted from the segment's begin, so no group starts inside another group's unit.
//
//   elements   a b c d e f g h i j k l      segments  a b c | d | e f g h i j | k l
//   bits       1 0 0 1 1 0 0 0 0 0 1 0      the lowest bit is the first element's
//   parts      |   0   |   1   |   2   |    of 4 elements: (first begin, last begin) = (1, 4), (1, 1), (3, 3)

enum { BEGINS_UNIT = IS_ON(BEGINS_IN_ONE_PASS) ? SEGMENT_BLOCK : SEGMENT_TILE };

// Bits of 32 elements each. In one launch (BEGINS_IN_ONE_LAUNCH) a group finds the begins of its own part and behind it.
#ifdef BEGINS_IN_ONE_LAUNCH
typedef const __local uint *begins_bits;
#else
typedef const __global uint *begins_bits;
#endif

typedef struct {
  begins_bits bits;
  ulong bits_from;             // the element of the first bit
  const __global uint *parts;  // of each part its first begin and its last, as 16 bits each, counted from 1; 0: none
  uint part;                   // elements
  ulong end;                   // of the elements
} scan_begins;

static inline uint begins_told(uint first, uint last) { return first | last << 16; }
static inline uint first_begin(uint told) { return told & 0xffffu; }
static inline uint last_begin(uint told) { return told >> 16; }

static inline uint lowest_bit(uint word) { return 31 - clz(word & (0u - word)); }
static inline uint highest_bit(uint word) { return 31 - clz(word); }
static inline uint all_below(uint bit) { return bit < 32 ? (1u << bit % 32) - 1 : ~0u; }
static inline bool has_bit(uint word, uint bit) { return (word >> bit & 1) != 0; }

// Stores the first and the last begin of a part, counted from 1: the least `first` and the greatest `last` of all work-items. A
// work-item that has found none gives 0xffffffff and 0. All must call; `found` is two words of local memory.
INLINE void tell_of_part(__global uint *told, uint first, uint last, __local uint *found) {
  if (own_id_anew() == 0) {
    found[0] = 0xffffffffu;
    found[1] = 0;
  }
  GROUP_BARRIER();
  if (last > 0) {
    atomic_min(found, first);
    atomic_max(found + 1, last);
  }
  GROUP_BARRIER();
  if (own_id_anew() == 0) *told = found[1] > 0 ? begins_told(found[0], found[1]) : 0;
}

// Where the first unit at or after element `from` begins, if no segment begins there. `before`: the last begin before `from`,
// counted from 1; 0: none.
static inline ulong unit_behind(scan_begins begins, ulong from, ulong before) {
  if (before == 0) return begins.end;
  const ulong units = (from - (before - 1) + BEGINS_UNIT - 1) / BEGINS_UNIT;
  return min(begins.end, before - 1 + units * BEGINS_UNIT);
}

// How many parts a work-item looks at with one step back.
enum { BEGINS_LOOKED = 4 };

// The last begin before a part, counted from 1; 0: none. All must call; `found` is a word of local memory.
INLINE ulong begin_before_part(scan_begins begins, uint part, __local uint *found) {
  uint up_to = part;  // the begin is in one of the parts up to this one
  uint last = part > 0 ? last_begin(begins.parts[part - 1]) : 0;
  for (uint left = part > 0 && last == 0 ? part - 1 : 0; left > 0;) {
    if (own_id_anew() == 0) *found = 0;
    GROUP_BARRIER();
    uint highest = 0;
    UNROLL
    for (uint k = 0; k < BEGINS_LOOKED; ++k) {
      const uint back = k * GROUP_SIZE + own_id_anew();
      if (back < left && begins.parts[left - 1 - back] != 0) highest = max(highest, left - back);
    }
    if (highest > 0) atomic_max(found, highest);
    GROUP_BARRIER();
    up_to = SAME_IN_LANES(*found);
    GROUP_BARRIER();
    if (up_to > 0) last = last_begin(begins.parts[up_to - 1]);
    left = up_to > 0 ? 0 : left - min(left, (uint)(BEGINS_LOOKED * GROUP_SIZE));
  }
  return last == 0 ? 0 : (ulong)(up_to - 1) * begins.part + last;
}

// Where the first unit at or after the begin of a part begins. `before`: the last begin before the part, counted from 1; 0: none,
// and then only units in the part are looked for.
INLINE ulong first_unit(scan_begins begins, uint part, ulong before) {
  const ulong from = (ulong)part * begins.part, unit = unit_behind(begins, from, before);
  const ulong looked = before > 0 ? unit : min(begins.end, from + begins.part);
  for (uint k = part; (ulong)k * begins.part < looked; ++k) {
    const uint first = first_begin(begins.parts[k]);
    if (first > 0) return min(unit, (ulong)k * begins.part + first - 1);
  }
  return unit;
}

// ---------------------------------------------------------------------------------------- a window
// A window starts where a strip of a segment starts. Its elements wait in local memory until neighbours are taken by one
// work-item, and so do their results until neighbouring work-items can store neighbours.
enum {
  WINDOW = SCAN_TILE,
  WINDOW_OWN = WINDOW / GROUP_SIZE,
  WINDOW_WORDS = WINDOW / 32,
  WINDOW_STRIPS = WINDOW / SCAN_STRIP,
  WHOLE_STRIP = 1,            // shifted by a strip's number in the window: there is one
  CONTINUING_STRIP = 0x10000  // the same: and the one before it is of its block
};
typedef char a_word_has_the_begins_of_a_work_item[32 % WINDOW_OWN == 0 ? 1 : -1];
typedef char a_window_has_whole_words[WINDOW % 32 == 0 ? 1 : -1];
typedef char a_word_tells_of_all_words[WINDOW_WORDS <= 32 ? 1 : -1];
typedef char a_word_tells_of_all_strips_twice[WINDOW_STRIPS <= 16 ? 1 : -1];
typedef char a_work_item_has_whole_runs[WINDOW_OWN % SCAN_RUN == 0 ? 1 : -1];
typedef char a_work_item_has_no_more_than_a_strip[SCAN_STRIP >= WINDOW_OWN ? 1 : -1];
typedef char a_strip_has_several_runs[SCAN_RUNS > 1 ? 1 : -1];

typedef union {
  LOADED element;
  ACC result;
} waiting_element;

// A whole run lies where its last element does among the window's aligned ones, a whole strip likewise: so there is one at
// most for each place, and those of one segment lie side by side. They are folded up to each one where they lie.
typedef struct {
  __local waiting_element *waiting;
  __local FOLDED *runs;
  __local FOLDED *strips;
  __local uint *begins;  // the bits of the window's elements
  __local uint *told;    // [0]: a bit for each word of `begins` that is not 0; [1]: WHOLE_STRIP and CONTINUING_STRIP; [2]: the
                         // first begin behind the first element, or WINDOW; [3]: the last begin, or 0
} window_memory;

#define WINDOW_MEMORY(name)                                       \
  window_memory name;                                             \
  __local waiting_element name##_waiting[SCAN_PLACE(WINDOW) + 1]; \
  __local FOLDED name##_runs[SCAN_PLACE(WINDOW / SCAN_RUN)];      \
  __local FOLDED name##_strips[SCAN_PLACE(WINDOW_STRIPS)];        \
  __local uint name##_begins[WINDOW_WORDS];                       \
  __local uint name##_told[4];                                    \
  name.waiting = name##_waiting;                                  \
  name.runs = name##_runs;                                        \
  name.strips = name##_strips;                                    \
  name.begins = name##_begins;                                    \
  name.told = name##_told

// What is known of the first segment of a window, which may have begun before.
typedef struct {
  ulong begin;
  bool has_strips;  // Q of the window's first strip
  FOLDED strips;
  scan_before before;
  ACC result;  // of an exclusive scan: of its last element before the window, as an inclusive scan has it
} window_before;

// The last begin before element `i` < WINDOW, and the first one after word `k`; WINDOW: none. `words` is told[0].
static inline uint window_last_before(window_memory memory, uint words, uint i) {
  const uint own = memory.begins[i / 32] & ((1u << i % 32) - 1), others = words & ((1u << i / 32) - 1);
  if (own == 0 && others == 0) return WINDOW;
  const uint k = own != 0 ? i / 32 : highest_bit(others);
  return k * 32 + highest_bit(own != 0 ? own : memory.begins[k]);
}

static inline uint window_first_behind(window_memory memory, uint words, uint k) {
  const uint others = words & ~((2u << k) - 1);
  return others != 0 ? lowest_bit(others) * 32 + lowest_bit(memory.begins[lowest_bit(others)]) : WINDOW;
}

// Nothing waits. All must call, behind a barrier after the last use, and there must be one before the next.
INLINE void window_clear(window_memory memory) {
  const uint id = own_id_anew();
  if (id < 4) memory.told[id] = id == 2 ? WINDOW : 0;
}

// Loads `count` > 0 elements from x on, of which the first is element `at` of the input, and their begins. In place of those
// that the window lacks its last one waits, so that an operator of the user sees no more than elements.
INLINE void window_load(scan_begins begins, const __global STORED *x, ulong at, uint count, window_memory memory) {
  const uint id = own_id_anew();
  LOADED held[WINDOW_OWN];
  if (count == WINDOW) {
    UNROLL
    for (uint k = 0; k < WINDOW_OWN; ++k) held[k] = load_element(x + id + k * GROUP_SIZE);
  } else {
    // At literal distances from one address: to compute an address for each load takes longer.
    const LOADED last = load_element(x + (count - 1));
    UNROLL
    for (uint k = 0; k < WINDOW_OWN; ++k) held[k] = last;
    UNROLL
    for (uint k = 0; k < WINDOW_OWN; ++k) {
      if (id + k * GROUP_SIZE < count) held[k] = load_element(x + id + k * GROUP_SIZE);
    }
  }
  for (uint k = id; k < WINDOW_WORDS && k * 32 < count; k += GROUP_SIZE) {
    const uint own = count - k * 32, shift = (uint)(at % 32);
    begins_bits from = begins.bits + (at - begins.bits_from) / 32 + k;
    uint bits = from[0] >> shift;
    if (shift > 0 && 32 - shift < own) bits |= from[1] << (32 - shift);
    if (own < 32) bits &= (1u << own) - 1;
    memory.begins[k] = bits;
    if (bits == 0) continue;
    const uint from_1 = k == 0 ? bits & ~1u : bits;
    atomic_or(memory.told, 1u << k);
    if (from_1 != 0) atomic_min(memory.told + 2, k * 32 + lowest_bit(from_1));
    atomic_max(memory.told + 3, k * 32 + highest_bit(bits));
  }
  for (uint k = id; k < WINDOW_WORDS; k += GROUP_SIZE) {
    if (k * 32 >= count) memory.begins[k] = 0;
  }
  UNROLL
  for (uint k = 0; k < WINDOW_OWN; ++k) memory.waiting[scan_place(k * GROUP_SIZE, id)].element = held[k];
  GROUP_BARRIER();
}

// A work-item's own elements, of which each has a bit: where segments, strips and runs begin, where whole runs end, and those
// in a strip's first run. The first one lies at `place` in its block of its segment, to which the first `entering` belong; it
// is the window's first segment, or not.
typedef struct {
  uint segments, strips, runs, run_ends, first_runs;
  uint place, entering;
  bool is_first;
} window_own;

// How far it is from a place to where the next unit begins, or to this place if one begins there.
static inline uint to_unit(uint place, uint unit) { return (0u - place) % unit; }

INLINE window_own window_own_elements(window_memory memory, uint words, uint place) {
  const uint first = own_id_anew() * WINDOW_OWN;
  const uint last = window_last_before(memory, words, first);
  window_own own;
  own.segments = memory.begins[first / 32] >> first % 32;
  own.is_first = last == WINDOW;
  own.place = (own.is_first ? place : 0u - last) + first;
  if ((own.segments & 1) != 0) {
    own.is_first = false;
    own.place = 0;
  }
  const uint others = own.segments & all_below(WINDOW_OWN) & ~1u;
  own.entering = others != 0 ? lowest_bit(others) : WINDOW_OWN;
  uint near = own.segments;  // a segment begins at the element or less than a run before its last neighbour
  UNROLL
  for (uint k = 1; k + 1 < SCAN_RUN; ++k) near |= own.segments << k;
  const uint to_run = to_unit(own.place, SCAN_RUN), to_strip = to_unit(own.place, SCAN_STRIP);
  own.runs = own.segments;
  own.run_ends = 0;
  if (to_run <= own.entering) {
    own.runs |= 1u << to_run;
    own.run_ends |= (1u << to_run) >> 1;
  }
  UNROLL
  for (uint k = 1; k < WINDOW_OWN / SCAN_RUN; ++k) own.runs |= own.runs << SCAN_RUN & ~(near << 1);
  own.run_ends |= own.runs << (SCAN_RUN - 1) & ~near;
  own.strips = own.segments;
  if (to_strip < own.entering) own.strips |= 1u << to_strip;
  const uint in_strip = own.place % SCAN_STRIP;
  uint first_runs = in_strip < SCAN_RUN ? (1u << (SCAN_RUN - in_strip)) - 1 : 0;
  UNROLL
  for (uint k = 0; k < SCAN_RUN; ++k) first_runs |= own.strips << k;
  own.first_runs = first_runs;
  return own;
}

// Each own element folded with those before it in its run, and all whole runs. `block` is where the block of the window's
// first element begins in its segment.
INLINE void window_fold_runs(FOLDED *s, window_own own, ulong block, window_memory memory, named_values given) {
  const uint first = own_id_anew() * WINDOW_OWN;
  const __local waiting_element *waiting = memory.waiting + SCAN_PLACE(first);
  const __local waiting_element *waiting_before = memory.waiting + SCAN_PLACE(max(first, (uint)WINDOW_OWN) - WINDOW_OWN);
  __local FOLDED *runs = memory.runs + SCAN_PLACE(first / SCAN_RUN);
  const ulong own_place = (own.is_first ? block : 0) + own.place;  // in the segment
  ulong i = own_place;
  UNROLL
  for (uint e = 0; e < WINDOW_OWN; ++e) {
    if (e > 0) i = has_bit(own.segments, e) ? 0 : i + 1;
    s[e] = lift(waiting[SCAN_PLACE(e)].element, i, given);
  }
  FOLDED before = s[0];
  const uint back = own.place % SCAN_RUN;
  UNROLL
  for (uint k = SCAN_RUN - 1; k > 0; --k) {
    const LOADED element = waiting_before[SCAN_PLACE(WINDOW_OWN - k)].element;
    if (k <= back) {
      const FOLDED value = lift(element, own_place - k, given);
      before = k == back ? value : combine(before, value, given);
    }
  }
  if (back > 0) s[0] = combine(before, s[0], given);
  FOLDED whole = s[0];
  UNROLL
  for (uint e = 1; e < WINDOW_OWN; ++e) {
    if (!has_bit(own.runs, e)) s[e] = combine(s[e - 1], s[e], given);
    if (e % SCAN_RUN == 0 || has_bit(own.run_ends, e)) whole = s[e];
    if (e % SCAN_RUN == SCAN_RUN - 1) runs[SCAN_PLACE(e / SCAN_RUN)] = whole;
  }
}

// Of the `count` > 0 neighbouring values from the place `first` on every one becomes the left fold up to it, begun with
// `fold`, the first one's. Gives that of all. Several are loaded before one is stored: no compiler moves loads over a store to
// where they may lie.
enum { WINDOW_AHEAD = 3 };
INLINE FOLDED window_fold_next(__local FOLDED *values, uint first, uint count, FOLDED fold, named_values given) {
  uint next = first + 1;
  const uint end = first + count;
  UNROLL_BY(1)
  for (; next + WINDOW_AHEAD <= end; next += WINDOW_AHEAD) {
    FOLDED held[WINDOW_AHEAD];
    UNROLL
    for (uint k = 0; k < WINDOW_AHEAD; ++k) held[k] = values[SCAN_PLACE(next + k)];
    UNROLL
    for (uint k = 0; k < WINDOW_AHEAD; ++k) {
      fold = combine(fold, held[k], given);
      values[SCAN_PLACE(next + k)] = fold;
    }
  }
  UNROLL_BY(1)
  for (; next < end; ++next) {
    fold = combine(fold, values[SCAN_PLACE(next)], given);
    values[SCAN_PLACE(next)] = fold;
  }
  return fold;
}

// The strips that begin in the work-item's elements: their runs become what stands before the run behind each, and whole
// strips' folds are left. The window has `count` elements.
INLINE void window_fold_strips(window_own own, uint words, uint count, window_memory memory, named_values given) {
  const uint first = own_id_anew() * WINDOW_OWN;
  uint strips = own.strips & all_below(WINDOW_OWN);
  // Those of two whole runs at least, as far as this can be told here.
  UNROLL
  for (uint k = 1; k < 2 * SCAN_RUN; ++k) strips &= ~(own.segments >> k);
  const uint behind = strips != 0 ? window_first_behind(memory, words, first / 32) : 0;
  while (strips != 0) {
    const uint bit = lowest_bit(strips), from = first + bit;
    strips &= strips - 1;
    const uint next = own.segments & ~((2u << bit) - 1);
    const uint end = min(next != 0 ? first + lowest_bit(next) : behind, count);
    const uint runs = min(end - min(from, end), (uint)SCAN_STRIP) / SCAN_RUN, slot = (from + SCAN_RUN - 1) / SCAN_RUN;
    if (runs <= 1) continue;
    const FOLDED fold = window_fold_next(memory.runs, slot, runs, memory.runs[SCAN_PLACE(slot)], given);
    if (runs == SCAN_RUNS) {
      const uint strip = (from + SCAN_STRIP - 1) / SCAN_STRIP;
      const bool continues = !has_bit(own.segments, bit) && own.place + bit >= SCAN_STRIP;
      memory.strips[SCAN_PLACE(strip)] = fold;
      atomic_or(memory.told + 1, (uint)(continues ? WHOLE_STRIP | CONTINUING_STRIP : WHOLE_STRIP) << strip);
    }
  }
}

// Replaces the folds of strips by the folds of their block up to and with each strip. Strips of the first block may come before the
// window: `outside` has their fold. `told` says which strips there are.
INLINE void window_fold_blocks(const window_before *outside, uint told, window_memory memory, named_values given) {
  const uint k = own_id_anew(), continuing = told / CONTINUING_STRIP;
  if (k >= WINDOW_STRIPS || !has_bit(told, k) || (k > 0 && has_bit(continuing, k))) return;
  FOLDED fold = memory.strips[SCAN_PLACE(k)];
  if (has_bit(continuing, k)) memory.strips[SCAN_PLACE(k)] = fold = combine(outside->strips, fold, given);
  window_fold_next(memory.strips, k, 1 + lowest_bit(~(continuing >> k >> 1)), fold, given);
}

// What the strips of a block fold to before one that begins at the place `at` > 0 of the window, or with it.
static inline FOLDED window_strips_before(uint at, const window_before *outside, window_memory memory) {
  return at == 0 ? outside->strips : memory.strips[SCAN_PLACE((at - 1) / SCAN_STRIP)];
}

// Puts a term in front of the folds of the own elements in `which`.
INLINE void window_in_front(FOLDED *s, uint which, FOLDED term, named_values given) {
  UNROLL
  for (uint e = 0; e < WINDOW_OWN; ++e) {
    if (has_bit(which, e)) s[e] = combine(term, s[e], given);
  }
}

// Leaves the result of each own element in its place, or for an exclusive scan in the next one's, where no segment begins.
INLINE void window_leave(const ACC *results, uint segments, const window_before *outside, scan_before nothing,
                         window_memory memory) {
  const uint first = own_id_anew() * WINDOW_OWN;
  __local waiting_element *waiting = memory.waiting + SCAN_PLACE(first);
  if (IS_ON(EXCLUSIVE)) {
    const ACC at_begin = canonical(nothing.first_result);
    const uint next = first + WINDOW_OWN;
    const bool next_begins = next < WINDOW && has_bit(memory.begins[next % WINDOW / 32], next % 32);
    if (first == 0) waiting[0].result = has_bit(segments, 0) ? at_begin : outside->result;
    UNROLL
    for (uint e = 1; e < WINDOW_OWN; ++e) waiting[SCAN_PLACE(e)].result = has_bit(segments, e) ? at_begin : results[e - 1];
    memory.waiting[SCAN_PLACE(next)].result = next_begins ? at_begin : results[WINDOW_OWN - 1];
  } else {
    UNROLL
    for (uint e = 0; e < WINDOW_OWN; ++e) waiting[SCAN_PLACE(e)].result = results[e];
  }
}

// The results of the own elements, which then wait in place of the elements.
INLINE void window_results(FOLDED *s, window_own own, uint count, const window_before *outside, scan_before nothing,
                           window_memory memory, named_values given) {
  const uint first = own_id_anew() * WINDOW_OWN;
  if (first >= count) return;
  // In its strip. A run that begins behind element e has what stands before it where the runs lie that end up to e.
  FOLDED runs = memory.runs[SCAN_PLACE(max(first / SCAN_RUN, 1u) - 1)], next = runs;
  const __local FOLDED *own_runs = memory.runs + SCAN_PLACE(first / SCAN_RUN);
  const uint run_begins = anew(own.runs);
  UNROLL
  for (uint e = 0; e < WINDOW_OWN; ++e) {
    if (e % SCAN_RUN == 1 % SCAN_RUN) next = own_runs[SCAN_PLACE(e / SCAN_RUN)];
    if (e > 0 && has_bit(run_begins, e)) runs = next;
    if (!has_bit(own.first_runs, e)) s[e] = combine(runs, s[e], given);
  }
  // In its block: of the segment that the first one belongs to.
  const uint entering = all_below(own.entering);
  const uint to_strip = to_unit(own.place, SCAN_STRIP);
  const uint own_strip = all_below(min(to_strip, own.entering));
  if (own.place >= SCAN_STRIP)
    window_in_front(s, own_strip, window_strips_before(first - own.place % SCAN_STRIP, outside, memory), given);
  if (to_strip < own.entering && own.place + to_strip > 0 && first + to_strip <= count)
    window_in_front(s, entering - own_strip, window_strips_before(first + to_strip, outside, memory), given);
  // In all of the segment.
  const uint behind = own.is_first ? entering : 0;
  const scan_before before_window = outside->before;
  if (before_window.has_blocks) window_in_front(s, behind, before_window.blocks, given);
  if (before_window.has_tiles) window_in_front(s, behind, before_window.tiles, given);
  if (before_window.has_stretches) window_in_front(s, behind, before_window.stretches, given);
  if (IS_ON(STARTED)) window_in_front(s, ~behind, nothing.stretches, given);
  ACC results[WINDOW_OWN];
  UNROLL
  for (uint e = 0; e < WINDOW_OWN; ++e) results[e] = canonical(s[e]);
  window_leave(results, own.segments, outside, nothing, memory);
}

INLINE void window_store(__global ACC *out, uint count, window_memory memory) {
  const uint id = own_id_anew();
  if (count == WINDOW) {
    UNROLL
    for (uint k = 0; k < WINDOW_OWN; ++k) out[k * GROUP_SIZE + id] = memory.waiting[scan_place(k * GROUP_SIZE, id)].result;
  } else {
    UNROLL
    for (uint k = 0; k < WINDOW_OWN; ++k) {
      if (k * GROUP_SIZE + id < count) out[k * GROUP_SIZE + id] = memory.waiting[scan_place(k * GROUP_SIZE, id)].result;
    }
  }
}

// How many elements of a window of `limit` are taken at once, of which the first one lies at `place` in its block and
// `more` come behind the window: whole strips of the last segment, and of the first one none behind its block, before which
// something else stands.
INLINE uint window_count(window_memory memory, uint place, uint limit, bool more) {
  const uint first = SAME_IN_LANES(memory.told[2]), last = SAME_IN_LANES(memory.told[3]), block = SCAN_BLOCK - place;
  if (min(first, limit) > block) return block;
  return more ? last + (limit - last) / SCAN_STRIP * SCAN_STRIP : limit;
}

// Stores the results of a window, before which `outside` stands, of at most `limit` elements, behind which there are `more`
// of this group. Gives of how many; `outside` is then what stands before the next. All must call, behind a barrier; ends
// with one.
INLINE uint scan_window(scan_begins begins, const __global STORED *x, __global ACC *out, ulong at, uint limit, bool more,
                        window_before *outside, scan_before nothing, window_memory memory, named_values given) {
  window_load(begins, x, at, limit, memory);
  const uint words = SAME_IN_LANES(memory.told[0]);
  if ((memory.begins[0] & 1) != 0) {
    outside->begin = at;
    outside->has_strips = false;
    outside->before = nothing;
  }
  const ulong in_segment = at - outside->begin;
  const uint place = (uint)(in_segment % SCAN_BLOCK);
  const uint count = SAME_IN_LANES(window_count(memory, place, limit, more));
  const window_own own = window_own_elements(memory, words, place);
  FOLDED s[WINDOW_OWN];
  window_fold_runs(s, own, in_segment - place, memory, given);
  GROUP_BARRIER();
  window_fold_strips(own, words, count, memory, given);
  GROUP_BARRIER();
  const uint strips = SAME_IN_LANES(memory.told[1]);
  if (strips != 0) {
    window_fold_blocks(outside, strips, memory, given);
    GROUP_BARRIER();
  }
  window_results(s, own, count, outside, nothing, memory, given);
  // What stands before the next one: nothing where a segment begins there.
  const uint begin = SAME_IN_LANES(memory.told[3]);
  if ((more || count < limit) && begin != count) {
    if (begin > 0 && begin < count) {
      outside->begin = at + begin;
      outside->before = nothing;
    }
    const ulong behind = at + count - outside->begin;
    const FOLDED fold = memory.strips[SCAN_PLACE((count - 1) / SCAN_STRIP)];
    outside->has_strips = behind % SCAN_BLOCK > 0;
    if (outside->has_strips)
      outside->strips = fold;
    else
      segment_carry_block(&outside->before, (uint)(behind / SCAN_BLOCK - 1), fold, given);
  }
  GROUP_BARRIER();
  if (IS_ON(EXCLUSIVE)) outside->result = memory.waiting[SCAN_PLACE(count)].result;
  window_clear(memory);
  window_store(out, count, memory);
  GROUP_BARRIER();
  return count;
}
