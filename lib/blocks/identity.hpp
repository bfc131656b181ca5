// The identity of an operator, which is what it makes of no elements.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <clwave/element.hpp>
#include <clwave/op.hpp>

namespace clwave::detail {

// The operator's identity as bytes of an accumulator; nothing where only the device's compiler can say
// (a user's text that is no plain number). Throws bad_call where there is none.
std::optional<std::vector<unsigned char>> identity_of(std::string_view primitive, const op& fold,
                                                      const element& accumulator);

}  // namespace clwave::detail
