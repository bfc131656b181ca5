// Random orders of keys, for the variants of programs that have one.
#pragma once

#include <array>
#include <cstdint>

#include "blocks/sorted_keys.hpp"
#include "harness/keys.hpp"

namespace testing {

// By numbers or by a text. What made() gives refers to this.
class random_comparison {
 public:
  explicit random_comparison(dice& d) : less_(random_op(d)), element_(random_element(d)), by_text_(d.flip()) {
    static const std::array<const clwave::element*, 4> numbers{
        &clwave::element_of<std::int32_t>(), &clwave::element_of<float>(),
        &clwave::element_of<std::uint64_t>(), &clwave::element_of<bool>()};
    less_.kind = clwave::op_kind::user;
    number_ = d.one_of(numbers);
    descending_ = d.flip();
    first_bit_ = d.below(2);
  }
  clwave::detail::key_comparison made() const {
    if (by_text_) return {.key = &element_, .less = &less_};
    const auto all = static_cast<unsigned>(number_->size * 8);
    return {.key = number_, .descending = descending_, .first_bit = first_bit_, .bits = all - first_bit_};
  }

 private:
  clwave::op less_;
  clwave::element element_;
  bool by_text_;
  const clwave::element* number_ = nullptr;
  bool descending_ = false;
  unsigned first_bit_ = 0;
};

}  // namespace testing
