// What all sorts share: their operands and types, and the rooms that keys and values are in from pass to
// pass.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <clwave/sort.hpp>

#include "call/description.hpp"
#include "call/operands.hpp"

namespace clwave::detail {

// Throws bad_call where the types of a sort's operands do not go together. Of an argsort there is no output
// of the keys, and the output of the values is that of its indices.
void check_sort_types(std::string_view primitive, const sort_problem& q);

// Where keys or values lie, in bytes: in a buffer of the caller's, or in the workspace.
struct sort_place {
  std::optional<std::size_t> operand;
  std::uint64_t at = 0;
};
void add_place(described_launch& launch, const char* name, const char* at_name, const sort_place& where);

// Where keys, and what goes with them, are from pass to pass: in turn in the spare room and in the output. Of
// an argsort there are no values yet, and `keys_out` is a second spare room.
struct sort_rooms {
  sort_place keys, keys_out = {}, keys_spare = {};
  sort_place values, values_out = {}, values_spare = {};
};

// The operands of a problem as a call's work has them, and where they lie.
struct sort_places {
  sort_place keys, values, keys_out, values_out;
};
sort_places add_sort_operands(std::string_view primitive, described_work& work, const sort_problem& q,
                              bool with_values_out = true);

// The same of the segments that are sorted: the operands of their offsets, of where the number of bad ones is
// written, and of their own number, where the device has it.
struct sorted_segments {
  std::uint64_t n = 0, segments = 0;
  std::size_t offsets = 0;
  std::uint64_t offsets_offset = 0;  // in elements, as bad_offset
  std::optional<std::size_t> bad;
  std::uint64_t bad_offset = 0;
  const any_view* count = nullptr;
  std::size_t number = 0;
};
sorted_segments add_sorted_segments(std::string_view primitive, described_work& work, const sort_problem& q);

// The operands of a call, checked: each output is long enough, and an input may give its place to its own
// output.
class sort_operands {
 public:
  // Tells the problem where its views lie. Throws bad_call. Values, and keys that are compared as numbers,
  // are moved as bits.
  sort_operands(const call_site& site, std::string_view primitive, sort_problem& q);
  sort_operands(const sort_operands&) = delete;
  sort_operands& operator=(const sort_operands&) = delete;

  std::span<const cl_mem> buffers() const { return {buffers_.data(), count_}; }
  const checked_operands& checked() const { return checked_; }

 private:
  void add(any_view& view, const call_operand& each);

  std::array<call_operand, 7> all_;
  std::array<any_view*, 7> views_;
  std::array<cl_mem, 7> buffers_;
  any_view number_;  // of the keys or of the segments, where that lies on the device
  std::size_t count_ = 0;
  checked_operands checked_;
};

}  // namespace clwave::detail
