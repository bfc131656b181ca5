// select: what its programs are built from, and what its calls are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <clwave/select.hpp>

#include "call/description.hpp"
#include "program/program.hpp"

namespace clwave::detail {

// How groups of one launch tell each other what they keep.
struct select_messages {
  bool one_pass = false;           // they send messages
  bool in_order_of_start = false;  // groups take tiles as they start
  unsigned count_words = 1;        // of a message of a selection
  unsigned looks = 0, first_pause = 0, next_pause = 0;
};
select_messages messages_for(const target& on, std::uint64_t n);
void add_messages(program_spec& spec, const select_messages& messages);

// On a CPU: a tile that stays in a core's own caches. Processor time of copy_if, PoCL, 1e8 floats of which 50
// % are kept, 2026-11: 0.98 ns an element; with 16 KiB 1.10.
inline constexpr std::uint64_t cpu_tile_bytes = 64 << 10;

// The elements of a work-item of a GPU: as many, or as many bytes. Each has a bit in one word.
unsigned elements_of_item(std::size_t size, unsigned items);

// The operator that compares neighbours: the caller's, or == where there is none.
const op& equality_of(const element& value, const op* same);
// Throws bad_call where neighbours cannot be compared so.
void check_equality(std::string_view primitive, const target& on, const element& value, const op* same);

struct select_variant {
  static constexpr std::string_view primitive = "select";
  select_kind kind = select_kind::copy_if;
  const element* value = nullptr;
  // The type of flags, of the values of unique_by_key, or of lengths; of the others the value's.
  const element* beside = nullptr;
  const map* predicate = nullptr;
  const op* same = nullptr;
  select_messages messages = {};
  unsigned group_size = 1;
  unsigned items = 1;         // packets of a work-item
  unsigned vector = 1;        // neighbouring elements loaded as one packet
  bool by_element = false;    // a structure that lies at less than its size: member by member
  bool flag_packets = false;  // the flags of a packet are loaded by one access
};

program_spec spec_of(const select_variant& v);

described<select_variant> describe(const select_question& q, const target& on);

}  // namespace clwave::detail
