// Device facts as text with the types that the texts came from, for who writes numbers as numbers.
#pragma once

#include <vector>

#include <clwave/device.hpp>

namespace clwave::detail {

enum class fact_kind { text, words, number, numbers, flag };

struct typed_fact {
  printed_fact printed;
  fact_kind kind = fact_kind::text;  // `words` is text with blanks between its words
};

// What print() has, in its order.
std::vector<typed_fact> print_typed(const device_facts& facts);

}  // namespace clwave::detail
