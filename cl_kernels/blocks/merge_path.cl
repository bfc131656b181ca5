// Merge path: two sorted lists merged in pieces, each of which can be made alone.
//
// A merge is a path through a grid: a step to the right takes the next element of `a`, a step down the next one of `b`.
// Diagonal d has the points at which d elements have been taken, from both lists together. Its cut says how many of these are of
// `a`, where the path crosses it: a binary search along the diagonal finds it. Between the cuts of two diagonals lies a piece of
// the result.
// (Green, McColl and Bader, "GPU Merge Path: A GPU Merging Algorithm", 2012.)
//
//              a:    1   4   5   8
//                  *---*   .   .   /
//       b:   2         |                 The path of the result 1 2 3 4 5 6 7 8. Diagonal 4, marked by `/`, crosses it at `#`:
//                  .   *   .   /   .     of the first 4 elements of the result 2 are of `a`, which is the diagonal's cut. The
//            3         |                 piece from diagonal 4 to the end merges 5 8 of `a` with 6 7 of `b`.
//                  .   *---#---*   .
//            6                 |
//                  .   /   .   *   .
//            7                 |
//                  /   .   .   *---*
//
// All elements go into the result once if, from each cut to the next, neither list goes back. Searches find such cuts where
// the lists are sorted by an order. By an operator that contradicts itself, or in lists that are not sorted, each search
// still ends and stays in the lists, but the cuts of two diagonals may disagree: no piece lies between them. So cuts that were
// searched for are used only if all of them are known to agree:
// - On a GPU a launch of its own finds the cuts of all tiles and compares neighbours. If any two disagree, every tile uses other
//   cuts instead, which always agree: those of all of `a` before all of `b` (merge_other_cut).
// - Work-items that merge a tile in local memory use their cuts and compare them afterwards. If any two disagree, they merge the
//   tile again: all of `a` before all of `b`, or in a sort the run's keys as they were loaded (merge_tile.cl, merge_runs.cl).
// - In a merge of few tiles (FEW_TILES, at most one for each work-item of a group) each group finds the cuts of all tiles and
//   compares them.
// - Where groups or a CPU's work-items must agree without comparing (merge_runs.cl, merge_serial.cl), cuts are found by halving:
//   that of the middle diagonal first, then those of each half's middle. Each search stays between the cuts of its half's ends,
//   so no cut goes back, and all who search for a cut take the same steps.
// A piece is bounded by its cuts in both lists, and takes from the other list where one has come to its bound.

enum { MERGE_TILE = GROUP_SIZE * ITEMS };

// The elements of a list from `begin` to before `end`.
typedef struct {
  ulong begin, end;
} merge_part;

// Whether searches may find cuts that disagree: not if the keys are numbers, whose order is known, in runs that this sort made.
enum { MERGE_CUTS_MAY_DISAGREE = KEYS_BY_TEXT | !IS_ON(SORTS_RUNS) };

// A GPU waits long for what it loads, so each step asks in several places at once, by loads that do not wait for one another.
// Along the diagonal the answers change once; how many say "the cut is behind here" gives the interval of the next step.
enum { MERGE_ASKED = IS_ON(KEY_IS_STRUCTURE) ? 1 : 3 };  // compilers keep an array of structures in memory

// The cut of a diagonal: how many of the first `diagonal` elements of the result are of `a`. Of equals these come first.
INLINE ulong merge_path(const __global KEY *a, ulong a_n, const __global KEY *b, ulong b_n, ulong diagonal, named_values given) {
  ulong low = diagonal - min(diagonal, b_n), high = min(diagonal, a_n);
  // A CPU's work-item only halves.
  while (GROUP_SIZE > 1 ? high - low >= 1u << 31 : low < high) {
    const ulong middle = low + (high - low) / 2;
    if (comes_before(key_at(b + (diagonal - 1 - middle)), key_at(a + middle), given))
      high = middle;
    else
      low = middle + 1;
  }
  if (GROUP_SIZE == 1) return low;
  // What is left is counted in 32 bits, from the places that an answer of `low` compares. With 64 there are too few registers
  // for loads of 8 bytes that do not wait for one another.
  const __global KEY *at_a = a + low, *at_b = b + (diagonal - 1 - low);
  uint left = (uint)(high - low);
  while (left > 0) {
    const uint step = left / (MERGE_ASKED + 1) + 1;
    KEY_LOADED of_a[MERGE_ASKED], of_b[MERGE_ASKED];
    UNROLL
    for (uint k = 0; k < MERGE_ASKED; ++k) {
      const uint at = min((k + 1) * step, left) - 1;
      of_a[k] = key_at(at_a + at);
      of_b[k] = key_at(at_b - at);
    }
    uint behind = 0;
    UNROLL
    for (uint k = 0; k < MERGE_ASKED; ++k) {
      const bool is_behind = !comes_before(of_b[k], of_a[k], given);
      behind += is_behind && behind == k && (k + 1) * step <= left ? 1 : 0;
    }
    left = min(left, (behind + 1) * step - 1) - behind * step;
    at_a += behind * step;
    at_b -= behind * step;
  }
  return (ulong)(at_a - a);
}
// The number of a work-item's search, or ~0 if it has none. Searches are spread over many groups, SEARCHES_OF_GROUP each, since
// what they load lies far apart. A group also makes the first search of the next group, to compare its own last cut with.
static inline uint merge_own_search(void) {
  const uint id = get_local_id(0);
  return id <= SEARCHES_OF_GROUP ? (uint)get_group_id(0) * SEARCHES_OF_GROUP + id : ~0u;
}
// Whether a work-item is to store the cut that it finds.
static inline bool merge_stores_cut(void) { return get_local_id(0) < SEARCHES_OF_GROUP; }

// How many of the `searches` of a launch `n` elements need: one for each tile after the first.
static inline uint searches_before(uint searches, ulong n) {
  return units_before(searches, n - min(n, (ulong)MERGE_TILE), MERGE_TILE);
}

// Whether a launch has searched for the cuts of all tiles.
enum { MERGE_SEARCHES = (GROUP_SIZE > 1) & !IS_ON(FEW_TILES) };

// Two counters of the workspace: whether searched cuts disagree, and how many groups have taken other ones.
static inline __global uint *merge_counters(__global uchar *workspace) {
  return (__global uint *)(workspace + MERGE_COUNTERS_AT);
}

// Compares the cut of each of `searches` with the next one's, and notes in the workspace if two disagree. `goes_on`: the next
// cut is one of the same two lists. All work-items must call; `cuts` is local memory for SEARCHES_OF_GROUP + 1 cuts.
INLINE void merge_compare_cuts(__local ulong *cuts, uint search, uint searches, ulong cut, bool goes_on,
                               __global uchar *workspace) {
  const uint id = get_local_id(0);
  if (search < searches) cuts[id] = cut;
  GROUP_BARRIER();
  // If the next cut lies before this one in `a`, the difference wraps; if in `b`, more than a tile would be of `a`.
  if (merge_stores_cut() && search + 1 < searches && goes_on && cuts[id + 1] - cut > MERGE_TILE)
    atomic_or((volatile __global uint *)merge_counters(workspace), 1u);
}

// In the launches after the searches: whether cuts disagree.
static inline bool merge_cuts_disagree(const __global uchar *workspace) {
  return MERGE_SEARCHES && *(const __global uint *)(workspace + MERGE_COUNTERS_AT) != 0;
}
// In the last of these launches, if cuts disagree: each group calls this once it has read that, and the last one sets the counters
// to 0 again. All work-items must call, and only at the kernel's end: if a branch is the first to ask for get_local_id, a compiler
// may forget the range of that number, and compute every address again.
INLINE void merge_forget_cuts(__global uchar *workspace) {
  GROUP_BARRIER();
  __global uint *counters = merge_counters(workspace);
  if (get_local_id(0) == 0 && atomic_inc((volatile __global uint *)(counters + 1)) == get_num_groups(0) - 1)
    counters[0] = counters[1] = 0;
}
// The cut of a diagonal that is used instead of the one found: of all of `a` before all of `b`.
static inline ulong merge_other_cut(ulong diagonal, ulong a_n) { return min(diagonal, a_n); }

// A merge of few tiles (FEW_TILES): every group finds the cuts of all tiles, a work-item one, and compares them. Gives the part of
// `a` of the group's tile. All work-items must call. `cuts` is local memory: each tile's cut, a_n after the last one, and in the
// last word whether two disagree. `samples` is local memory for two keys of each work-item, if ITEMS > 1.
//
// The first steps of all searches compare samples, which are in local memory: the last of each `apart` keys of `a`, and the first
// of each `apart` keys of `b`. `apart` divides a tile, so each diagonal has points where both keys are samples.
enum { MERGE_CUTS_OF_ALL = GROUP_SIZE + 2 };
INLINE merge_part merge_own_part(const __global KEY *a, ulong a_n, const __global KEY *b, ulong b_n, uint tile,
                                 __local uint *cuts, __local KEY *samples, named_values given) {
  const uint id = get_local_id(0), tiles = (uint)((a_n + b_n + MERGE_TILE - 1) / MERGE_TILE);
  const uint diagonal = id * MERGE_TILE;
  uint low = diagonal - min(diagonal, (uint)b_n), high = min(diagonal, (uint)a_n);
  if (ITEMS > 1) {
    uint apart = ITEMS;
    while ((ulong)apart * GROUP_SIZE < max(a_n, b_n)) apart *= 2;
    if ((ulong)(id + 1) * apart <= a_n) samples[id] = a[(id + 1) * apart - 1];
    if ((ulong)id * apart < b_n) samples[GROUP_SIZE + id] = b[id * apart];
    GROUP_BARRIER();
    if (id < tiles) {
      const uint of_diagonal = diagonal / apart;
      uint before = 0;  // samples
      for (uint step = GROUP_SIZE; step > 0; step /= 2) {
        const uint asked = before + step;
        bool is_behind = asked * apart <= low;
        if (!is_behind && asked * apart <= high)
          is_behind =
            !comes_before(KEY_READ(samples[GROUP_SIZE + of_diagonal - asked]), KEY_READ(samples[asked - 1]), given);
        before = is_behind ? asked : before;
      }
      low = max(low, before * apart);
      high = min(high, before * apart + apart - 1);
    }
  }
  if (id < tiles) cuts[id] = low + (uint)merge_path(a + low, high - low, b + (diagonal - high), high - low, high - low, given);
  if (id == 0) {
    cuts[tiles] = (uint)a_n;
    cuts[GROUP_SIZE + 1] = 0;
  }
  GROUP_BARRIER();
  if (id < tiles && cuts[id + 1] - cuts[id] > MERGE_TILE) cuts[GROUP_SIZE + 1] = 1;
  GROUP_BARRIER();
  merge_part own = {cuts[tile], cuts[tile + 1]};
  if (cuts[GROUP_SIZE + 1] != 0) {
    own.begin = merge_other_cut((ulong)tile * MERGE_TILE, a_n);
    own.end = merge_other_cut(min(((ulong)tile + 1) * MERGE_TILE, a_n + b_n), a_n);
  }
  return own;
}

// Returns from a group whose tile begins after the last element, as there may be if n lies on the device (count.cl). If cuts
// disagree, it is counted with all others first.
#define MERGE_RETURN_BEHIND(begin, n)                                    \
  if (IS_COUNTED && (begin) >= (n)) {                                    \
    if (merge_cuts_disagree(workspace)) merge_forget_cuts(workspace);    \
    return;                                                              \
  }

// Cuts by halving. The merge's first result is element `number` of a longer array (0 if there is none), and lines are the
// diagonals at multiples of `each` in that array. The first line is the last one at or before the merge's begin, and the last
// line the first one at or after its end; both have the cuts of the merge's own ends.
typedef struct {
  const __global KEY *a, *b;
  ulong a_n, b_n, number, each;
} merge_divided;
static inline ulong merge_first_line(merge_divided m) { return m.number / m.each; }
static inline ulong merge_last_line(merge_divided m) { return (m.number + m.a_n + m.b_n + m.each - 1) / m.each; }
static inline ulong merge_diagonal(merge_divided m, ulong line) {
  return min(max(line * m.each, m.number), m.number + m.a_n + m.b_n) - m.number;
}

// What lies between two lines whose cuts are known.
typedef struct {
  ulong from, to;    // the lines
  merge_part of_a;   // their cuts
} merge_stretch;
static inline ulong merge_middle(merge_stretch s) { return s.from + (s.to - s.from) / 2; }

// merge_path by all work-items of a group, each of which compares at one point in each step. All must call; all get the cut.
// `found` is a word of local memory.
INLINE ulong merge_path_together(const __global KEY *a, ulong a_n, const __global KEY *b, ulong b_n, ulong diagonal,
                                 __local uint *found, named_values given) {
  const uint id = get_local_id(0);
  ulong low = diagonal - min(diagonal, b_n), high = min(diagonal, a_n);
  while (low < high) {
    const ulong step = (high - low) / (GROUP_SIZE + 1) + 1, asked = low + (id + 1) * step;
    const uint places = (uint)((high - low) / step);  // GROUP_SIZE at most
    if (id == 0) *found = places;
    GROUP_BARRIER();
    if (id < places && comes_before(key_at(b + (diagonal - asked)), key_at(a + (asked - 1)), given)) atomic_min(found, id);
    GROUP_BARRIER();
    const uint behind = SAME_IN_LANES(*found);
    GROUP_BARRIER();
    high = min(high, low + (behind + 1) * step - 1);
    low += behind * step;
  }
  return low;
}

// The cut of a line inside a stretch. `found`: a word of local memory, if a group has several work-items.
INLINE ulong merge_cut_within(merge_divided m, merge_stretch s, ulong line, __local uint *found, named_values given) {
  const ulong before = merge_diagonal(m, s.from), diagonal = merge_diagonal(m, line) - before;
  const ulong a_n = s.of_a.end - s.of_a.begin;
  const ulong b_begin = before - s.of_a.begin, b_n = merge_diagonal(m, s.to) - s.of_a.end - b_begin;
  const __global KEY *a = m.a + s.of_a.begin, *b = m.b + b_begin;
  return s.of_a.begin + (GROUP_SIZE > 1 ? merge_path_together(a, a_n, b, b_n, diagonal, found, given)
                                        : merge_path(a, a_n, b, b_n, diagonal, given));
}
