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

template <class Question>
void check_sort_types(std::string_view primitive, const Question& q) {
  const auto type = [](const std::optional<asked_operand>& each) { return each ? each->type : nullptr; };
  check_sort_types(primitive, {q.keys.type, type(q.keys_out), type(q.values), type(q.values_out)}, q.n);
}

// Where keys or values lie, in bytes: in a buffer of the caller's, or in the workspace.
struct sort_place {
  std::optional<std::size_t> operand;
  std::uint64_t at = 0;
};
void add_place(described_launch& launch, const char* name, const char* at_name, const sort_place& where);

// The operands of a question as a call's work has them, and where they lie.
struct sort_places {
  sort_place keys, values, keys_out, values_out;
};
template <class Question>
sort_places add_sort_operands(std::string_view primitive, described_work& work, const Question& q,
                              bool with_values_out = true) {
  sort_places all;
  const auto add = [&](const asked_operand& each, access use, std::string_view what) {
    work.operands.push_back({use, counting{primitive, what}.bytes(each.offset, q.n, each.type->size)});
    return sort_place{work.operands.size() - 1, each.offset * each.type->size};
  };
  work.operands.reserve(4);
  all.keys = add(q.keys, access::reads, "the keys");
  if (q.values) all.values = add(*q.values, access::reads, "the values");
  if (q.keys_out) all.keys_out = add(*q.keys_out, access::reads_and_writes, "the output of the keys");
  if (q.values_out && with_values_out)
    all.values_out =
        add(*q.values_out, access::reads_and_writes, q.keys_out ? "the output of the values" : "the indices");
  return all;
}

// The views of a call, checked: each output is long enough, and an input may give its place to its own
// output.
class sort_operands {
 public:
  struct views {
    const operand& keys;
    const std::optional<operand>&keys_out, &values, &values_out;
  };
  // Throws bad_call. Values, and keys where they are `numbers`, are moved as bits. Refers to the views.
  sort_operands(const call_site& site, std::string_view primitive, const views& call, bool numbers);
  sort_operands(const sort_operands&) = delete;
  sort_operands& operator=(const sort_operands&) = delete;

  std::span<const cl_mem> buffers() const { return {buffers_.data(), count_}; }
  const checked_operands& checked() const { return checked_; }
  // Whether an output lies where its input does.
  bool keys_in_place() const;
  bool values_in_place() const;
  bool in_place() const { return keys_in_place() || values_in_place(); }

  template <class Question>
  void fill(Question& q) const {
    q.n = call_.keys.n;
    q.keys = asked(0);
    if (call_.values) q.values = asked(values_);
    if (call_.keys_out) q.keys_out = asked(keys_out_);
    if (call_.values_out) q.values_out = asked(values_out_);
  }

 private:
  std::size_t add(const operand& view, access use, std::string_view name, bool as_bits_alone);
  asked_operand asked(std::size_t k) const;

  views call_;
  std::array<call_operand, 4> all_;
  std::array<const element*, 4> types_;
  std::array<cl_mem, 4> buffers_;
  std::size_t count_ = 0, values_ = 0, keys_out_ = 0, values_out_ = 0;
  checked_operands checked_;
};

}  // namespace clwave::detail
