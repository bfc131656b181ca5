// What all sorts share: their operands and types, and the rooms that keys and values are in from pass to
// pass.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "call/description.hpp"
#include "call/operands.hpp"

namespace clwave::detail {

// The types of a sort's operands; of an argsort there is no output of the keys, and the values are its
// indices. Throws bad_call where they do not go together.
struct sort_types {
  const element* keys;
  const element *keys_out, *values, *values_out;  // null: there are none
};
void check_sort_types(std::string_view primitive, const sort_types& types, std::uint64_t n);

template <class Problem>
void check_sort_types(std::string_view primitive, const Problem& q) {
  const auto type = [](const std::optional<any_view>& each) { return each ? each->type : nullptr; };
  check_sort_types(primitive, {q.keys.type, type(q.keys_out), type(q.values), type(q.values_out)}, q.n);
}

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
template <class Problem>
sort_places add_sort_operands(std::string_view primitive, described_work& work, const Problem& q,
                              bool with_values_out = true) {
  sort_places all;
  const auto add = [&](const any_view& each, access use, std::string_view what) {
    work.operands.push_back({use, counting{primitive, what}.bytes(each.offset, q.n, each.type->size)});
    return sort_place{work.operands.size() - 1, each.offset * each.type->size};
  };
  work.operands.reserve(6);
  all.keys = add(q.keys, access::reads, "the keys");
  if (q.values) all.values = add(*q.values, access::reads, "the values");
  const std::optional<any_view>& keys_out = q.keys_out;  // of segments there always is one
  if (keys_out) all.keys_out = add(*keys_out, access::reads_and_writes, "the output of the keys");
  if (q.values_out && with_values_out)
    all.values_out =
        add(*q.values_out, access::reads_and_writes, keys_out ? "the output of the values" : "the indices");
  return all;
}

// The same of the segments that are sorted: the operands of their offsets, and of where the number of bad
// ones is written.
struct sorted_segments {
  std::uint64_t n = 0, segments = 0;
  std::size_t offsets = 0;
  std::uint64_t offsets_offset = 0;  // in elements, as bad_offset
  std::optional<std::size_t> bad;
  std::uint64_t bad_offset = 0;
};
template <class Problem>
sorted_segments add_sorted_segments(std::string_view primitive, described_work& work, const Problem& q,
                                    const any_view& offsets) {
  sorted_segments all{.n = q.n, .segments = q.segments, .offsets_offset = offsets.offset, .bad = {}};
  const auto add = [&](access use, std::uint64_t n_bytes) {
    work.operands.push_back({use, n_bytes});
    return work.operands.size() - 1;
  };
  all.offsets = add(access::reads, counting{primitive, "the offsets"}.bytes(
                                       offsets.offset, counting{primitive, "the offsets"}.plus(q.segments, 1),
                                       offsets.type->size));
  if (q.counts_bad) {
    all.bad =
        add(access::writes, counting{primitive, "the number of bad segments"}.bytes(q.bad_offset, 1, 8));
    all.bad_offset = q.bad_offset;
  }
  return all;
}

// The views of a call, checked: each output is long enough, and an input may give its place to its own
// output.
class sort_operands {
 public:
  struct views {
    const any_view& keys;
    const std::optional<any_view>&keys_out, &values, &values_out;
    const any_view *offsets = nullptr, *bad = nullptr;  // of a sort of segments; null: there are none
  };
  // Throws bad_call. Values, and keys where they are `numbers`, are moved as bits. Refers to the views.
  sort_operands(const call_site& site, std::string_view primitive, const views& call, bool numbers);
  sort_operands(const sort_operands&) = delete;
  sort_operands& operator=(const sort_operands&) = delete;

  std::span<const cl_mem> buffers() const { return {buffers_.data(), count_}; }
  const checked_operands& checked() const { return checked_; }
  // Of the number of bad segments the one element that is written.
  const any_view& bad() const { return bad_; }
  // Whether an output lies where its input does.
  bool keys_in_place() const;
  bool values_in_place() const;
  bool in_place() const { return keys_in_place() || values_in_place(); }

  template <class Problem>
  void fill(Problem& q) const {
    q.n = call_.keys.n;
    q.keys = asked(0);
    if (call_.values) q.values = asked(values_);
    if (call_.keys_out) q.keys_out = asked(keys_out_);
    if (call_.values_out) q.values_out = asked(values_out_);
    if constexpr (requires { q.segments; }) {
      if (call_.offsets == nullptr) return;
      q.offsets = asked(offsets_);
      q.segments = call_.offsets->n - 1;
      q.counts_bad = call_.bad != nullptr;
      q.bad_offset = bad_.offset;
    }
  }

 private:
  std::size_t add(const call_operand& each, const element* type);
  std::size_t add_sorted(const any_view& view, access use, std::string_view name, bool as_bits_alone);
  any_view asked(std::size_t k) const;

  views call_;
  std::array<call_operand, 6> all_;
  std::array<const element*, 6> types_;
  std::array<cl_mem, 6> buffers_;
  std::size_t count_ = 0, values_ = 0, keys_out_ = 0, values_out_ = 0, offsets_ = 0;
  any_view bad_ = {};
  checked_operands checked_;
};

}  // namespace clwave::detail
