// Flags beside elements: checks and words.
#include "blocks/flags.hpp"

#include <algorithm>
#include <utility>

#include <clwave/error.hpp>

#include "program/element_words.hpp"
#include "program/named_values.hpp"
#include "program/user_text.hpp"

namespace clwave::detail {
namespace {

[[noreturn]] void refuse_flags(std::string_view primitive, const std::string& types, std::string message,
                               std::string advice = {}) {
  throw error(failure::bad_call, message, CL_SUCCESS,
              {.primitive = std::string(primitive), .types = types, .advice = std::move(advice)});
}

}  // namespace

void check_flags(std::string_view primitive, const element& flag, const std::string& types) {
  if ((!is_integer(flag) && !is_bool(flag)) || flag.components > 1)
    refuse_flags(primitive, types, "flags of " + flag.name, "flags are integers or bool");
}

void check_flags(std::string_view primitive, const target& on, const element& flag, const map* predicate,
                 const std::string& types) {
  const auto no = [&](std::string message, std::string advice = {}) {
    refuse_flags(primitive, types, std::move(message), std::move(advice));
  };
  if (flag.kind == element_kind::opaque)
    no(flag.name + " has no type on the device", "declare it with CLWAVE_STRUCTURE");
  if (flag.size > 128) no("elements have 1 to 128 bytes");
  if (is_of_doubles(flag) && on.facts != nullptr && !on.facts->fp64.value_or(false))
    no("flags of doubles, which this device does not have");
  if (predicate == nullptr || predicate->kind != map_kind::user || predicate->name.empty() ||
      predicate->source.empty())
    no("a predicate is a map of your own, with a name and a source");
  check_values(primitive, on, *predicate);
}

void add_flags(program_spec& spec, const element& flag, std::string_view name) {
  add_word(spec, "FLAG", stored_name(flag));
  add_word(spec, "FLAG_LOADED", stored_name(flag));
  add_word(spec, "FLAG_READ", "AS_IT_IS");
  spec.texts.emplace_back("PREDICATE_TEXT", std::string(name) + " != 0");
}

void add_flags(program_spec& spec, const element& flag, std::span<const element* const> others,
               const map& predicate, std::vector<text_operand> operands) {
  std::vector<const element*> all(others.begin(), others.end());
  all.push_back(&flag);
  check_elements(spec.primitive, all);
  add_word(spec, "FLAG", stored_name(flag));
  add_word(spec, "FLAG_LOADED", loaded_name(flag));
  add_word(spec, "FLAG_READ", read_name(flag));
  const auto has_its_name = [&](const element* each) { return each->opencl_name == flag.opencl_name; };
  const element* const own = &flag;
  if (std::ranges::none_of(others, has_its_name)) add_types(spec, {&own, 1});
  add_predicate(spec, predicate, std::move(operands));
}

}  // namespace clwave::detail
