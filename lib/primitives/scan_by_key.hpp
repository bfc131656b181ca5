// scan_by_key: what its programs are built from, and what its calls are.
#pragma once

#include <string_view>

#include <clwave/scan_by_key.hpp>

#include "blocks/kept.hpp"
#include "blocks/messages.hpp"
#include "call/description.hpp"
#include "primitives/segmented_scan.hpp"
#include "program/program.hpp"

namespace clwave::detail {

struct scan_by_key_variant {
  static constexpr std::string_view primitive = "scan_by_key";
  segmented_scan_variant segments = {};  // the runs
  const element* key = nullptr;
  const op* same = nullptr;
  key_shape keys = {};
  group_messages messages = {};  // of those that find the runs
  unsigned count_bytes = 0;      // of the number of keys on the device; 0: the host knows it
};

program_spec spec_of(const scan_by_key_variant& v);

described<scan_by_key_variant> describe(const scan_by_key_problem& q, const target& on);

}  // namespace clwave::detail
