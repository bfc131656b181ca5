// select and what finds runs by it: the elements that a predicate, a flag or the element before them keeps, side by side in
// their order. Plans and arguments: lib/primitives/select.cpp, reduce_by_key.cpp and scan_by_key.cpp.
//
// Of runs of equal neighbours, which the element before decides, what goes with each kept one is stored, too: the value of
// a key, the run's length, where it begins, or the fold of all its values. The group that holds the head of the next run
// stores a run's length or fold.
//
// In one pass: a group loads its tile, posts how many of its elements are kept, puts these side by side in local memory,
// looks back for how many the tiles before it keep, and stores them; and, where the others have an output of their own,
// those, behind all that the tiles before it do not keep. Where groups cannot send messages, three launches: counts of all
// tiles, their sums, results.
//
// A partition into three outputs has two counts of each tile, and messages have both: select_three.cl.
//
// A partition into one output must know how many are kept in all before it stores the first of the others. Two launches, and
// no messages: groups count a share of the tiles each; then each stores a tile. Of few tiles, whose groups run together, one
// pass: a group looks back for what all tiles keep, too.

// A launch has one tile at least: where the count on the device is 0, its group stores that nothing is kept.
static inline uint select_tiles(ulong end) {
  if (IS_COUNTED) end = max(end, (ulong)1);
  return (uint)((end + SELECT_TILE - 1) / SELECT_TILE);
}

enum { STORES_OTHERS = IS_ON(SPLIT) | IS_ON(OTHERS_OUT) };

// Of short runs a group loads the values while it looks back.
INLINE void select_load_beside(select_held *held, select_outputs to, select_input in, uint tile, uint count) {
#ifdef FOLDS_RUNS
  if (runs_are_short(count) && runs_fill(in, tile)) runs_load(held, to.folds.values, tile);
#endif
}
