// copy and fill: what their programs are built from, and what their descriptions share.
#pragma once

#include <cstdint>
#include <string_view>

#include <clwave/copy.hpp>
#include <clwave/element.hpp>

#include "call/description.hpp"
#include "program/program.hpp"

namespace clwave::detail {

// The profile's numbers, within the device's limits.
struct copy_numbers {
  unsigned group_size = 1;
  unsigned items = 1;
  unsigned vector_bytes = 1;
};

// The program of copies that move bytes, flat or in boxes. It has the one kernel that the call launches: all
// of them together take a compiler several times as long.
struct move_variant {
  static constexpr std::string_view primitive = "copy";
  copy_numbers numbers = {};
  std::string_view kernel = {};  // empty where nothing is launched
  unsigned width = 1;            // bytes of an access
};

// The program of copies that convert elements, which is a copy's too; its keys have a name of their own.
struct convert_variant {
  static constexpr std::string_view primitive = "convert";
  const element *from = nullptr, *to = nullptr;
  bool saturate = false;
  rounding round = rounding::natural;
  unsigned vector = 16;  // elements in a packet
  copy_numbers numbers = {};
};

struct fill_variant {
  static constexpr std::string_view primitive = "fill";
  copy_numbers numbers = {};
  bool streams = false;  // stores go past a CPU's caches
};

// The program of copies of ranges, which is a copy's too.
struct ranges_variant {
  static constexpr std::string_view primitive = "copy_ranges";
  copy_numbers numbers = {};
  unsigned window = 1;        // neighbouring ranges that are looked at together
  unsigned part_bytes = 1;    // of the parts in which elements are moved that no wider access takes
  bool wide_indices = false;  // starts and lengths have 64 bits
  bool one_window = false;    // all ranges are one
  bool counts_bad = false;
};

program_spec spec_of(const move_variant& v);
program_spec spec_of(const convert_variant& v);
program_spec spec_of(const fill_variant& v);
program_spec spec_of(const ranges_variant& v);

// A copy that changes no element: its bytes are moved.
struct move_problem : copy_problem {};

described<move_variant> describe(const move_problem& q, const target& on);
told tell(const move_problem& q, const target& on, const described<move_variant>& call);

// A box whose rows follow one another is described as the flat copy that it is.
described<move_variant> describe(const box_problem& q, const target& on);
told tell(const box_problem& q, const target& on, const described<move_variant>& call);

described<fill_variant> describe(const fill_problem& q, const target& on);

described<ranges_variant> describe(const copy_ranges_problem& q, const target& on);
told tell(const copy_ranges_problem& q, const target& on, const described<ranges_variant>& call);

copy_numbers copy_numbers_of(const target& on, const tuning& tuned);

// Packets of a width that a work-item has in flight, one at least. Narrow ones take more to move as many
// bytes, up to the registers that 16 of them fill.
unsigned packets_in_flight(const copy_numbers& numbers, unsigned width);

// Of a box, whose packets each have a place and a test of their own: more spilled scalar registers (clang-19,
// gfx942).
unsigned box_in_flight(const copy_numbers& numbers, unsigned width);

// Groups for `count` packets in blocks; one at least, for bytes that fill no packet. Throws bad_call for more
// than a launch has; `of` is the primitive.
std::uint64_t gpu_groups(std::string_view of, std::uint64_t count, std::uint64_t block);

// A program that knows bytes and no elements.
program_spec spec_of_bytes(std::string_view of, const copy_numbers& numbers);

// Throws bad_call for types that do not convert into one another.
void check_copied(std::string_view of, const element& from, const element& to);

}  // namespace clwave::detail
