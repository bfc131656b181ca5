// Merges by the work-items of a CPU: the share of each, its piece of two sorted lists (merge_path.cl), and how one goes
// through it.

// A result of `n` elements in a share for each work-item: how many each has, but the last ones, which have fewer or none; and
// this work-item's own.
static inline ulong merge_share(ulong n) { return (n + get_num_groups(0) - 1) / get_num_groups(0); }
static inline own_units merge_own_share(ulong n) {
  const ulong each = merge_share(n);
  const own_units own = {min(get_group_id(0) * each, n), min((get_group_id(0) + 1) * each, n)};
  return own;
}

// The cut of a line of a stretch, of which it leaves what was halved last.
INLINE ulong merge_halve_to(merge_divided m, merge_stretch *s, ulong line, named_values given) {
  while (s->from < line && line < s->to) {
    const ulong middle = merge_middle(*s), cut = merge_cut_within(m, *s, middle, 0, given);
    if (line < middle) {
      s->to = middle;
      s->of_a.end = cut;
    } else {
      s->from = middle;
      s->of_a.begin = cut;
    }
  }
  return line == s->from ? s->of_a.begin : s->of_a.end;
}

// The piece between two lines: its part of `a`.
INLINE merge_part merge_piece_between(merge_divided m, ulong from, ulong to, named_values given) {
  const merge_stretch whole = {merge_first_line(m), merge_last_line(m), {0, m.a_n}};
  merge_stretch s = whole;
  merge_part piece;
  piece.begin = merge_halve_to(m, &s, from, given);
  if (s.to < to) s = whole;
  piece.end = merge_halve_to(m, &s, to, given);
  return piece;
}

// Merges of a CPU's work-item: the elements of `a` in one part and of `b` in another, to `out` from number `at` on.
//
// A step waits for the one before, which decides from where it takes; so MERGE_STRANDS strands run at a time, each with a piece of
// the result (of 1 to 8 strands, 1 and 2 were clearly slower: tools/results/kernels-notes.txt). No branch depends on the result of
// a comparison, which no processor predicts.
enum { MERGE_STRANDS = 4, MERGE_LEAST_STRAND = 64 };

typedef struct {
  ulong i, j, at, i_end, j_end;
} merge_strand;

// Two sorted lists and where their merge goes, and likewise what goes with the keys.
typedef struct {
  const __global KEY *a, *b;
  __global KEY *out;
  carried_from a_values, b_values;
  carried_to values_out;
} merge_places;

INLINE void merge_carried(carried_from from, ulong i, carried_to to, ulong at) {
  for (uint part = 0; part < CARRIED_WORDS; ++part) to[at * CARRIED_WORDS + part] = from[i * CARRIED_WORDS + part];
}

INLINE void merge_step(merge_places in, merge_strand *s, named_values given) {
  const bool takes_b = comes_before(key_at(in.b + s->j), key_at(in.a + s->i), given);
  in.out[s->at] = takes_b ? in.b[s->j] : in.a[s->i];
  merge_carried(takes_b ? in.b_values : in.a_values, takes_b ? s->j : s->i, in.values_out, s->at);
  s->j += takes_b ? 1 : 0;
  s->i += takes_b ? 0 : 1;
  ++s->at;
}

// So many steps leave neither part of a strand.
static inline ulong merge_sure_steps(merge_strand s) { return min(s.i_end - s.i, s.j_end - s.j); }

INLINE void merge_one_strand(merge_places in, merge_strand s, named_values given) {
  for (ulong steps = merge_sure_steps(s); steps > 0; steps = merge_sure_steps(s)) {
    for (; steps > 0; --steps) merge_step(in, &s, given);
  }
  for (; s.i < s.i_end; ++s.i, ++s.at) {
    in.out[s.at] = in.a[s.i];
    merge_carried(in.a_values, s.i, in.values_out, s.at);
  }
  for (; s.j < s.j_end; ++s.j, ++s.at) {
    in.out[s.at] = in.b[s.j];
    merge_carried(in.b_values, s.j, in.values_out, s.at);
  }
}

INLINE void merge_serially(merge_places in, merge_part of_a, merge_part of_b, ulong at, named_values given) {
  const ulong a_n = of_a.end - of_a.begin, b_n = of_b.end - of_b.begin;
  merge_strand strands[MERGE_STRANDS];
  strands[0].i = of_a.begin;
  strands[0].j = of_b.begin;
  strands[0].at = at;
  for (uint k = 0; k < MERGE_STRANDS; ++k) {
    strands[k].i_end = of_a.end;
    strands[k].j_end = of_b.end;
  }
  const bool several = a_n + b_n >= MERGE_STRANDS * MERGE_LEAST_STRAND;
  if (several) {
    const ulong each = (a_n + b_n) / MERGE_STRANDS;
    for (uint k = 1; k < MERGE_STRANDS; ++k) {
      // No cut goes back behind the one before it, nor further than its strand is long.
      const ulong found = of_a.begin + merge_path(in.a + of_a.begin, a_n, in.b + of_b.begin, b_n, k * each, given);
      strands[k].i = strands[k - 1].i_end = max(strands[k - 1].i, min(found, strands[k - 1].i + each));
      strands[k].j = strands[k - 1].j_end = strands[k - 1].j + (each - (strands[k].i - strands[k - 1].i));
      strands[k].at = strands[k - 1].at + each;
    }
    for (;;) {
      ulong steps = merge_sure_steps(strands[0]);
      UNROLL
      for (uint k = 1; k < MERGE_STRANDS; ++k) steps = min(steps, merge_sure_steps(strands[k]));
      if (steps == 0) break;
      for (; steps > 0; --steps) {
        UNROLL
        for (uint k = 0; k < MERGE_STRANDS; ++k) merge_step(in, &strands[k], given);
      }
    }
  }
  for (uint k = 0; k < (several ? MERGE_STRANDS : 1); ++k) merge_one_strand(in, strands[k], given);
}
