// select: what its programs are built from, and what its calls are.
#pragma once

#include <string_view>

#include <clwave/select.hpp>

#include "blocks/messages.hpp"
#include "call/description.hpp"
#include "call/lazy_inputs.hpp"
#include "program/program.hpp"

namespace clwave::detail {

struct select_variant {
  static constexpr std::string_view primitive = "select";
  select_kind kind = select_kind::copy_if;
  const element* value = nullptr;
  // The type of flags, of the values of unique_by_key, or of lengths; of the other kinds the value's.
  const element* beside = nullptr;
  const map* predicate = nullptr;
  // The predicate over elements and flags, or the second one of three ways; clwave's own: there is none.
  const map* second = &identity;
  const op* same = nullptr;
  group_messages messages = {};
  unsigned group_size = 1;
  unsigned items = 1;         // packets of a work-item
  unsigned vector = 1;        // neighbouring elements loaded as one packet
  bool by_element = false;    // a structure that lies at less than its size: member by member
  bool flag_packets = false;  // the flags of a packet are loaded by one access
  unsigned count_bytes = 0;   // of the number of elements on the device; 0: the host knows it
  lazy_variant lazy = {};
};

program_spec spec_of(const select_variant& v);

described<select_variant> describe(const select_problem& q, const target& on);

}  // namespace clwave::detail
