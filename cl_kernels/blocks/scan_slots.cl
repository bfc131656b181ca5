// Scans of several segments at a time: a block has room for SCAN_STRIPS strips, and each of them may be one of another
// segment. So a group takes segments of a few strips together, in the time of one.

// Strips that wait in local memory: where their segments begin, their numbers in these, and their elements. Then how many
// there are, and how many segments have got theirs.
typedef struct {
  __local ulong *begins;
  __local uint *places;
  __local uint *counts;
  __local uint *taken;
} scan_slots;

#define SCAN_SLOTS(name)                   \
  __local ulong name##_begins[SCAN_STRIPS];  \
  __local uint name##_places[SCAN_STRIPS]; \
  __local uint name##_counts[SCAN_STRIPS]; \
  __local uint name##_taken[2];            \
  const scan_slots name = {name##_begins, name##_places, name##_counts, name##_taken}

// Work-item 0 gives slots to as many segments as have room, from entry `done` on. None has more than a block.
INLINE void scan_fill_slots(scan_slots slots, segments_waiting waiting, uint done, uint all) {
  uint taken = 0;
  bool fits = true;
  while (done < all && fits) {
    const uint length = (uint)waiting.lengths[done];
    const uint strips = (length + SCAN_STRIP - 1) / SCAN_STRIP;
    fits = taken + strips <= SCAN_STRIPS;
    if (fits) {
      for (uint k = 0; k < strips; ++k) {
        slots.begins[taken + k] = waiting.begins[done];
        slots.places[taken + k] = k;
        slots.counts[taken + k] = min(length - k * SCAN_STRIP, (uint)SCAN_STRIP);
      }
      taken += strips;
      ++done;
    }
  }
  slots.taken[0] = taken;
  slots.taken[1] = done;
}

// Stores the results of the strips in the first `taken` > 0 slots, before whose segments `outside` stands. All work-items
// must call. Begins behind a barrier and ends with one.
INLINE void scan_give_slots(const __global STORED *x, __global ACC *out, scan_slots slots, uint taken, scan_memory memory,
                            scan_before outside, named_values given) {
  const uint id = own_id_anew();
  FOLDED s[SCAN_HELD][SCAN_RUN];
  // Without a test between the loads, so that all are in flight together: in place of a run that does not exist, the first
  // element of its strip, or of the first strip, is loaded.
  UNROLL
  for (uint k = 0; k < SCAN_HELD; ++k) {
    const uint run = k * GROUP_SIZE + id, slot = run / SCAN_RUNS < taken ? run / SCAN_RUNS : 0;
    const uint own = scan_count_of_run(slots.counts[slot], run % SCAN_RUNS);
    const ulong i = (ulong)slots.places[slot] * SCAN_STRIP + (own > 0 ? run % SCAN_RUNS * SCAN_RUN : 0);
    scan_load_part(s[k], x + slots.begins[slot] + i, i, max(own, 1u), given);
  }
  UNROLL
  for (uint k = 0; k < SCAN_HELD; ++k) {
    scan_run(s[k], given);
    memory.runs[scan_place(k * GROUP_SIZE, id)] = s[k][SCAN_RUN - 1];
  }
  GROUP_BARRIER();
  for (uint slot = id; slot < taken; slot += GROUP_SIZE)
    memory.strips[SCAN_PLACE(slot)] =
        scan_unit_before(memory.runs, slot * SCAN_RUNS, (slots.counts[slot] + SCAN_RUN - 1) / SCAN_RUN, given);
  GROUP_BARRIER();
  for (uint slot = id; slot < taken; slot += GROUP_SIZE) {
    if (slots.places[slot] == 0) {
      uint strips = 1;
      while (slot + strips < taken && slots.places[slot + strips] == strips) ++strips;
      scan_unit_before(memory.strips, slot, strips, given);
    }
  }
  GROUP_BARRIER();
  UNROLL
  for (uint k = 0; k < SCAN_HELD; ++k) {
    const uint run = k * GROUP_SIZE + id, slot = run / SCAN_RUNS;
    const uint own = slot < taken ? scan_count_of_run(slots.counts[slot], run % SCAN_RUNS) : 0;
    if (own > 0) {
      const uint place = slots.places[slot];
      scan_terms terms;
      terms.has_runs = run % SCAN_RUNS > 0;
      terms.has_strips = place > 0;
      terms.has_blocks = false;
      if (terms.has_runs) terms.runs = memory.runs[scan_place(k * GROUP_SIZE, id)];
      if (terms.has_strips) terms.strips = memory.strips[SCAN_PLACE(slot)];
      scan_run_in_tile(s[k], terms, given);
      scan_stage(memory.staged, run * SCAN_RUN, s[k], place * SCAN_RUNS + run % SCAN_RUNS, own, outside, given);
    }
  }
  GROUP_BARRIER();
  UNROLL_BY(4)
  for (uint i = id; i < taken * SCAN_STRIP; i += GROUP_SIZE) {
    const uint slot = i / SCAN_STRIP, own = i % SCAN_STRIP;
    if (own < slots.counts[slot])
      out[slots.begins[slot] + slots.places[slot] * SCAN_STRIP + own] = memory.staged[SCAN_PLACE(i)];
  }
  GROUP_BARRIER();
}
