// Equal neighbours, and the sizes of tiles.
#include "blocks/kept.hpp"

#include <algorithm>
#include <string>

#include <clwave/error.hpp>

#include "program/element_words.hpp"
#include "program/named_values.hpp"

namespace clwave::detail {
void add_counts_kept(program_spec& spec) {
  add_word(spec, "COUNTS_KEPT");
  add_word(spec, "SUMS_LANES");
}

void add_kept(program_spec& spec) {
  add_counts_kept(spec);
  add_word(spec, "SELECTS");
}

const op& equality_of(const element& value, const op* same) {
  // Never destroyed: calls may come as the process exits.
  static const op& equal = *new op{.name = "equal", .source = "a == b", .identity = {}};
  static const op& equal_in_all = *new op{.name = "equal", .source = "all(a == b)", .identity = {}};
  if (same != nullptr) return *same;
  return value.components > 1 ? equal_in_all : equal;
}

void check_equality(std::string_view caller, const target& on, const element& value, const op* same) {
  const auto refuse_equality = [&](std::string_view message, std::string_view advice = {}) {
    throw error(failure::bad_call, message, CL_SUCCESS,
                {.primitive = std::string(caller), .types = value.name, .advice = std::string(advice)});
  };
  const op& compared = equality_of(value, same);
  if (same == nullptr && is_structure(value))
    refuse_equality("structures have no ==",
                    "give an operator, such as {.name = \"same key\", .source = \"a.key == b.key\"}");
  if (compared.kind != op_kind::user || compared.name.empty() || compared.source.empty())
    refuse_equality("equality is an operator of your own, with a name and a source");
  check_values(caller, on, compared);
}

unsigned elements_of_item(std::size_t size, unsigned items) {
  return static_cast<unsigned>(std::clamp<std::size_t>(items * 4 / size, 1, std::min(items, 64u)));
}

}  // namespace clwave::detail
