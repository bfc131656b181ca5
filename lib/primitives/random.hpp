// random: what its programs are built from, and what its calls are.
#pragma once

#include <string_view>

#include <clwave/element.hpp>
#include <clwave/random.hpp>

#include "call/description.hpp"
#include "program/program.hpp"

namespace clwave::detail {

struct random_variant {
  static constexpr std::string_view primitive = "random";
  const element* out = nullptr;
  random_kind kind = random_kind::uniform;
  bool bounded = false;       // integers below a bound
  bool wide_indices = false;  // a permutation's are reckoned in 64 bits
  bool packets = false;       // stores of 16 bytes
  unsigned group_size = 1;
  unsigned items = 1;    // packets of a work-item
  unsigned vector = 1;   // elements of a packet
  unsigned skipped = 0;  // elements between a block's first and a packet's first
};

program_spec spec_of(const random_variant& v);

described<random_variant> describe(const random_problem& q, const target& on);
told tell(const random_problem& q, const target& on, const described<random_variant>& call);

}  // namespace clwave::detail
