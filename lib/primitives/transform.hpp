// transform and broadcast: what their programs are built from, and what a transform is.
#pragma once

#include <string_view>
#include <vector>

#include <clwave/element.hpp>
#include <clwave/op.hpp>
#include <clwave/transform.hpp>

#include "call/description.hpp"
#include "program/program.hpp"

namespace clwave::detail {

struct transform_numbers {
  unsigned group_size = 1;
  unsigned items = 1;   // packets of each input in flight
  unsigned vector = 1;  // elements of a packet
};

struct transform_variant {
  static constexpr std::string_view primitive = "transform";
  std::vector<const element*> in;
  const element* out = nullptr;
  const map* apply = nullptr;
  transform_numbers numbers = {};
  bool streaming = false;    // results go past a CPU's caches
  unsigned count_bytes = 0;  // of the number of elements on the device; 0: the host knows it
};

struct broadcast_variant {
  static constexpr std::string_view primitive = "broadcast";
  const element *in = nullptr, *vector = nullptr, *out = nullptr;
  const map* apply = nullptr;
  per which = per::column;
  bool staged = false;  // a row's values go through local memory
  transform_numbers numbers = {};
};

program_spec spec_of(const transform_variant& v);
program_spec spec_of(const broadcast_variant& v);

described<transform_variant> describe(const transform_problem& q, const target& on);

}  // namespace clwave::detail
