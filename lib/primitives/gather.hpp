// gather and scatter: what their programs are built from, and what their calls are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <clwave/element.hpp>
#include <clwave/gather.hpp>
#include <clwave/op.hpp>

#include "call/description.hpp"
#include "program/program.hpp"

namespace clwave::detail {

struct gather_variant {
  static constexpr std::string_view primitive = "gather";
  std::size_t element_bytes = 0;  // that are moved as bits; 0: a map makes one element of another
  const element *in = &no_type(), *out = &no_type();  // with a map
  const map* apply = &identity;                       // where no bits are moved, the user's
  bool scatters = false;
  bool wide_indices = false;  // of 64 bits
  bool has_outside = false;   // elements in several parts: other than zero bytes
  bool counts_bad = false;
  unsigned claim_bytes = 0;  // of the claims that a scatter makes first; 0: it makes none
  unsigned group_size = 1;
  unsigned items = 1;        // packets, or parts of elements, that a work-item holds at a time
  unsigned vector = 1;       // indices of a packet
  unsigned count_bytes = 0;  // of the number of indices on the device; 0: the host knows it
  // Of a reverse, a rotate and a shuffle there are no indices: they follow from the place.
  enum class indices : unsigned char { read, reversed, rotated, shuffled } which = indices::read;
  const element* flag = &no_type();  // of flags; of no bytes: there are none
  const map* predicate = &identity;  // over flags, the user's; else those are set that are not 0
};

program_spec spec_of(const gather_variant& v);

// Chooses how many work-items are a group, and what each one holds.
void choose_gather_numbers(gather_variant& v, const gather_problem& q, const target& on);

// How the launches of a call divide the indices.
struct gather_division {
  std::uint64_t groups = 1;
  std::uint64_t claim_groups = 1;
  std::uint64_t head = 0;  // indices before the first packet
};
gather_division divide_gather(const gather_problem& q, const gather_variant& v, const target& on);

// What a gather stores where an index is outside: as an element, or as the 128 bytes in which parts are
// found.
void add_gather_outside(described_launch& launch, const gather_problem& q, const gather_variant& v);

described<gather_variant> describe(const gather_problem& q, const target& on);
told tell(const gather_problem& q, const target& on, const described<gather_variant>& call);
described<gather_variant> describe(const reorder_problem& q, const target& on);
told tell(const reorder_problem& q, const target& on, const described<gather_variant>& call);

}  // namespace clwave::detail
