// Bins between edges that are a table in the keys' type: a key's bin is searched for.

#define BINS_ARGUMENTS , uint bins, const __global KEY *edges, ulong edges_offset, uint reached

typedef struct {
  uint bins;
  const __global KEY *edges;
  uint reached;  // edges; the ones behind them are larger than any key
  const __local ordered_key *held;  // every `step`-th edge, where a group has local memory of its own
  uint step;
} bin_rule;

// An edge of 0 has -0 in the bin that it begins.
INLINE ordered_key edge_at(const __global KEY *edges, uint k) {
  KEY edge = edges[k];
  if (KEY_IS_FLOAT && edge == 0) edge = KEY_SIGN(KEY);
  return key_ordered(edge);
}

// Edges that wait in local memory, where the first steps of a search are made.
enum { EDGES_HELD = GROUP_SIZE > 1 ? 1024 : 1 };

#define BIN_RULE(rule)                                                                \
  __local ordered_key held_edges[EDGES_HELD];                                         \
  bin_rule rule = {bins, edges + edges_offset, reached, held_edges, 1};               \
  if (GROUP_SIZE > 1) {                                                               \
    while ((reached - 1) / rule.step >= EDGES_HELD) rule.step *= 2;                   \
    for (uint k = get_local_id(0); k <= (reached - 1) / rule.step; k += GROUP_SIZE)   \
      held_edges[k] = edge_at(rule.edges, k * rule.step);                             \
    GROUP_BARRIER();                                                                  \
  }

INLINE uint bin_of(KEY bits, bin_rule rule) {
  const ordered_key key = key_ordered(bits);
  // How many edges are not above the key; first in which step of the table, then there.
  uint begin = 0, count = rule.reached;
  if (GROUP_SIZE > 1) {
    count = (rule.reached - 1) / rule.step + 1;
    while (count > 0) {
      const uint middle = begin + count / 2;
      const bool above = rule.held[middle] > key;
      begin = above ? begin : middle + 1;
      count = above ? count / 2 : count - count / 2 - 1;
    }
    if (rule.step > 1 && begin > 0) {
      const uint end = min(begin * rule.step, rule.reached);
      begin = (begin - 1) * rule.step + 1;
      count = end - begin;
    }
  }
  while (count > 0) {
    const uint middle = begin + count / 2;
    const bool above = edge_at(rule.edges, middle) > key;
    begin = above ? begin : middle + 1;
    count = above ? count / 2 : count - count / 2 - 1;
  }
  // A NaN is above all edges.
  return begin == 0 || begin > rule.bins ? NO_BIN : begin - 1;
}
