// Decoupled look-back for digits: where a tile's keys of each digit go, from the messages of the groups that have the tiles before.
//
// As in look_back.cl, a group looks for messages a limited number of times, then counts a tile that is missing itself and posts the
// counts, so the call ends whatever the device does. (Adinets and Merrill, "Onesweep", 2022, for one message of each digit.)

// Each tile has a message for each digit, a word of 32 bits (SHORT_MESSAGES) or 64:
//
//   two highest bits   in even launches   in odd launches   the other bits
//   of_tile            1                  3                 how many keys of the digit this tile has (aggregate)
//   of_all             2                  0                 where the digit's first key after this tile goes (inclusive prefix)
//   message is absent  0 or 3             1 or 2            unused
//
// Before the first launch, an even one, all words are 0. In each later launch a word still has a state of the launch before until
// its message is there; only the last tile may have left none, but no group reads its messages.
#ifdef SHORT_MESSAGES
typedef uint digit_message;
static inline void write_digit(__global digit_message *to, digit_message word) { message_write_32(to, word); }
static inline digit_message read_digit(__global digit_message *from) { return message_read_32(from); }
#else
typedef ulong digit_message;
static inline void write_digit(__global digit_message *to, digit_message word) { message_write(to, word); }
static inline digit_message read_digit(__global digit_message *from) { return message_read(from); }
#endif
enum { DIGIT_STATE_AT = sizeof(digit_message) * 8 - 2 };
typedef struct {
  __global digit_message *messages;
  uint of_tile, of_all;  // states
} digit_messages;

static inline digit_messages messages_of_launch(__global uchar *messages, uint pass) {
  const digit_messages posted = {(__global digit_message *)messages, pass % 2 == 0 ? 1 : 3, pass % 2 == 0 ? 2 : 0};
  return posted;
}

static inline void post_digit(digit_messages posted, uint tile, uint digit, COUNT count, bool counts_all) {
  write_digit(posted.messages + (ulong)tile * SORT_DIGITS + digit,
              (digit_message)(counts_all ? posted.of_all : posted.of_tile) << DIGIT_STATE_AT | count);
}

// How many messages are read at a time.
enum { LOOK_AHEAD = 4 };

// Adds to `before` how many keys of a digit the tiles before `far` have, and where the digit begins, looking `looks` times for
// missing messages. Gives 0 if all are there, else the number of the tile after the one whose message is missing.
INLINE uint look_back_digits(COUNT *before, uint far, digit_messages posted, uint digit, uint looks) {
  for (uint looked = 0; far != 0 && looked < looks;) {
    digit_message words[LOOK_AHEAD];
    UNROLL
    for (uint a = 0; a < LOOK_AHEAD; ++a)
      words[a] = read_digit(posted.messages + (ulong)(far - 1 - min(a, far - 1)) * SORT_DIGITS + digit);
    bool there = true;
    UNROLL
    for (uint a = 0; a < LOOK_AHEAD; ++a) {
      const uint state = (uint)(words[a] >> DIGIT_STATE_AT);
      there = there && far != 0 && (state == posted.of_tile || state == posted.of_all);
      if (there) {
        *before += (COUNT)(words[a] & (((digit_message)1 << DIGIT_STATE_AT) - 1));
        far = state == posted.of_all ? 0 : far - 1;
      }
    }
    if (!there && far != 0) {
      ++looked;
      if (looked < looks) pause_for(looked == 1 ? FIRST_PAUSE : NEXT_PAUSE);
    }
  }
  return far;
}

// Counts the digits of a tile whose group has not posted them, and posts the counts. `counts`: a word for each digit, whose old
// value is not needed. All work-items must call, after a barrier. Ends with a barrier.
INLINE void sort_count_missing(digit_messages posted, uint tile, const __global KEY *keys, uint shift, uint mask,
                               const __global COUNT *totals, __local uint *counts, sort_memory memory) {
  const uint id = own_id_anew();
  for (uint d = id; d < SORT_DIGITS; d += GROUP_SIZE) counts[d] = 0;
  GROUP_BARRIER();
  // A tile before another is whole.
  const __global KEY *from = keys + (ulong)tile * SORT_TILE;
  for (uint i = id; i < SORT_TILE; i += GROUP_SIZE) atomic_inc(counts + sort_digit(from[i], shift, mask));
  COUNT starts[SORT_EACH];
  UNROLL
  for (uint e = 0; e < SORT_EACH; ++e) starts[e] = 0;
  if (tile == 0) sort_digit_starts(starts, totals, memory);
  GROUP_BARRIER();
  UNROLL
  for (uint e = 0; e < SORT_EACH; ++e) {
    const uint digit = id * SORT_EACH + e;
    if (digit < SORT_DIGITS) post_digit(posted, tile, digit, starts[e] + counts[digit], tile == 0);
  }
  GROUP_BARRIER();
}
