// gather and scatter: what their programs are built from, and what their calls are.
#pragma once

#include <cstddef>
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
};

program_spec spec_of(const gather_variant& v);

described<gather_variant> describe(const gather_problem& q, const target& on);
told tell(const gather_problem& q, const target& on, const described<gather_variant>& call);
described<gather_variant> describe(const reorder_problem& q, const target& on);
told tell(const reorder_problem& q, const target& on, const described<gather_variant>& call);

}  // namespace clwave::detail
