// A tile of a selection in local memory: what the ways of a CPU and of a GPU share.
//
// A lane set takes neighbouring elements of the tile (select_load.cl), so the kept ones of a set lie side by side, too. On a
// CPU, a work-item takes the whole tile.

// The index in the tile of each kept element is noted if more than the elements themselves is stored (KEEPS_PLACES).
typedef char a_place_has_16_bits[IS_ON(KEEPS_PLACES) * SELECT_TILE <= 65536 ? 1 : -1];

// A row is what a lane set loads at once, a packet a lane. SELECT_WORDS words of each set count what its rows keep.
#if GROUP_SIZE == 1
enum { SELECT_SETS = 1, SELECT_WORDS = 1 };
#else
enum {
  SELECT_SETS = GROUP_SIZE / LANES,
  // One word has the counts of SELECT_ROWS rows, SELECT_BITS bits each.
  SELECT_BITS = SELECT_ROW <= 255 ? 8 : 16,
  SELECT_MOST = (1 << SELECT_BITS) - 1,
  SELECT_ROWS = 32 / SELECT_BITS,
  // With packets of 4, two words have the counts of 8 neighbouring rows: of even rows the first, of odd ones the second.
  SELECT_COUNTS_NIBBLES = (SELECT_BITS == 8) & (KEPT_VECTOR == 4),
  SELECT_WORDS = SELECT_COUNTS_NIBBLES ? (KEPT_ITEMS + 7) / 8 * 2 : (KEPT_ITEMS + SELECT_ROWS - 1) / SELECT_ROWS
};
#endif

// The room for kept elements; if runs are folded, the values of the tile lie there later, with gaps, so that words of neighbouring
// runs are in different banks of local memory.
enum {
  RUN_LINE = VALUE_BYTES < 128 ? 128 / VALUE_BYTES : 1,
  RUN_GAP = VALUE_BYTES < 4 ? 4 / VALUE_BYTES : 1,
  STAGES_RUNS = IS_ON(FOLDS_RUNS) & (GROUP_SIZE > 1),
  RUN_BYTES = STAGES_RUNS ? (SELECT_TILE + (SELECT_TILE - 1) / RUN_LINE * RUN_GAP) * VALUE_BYTES : 1,
  SELECT_ROOM = (RUN_BYTES + KEPT_BYTES - 1) / KEPT_BYTES > SELECT_TILE ? (RUN_BYTES + KEPT_BYTES - 1) / KEPT_BYTES : SELECT_TILE,
  SELECT_ALIGNED = STAGES_RUNS ? 128 : __alignof__(KEPT)
};

typedef struct {
  __local KEPT *elements;
  __local ushort *places;     // of the kept elements, where they are noted
  __local uint *last;         // the index in the tile of the last kept one (TELLS_LAST)
  __local uint *rows;         // of each set: the counts of its rows
  __local uint *second_rows;  // and of a partition into three, those of its second ones
  __local uint *sets;         // the count of each set
  __local uint *exchange;     // a word for each work-item, where lanes exchange through local memory
} select_memory;
// What a program has no use for, its compiler leaves out.
#define SELECT_MEMORY(name)                                                                     \
  __local KEPT name##_elements[SELECT_ROOM] __attribute__((aligned(SELECT_ALIGNED)));           \
  __local ushort name##_places[IS_ON(KEEPS_PLACES) ? SELECT_TILE : 1];                          \
  __local uint name##_last[1], name##_rows[SELECT_SETS * SELECT_WORDS], name##_sets[SELECT_SETS]; \
  __local uint name##_second_rows[IS_ON(THREE_WAYS) ? SELECT_SETS * SELECT_WORDS : 1];          \
  __local uint name##_exchange[EXCHANGE_WORDS];                                                 \
  const select_memory name = {name##_elements,    name##_places, name##_last,    name##_rows,   \
                              name##_second_rows, name##_sets,   name##_exchange}

// How many lanes come before the first one whose result begins a line of memory, if results are stored from `to` on.
#define SELECT_SKEW(to) ((uint)((size_t)(to) / sizeof(*(to)) % LANES))

#ifndef FOLDS_RUNS
// Nothing is held: what goes with kept elements is loaded once it is known where they go.
typedef struct {
  uint unused;
} select_held;
#endif

// What one tile that is counted keeps.
static inline kept_of_tiles select_kept_of(select_input in, uint tile, uint count, select_memory memory) {
  return kept_of_tile(count, IS_ON(TELLS_LAST) && count > 0 ? (ulong)tile * SELECT_TILE + *memory.last - in.head + 1 : 0);
}

// Whether the input ends in the tile.
static inline bool select_is_last(select_input in, uint tile) { return in.end <= (ulong)(tile + 1) * SELECT_TILE; }
