// The numbers of a row that can be tuned: which those of a primitive are, what each may be, and the row with
// others in their place.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <clwave/profile.hpp>

namespace clwave::detail {

// A member of a row's numbers, by the name that it has there, in the user's file and in JSON.
struct named_number {
  std::string_view name;
  unsigned value = 0;

  friend bool operator==(const named_number&, const named_number&) = default;
};

// A primitive's numbers, in the order of the structure that they are members of.
class tunable_numbers {
 public:
  tunable_numbers() = default;
  explicit tunable_numbers(std::vector<named_number> all) : all_(std::move(all)) {}

  // The number of that name. Throws clwave::error (internal) where there is none.
  unsigned& operator[](std::string_view name);
  unsigned operator[](std::string_view name) const;
  bool has(std::string_view name) const;

  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }
  bool empty() const { return all_.empty(); }
  std::size_t size() const { return all_.size(); }

  friend bool operator==(const tunable_numbers&, const tunable_numbers&) = default;

 private:
  std::vector<named_number> all_;
};

// The primitives that have numbers of their own in a row. All others go by the numbers of one of these.
std::span<const std::string_view> tuned_primitives();
bool is_tuned_primitive(std::string_view name);

// All that follow throw clwave::error (bad_call) for the name of another primitive.

// A row's numbers of a primitive, its own or those it goes by, as far as kernels on the row's devices use
// them: none where a CPU's kernels have none.
tunable_numbers tuning_of(const profile& row, std::string_view primitive);

// The row with other numbers for one primitive. Primitives that stand in the list above and go by that one's
// keep what they had.
profile with_tuning(const profile& row, std::string_view primitive, const tunable_numbers& numbers);

// Why a row cannot have these numbers; empty if it can. The table's own rows keep to it too.
std::string fault_of(const profile& row, std::string_view primitive, const tunable_numbers& numbers);

// What a search tries next in place of a number: twice and half as many, and nearer ones where a number need
// not be a power of two. Some may be numbers that a row cannot have.
std::vector<unsigned> steps_from(std::string_view primitive, const named_number& number);

// Whether a number limits registers, which only NVIDIA's compiler can be asked for.
bool limits_registers(const named_number& number);

// How the table writes what the numbers are members of: ".scan = {" or ".fill = tuning{".
std::string member_text(std::string_view primitive);

// "group_size 256, items 8, groups_per_unit 4, vector_bytes 16, registers 0"
std::string text_of(const tunable_numbers& numbers);

}  // namespace clwave::detail
